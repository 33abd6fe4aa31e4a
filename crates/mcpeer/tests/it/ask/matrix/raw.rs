//! A script that writes and reads raw JSON.

use mcpeer::{
    transport::Transport,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::{Case, Link, Outcome};
use crate::{
    ask::{
        peer::{everything, retry, talk},
        trip::{call as trip, traveller},
    },
    peers::{RawClient, text},
};

/// Calls the tool, and gives how that ended and how often the step ran.
pub(super) async fn call<L: Link>(case: Case, link: &L, revision: Revision) -> (Outcome, usize) {
    let mut client = connect(case, link, revision, "ada").await;
    let outcome = match case {
        Case::TimesOut => {
            let id = client.start("tools/call", trip()).await;
            seen(&client.answer(id).await)
        }
        Case::CancelsCall => give_up(&mut client, revision).await,
        Case::ReplaysAsSomebodyElse => {
            let retry = second(case, &mut client).await;
            seen(&connect(case, link, revision, "eve").await.request("tools/call", retry).await)
        }
        case if case.is_about_state() => {
            let retry = second(case, &mut client).await;
            seen(&client.request("tools/call", retry).await)
        }
        _ => seen(&talk(&mut client, revision, trip(), |method, params| answer(case, method, params)).await.answer),
    };
    let steps = text(&client.call("steps", json!({})).await).parse().unwrap();
    client.end_input().await;
    (outcome, steps)
}

/// Gives a state that was changed on its way.
pub(super) fn tampered(state: &str) -> String {
    let at = state.len() / 2;
    let changed = if &state[at..=at] == "A" { "B" } else { "A" };
    format!("{}{changed}{}", &state[..at], &state[at + 1..])
}

async fn connect<L: Link>(
    case: Case,
    link: &L,
    revision: Revision,
    who: &'static str,
) -> RawClient<impl Transport + use<L>> {
    let capabilities = match case {
        Case::LacksElicitation => json!({"sampling": {}, "roots": {}}),
        Case::LacksForms => json!({"elicitation": {"url": {}}, "sampling": {}, "roots": {}}),
        Case::LacksSampling => json!({"elicitation": {}, "roots": {}}),
        _ => everything(),
    };
    let mut client = RawClient::over(link.open(who).await, revision, capabilities);
    client.initialize().await;
    client
}

fn answer(case: Case, method: &str, params: &Value) -> Value {
    match case {
        Case::Declines => json!({"action": "decline"}),
        Case::CancelsQuestion => json!({"action": "cancel"}),
        _ => traveller(method, params),
    }
}

/// Gives up the call where a question is open.
async fn give_up(client: &mut RawClient<impl Transport>, revision: Revision) -> Outcome {
    let id = client.start("tools/call", trip()).await;
    match revision.era() {
        Era::Legacy => assert_eq!(client.receive().await.unwrap()["method"], "elicitation/create"),
        Era::Modern => assert_eq!(client.answer(id).await["result"]["resultType"], "input_required"),
    }
    let params = json!({"requestId": id});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    // An answer to it would be one to the next call, which the client refuses.
    Outcome::GivenUp("cancelled")
}

/// Gives the params of the second round, with what is wrong about them.
async fn second(case: Case, client: &mut RawClient<impl Transport>) -> Value {
    let reply = client.request("tools/call", trip()).await;
    let mut next = retry(&trip(), &reply, traveller);
    match case {
        Case::TampersWithState => next["requestState"] = tampered(next["requestState"].as_str().unwrap()).into(),
        Case::ReplaysOnOtherTool => next["name"] = "other".into(),
        _ => {}
    }
    next
}

fn seen(answer: &Value) -> Outcome {
    let error = &answer["error"];
    if let Some(code) = error["code"].as_i64() {
        let message = error["message"].as_str().unwrap().to_owned();
        return Outcome::Refused { code, message, data: error["data"].clone() };
    }
    let text = text(answer).to_owned();
    if answer["result"]["isError"] == true { Outcome::Failed(text) } else { Outcome::Said(text) }
}
