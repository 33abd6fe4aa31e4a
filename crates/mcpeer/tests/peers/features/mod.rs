//! What goes beyond calls: resources, templates, prompts, completion, log messages, questions to the client (forms,
//! addresses, sampling, roots, several rounds), subscriptions, and lists that change; both ways, at every revision.
//!
//! Where a revision has no such thing, the test expects what then happens; none leaves a step out:
//!
//! | what | since | before that |
//! |---|---|---|
//! | forms, and so interviews | 2025-06-18 | our server, and `ts1` and `python` by what the client declares: a failed result |
//! | addresses to open, sampling with tools | 2025-11-25 | likewise |
//! | that roots have changed | until 2025-11-25 | since then nobody tells: a server asks when it needs them |
//! | log messages for one call alone | 2026-07-28 | the level is set once for all of the session |
//! | `subscriptions/listen` | 2026-07-28 | `resources/subscribe`; changes of lists come unasked |

mod everything;
mod expected;
mod servers;

use serde_json::Value;

use crate::{
    foreign::{CommandLine, Sdk},
    served::{Over, run_client_over},
};

/// For each revision a test over pipes and one over HTTP: what the client is
/// told to speak, what the connection then speaks.
macro_rules! finds {
    ($module:ident, $sdk:expr; $($name:ident: $asked:literal => $spoken:literal;)+) => {
        mod $module {
            mod over_pipes {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_server_offers_everything(Over::Pipe, $sdk, $asked, $spoken).await;
                    }
                )+
            }
            mod over_http {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_server_offers_everything(Over::Http, $sdk, $asked, $spoken).await;
                    }
                )+
            }
        }
    };
}

finds! { typescript_1, Sdk::TypeScript1;
    a_typescript_1_client_finds_everything_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_typescript_1_client_finds_everything_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_typescript_1_client_finds_everything_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_typescript_1_client_finds_everything_at_2025_11_25: "2025-11-25" => "2025-11-25";
}

finds! { typescript_2, Sdk::TypeScript2;
    a_typescript_2_client_finds_everything_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_typescript_2_client_finds_everything_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_typescript_2_client_finds_everything_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_typescript_2_client_finds_everything_at_2025_11_25: "2025-11-25" => "2025-11-25";
    a_typescript_2_client_finds_everything_at_2026_07_28: "2026-07-28" => "2026-07-28";
    a_typescript_2_client_finds_everything_in_the_era_that_it_finds: "auto" => "2026-07-28";
}

finds! { python, Sdk::Python;
    a_python_client_finds_everything_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_python_client_finds_everything_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_python_client_finds_everything_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_python_client_finds_everything_at_2025_11_25: "2025-11-25" => "2025-11-25";
    a_python_client_finds_everything_at_2026_07_28: "2026-07-28" => "2026-07-28";
    a_python_client_finds_everything_in_the_era_that_it_finds: "auto" => "2026-07-28";
}

finds! { rmcp, Sdk::Rmcp;
    an_rmcp_client_finds_everything_at_2024_11_05: "2024-11-05" => "2024-11-05";
    an_rmcp_client_finds_everything_at_2025_03_26: "2025-03-26" => "2025-03-26";
    an_rmcp_client_finds_everything_at_2025_06_18: "2025-06-18" => "2025-06-18";
    an_rmcp_client_finds_everything_at_2025_11_25: "2025-11-25" => "2025-11-25";
    an_rmcp_client_finds_everything_at_2026_07_28: "2026-07-28" => "2026-07-28";
    an_rmcp_client_finds_everything_in_the_era_that_it_finds: "auto" => "2026-07-28";
}

async fn our_server_offers_everything(over: Over, sdk: Sdk, asked: &str, spoken: &str) {
    let Some(client) = sdk.client() else { return };
    let (server, spoken) = (CommandLine::example("features_server"), spoken.parse().expect("a revision"));
    let reported = run_client_over(over, &client, "features", asked, &server).await.steps();
    compare(&reported, &expected::steps(over, sdk, spoken), sdk);
}

#[tokio::test]
async fn clients_that_answer_nothing_are_told_what_they_lack() {
    let server = CommandLine::example("features_server");
    for (sdk, version) in [
        (Sdk::TypeScript1, "2025-11-25"),
        (Sdk::TypeScript2, "2025-11-25"),
        (Sdk::TypeScript2, "2026-07-28"),
        (Sdk::Python, "2025-11-25"),
        (Sdk::Python, "2026-07-28"),
        (Sdk::Rmcp, "2025-11-25"),
        (Sdk::Rmcp, "2026-07-28"),
    ] {
        let Some(client) = sdk.client() else { continue };
        for over in [Over::Pipe, Over::Http] {
            let reported = run_client_over(over, &client, "unable", version, &server).await.steps();
            compare(&reported, &expected::refusals(version.parse().expect("a revision")), sdk);
        }
    }
}

fn compare(reported: &[Value], expected: &[(&'static str, Value)], sdk: Sdk) {
    let reported: Vec<(&str, Value)> = reported.iter().map(outcome).collect();
    for (reported, expected) in reported.iter().zip(expected) {
        assert_eq!(reported, expected, "{sdk:?}");
    }
    assert_eq!(reported.len(), expected.len(), "{sdk:?}");
}

/// What came of a step: its value, or the error's code, text and data.
fn outcome(reported: &Value) -> (&str, Value) {
    let step = reported["step"].as_str().expect("each line names its step");
    let mut outcome = reported.clone();
    outcome.as_object_mut().expect("each line is an object").remove("step");
    if let Some(Value::String(text)) = outcome.pointer_mut("/error/message") {
        // One of the SDKs writes the code before the server's text.
        let plain = text.strip_prefix("MCP error ").and_then(|text| text.split_once(": ")).map(|(_, plain)| plain);
        *text = plain.unwrap_or(text).to_owned();
    }
    (step, outcome)
}
