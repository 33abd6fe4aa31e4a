//! Streams that a client comes back to.

use std::{task::Poll, time::Duration};

use serde_json::{Value, json};

use super::{Client, STATEFUL, Signals, call, http, ids, ping, server, settle};
use crate::web::{events, next, peek, read, run, send};

/// Reads a stream until its end.
async fn rest(client: &Client, id: &str) -> String {
    let response = client.service.handle(client.back(id)).await;
    assert_eq!(response.status(), 200, "{id}");
    read(response).await.text
}

/// How a client hears that a stream does not go on.
async fn refused(client: &Client, id: &str) -> (u16, i64) {
    let answer = send(&client.service, client.back(id)).await;
    (answer.status, answer.code())
}

#[test]
fn streams_say_how_to_come_back_and_only_newer_clients_hear_it_at_once() {
    run(async {
        let server = server(&Signals::default());
        let service = server.http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let answer = client.send(&call(1, "progress", &json!({}))).await;
            let is_primed = answer.text.starts_with("id: ") && answer.text.contains("\nretry: 1000\ndata: \n\n");
            assert_eq!(is_primed, version == "2025-11-25", "{}", answer.text);
            assert_eq!(answer.text.contains("retry"), is_primed);
            let ids = ids(&answer.text);
            assert_eq!((ids.len(), answer.events().len()), (2 + usize::from(is_primed), 2));
            // No two events of a session have the same, on whatever stream.
            let mut listening = client.open(client.get()).await;
            server.tools_changed();
            let told = next(&mut listening).await.unwrap();
            assert!(!ids.contains(&super::ids(&told)[0]), "{told}");
        }
    });
}

#[test]
fn what_follows_an_event_is_said_again_once_and_in_order() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let answer = client.send(&call("a", "flood", &json!({}))).await;
            let (ids, said) = (ids(&answer.text), answer.events());
            let said: Vec<_> = said.into_iter().rev().take(5).rev().collect();
            // What was said long ago is gone, and what was said last is not.
            for (at, id) in ids.iter().rev().take(6).rev().enumerate() {
                assert_eq!(events(&rest(&client, id).await), said[at..], "{version} {id}");
            }
        }
    });
}

#[test]
fn a_client_that_lost_a_stream_comes_back_for_the_answer() {
    run(async {
        for is_done_before in [true, false] {
            let signals = Signals::default();
            let service = server(&signals).http().service();
            for version in STATEFUL {
                let client = Client::new(&service, version).await;
                let mut body = client.open(client.post(&call(1, "work", &json!({})))).await;
                let progress = next(&mut body).await.unwrap();
                let id = ids(&progress)[0];
                drop(body);
                signals.started.notified().await;
                if is_done_before {
                    signals.go.notify_one();
                    signals.ended.notified().await;
                    settle().await;
                }
                let mut body = service.handle(client.back(id)).await.into_body();
                if !is_done_before {
                    assert_eq!(peek(&mut body), Poll::Pending);
                    signals.go.notify_one();
                }
                let answer = next(&mut body).await.unwrap();
                assert_eq!(events(&answer)[0]["result"]["content"][0]["text"], "done", "{version}");
                assert_eq!(next(&mut body).await, None);
                if !is_done_before {
                    signals.ended.notified().await;
                }
            }
        }
    });
}

#[test]
fn an_event_of_another_session_or_of_nobody_goes_on_with_nothing() {
    run(async {
        let server = server(&Signals::default());
        let service = server.http().service();
        let [one, other] = [Client::new(&service, "2025-11-25").await, Client::new(&service, "2025-11-25").await];
        let answer = one.send(&call(1, "progress", &json!({}))).await;
        let answered = ids(&answer.text)[0];
        let mut listening = service.handle(one.get()).await.into_body();
        let opened = next(&mut listening).await.unwrap();
        server.tools_changed();
        let told = next(&mut listening).await.unwrap();
        // Both have used up their numbers.
        other.send(&call(1, "progress", &json!({}))).await;
        other.send(&call(2, "progress", &json!({}))).await;
        assert_eq!(refused(&other, answered).await, (400, -32600));
        for id in [ids(&opened)[0], ids(&told)[0]] {
            // Its own stream is opened, and what was to be said there is said, once.
            let mut theirs = other.open(other.back(id)).await;
            let waiting = match peek(&mut theirs) {
                Poll::Ready(Some(text)) => events(&text).len(),
                _ => 0,
            };
            assert!(waiting <= 1);
            assert_eq!(peek(&mut theirs), Poll::Pending);
        }
        let (epoch, stream) = answered.split_once('-').unwrap();
        let ahead = format!("{epoch}-{}-99", stream.split_once('-').unwrap().0);
        for id in ["1", "", "a-b-c", &ahead, &format!("{epoch}-a99-1")] {
            if !id.is_empty() {
                assert_eq!(refused(&one, id).await, (400, -32600), "{id}");
            }
        }
        let mut twice = one.back(answered);
        twice.headers_mut().append("last-event-id", answered.parse().unwrap());
        assert_eq!(send(&service, twice).await.status, 400);
        assert_eq!(events(&rest(&one, answered).await).len(), 2);
    });
}

#[test]
fn only_who_began_a_session_comes_back_to_its_streams() {
    run(async {
        let service = http().service();
        let mine = Client::named(&service, "2025-11-25", Some("me")).await;
        let answer = mine.send(&call(1, "progress", &json!({}))).await;
        for name in [None, Some("you")] {
            let theirs = Client { name, ..mine.clone() };
            assert_eq!(refused(&theirs, ids(&answer.text)[0]).await, (404, -32600));
        }
    });
}

#[test]
fn who_comes_back_ends_the_connection_that_he_came_from() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut first = client.open(client.post(&call(1, "work", &json!({})))).await;
        let progress = next(&mut first).await.unwrap();
        // Nobody has heard that it broke.
        let mut second = service.handle(client.back(ids(&progress)[0])).await.into_body();
        assert_eq!(next(&mut first).await, None);
        signals.go.notify_one();
        assert_eq!(events(&next(&mut second).await.unwrap())[0]["id"], 1);
        assert_eq!(next(&mut second).await, None);
    });
}

#[test]
fn nothing_is_said_on_two_streams_where_a_client_comes_back_to_its_own_one() {
    run(async {
        let server = server(&Signals::default());
        let service = server.http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = service.handle(client.get()).await.into_body();
        let opened = next(&mut body).await.unwrap();
        for _ in 0..2 {
            server.tools_changed();
            next(&mut body).await.unwrap();
        }
        drop(body);
        settle().await;
        // It waits for whoever listens next.
        server.tools_changed();
        settle().await;
        let mut body = service.handle(client.back(ids(&opened)[0])).await.into_body();
        let mut told = Vec::new();
        while let Poll::Ready(Some(text)) = peek(&mut body) {
            told.extend(ids(&text).iter().map(ToString::to_string));
        }
        assert_eq!(told.len(), 3);
        assert!(told.is_sorted() && told.windows(2).all(|two| two[0] != two[1]), "{told:?}");
        let mut other = client.open(client.get()).await;
        assert_eq!(peek(&mut other), Poll::Pending);
    });
}

#[test]
fn a_client_that_comes_back_late_misses_progress_and_never_the_answer() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = service.handle(client.post(&call(1, "flood", &json!({})))).await.into_body();
        let first = next(&mut body).await.unwrap();
        drop(body);
        settle().await;
        let said = events(&rest(&client, ids(&first)[0]).await);
        assert!((10..100).contains(&said.len()), "{}", said.len());
        assert_eq!(said.iter().filter(|message| message["id"] == 1).count(), 1);
        assert_eq!(said.last().unwrap()["result"]["content"][0]["text"], "done");
        let steps: Vec<_> = said.iter().filter_map(|message| message["params"]["progress"].as_f64()).collect();
        assert!(steps.is_sorted() && steps.last() == Some(&99.0), "{steps:?}");
    });
}

#[test]
fn a_stream_that_is_over_is_kept_for_a_minute() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let answer = client.send(&call(1, "progress", &json!({}))).await;
        let id = ids(&answer.text)[0];
        tokio::time::sleep(Duration::from_secs(55)).await;
        assert_eq!(events(&rest(&client, id).await).len(), 2);
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(refused(&client, id).await, (400, -32600));
    });
}

#[test]
fn a_session_keeps_only_the_last_streams_that_are_over() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut said = Vec::new();
        for number in 0..20 {
            said.push(client.send(&call(number, "progress", &json!({}))).await.text);
        }
        assert_eq!(refused(&client, ids(&said[0])[0]).await, (400, -32600));
        assert_eq!(events(&rest(&client, ids(&said[19])[0]).await).len(), 2);
    });
}

#[test]
fn a_client_that_reads_slowly_holds_up_nobody_and_comes_back_for_the_rest() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut unread = service.handle(client.post(&call(1, "flood", &json!({})))).await.into_body();
        let first = next(&mut unread).await.unwrap();
        let start = tokio::time::Instant::now();
        for number in 2..5 {
            let answer = client.send(&call(number, "flood", &json!({}))).await;
            assert_eq!(answer.events().len(), 101);
        }
        assert_eq!(start.elapsed().as_millis(), 0, "the others wait");
        tokio::time::sleep(Duration::from_secs(21)).await;
        // It was given up, and its call has gone on.
        assert_eq!(next(&mut unread).await, None);
        let said = events(&rest(&client, ids(&first)[0]).await);
        assert_eq!(said.iter().filter(|message| message["id"] == 1).count(), 1);
    });
}

#[test]
fn a_stream_that_is_read_slowly_holds_up_its_own_handler_and_loses_nothing() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = service.handle(client.post(&call(1, "flood", &json!({})))).await.into_body();
        let mut text = String::new();
        while let Some(piece) = next(&mut body).await {
            text.push_str(&piece);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(events(&text).len(), 101);
    });
}

#[test]
fn a_question_is_heard_by_a_client_that_comes_back() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let asking = call("c", "ask", &json!({"method": "roots/list"}));
        let mut body = service.handle(client.post(&asking)).await.into_body();
        let first = next(&mut body).await.unwrap();
        drop(body);
        settle().await;
        let mut body = service.handle(client.back(ids(&first)[0])).await.into_body();
        let text = next(&mut body).await.unwrap();
        let question = events(&text).remove(0);
        assert_eq!(question["method"], "roots/list");
        drop(body);
        let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
        assert_eq!(client.send(&reply).await.status, 202);
        let said = events(&rest(&client, ids(&text)[0]).await);
        assert_eq!((said.len(), &said[0]["id"]), (1, &json!("c")));
        assert_eq!(said[0]["result"]["content"][0]["text"], "{\"roots\":[]}");
    });
}

#[test]
fn a_stream_that_is_taken_up_again_takes_a_place() {
    run(async {
        let service = http().max_streams(1).service();
        let client = Client::new(&service, "2025-11-25").await;
        let answer = client.send(&call(1, "progress", &json!({}))).await;
        let mut request = client.get();
        request.headers_mut().insert("last-event-id", ids(&answer.text)[0].parse().unwrap());
        let listening = service.handle(client.get()).await;
        assert_eq!(service.handle(request.clone()).await.status(), 503);
        drop(listening);
        settle().await;
        assert_eq!(service.handle(request).await.status(), 200);
    });
}

#[test]
fn a_call_beyond_the_streams_is_answered_without_one() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().max_streams(1).service();
        let client = Client::new(&service, "2025-11-25").await;
        let listening = service.handle(client.get()).await;
        let answer: Value = client.send(&call(1, "progress", &json!({}))).await.json();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        // Where it has to be a stream nothing runs.
        let mut request = client.post(&call(2, "work", &json!({})));
        request.headers_mut().insert("accept", "text/event-stream".parse().unwrap());
        assert_eq!(send(&service, request).await.status, 503);
        settle().await;
        assert_eq!(client.send(&ping(2)).await.status, 200);
        drop(listening);
        settle().await;
        assert_eq!(client.send(&call(3, "progress", &json!({}))).await.events().len(), 2);
    });
}
