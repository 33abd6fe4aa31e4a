//! What belongs to no request of the client.

use std::task::Poll;

use mcpeer::server::Tool;
use serde_json::json;

use super::{Client, STATEFUL, Signals, http, server};
use crate::web::{events, next, peek, run, send};

#[test]
fn changes_are_told_on_the_stream_that_the_client_opened() {
    run(async {
        let server = server(&Signals::default());
        let service = server.http().service();
        for version in STATEFUL {
            let [client, other] = [Client::new(&service, version).await, Client::new(&service, version).await];
            let mut body = client.open(client.get()).await;
            assert_eq!(peek(&mut body), Poll::Pending);
            server.tools().add(Tool::new(version), async || "done").unwrap();
            let told = events(&next(&mut body).await.unwrap());
            assert_eq!(told[0]["method"], "notifications/tools/list_changed", "{version}");
            // What the other one could not hear yet waits for it, once.
            server.tools_changed();
            next(&mut body).await.unwrap();
            server.tools_changed();
            next(&mut body).await.unwrap();
            let mut late = other.open(other.get()).await;
            let told = events(&next(&mut late).await.unwrap());
            assert_eq!((told.len(), &told[0]["method"]), (1, &json!("notifications/tools/list_changed")));
            assert_eq!(peek(&mut late), Poll::Pending);
        }
    });
}

#[test]
fn each_message_goes_out_on_one_stream() {
    run(async {
        let server = server(&Signals::default());
        let service = server.http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut older = client.open(client.get()).await;
        let mut newer = client.open(client.get()).await;
        server.tools_changed();
        next(&mut newer).await.unwrap();
        assert_eq!(peek(&mut older), Poll::Pending);
        drop(newer);
        server.tools_changed();
        next(&mut older).await.unwrap();
    });
}

#[test]
fn a_session_has_few_streams_open_at_once() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut open = Vec::new();
        for _ in 0..4 {
            open.push(service.handle(client.get()).await);
            assert_eq!(open.last().unwrap().status(), 200);
        }
        let answer = send(&service, client.get()).await;
        assert_eq!((answer.status, answer.code()), (409, -32600));
        open.pop();
        assert_eq!(service.handle(client.get()).await.status(), 200);
    });
}

#[test]
fn an_endpoint_has_so_many_streams_open_at_once() {
    run(async {
        let service = http().max_streams(1).service();
        let [one, other] = [Client::new(&service, "2025-11-25").await, Client::new(&service, "2025-11-25").await];
        let first = service.handle(one.get()).await;
        assert_eq!(service.handle(other.get()).await.status(), 503);
        drop(first);
        assert_eq!(service.handle(other.get()).await.status(), 200);
    });
}

#[test]
fn a_stream_has_to_be_taken_as_one() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut request = client.get();
        request.headers_mut().insert("accept", "application/json".parse().unwrap());
        let answer = send(&service, request).await;
        assert_eq!((answer.status, answer.code()), (406, -32600));
    });
}
