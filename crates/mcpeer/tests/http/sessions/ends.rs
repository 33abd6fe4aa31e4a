//! How sessions end, and how many there are.

use std::time::Duration;

use serde_json::json;

use super::{Client, STATEFUL, Signals, call, http, initialize, ping, server, settle};
use crate::web::{legacy, next, run, send};

#[test]
fn delete_ends_a_session_and_all_that_it_holds() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let mut listening = client.open(client.get()).await;
            let waiting = tokio::spawn({
                let client = client.clone();
                async move { client.send(&call(1, "wait", &json!({}))).await }
            });
            signals.started.notified().await;
            let answer = send(&service, client.delete()).await;
            assert_eq!((answer.status, &*answer.text), (200, ""), "{version}");
            signals.ended.notified().await;
            assert_eq!(next(&mut listening).await, None);
            assert_eq!(waiting.await.unwrap().events(), Vec::<serde_json::Value>::new());
            assert_eq!(client.send(&ping(1)).await.status, 404);
            for request in [client.get(), client.delete()] {
                assert_eq!(send(&service, request).await.status, 404);
            }
        }
    });
}

#[test]
fn a_session_ends_whose_client_is_not_seen() {
    run(async {
        let minutes = |minutes: u64| tokio::time::sleep(Duration::from_secs(minutes * 60));
        let signals = Signals::default();
        let service = server(&signals).http().max_sessions(1).service();
        let client = Client::new(&service, "2025-11-25").await;
        // Each message shows that it is there, and so does each stream that it reads, and each answer it waits for.
        minutes(29).await;
        assert_eq!(client.send(&ping(1)).await.status, 200);
        minutes(29).await;
        let listening = service.handle(client.get()).await;
        minutes(300).await;
        drop(listening);
        minutes(29).await;
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { client.send(&call(1, "wait", &json!({}))).await }
        });
        minutes(300).await;
        signals.go.notify_one();
        assert_eq!(waiting.await.unwrap().status, 200);
        minutes(29).await;
        assert_eq!(client.send(&ping(1)).await.status, 200);
        assert_eq!(send(&service, legacy(None, &initialize("2025-11-25"))).await.status, 503);
        minutes(31).await;
        assert_eq!(client.send(&ping(1)).await.status, 404);
        Client::new(&service, "2025-11-25").await;
    });
}

#[test]
fn how_long_a_client_may_be_away_can_be_set() {
    run(async {
        let service = http().session_timeout(Duration::from_secs(5)).service();
        let client = Client::new(&service, "2025-11-25").await;
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert_eq!(client.send(&ping(1)).await.status, 200);
        tokio::time::sleep(Duration::from_secs(6)).await;
        assert_eq!(client.send(&ping(1)).await.status, 404);
        let service = http().session_timeout(Duration::MAX).service();
        let client = Client::new(&service, "2025-11-25").await;
        tokio::time::sleep(Duration::from_secs(1_000_000)).await;
        assert_eq!(client.send(&ping(1)).await.status, 200);
    });
}

#[test]
fn there_are_only_so_many_sessions_at_once() {
    run(async {
        let service = http().max_sessions(2).service();
        let first = Client::new(&service, "2025-11-25").await;
        Client::new(&service, "2025-06-18").await;
        let refused = send(&service, legacy(None, &initialize("2025-11-25"))).await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
        assert_eq!(refused.header("mcp-session-id"), "");
        assert_eq!(send(&service, first.delete()).await.status, 200);
        settle().await;
        Client::new(&service, "2025-11-25").await;
    });
}

#[test]
fn a_server_that_is_shut_lets_what_runs_answer() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut listening = client.open(client.get()).await;
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { client.send(&call(1, "wait", &json!({}))).await }
        });
        signals.started.notified().await;
        service.shut();
        assert_eq!(next(&mut listening).await, None);
        for request in [client.post(&ping(1)), client.get(), client.delete(), client.post(&initialize("2025-11-25"))] {
            assert_eq!(send(&service, request).await.status, 503);
        }
        signals.go.notify_one();
        assert_eq!(waiting.await.unwrap().json()["result"]["content"][0]["text"], "done");
    });
}

#[test]
fn sessions_end_with_their_endpoint() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let mut client = Client::new(&service, "2025-11-25").await;
        let mut listening = client.open(client.get()).await;
        client.service = http().service();
        assert_eq!(client.send(&ping(1)).await.status, 404);
        drop(service);
        assert_eq!(next(&mut listening).await, None);
    });
}
