//! What reading a call costs in allocations.

use std::alloc::System;

use mcpeer::{
    rpc::{Limits, Message},
    server::ToolCall,
};
use serde::Deserialize;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[derive(Debug, PartialEq, Deserialize)]
struct Echo {
    text: String,
}

/// Reads a call down to the tool's own type, and counts.
fn read(text: &[u8]) -> (Echo, usize) {
    let region = Region::new(ALLOCATOR);
    let Ok(Message::Request { params, .. }) = Message::parse(text, &Limits::default()) else { panic!("no request") };
    let call = ToolCall::read(params).unwrap();
    assert_eq!(call.name(), "echo");
    let echo = call.decode().unwrap();
    let change = region.change();
    (echo, change.allocations + change.reallocations)
}

#[test]
fn a_call_is_read_into_the_arguments_of_its_tool_with_six_allocations_at_most() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{"name":"echo","arguments":{"text":"a"}},"method":"tools/call"}"#,
        r#"{"params":{"arguments":{"text":"a"},"name":"echo"},"method":"tools/call","id":1,"jsonrpc":"2.0"}"#,
    ];
    for text in texts {
        assert_eq!(text.len(), 96);
        // The test harness has a thread of its own, which may allocate meanwhile: the least of several is ours.
        let counts = (0..10).map(|_| {
            let (echo, count) = read(text.as_bytes());
            assert_eq!(echo, Echo { text: "a".to_owned() });
            count
        });
        let least = counts.min().unwrap();
        println!("allocations to read a small tools/call: {least}");
        assert!((1..=6).contains(&least), "{least} allocations for {text}");
    }
}
