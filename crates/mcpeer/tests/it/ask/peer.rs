//! A client that answers what it is asked, in the way of its era.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use mcpeer::{
    driver::io::{Edge, Inbound, Link, Outbound, Principal},
    transport::{Received, Transport, memory::Memory},
    version::{Era, Revision},
};
use serde_json::{Map, Value, json};

use crate::peers::RawClient;

/// A client that can do everything.
pub(crate) fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

/// What was asked of a client, and the answer to its call.
pub(crate) struct Talk {
    pub(crate) answer: Value,
    /// The questions of each round: key, method and params. In the stateful era each is a round, and its key is null.
    pub(crate) rounds: Vec<Vec<(Value, String, Value)>>,
}

impl Talk {
    /// The params of all questions.
    pub(crate) fn asked(&self) -> Vec<(&str, &Value)> {
        self.rounds.iter().flatten().map(|(_, method, params)| (method.as_str(), params)).collect()
    }
}

/// Calls a tool and answers what the server asks, until the call is answered.
pub(crate) async fn talk(
    client: &mut RawClient<impl Transport>,
    revision: Revision,
    params: Value,
    answer: impl FnMut(&str, &Value) -> Value,
) -> Talk {
    talk_of(client, revision, "tools/call", params, answer).await
}

/// Sends a request of any method and answers what the server asks, until the request is answered.
pub(crate) async fn talk_of(
    client: &mut RawClient<impl Transport>,
    revision: Revision,
    request: &str,
    params: Value,
    mut answer: impl FnMut(&str, &Value) -> Value,
) -> Talk {
    match revision.era() {
        Era::Legacy => {
            let id = client.start(request, params).await;
            let mut rounds = Vec::new();
            loop {
                let message = client.receive().await.expect("the server ended without an answer");
                let Some(method) = message["method"].as_str() else {
                    assert_eq!(message["id"], id, "{message}");
                    return Talk { answer: message, rounds };
                };
                if message.get("id").is_none() {
                    continue;
                }
                rounds.push(vec![(Value::Null, method.to_owned(), message["params"].clone())]);
                let answer = answer(method, &message["params"]);
                let outcome = if answer.get("code").is_some() { "error" } else { "result" };
                client.send(&json!({"jsonrpc": "2.0", "id": message["id"], outcome: answer})).await;
            }
        }
        Era::Modern => {
            let mut rounds = Vec::new();
            let mut next = params.clone();
            loop {
                let reply = client.request(request, next).await;
                if reply["result"]["resultType"] != "input_required" {
                    return Talk { answer: reply, rounds };
                }
                let questions = questions(&reply);
                next = retry(&params, &reply, &mut answer);
                rounds.push(questions);
            }
        }
    }
}

/// The questions of a result.
pub(crate) fn questions(reply: &Value) -> Vec<(Value, String, Value)> {
    let requests = reply["result"]["inputRequests"].as_object().unwrap_or_else(|| panic!("no questions: {reply}"));
    requests
        .iter()
        .map(|(key, request)| {
            (key.as_str().into(), request["method"].as_str().unwrap().to_owned(), request["params"].clone())
        })
        .collect()
}

/// The params of the next round.
pub(crate) fn retry(params: &Value, reply: &Value, mut answer: impl FnMut(&str, &Value) -> Value) -> Value {
    let responses: Map<String, Value> = questions(reply)
        .iter()
        .map(|(key, method, params)| (key.as_str().unwrap().to_owned(), answer(method, params)))
        .collect();
    let mut next = params.clone();
    next["inputResponses"] = Value::Object(responses);
    if let Some(state) = reply["result"].get("requestState") {
        next["requestState"] = state.clone();
    }
    next
}

/// The end of a pipe that knows who sends on it.
pub(crate) struct Known(pub(crate) Memory, pub(crate) &'static str);

impl Transport for Known {
    fn link(&self) -> Link {
        Transport::link(&self.0)
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<Received<'_>>> {
        let principal = Principal(Arc::from(self.1));
        self.0.poll_receive(cx).map_ok(|received| match received {
            Received::Message(inbound) => {
                let mut edge = Edge::default();
                edge.principal = Some(principal);
                Received::Message(Inbound { edge: Some(Arc::new(edge)), ..inbound })
            }
            other => other,
        })
    }

    fn send(&mut self, outbound: Outbound) {
        self.0.send(outbound);
    }

    fn buffered(&self) -> usize {
        self.0.buffered()
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.0.poll_flush(cx)
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.0.poll_close(cx)
    }
}
