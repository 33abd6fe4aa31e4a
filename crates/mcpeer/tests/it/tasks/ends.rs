//! How tasks end, and what they outlive.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    Server,
    handler::Context,
    server::{Tool, tasks::Tasks},
    transport::memory,
};
use serde_json::json;
use tokio::sync::Notify;

use super::lab::{MODERN, cancel, connect, get, lab, start, takes_tasks, text, until};
use crate::{ask::peer::Known, peers::RawClient};

/// Counts when it is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A server whose tool waits for ever, and how many of its handlers were dropped.
fn endless(tasks: Tasks) -> (Server, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let counter = dropped.clone();
    let endless = move || {
        let dropped = Dropped(counter.clone());
        async move {
            let _dropped = dropped;
            pending::<String>().await
        }
    };
    (Server::builder("lab", "1").extension(tasks).tool(Tool::new("endless").task(), endless).build().unwrap(), dropped)
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_makes_its_task_fail_and_disturbs_nothing() {
    let server = Server::builder("lab", "1")
        .extension(Tasks::new())
        .tool(Tool::new("early").task(), async || -> String { panic!("secret") })
        .tool(Tool::new("late").task(), async || -> String {
            tokio::time::sleep(Duration::from_secs(1)).await;
            panic!("secret")
        })
        .tool(Tool::new("fine").task(), async || "fine")
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    for name in ["early", "late"] {
        let id = start(&mut client, name, json!({})).await;
        let task = until(&mut client, &id, "failed").await;
        assert_eq!(task["error"], json!({"code": -32603, "message": "internal error"}), "{task}");
    }
    let id = start(&mut client, "fine", json!({})).await;
    assert_eq!(text(&until(&mut client, &id, "completed").await), "fine");
}

#[tokio::test(start_paused = true)]
async fn a_handler_hears_that_its_task_is_cancelled_and_what_it_returns_then_is_dropped() {
    let heard = Arc::new(Notify::new());
    let hearing = heard.clone();
    let server = Server::builder("lab", "1")
        .extension(Tasks::new())
        .tool(Tool::new("polite").task(), move |cx: Context| {
            let heard = hearing.clone();
            async move {
                cx.cancelled().await;
                assert!(cx.is_cancelled());
                heard.notify_one();
                "stopped"
            }
        })
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let id = start(&mut client, "polite", json!({})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(get(&mut client, &id).await["result"]["status"], "working");
    cancel(&mut client, &id).await;
    heard.notified().await;
    let task = get(&mut client, &id).await;
    assert_eq!(task["result"]["status"], "cancelled");
    assert!(task["result"].get("result").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_listen_is_dropped_after_its_grace() {
    let (server, dropped) = endless(Tasks::new());
    let mut client = connect(&server).await;
    let id = start(&mut client, "endless", json!({})).await;
    cancel(&mut client, &id).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_lives_for_its_time_and_then_its_handler_goes() {
    let (server, dropped) = endless(Tasks::new().ttl(Duration::from_secs(100)));
    let mut client = connect(&server).await;
    let id = start(&mut client, "endless", json!({})).await;
    tokio::time::sleep(Duration::from_secs(99)).await;
    assert_eq!(get(&mut client, &id).await["result"]["status"], "working");
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(get(&mut client, &id).await["error"]["code"], -32602);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_result_can_be_read_until_the_task_expires() {
    let server = super::lab::builder(Tasks::new().ttl(Duration::from_secs(100))).build().unwrap();
    let mut client = connect(&server).await;
    let id = start(&mut client, "slow_compute", json!({"label": "x"})).await;
    tokio::time::sleep(Duration::from_secs(99)).await;
    for _ in 0..2 {
        assert_eq!(text(&until(&mut client, &id, "completed").await), "computed x");
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(get(&mut client, &id).await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn so_many_tasks_run_at_once_and_no_more() {
    let (server, _) = endless(Tasks::new().max_running(2));
    let mut client = connect(&server).await;
    let first = start(&mut client, "endless", json!({})).await;
    start(&mut client, "endless", json!({})).await;
    let refused = client.call("endless", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(refused["error"]["message"], "too many tasks run now: try again later");
    cancel(&mut client, &first).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    start(&mut client, "endless", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_outlives_the_connection_that_it_was_made_on() {
    let server = lab();
    let mut client = connect(&server).await;
    let id = start(&mut client, "slow_compute", json!({"seconds": 60, "label": "x"})).await;
    drop(client);
    tokio::time::sleep(Duration::from_secs(61)).await;
    let mut other = connect(&server).await;
    assert_eq!(text(&until(&mut other, &id, "completed").await), "computed x");
}

#[tokio::test(start_paused = true)]
async fn a_task_is_unknown_to_all_but_who_made_it() {
    let server = lab();
    let connect = |name: &'static str| {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(Known(theirs, name)).await });
        RawClient::over(ours, MODERN, takes_tasks())
    };
    let (mut alice, mut bob, mut nobody) = (connect("alice"), connect("bob"), super::lab::connect(&server).await);
    let id = start(&mut alice, "confirm_delete", json!({"filename": "a"})).await;
    let task = until(&mut alice, &id, "input_required").await;
    let key = super::lab::keys(&task).remove(0);
    for client in [&mut bob, &mut nobody] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let answer = |id: &str| json!({"taskId": id, "inputResponses": {&key: {"action": "decline"}}});
            let foreign = client.request(method, answer(&id)).await;
            let unknown = client.request(method, answer("nosuch")).await;
            assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
            assert_eq!(foreign["error"], unknown["error"], "both look the same");
        }
        client.start("subscriptions/listen", json!({"notifications": {"taskIds": [id]}})).await;
        client.receive().await.unwrap();
    }
    assert_eq!(get(&mut alice, &id).await["result"]["status"], "input_required");
    cancel(&mut alice, &id).await;
    for client in [&mut bob, &mut nobody] {
        let answer = client.request("tools/list", json!({})).await;
        assert!(answer.get("result").is_some() && client.notifications.is_empty(), "others are told nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_of_the_progress_of_a_task() {
    let server = Server::builder("lab", "1")
        .extension(Tasks::new())
        .logging()
        .tool(Tool::new("talk").task(), async |cx: Context| {
            assert!(!cx.wants_progress() && cx.is_task());
            cx.progress(1.0, None, None).await;
            cx.log(mcpeer::model::logging::Level::Error, "hear").await;
            "said"
        })
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let meta = json!({"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"});
    let answer = client.request("tools/call", json!({"name": "talk", "_meta": meta})).await;
    let id = answer["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(text(&until(&mut client, &id, "completed").await), "said");
    assert!(client.notifications.is_empty(), "{:?}", client.notifications);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_make_no_task() {
    let mut client = connect(&lab()).await;
    let answer = client.call("slow_compute", json!({"seconds": "many"})).await;
    assert_eq!((&answer["result"]["resultType"], &answer["result"]["isError"]), (&json!("complete"), &json!(true)));
}

#[test]
fn a_tool_that_becomes_a_task_needs_the_extension() {
    let error = Server::builder("lab", "1").tool(Tool::new("endless").task(), async || "").build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the extension `io.modelcontextprotocol/tasks` cannot be used: the tool `endless` needs it, and the server was \
         not given it"
    );
    let server = Server::builder("lab", "1").dynamic_tools().build().unwrap();
    assert!(server.tools().add(Tool::new("endless").task(), async || "").is_err());
}
