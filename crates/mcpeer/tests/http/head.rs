//! What handlers see of HTTP, and arguments that headers repeat.

use http::Request;
use mcpeer::{
    handler::Context,
    server::{Args, HttpService, Server},
};
use serde_json::{Value, json};

use crate::web::{legacy, modern, run, send};

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Weather {
    #[schemars(extend("x-mcp-header" = "City"))]
    city: Option<String>,
    #[schemars(extend("x-mcp-header" = "Days"))]
    days: Option<i64>,
}

#[derive(Clone)]
struct Tenant(&'static str);

fn service() -> HttpService {
    let server = Server::builder("test", "1")
        .tool("weather", async |Args(asked): Args<Weather>| {
            format!("{} {}", asked.city.unwrap_or_default(), asked.days.unwrap_or_default())
        })
        .tool("head", async |cx: Context| {
            let head = cx.http().expect("it came over HTTP");
            let tenant = head.extensions.get::<Tenant>().map_or("nobody", |tenant| tenant.0);
            format!("{} {} {tenant}", head.method, head.headers["user-agent"].to_str().unwrap())
        });
    server.build().unwrap().http().sessionless().service()
}

#[test]
fn a_handler_sees_the_head_of_its_request() {
    run(async {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "head"}});
        for mut request in [modern(1, "tools/call", &json!({"name": "head"})), legacy(None, &call)] {
            request.headers_mut().insert("user-agent", "test/1".parse().unwrap());
            request.extensions_mut().insert(Tenant("me"));
            let answer = send(&service(), request).await.json();
            assert_eq!(answer["result"]["content"][0]["text"], "POST test/1 me");
        }
    });
}

fn ask(arguments: &Value, headers: &[(&'static str, &str)]) -> Request<String> {
    let mut request = modern(1, "tools/call", &json!({"name": "weather", "arguments": arguments}));
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().unwrap());
    }
    request
}

#[test]
fn headers_that_repeat_arguments_must_agree() {
    run(async {
        let service = service();
        for (arguments, headers, agrees) in [
            (json!({}), &[][..], true),
            (json!({"city": "Bern", "days": 3}), &[("mcp-param-city", "Bern"), ("mcp-param-days", "3")], true),
            (json!({"city": "Zürich"}), &[("mcp-param-city", "=?base64?WsO8cmljaA==?=")], true),
            (json!({"city": "Bern"}), &[], false),
            (json!({"city": "Bern"}), &[("mcp-param-city", "Basel")], false),
            (json!({"days": 3}), &[("mcp-param-days", "4")], false),
            (json!({}), &[("mcp-param-city", "Bern")], false),
            (json!({"city": "Bern"}), &[("mcp-param-city", "Bern"), ("mcp-param-city", "Bern")], false),
        ] {
            let answer = send(&service, ask(&arguments, headers)).await;
            let expected = if agrees { (200, None) } else { (400, Some(-32020)) };
            let code = answer.json()["error"]["code"].as_i64();
            assert_eq!((answer.status, code), expected, "{arguments} {headers:?}");
        }
    });
}

#[test]
fn the_stateful_era_repeats_no_arguments() {
    run(async {
        let params = json!({"name": "weather", "arguments": {"city": "Bern"}});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = send(&service(), legacy(Some("2025-11-25"), &call)).await;
        assert_eq!(answer.json()["result"]["content"][0]["text"], "Bern 0");
    });
}

#[test]
fn a_tool_whose_schema_misuses_the_keyword_is_not_served() {
    #[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
    #[schemars(crate = "mcpeer::schemars")]
    struct Amount {
        #[schemars(extend("x-mcp-header" = "Amount"))]
        amount: f64,
    }
    let server = Server::builder("test", "1")
        .tool("pay", async |Args(asked): Args<Amount>| asked.amount.to_string())
        .tool("fine", async || "fine")
        .build()
        .unwrap();
    let disabled = server.disabled_tools();
    assert_eq!(disabled.len(), 1);
    assert!(disabled[0].reason.contains("must be a string, an integer or a boolean"), "{disabled:?}");
}
