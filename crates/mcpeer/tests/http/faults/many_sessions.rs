//! Very many sessions at once, on a clock that is turned by hand.

use std::time::Duration;

use mcpeer::{driver::Options, server::Server, testing::ManualClock};

use super::{
    begin,
    program::{FOR_EVER, raise_files},
};
use crate::{
    line::{Served, until},
    sessions,
};

const SESSIONS: usize = 2_000;
const TIMEOUT: Duration = Duration::from_secs(600);

#[tokio::test]
async fn two_thousand_sessions_hear_of_changes_and_end_by_a_request_or_by_time() {
    if raise_files() < 2 * SESSIONS as u64 + 500 {
        return crate::support::not_run("2,000 sessions: this system lets a program open too few files");
    }
    let clock = ManualClock::new();
    let options = Options::default().clock(clock.clone());
    let server = Server::builder("test", "1").options(options).tool("echo", async || "done").build().unwrap();
    let served = Served::new(&server.http().session_timeout(TIMEOUT).head_timeout(FOR_EVER)).await;
    let mut other = served.line().await;
    let mut clients = Vec::with_capacity(SESSIONS);
    for _ in 0..SESSIONS {
        let mut line = served.line().await;
        let client = begin(&served, &mut line, "2025-06-18").await;
        line.send(&client.get()).await;
        assert_eq!(line.head().await.0, 200);
        clients.push((client, line));
    }
    let load = served.service.load();
    assert_eq!((load.sessions, load.streams, load.requests), (SESSIONS, SESSIONS, 0));
    // Whoever listens stays, however long it is.
    clock.turn(TIMEOUT * 2);
    server.tools_changed();
    for (_, line) in &mut clients {
        line.until("notifications/tools/list_changed").await;
    }
    let mut ended = clients.split_off(SESSIONS / 2);
    for (client, line) in &mut ended {
        assert_eq!(other.call(&client.delete()).await.status, 200);
        // Its stream ends with it.
        line.until("\r\n0\r\n\r\n").await;
    }
    until(|| served.service.load().streams == SESSIONS / 2).await;
    until(|| served.service.load().sessions == SESSIONS / 2).await;
    let (gone, _) = &ended[0];
    assert_eq!(other.call(&gone.post(&sessions::ping(1))).await.status, 404);

    let (last, _) = clients.pop().unwrap();
    drop(clients);
    until(|| served.service.load().streams == 0).await;
    let mut rounds = 0;
    let has_expired = || {
        // Between two turns everybody gets his turn to look at the clock.
        if rounds % SESSIONS == 0 {
            clock.turn(TIMEOUT);
        }
        rounds += 1;
        served.service.load().sessions == 0
    };
    until(has_expired).await;
    assert_eq!(other.call(&last.post(&sessions::ping(1))).await.status, 404);
    assert_eq!(served.service.load(), Default::default());
}
