//! Our client with the servers of the other SDKs.

use mcpeer::{
    client::Client,
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    foreign::{LARGE, Sdk, UNUSUAL},
    served::Over,
    started::{text_of, with_server},
};

/// For each revision a test over pipes and one over HTTP: what our client
/// offers, what the connection then speaks.
macro_rules! speaks {
    ($module:ident, $sdk:expr; $($name:ident: $offered:expr => $spoken:expr;)+) => {
        mod $module {
            mod over_pipes {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_client_uses(Over::Pipe, $sdk, &$offered, $spoken).await;
                    }
                )+
            }
            mod over_http {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_client_uses(Over::Http, $sdk, &$offered, $spoken).await;
                    }
                )+
            }
        }
    };
}

speaks! { typescript_1, Sdk::TypeScript1;
    our_client_speaks_2024_11_05_to_a_typescript_1_server: [Revision::V2024_11_05] => Revision::V2024_11_05;
    our_client_speaks_2025_03_26_to_a_typescript_1_server: [Revision::V2025_03_26] => Revision::V2025_03_26;
    our_client_speaks_2025_06_18_to_a_typescript_1_server: [Revision::V2025_06_18] => Revision::V2025_06_18;
    our_client_speaks_2025_11_25_to_a_typescript_1_server: [Revision::V2025_11_25] => Revision::V2025_11_25;
    our_client_finds_the_stateful_era_of_a_typescript_1_server: Revision::ALL => Revision::V2025_11_25;
}

speaks! { typescript_2, Sdk::TypeScript2;
    our_client_speaks_2024_11_05_to_a_typescript_2_server: [Revision::V2024_11_05] => Revision::V2024_11_05;
    our_client_speaks_2025_03_26_to_a_typescript_2_server: [Revision::V2025_03_26] => Revision::V2025_03_26;
    our_client_speaks_2025_06_18_to_a_typescript_2_server: [Revision::V2025_06_18] => Revision::V2025_06_18;
    our_client_speaks_2025_11_25_to_a_typescript_2_server: [Revision::V2025_11_25] => Revision::V2025_11_25;
    our_client_speaks_2026_07_28_to_a_typescript_2_server: [Revision::V2026_07_28] => Revision::V2026_07_28;
    our_client_finds_the_stateless_era_of_a_typescript_2_server: Revision::ALL => Revision::V2026_07_28;
}

speaks! { python, Sdk::Python;
    our_client_speaks_2024_11_05_to_a_python_server: [Revision::V2024_11_05] => Revision::V2024_11_05;
    our_client_speaks_2025_03_26_to_a_python_server: [Revision::V2025_03_26] => Revision::V2025_03_26;
    our_client_speaks_2025_06_18_to_a_python_server: [Revision::V2025_06_18] => Revision::V2025_06_18;
    our_client_speaks_2025_11_25_to_a_python_server: [Revision::V2025_11_25] => Revision::V2025_11_25;
    our_client_speaks_2026_07_28_to_a_python_server: [Revision::V2026_07_28] => Revision::V2026_07_28;
    our_client_finds_the_stateless_era_of_a_python_server: Revision::ALL => Revision::V2026_07_28;
}

speaks! { rmcp, Sdk::Rmcp;
    our_client_speaks_2024_11_05_to_an_rmcp_server: [Revision::V2024_11_05] => Revision::V2024_11_05;
    our_client_speaks_2025_03_26_to_an_rmcp_server: [Revision::V2025_03_26] => Revision::V2025_03_26;
    our_client_speaks_2025_06_18_to_an_rmcp_server: [Revision::V2025_06_18] => Revision::V2025_06_18;
    our_client_speaks_2025_11_25_to_an_rmcp_server: [Revision::V2025_11_25] => Revision::V2025_11_25;
    our_client_speaks_2026_07_28_to_an_rmcp_server: [Revision::V2026_07_28] => Revision::V2026_07_28;
    our_client_finds_the_stateless_era_of_an_rmcp_server: Revision::ALL => Revision::V2026_07_28;
}

async fn our_client_uses(over: Over, sdk: Sdk, offered: &[Revision], spoken: Revision) {
    let Some(server) = sdk.server() else { return };
    let builder = Client::builder("interop_client", "1.0.0").revisions(offered.iter().copied());
    with_server(over, &server, builder, async |client| {
        assert_eq!(client.revision(), spoken);
        assert_eq!(client.server_info().expect("these servers say who they are").name, sdk.server_name());
        if spoken.era() == Era::Legacy {
            client.ping().await.expect("the server is there");
        }
        calls(&client).await;
        progress_and_cancel(&client).await;
        failures(&client, sdk).await;
        unusual_texts(&client).await;
    })
    .await;
}

async fn calls(client: &Client) {
    let tools = client.tools().all().await.expect("a list");
    let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["add", "cancelled", "count", "echo", "fail", "slow"]);

    assert_eq!(echo(client, "hello").await, "hello");

    let sum = client.call("add").arguments(&json!({"a": 2, "b": 3})).await.expect("a sum");
    let structured = sum.structured_content.as_ref().expect("these servers send it at every revision");
    let structured: Value = serde_json::from_str(structured.as_str()).expect("JSON");
    assert_eq!(structured["sum"].as_f64(), Some(5.0));

    let mut calls = JoinSet::new();
    for index in 0..32 {
        let client = client.clone();
        calls.spawn(async move { (format!("call {index}"), echo(&client, &format!("call {index}")).await) });
    }
    assert!(calls.join_all().await.iter().all(|(sent, returned)| sent == returned));
}

async fn progress_and_cancel(client: &Client) {
    let mut counting = client.call("count").arguments(&json!({"to": 5})).with_progress().send();
    let mut seen = Vec::new();
    while let Some(step) = counting.progress().await {
        seen.push((step.progress, step.total));
    }
    assert_eq!(seen, [1.0, 2.0, 3.0, 4.0, 5.0].map(|step| (step, Some(5.0))));
    assert_eq!(text_of(&counting.await.expect("a count")), "5");

    // Dropping a call cancels it, and so does saying so.
    let mut dropped = client.call("slow").arguments(&json!({})).with_progress().send();
    dropped.progress().await.expect("it has begun");
    drop(dropped);
    assert_eq!(cancelled(client, 1).await, "1");

    let mut cancelling = client.call("slow").arguments(&json!({})).with_progress().send();
    cancelling.progress().await.expect("it has begun");
    cancelling.cancel("no longer wanted");
    assert!(cancelling.await.expect_err("it was cancelled").is_cancelled());
    assert_eq!(cancelled(client, 2).await, "2");
    assert_eq!(echo(client, "still here").await, "still here");
}

async fn failures(client: &Client, sdk: Sdk) {
    let failed = client.call("fail").arguments(&json!({"message": "out of paper"})).await.expect("a result");
    assert!(failed.is_failed());
    assert!(text_of(&failed).contains("out of paper"), "the text was {}", text_of(&failed));

    // An error of the protocol by the specification; two SDKs make it a result for the model.
    match (sdk, client.call("no_such_tool").arguments(&json!({})).await) {
        (Sdk::TypeScript2 | Sdk::Rmcp, Err(error)) => assert_eq!(error.rpc().expect("the server's error").code, -32602),
        (Sdk::TypeScript1 | Sdk::Python, Ok(result)) => assert!(result.is_failed()),
        (_, other) => panic!("an unknown tool gave {other:?}"),
    }
}

async fn unusual_texts(client: &Client) {
    let large = "x".repeat(LARGE);
    let returned = echo(client, &large).await;
    assert!(returned == large, "{} bytes came back, which are not those that were sent", returned.len());
    assert_eq!(echo(client, UNUSUAL).await, UNUSUAL);
}

async fn echo(client: &Client, text: &str) -> String {
    text_of(&client.call("echo").arguments(&json!({"text": text})).await.expect("an echo")).to_owned()
}

async fn cancelled(client: &Client, at_least: u64) -> String {
    text_of(&client.call("cancelled").arguments(&json!({"at_least": at_least})).await.expect("a number")).to_owned()
}
