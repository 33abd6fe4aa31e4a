//! Clients of the other SDKs with our server, the example `interop_server`.

use serde_json::{Value, json};

use crate::{
    foreign::{CommandLine, Sdk},
    served::{Over, run_client_over},
};

/// The steps that every client reports, in order. `ping` is there in the stateful era.
const STEPS: [&str; 13] = [
    "connect",
    "ping",
    "list",
    "call",
    "structured",
    "parallel",
    "progress",
    "cancel",
    "tool error",
    "unknown tool",
    "large",
    "unicode",
    "close",
];

/// For each revision a test over pipes and one over HTTP: what the client is
/// told to speak, what the connection then speaks.
macro_rules! speaks {
    ($module:ident, $sdk:expr; $($name:ident: $asked:literal => $spoken:literal;)+) => {
        mod $module {
            mod over_pipes {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        serves(Over::Pipe, &[], $sdk, $asked, $spoken).await;
                    }
                )+
            }
            mod over_http {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        serves(Over::Http, &[], $sdk, $asked, $spoken).await;
                    }
                )+
            }
        }
    };
}

speaks! { typescript_1, Sdk::TypeScript1;
    a_typescript_1_client_is_served_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_typescript_1_client_is_served_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_typescript_1_client_is_served_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_typescript_1_client_is_served_at_2025_11_25: "2025-11-25" => "2025-11-25";
    a_typescript_1_client_finds_the_newest_stateful_revision: "auto" => "2025-11-25";
}

speaks! { typescript_2, Sdk::TypeScript2;
    a_typescript_2_client_is_served_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_typescript_2_client_is_served_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_typescript_2_client_is_served_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_typescript_2_client_is_served_at_2025_11_25: "2025-11-25" => "2025-11-25";
    a_typescript_2_client_is_served_at_2026_07_28: "2026-07-28" => "2026-07-28";
    a_typescript_2_client_finds_the_stateless_era: "auto" => "2026-07-28";
}

speaks! { python, Sdk::Python;
    a_python_client_is_served_at_2024_11_05: "2024-11-05" => "2024-11-05";
    a_python_client_is_served_at_2025_03_26: "2025-03-26" => "2025-03-26";
    a_python_client_is_served_at_2025_06_18: "2025-06-18" => "2025-06-18";
    a_python_client_is_served_at_2025_11_25: "2025-11-25" => "2025-11-25";
    a_python_client_is_served_at_2026_07_28: "2026-07-28" => "2026-07-28";
    a_python_client_finds_the_stateless_era: "auto" => "2026-07-28";
}

speaks! { rmcp, Sdk::Rmcp;
    an_rmcp_client_is_served_at_2024_11_05: "2024-11-05" => "2024-11-05";
    an_rmcp_client_is_served_at_2025_03_26: "2025-03-26" => "2025-03-26";
    an_rmcp_client_is_served_at_2025_06_18: "2025-06-18" => "2025-06-18";
    an_rmcp_client_is_served_at_2025_11_25: "2025-11-25" => "2025-11-25";
    an_rmcp_client_is_served_at_2026_07_28: "2026-07-28" => "2026-07-28";
    an_rmcp_client_finds_the_stateless_era: "auto" => "2026-07-28";
}

#[tokio::test]
async fn clients_of_both_eras_fall_back_to_the_revision_that_we_still_serve() {
    // The client of rmcp gives up where -32022 names revisions of the stateful era alone.
    for sdk in [Sdk::TypeScript2, Sdk::Python] {
        for over in [Over::Pipe, Over::Http] {
            serves(over, &["2025-03-26", "2025-06-18"], sdk, "auto", "2025-06-18").await;
        }
    }
}

#[tokio::test]
async fn a_stateful_client_is_offered_the_newest_revision_that_we_serve() {
    for over in [Over::Pipe, Over::Http] {
        serves(over, &["2024-11-05", "2025-03-26"], Sdk::TypeScript1, "auto", "2025-03-26").await;
    }
}

#[tokio::test]
async fn clients_of_both_eras_use_a_server_of_the_stateless_era_alone() {
    for sdk in [Sdk::TypeScript2, Sdk::Python, Sdk::Rmcp] {
        for over in [Over::Pipe, Over::Http] {
            serves(over, &["2026-07-28"], sdk, "auto", "2026-07-28").await;
        }
    }
}

#[tokio::test]
async fn a_stateful_client_reads_which_revisions_a_stateless_server_speaks() {
    for sdk in [Sdk::TypeScript1, Sdk::TypeScript2, Sdk::Python, Sdk::Rmcp] {
        let Some(client) = sdk.client() else { return };
        for over in [Over::Pipe, Over::Http] {
            let report = run_client_over(over, &client, "calls", "2025-11-25", &our_server(&["2026-07-28"])).await;
            assert!(!report.is_content, "{sdk:?} cannot speak to this server");
            assert!(report.stderr.contains("2026-07-28"), "{sdk:?} was told:\n{}", report.stderr);
        }
    }
}

async fn serves(over: Over, revisions: &[&str], sdk: Sdk, asked: &str, spoken: &str) {
    let Some(client) = sdk.client() else { return };
    let reported = run_client_over(over, &client, "calls", asked, &our_server(revisions)).await.steps();

    let is_modern = spoken == "2026-07-28";
    let steps: Vec<&str> = reported.iter().filter_map(|line| line["step"].as_str()).collect();
    let expected: Vec<&str> = STEPS.into_iter().filter(|step| !(is_modern && *step == "ping")).collect();
    assert_eq!(steps, expected);

    let connect = report_of("connect", &reported);
    assert_eq!(connect["version"], spoken);
    // The Python client asks nothing when it is told to speak 2026-07-28, so it does not learn who answers.
    let is_told = !(matches!(sdk, Sdk::Python) && asked == "2026-07-28");
    assert_eq!(connect["server"], if is_told { json!("interop_server") } else { Value::Null });
    // Structured content came with 2025-06-18; before that a client only has the text.
    let has_structure = spoken >= "2025-06-18";
    assert_eq!(
        report_of("structured", &reported)["structured"],
        if has_structure { json!({"sum": 5}) } else { Value::Null }
    );
    let unknown = report_of("unknown tool", &reported);
    assert_eq!((&unknown["kind"], &unknown["code"]), (&json!("error"), &json!(-32602)));
    assert_eq!(report_of("tool error", &reported)["text"], "out of paper");
}

/// Our server of these revisions, of all where none is named.
fn our_server(revisions: &[&str]) -> CommandLine {
    CommandLine::example("interop_server").with(revisions)
}

fn report_of<'a>(step: &str, reported: &'a [Value]) -> &'a Value {
    reported.iter().find(|line| line["step"] == step).expect("the steps were compared before")
}
