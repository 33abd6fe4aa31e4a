//! Very many clients at once.

use serde_json::json;

use super::{
    call, echo, listen,
    program::{Program, raise_files},
};
use crate::line::{Line, PATIENCE};

const LISTENERS: usize = 10_000;

/// What a tool of the program says.
async fn asked(line: &mut Line, name: &str) -> u64 {
    let answer = line.call(&call(name, &json!({}))).await.json();
    answer["result"]["content"][0]["text"].as_str().unwrap().parse().unwrap()
}

/// What so many calls cost the server.
async fn cost(line: &mut Line) -> u64 {
    let before = asked(line, "effort").await;
    for _ in 0..300 {
        assert_eq!(line.call(&echo()).await.status, 200);
    }
    asked(line, "effort").await - before
}

#[tokio::test]
async fn ten_thousand_listeners_cost_the_others_nothing() {
    if raise_files() < LISTENERS as u64 + 500 {
        return crate::support::not_run("10,000 streams: this system lets a program open too few files");
    }
    let program = Program::start("127.0.0.1:0").await;
    let mut line = Line::new(program.address).await;
    cost(&mut line).await;
    let alone = cost(&mut line).await;
    let mut listeners = Vec::with_capacity(LISTENERS);
    while listeners.len() < LISTENERS {
        let from = listeners.len();
        for _ in 0..100 {
            let mut listener = Line::new(program.address).await;
            listener.send(&listen()).await;
            listeners.push(listener);
        }
        for listener in &mut listeners[from..] {
            listener.until("acknowledged").await;
        }
    }
    assert_eq!(asked(&mut line, "streams").await, LISTENERS as u64);
    let among_them = cost(&mut line).await;
    assert!(among_them < alone * 3, "{alone} µs alone, {among_them} µs among {LISTENERS}");
    let refused = line.call(&listen()).await;
    assert!(refused.status == 503 && refused.text.contains("max_streams"), "{refused:?}");
    // Each of them hears of a change.
    assert_eq!(line.call(&call("change", &json!({}))).await.status, 200);
    for listener in &mut listeners {
        listener.until("notifications/tools/list_changed").await;
    }
    drop(listeners);
    let emptied = async { while asked(&mut line, "streams").await > 0 {} };
    tokio::time::timeout(PATIENCE, emptied).await.expect("streams stay that nobody reads");
    line.send(&listen()).await;
    line.until("acknowledged").await;
}
