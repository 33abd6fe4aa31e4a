//! A tool whose arguments and result are Rust types: once with the macro, once with the builder, and no difference.
//!
//! `cargo run --example typed_tool`

use mcpeer::{
    client::Client,
    schemars,
    server::{Args, Json, Server, Tool},
    transport::memory,
};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    temperature: f64,
}

fn look_up(city: &str, unit: Option<Unit>) -> Result<Json<Weather>, String> {
    match (city, unit) {
        ("Oslo", Some(Unit::Fahrenheit)) => Ok(Json(Weather { temperature: 14.0 })),
        ("Oslo", _) => Ok(Json(Weather { temperature: -10.0 })),
        _ => Err(format!("no station in {city}: ask for Oslo")),
    }
}

struct Station;

#[mcpeer::server]
impl Station {
    /// Tells the weather of a city.
    #[tool]
    async fn weather(
        &self,
        /// Where.
        city: String,
        unit: Option<Unit>,
    ) -> Result<Json<Weather>, String> {
        look_up(&city, unit)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Question {
    /// Where.
    city: String,
    unit: Option<Unit>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = Tool::new("weather").description("Tells the weather of a city.");
    let twin = Server::builder("station", "1.0.0")
        .tool(tool, async |Args(question): Args<Question>| look_up(&question.city, question.unit));

    let mut advertised = Vec::new();
    for server in [Station.server().build()?, twin.build()?] {
        let (ours, theirs) = memory::pair();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = Client::builder("example", "1.0.0").connect_with(ours).await?;
        advertised.push(client.tools().all().await?);

        let oslo = client.call("weather").arguments(&json!({"city": "Oslo", "unit": "fahrenheit"})).await?;
        assert_eq!(serde_json::from_str::<Weather>(&oslo.as_text())?, Weather { temperature: 14.0 });
        let nowhere = client.call("weather").arguments(&json!({"city": "Atlantis"})).await?;
        assert!(nowhere.is_failed() && nowhere.as_text() == "no station in Atlantis: ask for Oslo");
        let wrong = client.call("weather").arguments(&json!({"city": 7})).await?;
        assert!(
            wrong.as_text().ends_with("`arguments.city`: expected a string, found integer `7`"),
            "{}",
            wrong.as_text()
        );
    }
    assert_eq!(advertised[0], advertised[1]);
    Ok(())
}
