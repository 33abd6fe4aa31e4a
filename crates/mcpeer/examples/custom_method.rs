//! A method that no specification knows, asked by a client and answered by a server, in each era.
//!
//! `cargo run --example custom_method`

use mcpeer::{
    client::{Client, Policy},
    handler::Context,
    model::Request,
    rpc,
    server::{Params, Server},
    transport::memory,
};

/// `com.example/rank`: puts words in order.
enum Rank {}

#[derive(serde::Serialize, serde::Deserialize)]
struct Words {
    words: Vec<String>,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Ranking {
    ranked: Vec<String>,
    revision: String,
}

impl Request for Rank {
    const METHOD: &'static str = "com.example/rank";
    type Params = Words;
    type Result = Ranking;
}

async fn rank(cx: Context, Params(Words { words: mut ranked }): Params<Words>) -> Result<Ranking, rpc::Error> {
    if ranked.is_empty() {
        return Err(rpc::Error::new(rpc::Error::INVALID_PARAMS, "there is nothing to rank"));
    }
    ranked.sort();
    Ok(Ranking { ranked, revision: cx.revision().to_string() })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("ranker", "1.0.0").method::<Rank, _>(rank).build()?;
    for policy in [Policy::LegacyOnly, Policy::ModernOnly] {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = Client::builder("example", "1.0.0").policy(policy).connect_with(ours).await?;

        let words = Words { words: vec!["pear".to_owned(), "apple".to_owned()] };
        let ranking = client.request::<Rank>(&words).await?;
        assert_eq!(ranking.ranked, ["apple", "pear"]);
        assert_eq!(ranking.revision, client.revision().to_string());

        let error = client.request::<Rank>(&Words { words: Vec::new() }).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().message, "there is nothing to rank");
        client.close().await;
    }
    Ok(())
}
