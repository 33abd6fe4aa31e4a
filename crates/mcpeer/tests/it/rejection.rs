//! Messages that another SDK rejects or takes, and what it makes of each; the same of our server.

use std::fs;

use mcpeer::{
    server::{Args, Server},
    version::Revision,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{peers::RawClient, spec, warnings::Warnings};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize)]
struct Case {
    message: Value,
    expect: Outcome,
    #[serde(rename = "errorCode")]
    error_code: Option<i64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    ResultResponse,
    ErrorResponse,
    /// Reported here, and not answered.
    Onerror,
    /// Neither.
    Ignored,
}

/// What we make otherwise of a message: its outcome, its code, why.
const DIFFERENCES: [(&str, Outcome, Option<i64>, &str); 5] = [
    ("batch-array-body", Outcome::ErrorResponse, Some(-32600), "JSON-RPC answers what is no request"),
    ("null-request-id", Outcome::ErrorResponse, Some(-32600), "who asked learns that nothing comes"),
    ("wrong-jsonrpc-version", Outcome::ErrorResponse, Some(-32600), "who asked learns that nothing comes"),
    ("request-extra-top-level-key", Outcome::ResultResponse, None, "what a later revision may add does no harm"),
    ("invalid-spec-params", Outcome::ErrorResponse, Some(-32602), "params that do not fit are invalid params"),
];

#[tokio::test]
async fn each_message_comes_to_what_is_recorded_or_what_is_better() {
    let test = "each_message_comes_to_what_is_recorded_or_what_is_better";
    let Some(folder) = spec::part(test, "corpus/messages/rejection") else { return };
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let case: Case = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let recorded = (case.expect, case.error_code);
        let found = outcome(&case.message).await;
        match DIFFERENCES.iter().find(|difference| difference.0 == name) {
            Some((_, outcome, code, because)) => {
                assert_ne!(found, recorded, "{name}: there is no difference: {because}");
                assert_eq!(found, (*outcome, *code), "{name}: {because}");
                seen += 1;
            }
            None => assert_eq!(found, recorded, "{name}"),
        }
    }
    assert_eq!(seen, DIFFERENCES.len());
}

/// Sends a message to a server and says what comes of it.
async fn outcome(message: &Value) -> (Outcome, Option<i64>) {
    let warnings = Warnings::default();
    let _listening = tracing::subscriber::set_default(warnings.clone());
    let server = Server::builder("echo", "1").tool("echo", async |Args(echo): Args<Echo>| echo.text).build().unwrap();
    let mut client = RawClient::connect(&server, Revision::V2025_11_25).await;
    client.send(message).await;
    let last = json!({"jsonrpc": "2.0", "id": "last", "method": "ping"});
    client.send(&last).await;
    let answer = client.receive().await.unwrap();
    if answer["id"] == "last" {
        return (if warnings.count() > 0 { Outcome::Onerror } else { Outcome::Ignored }, None);
    }
    assert_eq!(client.receive().await.unwrap()["id"], "last", "one message has one answer");
    let id = message.get("id").filter(|id| !id.is_null());
    assert!(answer.get("id") == id, "{message} is answered by {answer}");
    match answer["error"]["code"].as_i64() {
        Some(code) => (Outcome::ErrorResponse, Some(code)),
        None => (Outcome::ResultResponse, None),
    }
}
