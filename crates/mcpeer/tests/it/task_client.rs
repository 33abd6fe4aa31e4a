//! A client whose calls become tasks, against a server whose every word is written here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    client::{
        Builder, Client,
        tasks::{Begun, Tasks},
    },
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams},
        extensions::tasks::Status,
        input::InputResponses,
        roots::Root,
        sampling,
    },
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peers::{RawServer, builder, connect_raw};

const AT: Revision = Revision::V2026_07_28;
const ID: &str = "io.modelcontextprotocol/tasks";

fn taking() -> Builder {
    builder().extension(Tasks::new())
}

fn task(status: &str, more: Value) -> Value {
    let mut task = json!({
        "taskId": "t-1",
        "status": status,
        "createdAt": "2026-07-28T10:00:00Z",
        "lastUpdatedAt": "2026-07-28T10:00:00Z",
        "ttlMs": null,
        "pollIntervalMs": 2000,
    });
    for (name, value) in more.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

fn created(more: Value) -> Value {
    let mut created = task("working", more);
    created["resultType"] = "task".into();
    created
}

fn text(text: &str) -> Value {
    json!({"result": {"resultType": "complete", "content": [{"type": "text", "text": text}]}})
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

/// Answers the next request, which must be for the task, with how it stands.
async fn tell(server: &mut RawServer, state: Value) -> Value {
    let get = server.expect("tasks/get").await;
    assert_eq!(get["params"]["taskId"], "t-1", "{get}");
    assert_eq!(declared(&get), json!({ID: {}}), "it is declared with each request: {get}");
    server.answer(&get["id"], state).await;
    get
}

/// Answers the next request, which must bring answers, and gives these.
async fn hear(server: &mut RawServer) -> Value {
    let update = server.expect("tasks/update").await;
    assert_eq!(update["params"]["taskId"], "t-1", "{update}");
    server.answer(&update["id"], json!({})).await;
    update["params"]["inputResponses"].clone()
}

async fn hear_the_end(server: &mut RawServer) {
    let cancel = server.expect("tasks/cancel").await;
    assert_eq!(cancel["params"]["taskId"], "t-1", "{cancel}");
    server.answer(&cancel["id"], json!({})).await;
}

fn declared(request: &Value) -> Value {
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"].clone()
}

/// Begins a call that becomes a task.
async fn begin(server: &mut RawServer, more: Value) {
    let call = server.expect("tools/call").await;
    assert_eq!(declared(&call), json!({ID: {}}), "{call}");
    server.answer(&call["id"], created(more)).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_followed_to_its_end_within_the_call_as_often_as_the_server_wants() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let start = Instant::now();
    let server = tokio::spawn(async move {
        begin(&mut server, json!({})).await;
        tell(&mut server, task("working", json!({"statusMessage": "half", "pollIntervalMs": 3000}))).await;
        assert_eq!(start.elapsed().as_secs(), 2);
        tell(&mut server, task("completed", text("done"))).await;
        assert_eq!(start.elapsed().as_secs(), 5);
        server
    });
    let mut call = client.call("slow").with_progress().send();
    assert_eq!(call.progress().await, None, "a task tells of no progress");
    let result = call.await.unwrap();
    assert_eq!(result.as_text(), "done");
    assert!(result.extra.get("resultType").is_none());
    let mut server = server.await.unwrap();
    drop(client);
    assert_eq!(server.receive().await, None, "nothing more is asked for");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_task_is_that_of_the_call() {
    for (end, expected) in [
        (task("completed", json!({"result": {"content": [], "isError": true}})), "failed tool"),
        (task("failed", json!({"error": {"code": -7, "message": "no paper", "data": {"a": 1}}})), "no paper"),
        (task("cancelled", json!({"statusMessage": "by the operator"})), "by the operator"),
        (task("cancelled", json!({})), "cancelled at the server"),
        (task("completed", json!({})), "its result is no object"),
        (task("completed", json!({"result": {"resultType": "input_required"}})), "is not complete"),
        (task("failed", json!({})), "does not say how"),
        (task("completed", json!({"taskId": "t-2", "result": {}})), "about the task \"t-2\""),
        (json!({"taskId": "t-1"}), "`result.status`"),
    ] {
        let (client, mut server) = connect_raw(taking(), AT).await;
        let call = tokio::spawn(client.call("slow").send());
        begin(&mut server, json!({})).await;
        tell(&mut server, end.clone()).await;
        match call.await.unwrap() {
            Ok(result) => assert!(expected == "failed tool" && result.is_failed(), "{end}"),
            Err(error) => {
                assert!(error.to_string().contains(expected), "{end}: {error}");
                assert_eq!(error.is_cancelled(), end["status"] == "cancelled", "{end}");
                if end["error"].is_object() {
                    let failure = error.rpc().unwrap();
                    assert_eq!((failure.code, failure.data.as_ref().unwrap().as_str()), (-7, "{\"a\":1}"));
                } else {
                    assert_eq!(error.is_peer_misbehaved(), end["status"] != "cancelled", "{end}: {error}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_that_nobody_knows_is_waited_out() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let call = tokio::spawn(client.call("slow").raw().send());
    let asked = server.expect("tools/call").await;
    let mut odd = created(json!({}));
    odd["status"] = "dreaming".into();
    server.answer(&asked["id"], odd).await;
    tell(&mut server, task("dreaming", json!({"more": [1]}))).await;
    tell(&mut server, task("completed", json!({"result": {"content": [], "own": {"a": 1}}}))).await;
    let raw = call.await.unwrap().unwrap();
    assert_eq!(raw.as_str(), r#"{"content":[],"own":{"a":1}}"#);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_over_or_asks_at_once_is_asked_for_at_once() {
    for status in ["completed", "input_required", "failed", "cancelled"] {
        let (client, mut server) = connect_raw(taking(), AT).await;
        let start = Instant::now();
        let call = tokio::spawn(client.call("slow").send());
        begin(&mut server, json!({"status": status})).await;
        tell(&mut server, task("completed", text("done"))).await;
        assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
        assert_eq!(start.elapsed(), Duration::ZERO, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_between_two_questions_is_bounded() {
    for (said, expected) in [
        (json!(0), 100),
        (json!(1), 100),
        (json!(250), 250),
        (json!(u64::MAX), 3_600_000),
        (json!("soon"), 7_000),
        (json!(-5), 7_000),
        (json!(null), 7_000),
    ] {
        let builder = builder().extension(Tasks::new().interval(Duration::from_secs(7)));
        let (client, mut server) = connect_raw(builder, AT).await;
        let start = Instant::now();
        let call = tokio::spawn(client.call("slow").send());
        begin(&mut server, json!({"pollIntervalMs": said})).await;
        tell(&mut server, task("completed", text("done"))).await;
        call.await.unwrap().unwrap();
        assert_eq!(start.elapsed().as_millis(), expected, "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_did_not_opt_in_declares_nothing_and_takes_no_task() {
    let (client, mut server) = connect_raw(builder(), AT).await;
    let call = client.call("slow").send();
    let asked = server.expect("tools/call").await;
    assert_eq!(declared(&asked), Value::Null);
    server.answer(&asked["id"], created(json!({}))).await;
    assert!(call.await.unwrap_err().is_peer_misbehaved());
    assert!(client.task("t-1").get().await.unwrap_err().is_misuse(), "nothing is sent");
    drop(client);
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn only_calls_of_tools_become_tasks() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    for method in ["prompts/get", "resources/read", "tools/list"] {
        let request = tokio::spawn(client.request_raw(method, Some(mcpeer::rpc::Raw::parse("{}").unwrap())).send());
        let asked = server.expect(method).await;
        server.answer(&asked["id"], created(json!({}))).await;
        assert!(request.await.unwrap().unwrap_err().is_peer_misbehaved(), "{method}");
    }
    for broken in [json!({"taskId": 7}), json!({"status": null}), json!({"ttlMs": "long"})] {
        let call = tokio::spawn(client.call("slow").send());
        let asked = server.expect("tools/call").await;
        server.answer(&asked["id"], created(broken.clone())).await;
        assert!(call.await.unwrap().unwrap_err().is_peer_misbehaved(), "{broken}");
    }
}

#[tokio::test]
async fn in_the_stateful_era_a_call_is_answered_at_once() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let (client, mut server) = connect_raw(taking(), revision).await;
        let call = client.call("slow").send();
        let asked = server.expect("tools/call").await;
        assert!(asked["params"].get("_meta").is_none() && asked["params"].get("task").is_none(), "{asked}");
        server.answer(&asked["id"], json!({"content": [{"type": "text", "text": "now"}]})).await;
        assert_eq!(call.await.unwrap().as_text(), "now", "{revision}");
        let call = tokio::spawn(client.call("slow").as_task());
        let asked = server.expect("tools/call").await;
        server.answer(&asked["id"], json!({"content": [{"type": "text", "text": "now"}]})).await;
        let Begun::Complete(result) = call.await.unwrap().unwrap() else { panic!("{revision}") };
        assert_eq!(result.as_text(), "now");
        let task = client.task("t-1");
        assert!(task.get().await.unwrap_err().is_misuse(), "{revision}");
        assert!(task.cancel().await.unwrap_err().is_misuse(), "{revision}");
        assert!(task.update(InputResponses::new()).await.unwrap_err().is_misuse(), "{revision}");
        assert!(task.wait().await.unwrap_err().is_misuse(), "{revision}");
        drop((task, client));
        assert_eq!(server.receive().await, None, "{revision}");
    }
}

/// A client that answers everything; it counts how often it was asked for a name, and takes time over "slowly".
fn answering(asked: &Arc<AtomicUsize>) -> Builder {
    let asked = asked.clone();
    taking()
        .on_elicit(move |form: FormParams| {
            asked.fetch_add(1, Ordering::Relaxed);
            async move {
                if form.message == "slowly" {
                    tokio::time::sleep(Duration::from_secs(5)).await;
                }
                CreateResult::accept([("name", form.message)])
            }
        })
        .on_sample(async |_: sampling::CreateParams| sampling::CreateResult::new(Role::Assistant, "Hi", "small-1"))
        .roots([Root::new("file:///home/me")])
}

#[tokio::test(start_paused = true)]
async fn what_a_task_asks_is_answered_by_the_clients_handlers_and_each_question_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let (client, mut server) = connect_raw(answering(&asked), AT).await;
    let call = tokio::spawn(client.call("multi_input").send());
    begin(&mut server, json!({})).await;
    let message = json!({"role": "user", "content": {"type": "text", "text": "Hello"}});
    let sample = json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 9}});
    let all = json!({"a": form("A"), "b": sample, "c": {"method": "roots/list"}});
    tell(&mut server, task("input_required", json!({"inputRequests": all}))).await;
    let answers = hear(&mut server).await;
    assert_eq!(answers["a"], json!({"action": "accept", "content": {"name": "A"}}));
    assert_eq!(answers["b"]["model"], "small-1");
    assert_eq!(answers["c"]["roots"][0]["uri"], "file:///home/me");
    // It takes the server its time to take note of them.
    tell(&mut server, task("input_required", json!({"inputRequests": all}))).await;
    tell(&mut server, task("input_required", json!({"inputRequests": {"a": form("A"), "d": form("D")}}))).await;
    assert_eq!(hear(&mut server).await, json!({"d": {"action": "accept", "content": {"name": "D"}}}));
    tell(&mut server, task("completed", text("done"))).await;
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
    assert_eq!(asked.load(Ordering::Relaxed), 2, "nobody is asked the same twice");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_its_time_holds_up_neither_the_others_nor_the_task() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let start = Instant::now();
    let call = tokio::spawn(client.call("multi_input").send());
    begin(&mut server, json!({})).await;
    let both = json!({"inputRequests": {"a": form("slowly"), "b": form("B")}});
    tell(&mut server, task("input_required", both)).await;
    assert_eq!(hear(&mut server).await, json!({"b": {"action": "accept", "content": {"name": "B"}}}));
    let rest = task("input_required", json!({"inputRequests": {"a": form("slowly")}}));
    tell(&mut server, rest.clone()).await;
    tell(&mut server, rest).await;
    assert_eq!(hear(&mut server).await, json!({"a": {"action": "accept", "content": {"name": "slowly"}}}));
    assert_eq!(start.elapsed().as_secs(), 7);
    tell(&mut server, task("completed", text("done"))).await;
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_asks_what_nobody_answers_is_cancelled_and_the_call_says_what_it_asked() {
    for question in [form("who"), json!({"method": "roots/list"}), json!({"method": 7}), json!(null)] {
        let wrong = taking().on_elicit(async |_: FormParams| CreateResult::accept([("name", 7)]));
        let (client, mut server) = connect_raw(wrong, AT).await;
        let call = tokio::spawn(client.call("slow").send());
        begin(&mut server, json!({})).await;
        let asked = json!({"inputRequests": {"k": question}});
        tell(&mut server, task("input_required", asked)).await;
        let error = call.await.unwrap().unwrap_err();
        // What is no question at all does not fit the type.
        if question["method"].is_string() {
            assert!(error.is_input_required(), "{question}: {error:?}");
            assert!(error.raw().unwrap().as_str().contains("\"k\""));
        }
        hear_the_end(&mut server).await;
    }
}

#[tokio::test(start_paused = true)]
async fn who_answers_by_hand_goes_on_with_the_task() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let call = tokio::spawn(client.call("confirm").manual_input().send());
    begin(&mut server, json!({})).await;
    tell(&mut server, task("input_required", json!({"inputRequests": {"k": form("who")}}))).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(error.is_input_required(), "{error:?}");
    let id: String = error.raw().unwrap().borrow().member("taskId").unwrap().as_string().unwrap().into();
    let by_hand = client.clone();
    let going_on = tokio::spawn(async move {
        let task = by_hand.task(id);
        task.update([("k", json!({"action": "decline"}))]).await?;
        task.wait().await
    });
    assert_eq!(hear(&mut server).await, json!({"k": {"action": "decline"}}));
    tell(&mut server, task("completed", text("kept"))).await;
    assert_eq!(going_on.await.unwrap().unwrap().as_text(), "kept");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_cancels_its_task_and_sends_no_other_cancel() {
    for how in ["drop", "cancel", "limit", "expiry"] {
        let (client, mut server) = connect_raw(taking(), AT).await;
        let start = Instant::now();
        let limit = Duration::from_secs(if how == "limit" { 5 } else { 3600 });
        let mut call = Box::pin(client.call("slow").max_total(limit).send());
        let ttl = if how == "expiry" { json!(6000) } else { json!(3_600_000) };
        tokio::select! {
            biased;
            outcome = &mut call => panic!("{outcome:?}"),
            () = async {
                begin(&mut server, json!({"ttlMs": ttl})).await;
                tell(&mut server, task("working", json!({"ttlMs": ttl}))).await;
            } => {}
        }
        let server = tokio::spawn(async move {
            loop {
                let message = server.receive().await.unwrap();
                if message["method"] == "tasks/cancel" {
                    assert_eq!(message["params"]["taskId"], "t-1");
                    server.answer(&message["id"], json!({})).await;
                    break;
                }
                assert_eq!(message["method"], "tasks/get", "{how}: {message}");
                server.answer(&message["id"], task("working", json!({"ttlMs": ttl}))).await;
            }
            server
        });
        match how {
            "drop" => drop(call),
            "cancel" => {
                call.cancel("enough");
                let error = call.await.unwrap_err();
                assert!(error.is_cancelled() && error.to_string().contains("enough"), "{error}");
            }
            _ => {
                assert!(call.await.unwrap_err().is_timeout(), "{how}");
                // A task may still be asked for once after its time.
                assert_eq!(start.elapsed().as_secs(), if how == "limit" { 5 } else { 8 }, "{how}");
            }
        }
        let mut server = server.await.unwrap();
        drop(client);
        assert_eq!(server.receive().await, None, "{how}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_the_server_no_longer_knows_ends_the_call() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let call = tokio::spawn(client.call("slow").send());
    begin(&mut server, json!({})).await;
    let get = server.expect("tasks/get").await;
    server.refuse(&get["id"], -32602, "no such task").await;
    assert_eq!(call.await.unwrap().unwrap_err().rpc().unwrap().code, -32602);
    drop(client);
    assert_eq!(server.receive().await, None, "nothing is left to cancel");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_silent_is_asked_again_three_times() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let call = tokio::spawn(client.call("slow").timeout(Duration::from_secs(10)).send());
    begin(&mut server, json!({})).await;
    server.expect("tasks/get").await;
    server.expect("notifications/cancelled").await;
    tell(&mut server, task("working", json!({}))).await;
    for _ in 0..4 {
        server.expect("tasks/get").await;
        server.expect("notifications/cancelled").await;
    }
    assert!(call.await.unwrap().unwrap_err().is_timeout());
    hear_the_end(&mut server).await;
}

#[tokio::test(start_paused = true)]
async fn answers_that_do_not_arrive_are_sent_again() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let call = tokio::spawn(client.call("slow").send());
    begin(&mut server, json!({"pollIntervalMs": 3_600_000})).await;
    let asks = json!({"inputRequests": {"k": form("K")}, "pollIntervalMs": 3_600_000});
    tell(&mut server, task("input_required", asks)).await;
    let first = server.expect("tasks/update").await;
    server.expect("notifications/cancelled").await;
    let second = server.expect("tasks/update").await;
    assert_eq!(first["params"]["inputResponses"], second["params"]["inputResponses"]);
    server.answer(&second["id"], json!({})).await;
    tell(&mut server, task("completed", text("done"))).await;
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_task_is_handed_over_and_found_again_by_its_id() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let call = tokio::spawn(client.call("slow").as_task());
    begin(&mut server, json!({})).await;
    let Begun::Task(handed) = call.await.unwrap().unwrap() else { panic!("it is a task") };
    assert_eq!((handed.id(), handed.status()), ("t-1", Some(Status::Working)));
    drop(handed);
    let found = client.task("t-1");
    assert_eq!(found.status(), None);
    let (state, _) = tokio::join!(found.get(), tell(&mut server, task("working", json!({"statusMessage": "half"}))));
    assert_eq!(state.unwrap().status_message.as_deref(), Some("half"));
    assert_eq!(found.status(), Some(Status::Working));
    let (cancelled, ()) = tokio::join!(found.cancel(), hear_the_end(&mut server));
    cancelled.unwrap();
    let (state, _) = tokio::join!(found.get(), tell(&mut server, task("cancelled", json!({}))));
    assert_eq!(state.unwrap().status, Status::Cancelled);

    // Waiting for it answers its questions, and giving up waiting does not end it.
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.task("t-1").wait().await }
    });
    tell(&mut server, task("input_required", json!({"inputRequests": {"k": form("K")}}))).await;
    assert_eq!(hear(&mut server).await, json!({"k": {"action": "accept", "content": {"name": "K"}}}));
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    let (waited, _) = tokio::join!(found.wait(), tell(&mut server, task("completed", text("done"))));
    assert_eq!(waited.unwrap().as_text(), "done");
    drop((found, client));
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_followed_can_still_be_handed_over() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let mut call = client.call("slow").with_progress().send();
    tokio::select! {
        biased;
        progress = call.progress() => panic!("{progress:?}"),
        () = async {
            begin(&mut server, json!({})).await;
            tell(&mut server, task("working", json!({}))).await;
        } => {}
    }
    let Begun::Task(handed) = call.into_task().await.unwrap() else { panic!("it is a task") };
    assert_eq!(handed.id(), "t-1");
    drop((handed, client));
    loop {
        // A question that was out when it was handed over may be taken back.
        match server.receive().await {
            Some(message) => assert_eq!(message["method"], "notifications/cancelled", "{message}"),
            None => return,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn rounds_of_questions_may_come_before_a_task() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let call = tokio::spawn(client.call("test_tool_with_task").send());
    let first = server.expect("tools/call").await;
    let asked = json!({"resultType": "input_required", "inputRequests": {"user_name": form("Alice")}});
    server.answer(&first["id"], asked).await;
    let second = server.expect("tools/call").await;
    assert_eq!(second["params"]["inputResponses"]["user_name"]["content"]["name"], "Alice");
    server.answer(&second["id"], created(json!({}))).await;
    tell(&mut server, task("completed", text("Hello, Alice!"))).await;
    assert!(call.await.unwrap().unwrap().as_text().contains("Alice"));
}

#[tokio::test(start_paused = true)]
async fn a_task_may_not_ask_without_end() {
    let (client, mut server) = connect_raw(answering(&Arc::default()), AT).await;
    let call = tokio::spawn(client.call("slow").send());
    begin(&mut server, json!({})).await;
    let asked: serde_json::Map<String, Value> = (0..1001).map(|number| (number.to_string(), form("K"))).collect();
    tell(&mut server, task("input_required", json!({"inputRequests": asked}))).await;
    assert!(call.await.unwrap().unwrap_err().is_peer_misbehaved());
    hear_the_end(&mut server).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_ends_the_call() {
    let (client, mut server) = connect_raw(taking(), AT).await;
    let client: Client = client;
    let call = tokio::spawn(client.call("slow").send());
    begin(&mut server, json!({})).await;
    drop(server);
    assert!(call.await.unwrap().unwrap_err().is_closed());
}
