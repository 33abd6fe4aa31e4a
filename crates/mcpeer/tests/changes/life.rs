//! How a connection is kept and opened anew.

use std::time::Duration;

use mcpeer::{
    Client,
    client::{Backoff, Health, Restart},
    server::Server,
    testing::{Direction, ManualClock, Pair},
    transport::{TransportExt, connect_with, memory},
    version::{Era, Revision},
};

use crate::watch::server;

fn backoff() -> Backoff {
    Backoff::new(Duration::from_secs(1), Duration::from_secs(8))
}

#[tokio::test]
async fn a_server_that_died_is_started_again_and_requests_wait_for_it() {
    let server = server();
    for revision in Revision::ALL {
        let clock = ManualClock::new();
        let client = Client::builder("test", "1.0.0").restart(Restart::times(3).backoff(backoff()));
        let pair = Pair::of(&server).client(client).revision(revision).clock(&clock).connect().await.unwrap();
        let mut health = pair.client().health_changes();
        assert_eq!(health.next().await, Some(Health::Up));
        pair.crash();
        let Some(Health::Restarting { attempt: 1, .. }) = health.next().await else { panic!("{revision}") };
        let call = pair.client().call("now").send();
        let waited = clock.turn_to_next().await;
        assert!((500..=1000).contains(&waited.as_millis()), "{revision}: {waited:?} is the first delay");
        assert_eq!(call.await.unwrap().as_text(), "12:00", "{revision}");
        assert_eq!(pair.client().health(), Health::Up);
        let ids: Vec<_> =
            (pair.wire().json(Direction::ToServer).iter()).filter_map(|message| message["id"].as_i64()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{revision}: ids do not repeat: {ids:?}");
    }
}

#[tokio::test]
async fn what_was_on_its_way_fails_as_closed() {
    let server = Server::builder("slow", "1.0.0").tool("never", async || std::future::pending::<String>().await);
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = Client::builder("test", "1.0.0").restart(Restart::always().backoff(backoff()));
        let clock = ManualClock::new();
        let pair = Pair::of(&server).client(client).revision(revision).clock(&clock).connect().await.unwrap();
        let call = pair.client().call("never").send();
        pair.wire().until_sent("tools/call").await;
        pair.crash();
        assert!(call.await.unwrap_err().is_closed(), "{revision}: nobody knows whether it was served");
        assert!(!pair.client().peer().is_closed());
    }
}

#[tokio::test]
async fn a_request_waits_for_a_restart_no_longer_than_its_time() {
    let client = Client::builder("test", "1.0.0")
        .restart(Restart::always().backoff(Backoff::new(Duration::from_secs(3600), Duration::from_secs(3600))));
    let clock = ManualClock::new();
    let pair = Pair::of(&server()).client(client).clock(&clock).connect().await.unwrap();
    let mut health = pair.client().health_changes();
    health.next().await;
    pair.crash();
    health.next().await;
    let call = pair.client().call("now").timeout(Duration::from_secs(5)).send();
    let call = tokio::spawn(call);
    while clock.next() != Some(Duration::from_secs(5)) {
        tokio::task::yield_now().await;
    }
    clock.turn(Duration::from_secs(5));
    assert!(call.await.unwrap().unwrap_err().is_timeout());
    pair.client().close().await;
    assert!(pair.client().health().is_closed(), "closing does not wait for the restart");
}

#[tokio::test]
async fn a_server_that_does_not_come_back_ends_the_connection() {
    let server = server();
    let clock = ManualClock::new();
    let mut left = 1;
    let open = connect_with(move || {
        let opened = (left > 0).then(|| {
            let (ours, theirs) = memory::pair();
            let server = server.clone();
            // It dies after its first request.
            tokio::spawn(async move { tokio::time::timeout(Duration::from_millis(1), server.serve(theirs)).await });
            ours
        });
        left -= 1;
        async move { opened.ok_or_else(|| std::io::Error::other("the program is gone")) }
    });
    tokio::time::pause();
    let client = Client::builder("test", "1.0.0")
        .restart(Restart::times(3).backoff(backoff()))
        .options(mcpeer::driver::Options::default().clock(clock.clone()));
    let client = client.connect(open).await.unwrap();
    let mut health = client.health_changes();
    let mut attempts = Vec::new();
    loop {
        match health.next().await.unwrap() {
            Health::Up => {}
            Health::Restarting { attempt, .. } => {
                attempts.push(attempt);
                clock.turn_to_next().await;
            }
            Health::Closed { reason } => {
                assert!(reason.contains("the program is gone"), "{reason}");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(attempts, [1, 2, 3]);
    assert!(client.call("now").await.unwrap_err().is_closed());
}

#[tokio::test]
async fn without_a_policy_a_connection_ends_for_good() {
    for revision in Revision::ALL {
        let pair = Pair::of(&server()).revision(revision).connect().await.unwrap();
        pair.crash();
        assert!(pair.client().peer().closed().await.is_closed());
        assert!(pair.client().health().is_closed());
    }
}

#[tokio::test]
async fn a_server_is_asked_whether_it_is_there_where_the_era_knows_the_question() {
    for revision in Revision::ALL {
        let clock = ManualClock::new();
        let client = Client::builder("test", "1.0.0").keep_alive(Duration::from_secs(10));
        let pair = Pair::of(&server()).client(client).revision(revision).clock(&clock).connect().await.unwrap();
        for _ in 0..3 {
            while clock.next() != Some(Duration::from_secs(10)) {
                tokio::task::yield_now().await;
            }
            clock.turn(Duration::from_secs(10));
            pair.client().call("now").await.unwrap();
        }
        let pings = pair.wire().methods(Direction::ToServer).iter().filter(|method| *method == "ping").count();
        assert_eq!(pings > 0, revision.era() == Era::Legacy, "{revision}: {pings}");
        assert_eq!(pair.client().health(), Health::Up);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_leaves_three_pings_without_an_answer_counts_as_dead() {
    let (ours, mut theirs) = memory::pair();
    let client = Client::builder("test", "1.0.0")
        .revisions([Revision::V2025_11_25])
        .keep_alive(Duration::from_secs(10))
        .connect_with(ours);
    let client = tokio::spawn(client);
    let initialize: serde_json::Value = serde_json::from_str(&theirs.receive_text().await.unwrap().unwrap()).unwrap();
    let result = serde_json::json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": {"name": "mute", "version": "1"}});
    let answer = serde_json::json!({"jsonrpc": "2.0", "id": initialize["id"], "result": result});
    theirs.send_text(answer.to_string()).await.unwrap();
    let client = client.await.unwrap().unwrap();
    let mut health = client.health_changes();
    let mut seen = Vec::new();
    while let Some(health) = health.next().await {
        seen.push(health);
    }
    assert_eq!(seen[..3], [Health::Up, Health::Unresponsive { missed: 1 }, Health::Unresponsive { missed: 2 }]);
    let Some(Health::Closed { reason }) = seen.last() else { panic!("{seen:?}") };
    assert!(reason.contains("3 pings without an answer"), "{reason}");
}
