//! Tasks on a clock turned by hand, over a pipe and with a stream for each request.

use std::time::Duration;

use mcpeer::{
    Client,
    client::{Change, tasks},
    model::{RawJson, subscriptions::Filter},
    server::{self, Server, Tool},
    testing::{Direction, ManualClock, Pair},
    version::Revision,
};
use serde_json::json;
use tokio::sync::watch;

#[tokio::test]
async fn a_task_is_asked_for_when_its_time_has_come_and_not_before() {
    for is_exchange in [false, true] {
        let (finish, finished) = watch::channel(false);
        let server = Server::builder("slow", "1.0.0")
            .extension(server::tasks::Tasks::new().poll_interval(Duration::from_secs(3)))
            .tool(Tool::new("slow").task(), move || {
                let mut finished = finished.clone();
                async move {
                    finished.wait_for(|is_finished| *is_finished).await.unwrap();
                    "done"
                }
            })
            .build()
            .unwrap();
        let clock = ManualClock::new();
        let client = Client::builder("test", "1.0.0").extension(tasks::Tasks::new());
        let pair = Pair::of(&server).client(client).revision(Revision::V2026_07_28).clock(&clock);
        let pair = if is_exchange { pair.exchange() } else { pair };
        let pair = pair.connect().await.unwrap();
        let mut call = Box::pin(pair.client().call("slow").send());
        let asked = || {
            let methods = pair.wire().methods(Direction::ToServer);
            methods.iter().filter(|method| *method == "tasks/get").count()
        };
        for round in 0..4 {
            while asked() < round || clock.next() != Some(Duration::from_secs(3)) {
                tokio::select! {
                    biased;
                    result = &mut call => panic!("it is not over: {result:?}"),
                    () = tokio::task::yield_now() => {}
                }
            }
            assert_eq!(asked(), round, "{is_exchange}");
            clock.turn(Duration::from_secs(3));
        }
        finish.send(true).unwrap();
        let result = loop {
            tokio::select! {
                biased;
                result = &mut call => break result,
                () = tokio::task::yield_now() => {}
            }
            if clock.next() == Some(Duration::from_secs(3)) {
                clock.turn(Duration::from_secs(3));
            }
        };
        assert_eq!(result.unwrap().as_text(), "done", "{is_exchange}");
        assert!(asked() >= 4, "{is_exchange}");
    }
}

#[tokio::test]
async fn a_task_can_be_watched() {
    let (finish, finished) = watch::channel(false);
    let server = Server::builder("slow", "1.0.0").extension(server::tasks::Tasks::new());
    let server = server.tool(Tool::new("slow").task(), move || {
        let mut finished = finished.clone();
        async move {
            finished.wait_for(|is_finished| *is_finished).await.unwrap();
            "done"
        }
    });
    let client = Client::builder("test", "1.0.0").extension(tasks::Tasks::new());
    let pair = Pair::of(&server.build().unwrap()).client(client).revision(Revision::V2026_07_28);
    let pair = pair.connect().await.unwrap();
    let tasks::Begun::Task(task) = pair.client().call("slow").as_task().await.unwrap() else { panic!("it is a task") };
    let mut filter = Filter::new();
    filter.extra.insert("taskIds", RawJson::from_value(&json!([task.id()])).unwrap());
    let mut watch = pair.client().watch(filter.clone()).await.unwrap();
    assert_eq!(watch.honoured(), filter);
    finish.send(true).unwrap();
    let Some(Change::Extension { method, params }) = watch.next().await else { panic!("{:?}", watch.ended()) };
    assert_eq!(method, "notifications/tasks");
    assert!(params.unwrap().as_str().contains("\"completed\""));
    assert_eq!(task.wait().await.unwrap().as_text(), "done");
}
