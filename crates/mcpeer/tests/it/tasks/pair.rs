//! A client and a server of ours with tasks, over every revision: the tools that the official conformance suite calls.

use std::time::Duration;

use mcpeer::{
    Client, Server,
    client::{self, Builder, tasks::Begun},
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams},
        extensions::tasks::Status,
    },
    server::{Tool, tasks::Tasks},
    version::{Era, Revision},
};
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};

use super::lab::{MODERN, lab};
use crate::peers::{builder, connect};

fn answering() -> Builder {
    builder().extension(client::tasks::Tasks::new()).on_elicit(async |form: FormParams| match &*form.message {
        "Delete a.txt?" => CreateResult::accept([("confirm", true)]),
        "Your first name?" => CreateResult::accept([("name", "Ada")]),
        "Your last name?" => CreateResult::accept([("name", "Lovelace")]),
        _ => CreateResult::accept([("name", "Alice")]),
    })
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_with_the_same_result_whether_it_was_a_task_or_not() {
    let server = lab();
    for revision in Revision::ALL {
        let client = connect(answering(), &server, revision).await;
        let start = Instant::now();
        let greeting = client.call("greet").arguments(&json!({"name": "Ada"})).await.unwrap();
        assert_eq!(greeting.as_text(), "Hello, Ada!", "{revision}");
        assert_eq!(start.elapsed(), Duration::ZERO);
        for seconds in [0, 1, 60] {
            let slow = client.call("slow_compute").arguments(&json!({"seconds": seconds, "label": "x"}));
            // In the stateful era the answer itself takes so long.
            let slow = slow.timeout(Duration::from_secs(100));
            assert_eq!(slow.await.unwrap().as_text(), "computed x", "{revision}");
        }
        assert!(client.call("failing_job").await.unwrap().is_failed(), "{revision}: its failure is a result");
        let error = client.call("protocol_error_job").await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, -32603, "{revision}");
        if !revision.has_elicitation() {
            continue;
        }
        let deleted = client.call("confirm_delete").arguments(&json!({"filename": "a.txt"})).await.unwrap();
        assert_eq!(deleted.as_text(), "deleted a.txt", "{revision}");
        assert_eq!(client.call("multi_input").await.unwrap().as_text(), "Ada Lovelace", "{revision}");
        assert!(client.call("test_tool_with_task").await.unwrap().as_text().contains("Alice"), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_takes_no_tasks_gets_results_alone() {
    let server = lab();
    let client = connect(builder(), &server, MODERN).await;
    let slow = client.call("slow_compute").arguments(&json!({"seconds": 2, "label": "x"}));
    assert_eq!(slow.await.unwrap().as_text(), "computed x");
    let error = client.call("failing_job").await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32021);
}

#[tokio::test(start_paused = true)]
async fn tasks_are_handed_over_to_another_connection() {
    let server = lab();
    let calling = connect(answering(), &server, MODERN).await;
    for tool in ["slow_compute", "confirm_delete", "multi_input"] {
        let arguments = json!({"seconds": 60, "label": "x", "filename": "a.txt"});
        let Begun::Task(task) = calling.call(tool).arguments(&arguments).as_task().await.unwrap() else {
            panic!("{tool} is a task")
        };
        assert_eq!(task.status(), Some(Status::Working));
        let waiting = connect(answering(), &server, MODERN).await;
        let result = waiting.task(task.id()).wait().await.unwrap();
        assert!(["computed x", "deleted a.txt", "Ada Lovelace"].contains(&&*result.as_text()), "{tool}");
        assert_eq!(task.get().await.unwrap().status, Status::Completed, "{tool}: it is still there");
        assert_eq!(task.wait().await.unwrap().as_text(), result.as_text());
    }
    let error = calling.task("no such task").wait().await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32602);
}

/// A server whose tool waits to be cancelled, and what it tells.
fn endless() -> (Server, mpsc::UnboundedReceiver<&'static str>) {
    let (tell, told) = mpsc::unbounded_channel();
    let server = Server::builder("lab", "1").extension(Tasks::new());
    let server = server.tool(Tool::new("endless").task(), move |cx: Context| {
        let tell = tell.clone();
        async move {
            tell.send("begun").unwrap();
            cx.cancelled().await;
            tell.send("cancelled").unwrap();
        }
    });
    (server.build().unwrap(), told)
}

#[tokio::test(start_paused = true)]
async fn giving_up_a_call_cancels_its_handler_in_both_eras() {
    for revision in Revision::ALL {
        let (server, mut told) = endless();
        let client: Client = connect(answering(), &server, revision).await;
        for how in ["drop", "cancel", "limit"] {
            let call = client.call("endless").max_total(Duration::from_secs(if how == "limit" { 10 } else { 1000 }));
            let mut call = Box::pin(call.send());
            // Long enough for it to have become a task, where it does.
            let _ = tokio::time::timeout(Duration::from_secs(5), &mut call).await;
            assert_eq!(told.recv().await, Some("begun"), "{revision} {how}");
            match how {
                "drop" => drop(call),
                "cancel" => {
                    call.cancel("enough");
                    assert!(call.await.unwrap_err().is_cancelled(), "{revision}");
                }
                _ => assert!(call.await.unwrap_err().is_timeout(), "{revision}"),
            }
            assert_eq!(told.recv().await, Some("cancelled"), "{revision} {how}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_cancelled_elsewhere_ends_the_call_as_cancelled() {
    let (server, mut told) = endless();
    let client = connect(answering(), &server, MODERN).await;
    let Begun::Task(task) = client.call("endless").as_task().await.unwrap() else { panic!("it is a task") };
    let waiting = tokio::spawn({
        let (client, id) = (client.clone(), task.id().to_owned());
        async move { client.task(id).wait().await }
    });
    assert_eq!(told.recv().await, Some("begun"));
    task.cancel().await.unwrap();
    assert!(waiting.await.unwrap().unwrap_err().is_cancelled());
    assert_eq!(told.recv().await, Some("cancelled"));
    assert_eq!(task.get().await.unwrap().status, Status::Cancelled);
    assert_eq!(MODERN.era(), Era::Modern);
}
