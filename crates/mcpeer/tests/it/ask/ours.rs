//! Our client answers our server, at every revision.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    Result, Server,
    client::Builder,
    handler::{Context, ask::Rounds},
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams, UrlParams},
        input::{InputRequired, InputResponses},
        roots::Root,
        sampling::{CreateParams, CreateResult as Sampled, IncludeContext, Message},
        tools::Tool,
    },
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{builder, connect};

const MODERN: Revision = Revision::V2026_07_28;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "the fields are printed")]
struct Trip {
    city: String,
    #[serde(default = "two")]
    #[schemars(range(min = 1))]
    seats: u8,
}

fn two() -> u8 {
    2
}

/// A server with one tool for each kind of question.
fn server(rounds: Rounds) -> Server {
    Server::builder("asking", "1.0.0")
        .rounds(rounds)
        .tool("form", async |cx: Context| cx.elicit::<Trip>("Where to?").await.map(|answer| format!("{answer:?}")))
        .tool("address", async |cx: Context| {
            cx.elicit_url("Sign in", "https://example.com/").await.map(|answer| format!("{answer:?}"))
        })
        .tool("model", async |cx: Context| {
            let params = CreateParams::new([Message::user("Hello")], 9);
            cx.sample(params).await.map(|answer| answer.model)
        })
        .tool("tools", async |cx: Context| {
            let params = CreateParams::new([Message::user("Hello")], 9).tools([Tool::new("add", [("type", "object")])]);
            cx.sample(params).await.map(|answer| answer.model)
        })
        .tool("context", async |cx: Context| {
            let params = CreateParams::new([Message::user("Hello")], 9).include_context(IncludeContext::ThisServer);
            cx.sample(params).await.map(|answer| answer.model)
        })
        .tool("roots", async |cx: Context| cx.roots().await.map(|roots| roots[0].uri.clone()))
        .tool("both", async |cx: Context| -> Result<String> {
            let (form, roots) = tokio::join!(cx.elicit::<Trip>("Where to?"), cx.roots());
            let form = form.map_or_else(|_| "failed".to_owned(), |form| format!("{form:?}"));
            Ok(format!("{form}, {} roots", roots?.len()))
        })
        .tool("often", async |cx: Context| -> Result<String> {
            for round in 0..12 {
                cx.roots().key(format!("round {round}")).await?;
            }
            Ok("asked 12 times".to_owned())
        })
        .tool("many", async |cx: Context| -> Result<String> {
            let (one, two, three) = tokio::join!(cx.roots(), cx.roots(), cx.roots());
            Ok((one?.len() + two?.len() + three?.len()).to_string())
        })
        .tool("much", async |cx: Context| -> Result<String> {
            let much = cx.step("much", async { "x".repeat(2000) }).await?;
            cx.roots().await?;
            Ok(much.len().to_string())
        })
        .tool("nothing", async || "asks nothing")
        .build()
        .unwrap()
}

fn answering() -> Builder {
    builder()
        .on_elicit(async |_: FormParams| CreateResult::accept([("city", "Rome")]))
        .on_elicit_url(async |_: UrlParams| CreateResult::accept([("leak", "x")]))
        .on_sample(async |_: CreateParams| Sampled::new(Role::Assistant, "Hi", "small-1"))
        .sampling_tools()
        .roots([Root::new("file:///home/ada")])
}

/// Calls a tool and gives what it said, whether that tells of a failure or not.
async fn said(builder: Builder, server: &Server, revision: Revision, tool: &str) -> String {
    let client = connect(builder, server, revision).await;
    match client.call(tool.to_owned()).await {
        Ok(result) => result.as_text().into_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn each_kind_of_question_is_answered_where_the_revision_has_it() {
    let server = server(Rounds::new());
    for revision in Revision::ALL {
        let cases = [
            ("model", "small-1", true),
            ("roots", "file:///home/ada", true),
            ("form", "Accept(Trip { city: \"Rome\", seats: 2 })", revision.has_elicitation()),
            ("address", "Accept(())", revision.has_url_elicitation()),
            ("tools", "small-1", revision.has_sampling_tools()),
        ];
        for (tool, expected, is_there) in cases {
            let said = said(answering(), &server, revision, tool).await;
            match is_there {
                true => assert_eq!(said, expected, "{tool} {revision}"),
                false => {
                    assert!(said.contains(&format!("protocol version {revision} does not have")), "{tool} {said}");
                }
            }
        }
    }
}

#[tokio::test]
async fn what_our_client_does_not_answer_is_named() {
    let server = server(Rounds::new());
    let forms = || builder().on_elicit(async |_: FormParams| CreateResult::decline());
    let addresses = || builder().on_elicit_url(async |_: UrlParams| CreateResult::decline());
    let samples = || builder().on_sample(async |_: CreateParams| Sampled::new(Role::Assistant, "Hi", "small-1"));
    for revision in Revision::ALL {
        let cases = [
            ("address", forms(), "elicitation.url", json!({"elicitation": {"url": {}}})),
            ("form", addresses(), "elicitation.form", json!({"elicitation": {"form": {}}})),
            ("tools", samples(), "sampling.tools", json!({"sampling": {"tools": {}}})),
            ("model", forms(), "sampling", json!({"sampling": {}})),
            ("roots", samples(), "roots", json!({"roots": {}})),
        ];
        for (tool, builder, name, missing) in cases {
            let client = connect(builder, &server, revision).await;
            let outcome = client.call(tool).await;
            // Where the revision has no forms, that is what is missing; where it has no addresses, they are not declared.
            let name = match name {
                "elicitation.url" if !revision.has_elicitation() => "elicitation",
                "elicitation.form" if !revision.has_url_elicitation() => "elicitation",
                name => name,
            };
            match revision.era() {
                Era::Modern => {
                    let error = outcome.unwrap_err();
                    let error = error.rpc().unwrap();
                    assert_eq!(error.code, -32021, "{tool}");
                    let data: Value = error.data.as_ref().unwrap().decode().unwrap();
                    assert_eq!(data, json!({"requiredCapabilities": missing}), "{tool}");
                }
                Era::Legacy => {
                    let result = outcome.unwrap();
                    assert!(result.is_failed(), "{tool} {revision}");
                    assert!(result.as_text().contains(&format!("`{name}`")), "{tool} {revision}: {}", result.as_text());
                }
            }
        }
    }
}

#[tokio::test]
async fn the_context_of_servers_is_asked_for_only_where_the_client_declares_it() {
    use mcpeer::model::{RawObject, capabilities};
    let server = server(Rounds::new());
    for revision in Revision::ALL {
        let said_without = said(answering(), &server, revision, "context").await;
        // Before 2025-11-25 there is no capability for it.
        match revision.has_sampling_tools() {
            true => assert!(said_without.contains("`sampling.context`"), "{revision}: {said_without}"),
            false => assert_eq!(said_without, "small-1", "{revision}"),
        }
        let sampling = capabilities::Sampling::new().context(RawObject::default());
        let declared = capabilities::ClientCapabilities::new().sampling(sampling);
        let said_with = said(answering().capabilities(declared), &server, revision, "context").await;
        assert_eq!(said_with, "small-1", "{revision}");
    }
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_question_alone() {
    let server = server(Rounds::new());
    let panicking = || answering().on_elicit(async |_: FormParams| -> CreateResult { panic!("out of forms") });
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let client = connect(panicking(), &server, revision).await;
        let outcome = client.call("both").await;
        match revision.era() {
            Era::Legacy => assert_eq!(outcome.unwrap().as_text(), "failed, 1 roots", "{revision}"),
            Era::Modern => {
                // There is no way to tell the server: the call ends here.
                let error = outcome.unwrap_err();
                assert!(error.is_input_required(), "{error:?}");
                let source = std::error::Error::source(&error).unwrap().to_string();
                assert!(source.contains("the handler of `elicitation/create` panicked"), "{source}");
            }
        }
        // The connection goes on, and so do other questions.
        assert_eq!(client.call("roots").await.unwrap().as_text(), "file:///home/ada", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_holds_up_nothing_else() {
    let server = server(Rounds::new());
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let hanging = answering().on_elicit(async |_: FormParams| pending::<CreateResult>().await);
        let client = connect(hanging, &server, revision).await;
        let call = client.call("form").max_total(Duration::from_secs(30)).send();
        for _ in 0..3 {
            assert_eq!(client.call("roots").await.unwrap().as_text(), "file:///home/ada", "{revision}");
            assert_eq!(client.call("nothing").await.unwrap().as_text(), "asks nothing", "{revision}");
        }
        let start = tokio::time::Instant::now();
        assert!(call.await.unwrap_err().is_timeout(), "{revision}");
        assert!(start.elapsed() <= Duration::from_secs(30), "{revision}");
        assert_eq!(client.call("nothing").await.unwrap().as_text(), "asks nothing", "{revision}");
    }
}

/// Counts when it is dropped.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn where_one_of_several_questions_fails_the_others_are_given_up() {
    let server = server(Rounds::new());
    let (dropped, started) = (Arc::new(AtomicUsize::new(0)), Arc::new(tokio::sync::Notify::new()));
    let (counting, starting) = (dropped.clone(), started.clone());
    let client = answering()
        .on_elicit(move |_: FormParams| {
            let (guard, started) = (Guard(counting.clone()), starting.clone());
            async move {
                let _guard = guard;
                started.notify_one();
                pending::<CreateResult>().await
            }
        })
        .on_roots(move || {
            let started = started.clone();
            async move {
                started.notified().await;
                Err::<Vec<Root>, _>(mcpeer::rpc::Error::new(-1, "none of your business"))
            }
        });
    let client = connect(client, &server, MODERN).await;
    let error = client.call("both").await.unwrap_err();
    assert!(error.is_input_required(), "{error:?}");
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("none of your business"));
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(client.call("nothing").await.unwrap().as_text(), "asks nothing");
}

#[tokio::test]
async fn rounds_are_done_by_hand_with_our_server() {
    let server = server(Rounds::new());
    let client = connect(answering(), &server, MODERN).await;
    let error = client.call("form").manual_input().await.unwrap_err();
    let asked: InputRequired = error.raw().unwrap().decode().unwrap();
    let requests = asked.input_requests.unwrap();
    let key = requests.iter().next().unwrap().0.to_owned();
    let answers: InputResponses =
        [(&*key, json!({"action": "accept", "content": {"city": "Oslo", "seats": 1}}))].into();
    let result = client.call("form").answers(answers, asked.request_state.as_deref()).await.unwrap();
    assert_eq!(result.as_text(), "Accept(Trip { city: \"Oslo\", seats: 1 })");
    // In the stateful era there are no rounds: the question is a request, which the handlers answer.
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let client = connect(answering(), &server, revision).await;
        assert_eq!(client.call("roots").manual_input().await.unwrap().as_text(), "file:///home/ada", "{revision}");
    }
}

#[tokio::test]
async fn rounds_are_bounded_on_both_sides() {
    for revision in Revision::ALL {
        let outcome = connect(answering(), &server(Rounds::new().max_rounds(3)), revision).await.call("often").await;
        match revision.era() {
            Era::Modern => {
                let result = outcome.unwrap();
                assert!(result.is_failed() && result.as_text().contains("more than 3 rounds"), "{}", result.as_text());
            }
            // Here nothing has to be remembered between two questions.
            Era::Legacy => assert_eq!(outcome.unwrap().as_text(), "asked 12 times", "{revision}"),
        }
    }
    let client = connect(answering(), &server(Rounds::new().max_rounds(20)), MODERN).await;
    let error = client.call("often").await.unwrap_err();
    assert!(error.is_peer_misbehaved() && error.to_string().contains("10 times"), "{error}");
}

#[tokio::test]
async fn too_many_questions_and_too_much_to_remember_end_the_call() {
    let server = server(Rounds::new().max_questions(2).max_state(1000));
    for (tool, reason) in [("many", "3 questions at once are too many: the limit is 2"), ("much", "the limit is 1000")]
    {
        let result = connect(answering(), &server, MODERN).await.call(tool).await.unwrap();
        assert!(result.is_failed() && result.as_text().contains(reason), "{}", result.as_text());
    }
}
