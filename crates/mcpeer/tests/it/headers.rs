//! Headers that go along with a request, over a transport that has them.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use mcpeer::{
    client::Client,
    transport::{Inbound, Link, Outbound, Received, Route, Transport},
};
use serde_json::{Value, json};

/// The method of a request, and its headers.
type Sent = (String, Vec<(String, String)>);

/// Answers each request, the first call of a tool by asking for another round, and keeps what it came with.
#[derive(Default)]
struct Recording {
    sent: Arc<Mutex<Vec<Sent>>>,
    answers: VecDeque<String>,
    message: String,
    was_called: bool,
}

impl Transport for Recording {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let Some(text) = self.answers.pop_front() else { return Poll::Pending };
        self.message = text;
        let (message, route) = (self.message.as_bytes(), Route(1));
        Poll::Ready(Ok(Received::Message(Inbound { message, route, edge: None })))
    }

    fn send(&mut self, outbound: Outbound) {
        let Outbound::Message { text, headers, request: Some(_), .. } = outbound else { return };
        let asked: Value = serde_json::from_slice(&text).unwrap();
        let method = asked["method"].as_str().unwrap();
        self.sent
            .lock()
            .unwrap()
            .push((method.to_owned(), headers.map(|headers| headers.to_vec()).unwrap_or_default()));
        let result = match method {
            "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
            "tools/call" if !std::mem::replace(&mut self.was_called, true) => {
                json!({"resultType": "input_required", "requestState": "again"})
            }
            "tools/call" => json!({"content": []}),
            _ => json!({"tools": []}),
        };
        self.answers.push_back(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What was sent is answered already.
        cx.waker().wake_by_ref();
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        0
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn headers_of_a_call_go_along_in_every_round_and_with_no_other_request() {
    let transport = Recording::default();
    let sent = transport.sent.clone();
    let client = Client::builder("test", "1").connect_with(transport).await.unwrap();
    client.call("a").header("X-Tenant", "acme").header("X-Mode", "fast").await.unwrap();
    client.peer().request_raw("tools/list", None).header("X-Tenant", "other").await.unwrap();
    client.peer().request_raw("tools/list", None).await.unwrap();
    client.close().await;

    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let call = vec![header("X-Tenant", "acme"), header("X-Mode", "fast")];
    let expected: Vec<Sent> = vec![
        ("server/discover".into(), vec![]),
        ("tools/call".into(), call.clone()),
        ("tools/call".into(), call),
        ("tools/list".into(), vec![header("X-Tenant", "other")]),
        ("tools/list".into(), vec![]),
    ];
    assert_eq!(*sent.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn headers_of_the_transport_are_nobody_elses() {
    let client = Client::builder("test", "1").connect_with(Recording::default()).await.unwrap();
    for (name, value) in [("Mcp-Name", "b"), ("Host", "b"), ("a b", "c"), ("X-Key", "a\nb")] {
        let error = client.call("a").header(name, value).await.unwrap_err();
        assert!(error.is_misuse() && error.to_string().contains(name), "{error}");
        assert!(!error.to_string().contains("a\nb"));
    }
    client.close().await;
}
