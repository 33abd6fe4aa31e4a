//! Field cases 127, 128 and 149.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcpeer::{
    client::{Change, Ended},
    model::subscriptions::Filter,
    server::{Resource, Server},
    testing::{Direction, ManualClock, Pair},
    version::{Era, Revision},
};

pub(crate) fn server() -> Server {
    Server::builder("clock", "1.0.0").tool("now", async || "12:00").build().unwrap()
}

fn tools() -> Filter {
    Filter::new().tools_list_changed(true)
}

#[tokio::test(start_paused = true)]
async fn a_change_on_the_server_reaches_who_watches() {
    let server = server();
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let mut watch = pair.client().watch(tools().prompts_list_changed(true)).await.unwrap();
        assert_eq!(watch.honoured(), tools(), "{revision}: the server has no prompts");
        server.tools_changed();
        assert_eq!(watch.next().await, Some(Change::Tools), "{revision}");
        assert!(watch.ended().is_none());
        pair.client().close().await;
        assert_eq!(watch.next().await, None);
        assert!(matches!(watch.ended(), Some(Ended::Closed)), "{revision}: {:?}", watch.ended());
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_waits_to_be_read_is_kept_once() {
    let server = server();
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let mut watch = pair.client().watch(tools()).await.unwrap();
        for _ in 0..1000 {
            server.tools_changed();
            // An answer comes after what was told before it.
            pair.client().call("now").await.unwrap();
        }
        assert_eq!(watch.next().await, Some(Change::Tools));
        pair.client().close().await;
        assert_eq!(watch.next().await, None, "{revision}: one change was enough");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_watch_is_ended_at_the_server() {
    let pair = Pair::of(&server()).revision(Revision::V2026_07_28).connect().await.unwrap();
    let watch = pair.client().watch(tools()).await.unwrap();
    let listen = pair.wire().until_sent("subscriptions/listen").await.json();
    drop(watch);
    let cancelled = pair.wire().until_sent("notifications/cancelled").await.json();
    assert_eq!(cancelled["params"]["requestId"], listen["id"]);
}

#[tokio::test(start_paused = true)]
async fn several_watches_each_hear_what_they_asked_for() {
    let server = server();
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let mut first = pair.client().watch(tools()).await.unwrap();
        let mut second = pair.client().watch(tools()).await.unwrap();
        let mut other = pair.client().watch(Filter::new().prompts_list_changed(true)).await.unwrap();
        server.tools_changed();
        assert_eq!(first.next().await, Some(Change::Tools));
        assert_eq!(second.next().await, Some(Change::Tools));
        pair.client().close().await;
        assert_eq!(other.next().await, None, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_acknowledgment_is_the_first_message_of_a_subscription() {
    let server = server();
    let pair = Pair::of(&server).revision(Revision::V2026_07_28).connect().await.unwrap();
    let (mut watch, ()) = (pair.client().watch(tools()).await.unwrap(), server.tools_changed());
    assert_eq!(watch.next().await, Some(Change::Tools));
    let id = pair.wire().until_sent("subscriptions/listen").await.json()["id"].clone();
    let tagged: Vec<_> = (pair.wire().json(Direction::ToClient).into_iter())
        .filter(|message| !message["method"].is_null())
        .map(|message| {
            (message["method"].clone(), message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone())
        })
        .collect();
    let expected = ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"];
    assert_eq!(tagged, expected.map(|method| (method.into(), id.clone())));
}

/// A server that says that its tools have changed whenever it is asked for them.
#[tokio::test]
async fn a_storm_of_changes_makes_one_list_at_a_time_and_no_more_than_one_per_interval() {
    let server = server();
    for revision in Revision::ALL {
        let clock = ManualClock::new();
        let pair = Pair::of(&server).revision(revision).clock(&clock).connect().await.unwrap();
        let mut lists = pair.client().follow_tools().await.unwrap();
        assert_eq!(lists.next().await.unwrap().unwrap().len(), 1);
        let lists_asked = || {
            let asked = pair.wire().methods(Direction::ToServer);
            asked.iter().filter(|method| *method == "tools/list").count()
        };
        for round in 2..5 {
            for _ in 0..100 {
                server.tools_changed();
                pair.client().call("now").await.unwrap();
            }
            assert_eq!(lists_asked(), round - 1, "{revision}: nothing was asked for before the interval had passed");
            clock.turn(Duration::from_secs(1));
            lists.next().await.unwrap().unwrap();
            assert_eq!(lists_asked(), round, "{revision}: a hundred changes make one list");
        }
        pair.client().close().await;
        assert!(lists.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn watches_are_opened_anew_when_the_server_is_started_again() {
    let server = server();
    for revision in Revision::ALL {
        let builder = mcpeer::Client::builder("test", "1.0.0").restart(mcpeer::client::Restart::times(3));
        let pair = Pair::of(&server).client(builder).revision(revision).connect().await.unwrap();
        let mut watch = pair.client().watch(tools()).await.unwrap();
        for _ in 0..2 {
            pair.crash();
            assert_eq!(watch.next().await, Some(Change::Tools), "{revision}: what happened meanwhile nobody told");
            server.tools_changed();
            assert_eq!(watch.next().await, Some(Change::Tools), "{revision}: it is told again");
        }
        let listens = pair.wire().methods(Direction::ToServer);
        let expected = if revision.era() == Era::Modern { 3 } else { 0 };
        assert_eq!(listens.iter().filter(|method| *method == "subscriptions/listen").count(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_hears_of_changes_from_many_tasks_at_once() {
    let server = Arc::new(server());
    let pair = Pair::of(&server).connect().await.unwrap();
    let mut watch = pair.client().watch(tools()).await.unwrap();
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let server = server.clone();
            tokio::spawn(async move { server.tools_changed() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(watch.next().await, Some(Change::Tools));
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_watched_by_many_and_its_server_hears_of_the_first_and_the_last() {
    for revision in Revision::ALL {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (began, ended) = (heard.clone(), heard.clone());
        let server = Server::builder("files", "1.0.0")
            .resource(Resource::new("files://a", "a"), async || "text")
            .on_watched(move |uri| began.lock().unwrap().push(format!("+{uri}")))
            .on_unwatched(move |uri| ended.lock().unwrap().push(format!("-{uri}")))
            .build()
            .unwrap();
        let pairs = [
            Pair::of(&server).revision(revision).connect().await,
            Pair::of(&server).revision(revision).connect().await,
        ];
        let [first, second] = pairs.map(Result::unwrap);
        let filter = Filter::new().resource_subscriptions(["files://a".to_owned()]);
        let mut watches = Vec::new();
        for client in [first.client(), first.client(), second.client()] {
            let watch = client.watch(filter.clone()).await.unwrap();
            assert_eq!(watch.honoured(), filter);
            watches.push(watch);
        }
        server.resource_updated("files://a");
        for watch in &mut watches {
            assert_eq!(watch.next().await, Some(Change::Resource { uri: "files://a".into() }), "{revision}");
        }
        assert_eq!(*heard.lock().unwrap(), ["+files://a"], "{revision}");
        drop(watches);
        let until = if revision.era() == Era::Modern { "notifications/cancelled" } else { "resources/unsubscribe" };
        for pair in [&first, &second] {
            pair.wire().until_sent(until).await;
            // What is answered after it was taken in after it.
            pair.client().peer().request_raw("resources/list", None).await.unwrap();
        }
        assert_eq!(*heard.lock().unwrap(), ["+files://a", "-files://a"], "{revision}");
    }
}
