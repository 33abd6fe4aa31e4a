//! A client on rmcp. It does with a server what `../scenario.mjs` does, with the same output.
//!
//! ```text
//! rmcp_client calls|features|unable VERSION COMMAND [ARGUMENT…]
//! rmcp_client calls|features|unable VERSION http URL
//! ```
#![allow(deprecated, reason = "what the stateless era no longer has is still spoken")]

mod connected;
mod features;
mod heard;
mod json;
mod report;

use rmcp::{model::ClientRequest, service::PeerRequestOptions};
use serde_json::{Value, json};

use crate::{
    connected::{Connected, MODERN},
    json::{json_of, of},
    report::{Outcome, equal, say, step, text_of},
};

const LARGE: usize = 8 * 1024 * 1024;
const UNICODE: &str = "Grüße, 世界, שלום, 👩‍👩‍👧‍👦 🏳️‍🌈\n\
    combining: e\u{301} a\u{30a}\n\
    separators: \u{2028} \u{2029} \u{85} \u{feff}\n\
    escapes: \"quoted\" \\back/slash \t tab \r\n line \u{1} \u{1f} \u{7f}\n\
    planes: \u{10ffff} \u{1f600} \u{ffff} \u{d7ff}";

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match &*words {
        [scenario, version, server @ ..] if !server.is_empty() => match &**scenario {
            "calls" => calls(version, server).await,
            "features" => features::features(version, server).await,
            "unable" => features::unable(version, server).await,
            _ => Err("there is no such scenario".into()),
        },
        _ => Err("usage: rmcp_client calls|features|unable VERSION COMMAND [ARGUMENT…], or … VERSION http URL".into()),
    };
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("expectation failed: {}: {error}", report::current());
            std::process::ExitCode::FAILURE
        }
    }
}

async fn calls(version: &str, server: &[String]) -> Outcome {
    step("connect");
    let client = Connected::open(version, server, json!({})).await?;
    if version != "auto" {
        equal(&client.version, version, "the negotiated version")?;
    }
    say(json!({"version": client.version, "server": client.server}));

    if client.version != MODERN {
        step("ping");
        client.ask("ping", None).await?;
        say(json!({}));
    }

    step("list");
    let tools = client.every("tools/list", "tools").await?;
    let mut names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    equal(names.clone(), ["add", "cancelled", "count", "echo", "fail", "slow"], "the names of the tools")?;
    let echo = tools.iter().find(|tool| tool["name"] == "echo").expect("it was found");
    equal(&echo["inputSchema"]["properties"]["text"]["type"], "string", "the type of the argument of echo")?;
    say(json!({"names": names}));

    step("call");
    client.echo("hello").await?;
    say(json!({}));

    step("structured");
    let sum = client.call("add", json!({"a": 2, "b": 3})).await?;
    let parsed: Value = serde_json::from_str(text_of(&sum)?)?;
    equal(parsed["sum"].as_f64(), Some(5.0), "the text of the sum")?;
    say(json!({"structured": sum["structuredContent"]}));

    step("parallel");
    let texts: Vec<String> = (0..32).map(|index| format!("call {index}")).collect();
    futures_util::future::try_join_all(texts.iter().map(|text| client.echo(text))).await?;
    say(json!({"calls": texts.len()}));

    progress_and_cancel(&client).await?;

    step("tool error");
    let failed = client.call("fail", json!({"message": "out of paper"})).await?;
    equal(&failed["isError"], true, "isError of a failed tool")?;
    say(json!({"text": text_of(&failed)?}));

    step("unknown tool");
    match client.call("no_such_tool", json!({})).await {
        Ok(result) => say(json!({"kind": "result", "text": text_of(&result)?})),
        Err(error) => {
            let error = report::error_of(error)?;
            say(json!({"kind": "error", "code": error["code"], "text": error["message"]}));
        }
    }

    step("large");
    client.echo(&"x".repeat(LARGE)).await?;
    say(json!({"bytes": LARGE}));

    step("unicode");
    client.echo(UNICODE).await?;
    say(json!({}));

    step("close");
    let status = client.close().await?;
    equal(status, status.map(|_| 0), "how the server ended")?;
    say(json!({}));
    Ok(())
}

async fn progress_and_cancel(client: &Connected) -> Outcome {
    step("progress");
    let counted = client.call("count", json!({"to": 5})).await?;
    equal(text_of(&counted)?, "5", "the count")?;
    let seen = client.heard.progress.borrow().clone();
    let expected: Vec<(f64, Option<f64>)> = (1..=5).map(|step| (f64::from(step), Some(5.0))).collect();
    equal(&seen, &expected, "the progress")?;
    say(json!({"seen": seen.len()}));

    step("cancel");
    let request = json!({"method": "tools/call", "params": {"name": "slow", "arguments": {}}});
    let slow = client.peer().send_cancellable_request(of::<ClientRequest>(request), PeerRequestOptions::no_options());
    let slow = slow.await?;
    client.heard.progress.subscribe().wait_for(|seen| seen.len() > expected.len()).await?;
    slow.cancel(Some("no longer wanted".to_owned())).await?;
    let cancelled = client.call("cancelled", json!({"at_least": 1})).await?;
    equal(text_of(&cancelled)?, "1", "how many calls the server saw cancelled")?;
    client.echo("still here").await?;
    say(json!({"outcome": "cancelled"}));
    Ok(())
}

impl Connected {
    async fn echo(&self, text: &str) -> Outcome {
        let returned = self.call("echo", json!({"text": text})).await?;
        match text_of(&returned)? == text {
            true => Ok(()),
            false => Err("what came back is not what was sent".into()),
        }
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Outcome<Value> {
        let params = of(json!({"name": name, "arguments": arguments}));
        Ok(json_of(self.running.call_tool(params).await?))
    }
}
