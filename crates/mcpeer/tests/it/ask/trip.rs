//! One handler that does something once, asks two questions together and then the model, over every revision.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    Result, Server,
    handler::{
        Context,
        ask::{Elicited, Rounds},
    },
    model::sampling::{CreateParams, Message},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::peer::{Talk, everything, talk};
use crate::peers::{RawClient, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Who {
    /// Your name
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Whereto {
    #[serde(default)]
    city: String,
    by: Option<By>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// By bike
    Bike,
    /// By train
    Train,
}

/// Counts how often something was done.
pub(crate) type Count = Arc<AtomicUsize>;

async fn trip(cx: Context, steps: Count, patience: Option<Duration>) -> Result<String> {
    let number: u32 = cx.step("reserve", async { 41 + steps.fetch_add(1, Ordering::SeqCst) as u32 }).await?;
    let mut who = cx.elicit::<Who>("Who travels?").key("who");
    let mut whereto = cx.elicit::<Whereto>("Where to?").key("where");
    if let Some(patience) = patience {
        (who, whereto) = (who.timeout(patience), whereto.timeout(patience));
    }
    let (who, whereto) = tokio::join!(who, whereto);
    let name = match who? {
        Elicited::Accept(who) => who.name,
        Elicited::Decline => return Ok("declined".to_owned()),
        Elicited::Cancel => return Ok("cancelled".to_owned()),
    };
    let Some(whereto) = whereto?.accepted() else { return Ok(format!("{name} stays")) };
    let plan = cx.sample(CreateParams::new([Message::user(format!("Plan {}", whereto.city))], 100)).await?;
    let plan = serde_json::to_value(&plan.content).unwrap();
    Ok(format!("{number}: {name} to {} by {:?}: {}", whereto.city, whereto.by, plan["text"].as_str().unwrap()))
}

/// A server with that handler.
pub(crate) fn server(rounds: Rounds) -> (Server, Count) {
    patient_server(rounds, None)
}

/// A server with that handler, which waits so long for an answer in the stateful era.
pub(crate) fn patient_server(rounds: Rounds, patience: Option<Duration>) -> (Server, Count) {
    let steps = Count::default();
    let (first, second, third) = (steps.clone(), steps.clone(), steps.clone());
    let server = Server::builder("trips", "1.0.0")
        .rounds(rounds)
        .tool("trip", move |cx: Context| trip(cx, first.clone(), patience))
        .tool("other", move |cx: Context| trip(cx, second.clone(), patience))
        .tool("steps", move || third.load(Ordering::SeqCst).to_string())
        .build()
        .unwrap();
    (server, steps)
}

pub(crate) fn call() -> Value {
    json!({"name": "trip", "arguments": {}})
}

/// Answers like somebody who wants to travel.
pub(crate) fn traveller(method: &str, params: &Value) -> Value {
    match (method, params["message"].as_str()) {
        ("elicitation/create", Some("Who travels?")) => json!({"action": "accept", "content": {"name": "Ada"}}),
        ("elicitation/create", Some("Where to?")) => {
            json!({"action": "accept", "content": {"city": "Rome", "by": "train"}})
        }
        ("sampling/createMessage", None) => {
            assert_eq!(params["messages"][0]["content"]["text"], "Plan Rome");
            json!({"role": "assistant", "content": {"type": "text", "text": "go south"}, "model": "small"})
        }
        other => panic!("asked {other:?}"),
    }
}

async fn travel(revision: Revision, capabilities: Value, answer: impl FnMut(&str, &Value) -> Value) -> (Talk, usize) {
    let (server, steps) = server(Rounds::new());
    let mut client = RawClient::connect_as(&server, revision, capabilities).await;
    let talk = talk(&mut client, revision, call(), answer).await;
    (talk, steps.load(Ordering::SeqCst))
}

fn is_error(answer: &Value) -> bool {
    answer["result"]["isError"] == true
}

#[tokio::test]
async fn one_handler_asks_in_every_revision_and_its_step_runs_once() {
    for revision in Revision::ALL {
        let (talk, steps) = travel(revision, everything(), traveller).await;
        assert_eq!(steps, 1, "{revision}");
        if !revision.has_elicitation() {
            assert!(is_error(&talk.answer), "{}", talk.answer);
            assert!(text(&talk.answer).contains("`elicitation`"), "{}", talk.answer);
            assert!(text(&talk.answer).contains(revision.as_str()), "{}", talk.answer);
            assert_eq!(talk.asked(), []);
            continue;
        }
        assert_eq!(text(&talk.answer), "41: Ada to Rome by Some(Train): go south", "{revision}");
        let methods: Vec<_> = talk.asked().iter().map(|(method, _)| *method).collect();
        assert_eq!(methods, ["elicitation/create", "elicitation/create", "sampling/createMessage"], "{revision}");
        if revision.era() == Era::Modern {
            // Questions that are awaited together go out together, under the keys that they were given.
            assert_eq!(talk.rounds.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
            let keys: Vec<_> = talk.rounds[0].iter().map(|(key, _, _)| key.as_str().unwrap()).collect();
            assert_eq!(keys, ["who", "where"]);
        }
    }
}

#[tokio::test]
async fn forms_have_what_their_revision_has() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let (talk, _) = travel(revision, everything(), traveller).await;
        let (_, form) = talk.asked().into_iter().find(|(_, params)| params["message"] == "Where to?").unwrap();
        let by = &form["requestedSchema"]["properties"]["by"];
        if revision.has_url_elicitation() {
            assert_eq!(by["oneOf"][0], json!({"const": "bike", "title": "By bike"}), "{revision}");
            assert_eq!(form["requestedSchema"]["properties"]["city"]["default"], "", "{revision}");
        } else {
            assert_eq!(by["enum"], json!(["bike", "train"]), "{revision}");
            assert_eq!(by["enumNames"], json!(["By bike", "By train"]), "{revision}");
            assert_eq!(form["requestedSchema"]["properties"]["city"], json!({"type": "string"}), "{revision}");
        }
    }
}

#[tokio::test]
async fn a_field_that_the_revision_does_not_have_is_named() {
    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only its form is looked at")]
    struct Some {
        ways: Vec<By>,
    }
    let server = Server::builder("trips", "1.0.0")
        .tool("trip", async |cx: Context| cx.elicit::<Some>("How?").await.map(|answer| format!("{answer:?}")))
        .build()
        .unwrap();
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let mut client = RawClient::connect_as(&server, revision, everything()).await;
        let answer = |_: &str, _: &Value| json!({"action": "accept", "content": {"ways": ["bike", "train"]}});
        let talk = talk(&mut client, revision, call(), answer).await;
        if revision.has_url_elicitation() {
            assert_eq!(text(&talk.answer), "Accept(Some { ways: [Bike, Train] })", "{revision}");
        } else {
            assert!(is_error(&talk.answer) && talk.asked().is_empty(), "{}", talk.answer);
            assert!(text(&talk.answer).contains("`ways`") && text(&talk.answer).contains(revision.as_str()));
        }
    }
}

#[tokio::test]
async fn a_user_may_say_no_or_nothing() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        for (action, said) in [("decline", "declined"), ("cancel", "cancelled")] {
            let (talk, steps) = travel(revision, everything(), |_, _| json!({"action": action})).await;
            assert_eq!((text(&talk.answer), steps), (said, 1), "{revision}");
        }
    }
}

#[tokio::test]
async fn what_the_client_cannot_answer_is_named() {
    let cases = [
        (json!({"sampling": {}}), json!({"elicitation": {}}), "`elicitation`"),
        (
            json!({"sampling": {}, "elicitation": {"url": {}}}),
            json!({"elicitation": {"form": {}}}),
            "`elicitation.form`",
        ),
        (json!({"elicitation": {}}), json!({"sampling": {}}), "`sampling`"),
    ];
    for revision in Revision::ALL {
        for (capabilities, missing, name) in &cases {
            let (talk, steps) = travel(revision, capabilities.clone(), traveller).await;
            assert_eq!(steps, 1, "{revision}");
            match revision.era() {
                Era::Modern => {
                    assert_eq!(talk.answer["error"]["code"], -32021, "{}", talk.answer);
                    assert_eq!(talk.answer["error"]["data"], json!({"requiredCapabilities": missing}));
                    assert!(talk.answer["error"]["message"].as_str().unwrap().contains(name), "{}", talk.answer);
                }
                Era::Legacy => {
                    let name = if revision.has_elicitation() { name } else { "`elicitation`" };
                    assert!(is_error(&talk.answer) && text(&talk.answer).contains(name), "{}", talk.answer);
                }
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_an_error_of_the_tool() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let (talk, _) =
            travel(revision, everything(), |_, _| json!({"action": "accept", "content": {"name": 7}})).await;
        assert!(is_error(&talk.answer), "{}", talk.answer);
        assert!(text(&talk.answer).contains("`content.name`"), "{}", talk.answer);
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_has_ten_minutes_in_the_stateful_era() {
    let (server, _) = server(Rounds::new());
    let mut client = RawClient::connect_as(&server, Revision::V2025_11_25, everything()).await;
    let start = tokio::time::Instant::now();
    let id = client.start("tools/call", call()).await;
    let answer = client.answer(id).await;
    assert_eq!(start.elapsed().as_secs(), 600);
    assert!(is_error(&answer) && text(&answer).contains("600"), "{answer}");
    let methods: Vec<_> = client.notifications.iter().map(|message| message["method"].clone()).collect();
    // Nothing is asked a second time, and the client is told that nobody waits any more.
    assert_eq!(methods.iter().filter(|method| *method == "elicitation/create").count(), 2, "{methods:?}");
    assert_eq!(methods.iter().filter(|method| *method == "notifications/cancelled").count(), 2, "{methods:?}");
}

#[tokio::test]
async fn an_error_of_the_client_is_an_error_of_the_tool() {
    let (talk, _) = travel(Revision::V2025_11_25, everything(), |method, params| match method {
        "sampling/createMessage" => json!({"code": -1, "message": "the user rejected it"}),
        _ => traveller(method, params),
    })
    .await;
    assert!(is_error(&talk.answer) && text(&talk.answer).contains("the user rejected it"), "{}", talk.answer);
}
