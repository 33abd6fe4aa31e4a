//! What a round is: when it ends, what is dropped then, and how much may be asked.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcpeer::{
    Result, Server,
    handler::{Context, ask::Rounds},
    model::sampling::{CreateParams, Message},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::peer::{everything, talk};
use crate::peers::{RawClient, text};

const MODERN: Revision = Revision::V2026_07_28;

/// The revisions in which everything can be asked.
const ABLE: [Revision; 2] = [Revision::V2025_11_25, MODERN];

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sure {
    sure: bool,
}

fn yes(_: &str, _: &Value) -> Value {
    json!({"action": "accept", "content": {"sure": true}})
}

/// Calls the tool `t` of a server.
async fn run(server: &Server, revision: Revision, answer: impl FnMut(&str, &Value) -> Value) -> super::peer::Talk {
    let mut client = RawClient::connect_as(server, revision, everything()).await;
    talk(&mut client, revision, json!({"name": "t"}), answer).await
}

/// Counts when it is dropped.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn the_future_is_dropped_where_a_round_ends_and_runs_anew_from_its_start() {
    for revision in ABLE {
        let (before, dropped, behind) = <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let counts = (before.clone(), dropped.clone(), behind.clone());
        let server = Server::builder("s", "1")
            .tool("t", move |cx: Context| {
                let (before, dropped, behind) = counts.clone();
                async move {
                    before.fetch_add(1, Ordering::SeqCst);
                    let _guard = Guard(dropped);
                    let answer = cx.elicit::<Sure>("Sure?").await?;
                    behind.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, mcpeer::Error>(answer.accepted().unwrap().sure.to_string())
                }
            })
            .build()
            .unwrap();
        let talk = run(&server, revision, yes).await;
        assert_eq!(text(&talk.answer), "true");
        let runs = if revision.era() == Era::Modern { 2 } else { 1 };
        let counted = [&before, &dropped, &behind].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(counted, [runs, runs, 1], "{revision}");
    }
}

#[tokio::test]
async fn what_lies_between_two_questions_runs_in_each_round_from_there() {
    for revision in ABLE {
        let (between, behind) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let counts = (between.clone(), behind.clone());
        let server = Server::builder("s", "1")
            .tool("t", move |cx: Context| {
                let (between, behind) = counts.clone();
                async move {
                    cx.elicit::<Sure>("Sure?").await?;
                    between.fetch_add(1, Ordering::SeqCst);
                    cx.elicit::<Sure>("Quite?").await?;
                    behind.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, mcpeer::Error>("done")
                }
            })
            .build()
            .unwrap();
        assert_eq!(text(&run(&server, revision, yes).await.answer), "done");
        let runs = if revision.era() == Era::Modern { 2 } else { 1 };
        assert_eq!((between.load(Ordering::SeqCst), behind.load(Ordering::SeqCst)), (runs, 1), "{revision}");
    }
}

#[tokio::test]
async fn a_lock_across_a_question_is_held_in_the_stateful_era_alone() {
    for revision in ABLE {
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        let locking = lock.clone();
        let server = Server::builder("s", "1")
            .tool("t", move |cx: Context| {
                let lock = locking.clone();
                async move {
                    let _locked = lock.lock().await;
                    cx.elicit::<Sure>("Sure?").await.map(|answer| answer.is_accepted().to_string())
                }
            })
            .build()
            .unwrap();
        let talk = run(&server, revision, |_, _| {
            // The user thinks.
            assert_eq!(lock.try_lock().is_err(), revision.era() == Era::Legacy, "{revision}");
            yes("", &Value::Null)
        })
        .await;
        assert_eq!(text(&talk.answer), "true", "{revision}");
    }
}

#[tokio::test]
async fn a_question_from_a_task_of_the_handlers_own_ends_the_round() {
    for revision in ABLE {
        let server = Server::builder("s", "1")
            .tool("t", async |cx: Context| {
                let asking =
                    tokio::spawn(async move { cx.elicit::<Sure>("Sure?").await.map(|answer| answer.is_accepted()) });
                asking.await.unwrap().map(|answer| answer.to_string())
            })
            .build()
            .unwrap();
        assert_eq!(text(&run(&server, revision, yes).await.answer), "true", "{revision}");
    }
}

#[tokio::test]
async fn a_round_does_not_end_while_a_step_runs() {
    for revision in ABLE {
        let count = Arc::new(AtomicUsize::new(0));
        let started = count.clone();
        let server = Server::builder("s", "1")
            .tool("t", move |cx: Context| {
                let started = started.clone();
                async move {
                    let slow = cx.step("slow", async {
                        started.fetch_add(1, Ordering::SeqCst);
                        tokio::task::yield_now().await;
                        7
                    });
                    let (answer, value) = tokio::join!(cx.elicit::<Sure>("Sure?"), slow);
                    Ok::<_, mcpeer::Error>(format!("{} {}", answer?.is_accepted(), value?))
                }
            })
            .build()
            .unwrap();
        assert_eq!(text(&run(&server, revision, yes).await.answer), "true 7", "{revision}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "{revision}");
    }
}

#[tokio::test]
async fn a_question_that_nobody_awaits_any_more_is_not_asked() {
    for revision in ABLE {
        let server = Server::builder("s", "1")
            .tool("t", async |cx: Context| {
                tokio::select! {
                    biased;
                    answer = cx.elicit::<Sure>("Sure?") => format!("{answer:?}", answer = answer.is_ok()),
                    () = async {} => "not asked".to_owned(),
                }
            })
            .build()
            .unwrap();
        let talk = run(&server, revision, yes).await;
        assert_eq!(text(&talk.answer), "not asked");
        assert_eq!(talk.asked(), [], "{revision}");
    }
}

#[tokio::test]
async fn questions_are_known_by_their_words_and_may_be_asked_twice() {
    let server = Server::builder("s", "1")
        .tool("t", async |cx: Context| -> Result<String> {
            let (one, two) = tokio::join!(cx.elicit::<Sure>("Sure?"), cx.elicit::<Sure>("Sure?"));
            let three = cx.elicit::<Sure>("Quite?").await?;
            Ok(format!("{} {} {}", one?.is_accepted(), two?.is_accepted(), three.is_accepted()))
        })
        .build()
        .unwrap();
    for revision in ABLE {
        let mut count = 0;
        let talk = run(&server, revision, |_, _| {
            count += 1;
            if count == 2 { json!({"action": "decline"}) } else { yes("", &Value::Null) }
        })
        .await;
        assert_eq!(text(&talk.answer), "true false true", "{revision}");
        assert_eq!(talk.asked().len(), 3, "{revision}");
    }
}

#[tokio::test]
async fn a_key_belongs_to_one_question_and_a_step_asks_nothing() {
    for revision in ABLE {
        let server = Server::builder("s", "1")
            .tool("t", async |cx: Context| -> Result<String> {
                let twice = cx.step("one", async { 1 }).await.and(cx.step("one", async { 2 }).await).unwrap_err();
                let nested = cx.clone();
                let within = cx.step("two", async move { nested.roots().await.unwrap_err().to_string() }).await?;
                cx.roots().key("r").await?;
                let again = cx.roots().key("r").await.unwrap_err();
                Ok(format!("{twice}|{within}|{again}"))
            })
            .build()
            .unwrap();
        let talk = run(&server, revision, |_, _| json!({"roots": []})).await;
        let said: Vec<_> = text(&talk.answer).split('|').collect();
        assert!(said[0].contains("`step one` is taken"), "{said:?}");
        assert!(said[1].contains("within a step"), "{said:?}");
        assert!(said[2].contains("`r` is taken"), "{said:?}");
    }
}

#[tokio::test]
async fn roots_addresses_and_tools_for_the_model_are_asked_for() {
    let server = Server::builder("s", "1")
        .tool("t", async |cx: Context| -> Result<String> {
            let roots = cx.roots().await?;
            let opened = cx.elicit_url("Sign in", "https://example.com/login").await?.is_accepted();
            let tool = mcpeer::model::tools::Tool::new("add", [("type", "object")]);
            let params = CreateParams::new([Message::user("1+1?")], 10).tools([tool]);
            let said = cx.sample(params).await?;
            Ok(format!("{} {opened} {}", roots[0].uri, said.model))
        })
        .build()
        .unwrap();
    let answer = |method: &str, params: &Value| match method {
        "roots/list" => json!({"roots": [{"uri": "file:///a"}]}),
        "elicitation/create" => {
            assert_eq!(params["url"], "https://example.com/login");
            json!({"action": "accept"})
        }
        _ => {
            assert_eq!(params["tools"][0]["name"], "add");
            json!({"role": "assistant", "content": {"type": "text", "text": "2"}, "model": "small"})
        }
    };
    for revision in ABLE {
        let talk = run(&server, revision, answer).await;
        assert_eq!(text(&talk.answer), "file:///a true small", "{revision}");
        let (_, url) = talk.asked().into_iter().find(|(_, params)| params["mode"] == "url").unwrap();
        // Only the stateful era has it, and requires it.
        assert_eq!(url.get("elicitationId").is_some(), revision.era() == Era::Legacy, "{url}");
        // A client that has less is told what is missing.
        for (less, missing, name) in [
            (
                json!({"elicitation": {"url": {}}, "roots": {}, "sampling": {}}),
                json!({"sampling": {"tools": {}}}),
                "`sampling.tools`",
            ),
            (json!({"elicitation": {}, "roots": {}}), json!({"elicitation": {"url": {}}}), "`elicitation.url`"),
            (json!({}), json!({"roots": {}}), "`roots`"),
        ] {
            let mut client = RawClient::connect_as(&server, revision, less).await;
            let talk = talk_to(&mut client, revision, answer).await;
            match revision.era() {
                Era::Modern => assert_eq!(talk["error"]["data"]["requiredCapabilities"], missing, "{talk}"),
                Era::Legacy => assert!(text(&talk).contains(name), "{talk}"),
            }
        }
    }
}

async fn talk_to(client: &mut RawClient, revision: Revision, answer: impl FnMut(&str, &Value) -> Value) -> Value {
    talk(client, revision, json!({"name": "t"}), answer).await.answer
}

#[tokio::test]
async fn rounds_questions_and_state_have_limits() {
    let build = |rounds: Rounds| {
        Server::builder("s", "1")
            .rounds(rounds)
            .tool("t", async |cx: Context| -> Result<String> {
                let (one, two, three) = tokio::join!(cx.roots(), cx.roots(), cx.roots());
                one.and(two).and(three)?;
                for round in 0..9 {
                    cx.roots().key(format!("more {round}")).await?;
                }
                cx.step("much", async { "x".repeat(1000) }).await?;
                cx.roots().key("last").await?;
                Ok("done".to_owned())
            })
            .build()
            .unwrap()
    };
    let cases = [
        (Rounds::new().max_rounds(11), "done"),
        (Rounds::new(), "10 rounds"),
        (Rounds::new().max_rounds(11).max_questions(2), "questions at once"),
        (Rounds::new().max_rounds(11).max_state(1000), "1000"),
    ];
    for (rounds, said) in cases {
        let talk = run(&build(rounds), MODERN, |_, _| json!({"roots": []})).await;
        assert!(text(&talk.answer).contains(said), "{}", talk.answer);
        assert_eq!(talk.answer["result"]["isError"] == true, said != "done", "{}", talk.answer);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_gives_up_its_questions() {
    let server = Server::builder("s", "1")
        .tool("t", async |cx: Context| cx.roots().await.map(|roots| roots.len().to_string()))
        .build()
        .unwrap();
    let mut client = RawClient::connect_as(&server, Revision::V2025_11_25, everything()).await;
    let id = client.start("tools/call", json!({"name": "t"})).await;
    let question = client.receive().await.unwrap();
    assert_eq!(question["method"], "roots/list");
    let params = json!({"requestId": id});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    client.end_input().await;
    while let Some(message) = client.receive().await {
        assert_ne!(message["id"], id, "{message}");
    }
}
