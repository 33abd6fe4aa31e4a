//! Bodies that are as long as they may be, and longer.

use http::Request;
use serde_json::json;

use super::{call, echo, server};
use crate::{
    line::{Line, PATIENCE, Served, head_of, text_of},
    web::Answer,
};

const LIMIT: usize = 64 << 10;

/// A call whose body has so many bytes.
fn sized(length: usize) -> Request<String> {
    let request = echo();
    let blanks = " ".repeat(length - request.body().len());
    request.map(|body| body + &blanks)
}

/// The same without saying how long it is, in pieces.
fn chunked(request: &Request<String>) -> String {
    let mut text = format!("{}transfer-encoding: chunked\r\n\r\n", head_of(request));
    for piece in request.body().as_bytes().chunks(10_000) {
        text.push_str(&format!("{:x}\r\n{}\r\n", piece.len(), std::str::from_utf8(piece).unwrap()));
    }
    text + "0\r\n\r\n"
}

#[track_caller]
fn is_too_large(answer: &Answer) {
    assert_eq!((answer.status, answer.code(), answer.header("connection")), (413, -32600, "close"));
    assert!(answer.json()["id"].is_null() && answer.text.contains("max_body"), "{answer:?}");
}

#[tokio::test]
async fn a_body_at_the_limit_is_read_and_one_byte_more_is_not() {
    let (server, _told) = server();
    let served = Served::new(&server.http().max_body(LIMIT)).await;
    let mut line = served.line().await;
    assert_eq!(line.call(&sized(LIMIT)).await.status, 200);
    line.write(chunked(&sized(LIMIT))).await;
    assert_eq!(line.answer().await.status, 200);
    for text in [text_of(&sized(LIMIT + 1)), chunked(&sized(LIMIT + 1))] {
        let mut line = served.line().await;
        line.write(text).await;
        is_too_large(&line.answer().await);
        // It ends as connections do, although something of the body was left.
        assert_eq!(line.rest().await.unwrap(), "");
    }
    assert_eq!(line.call(&echo()).await.status, 200);
}

#[tokio::test]
async fn a_client_that_is_still_sending_when_it_is_refused_hears_of_no_fault() {
    let (server, _told) = server();
    let served = Served::new(&server.http().max_body(LIMIT)).await;
    let mut line = served.line().await;
    let text = text_of(&sized(LIMIT + 50_000));
    let (start, end) = text.split_at(text.len() - 10);
    line.write(start).await;
    is_too_large(&line.answer().await);
    assert_eq!(line.rest().await.unwrap(), "");
    // What it had not sent yet is taken as well, and the connection is not reset.
    for byte in end.bytes() {
        line.write([byte]).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_body_far_above_the_limit_is_refused_by_what_it_says_of_itself() {
    let (server, _told) = server();
    let served = Served::new(&server.http().max_body(LIMIT)).await;
    for expects in ["", "expect: 100-continue\r\n"] {
        let mut line = served.line().await;
        line.write(format!("{}{expects}content-length: 100000000000\r\n\r\n", head_of(&echo()))).await;
        is_too_large(&line.answer().await);
        assert_eq!(line.rest().await.unwrap(), "");
    }
    let mut line = served.line().await;
    let text = echo().into_body();
    line.write(format!("{}expect: 100-continue\r\ncontent-length: {}\r\n\r\n", head_of(&echo()), text.len())).await;
    line.until("HTTP/1.1 100 Continue\r\n\r\n").await;
    line.write(text).await;
    assert_eq!(line.answer().await.status, 200);
}

#[tokio::test]
async fn a_body_far_above_the_limit_is_not_read_to_its_end() {
    let (server, _told) = server();
    let served = Served::new(&server.http().max_body(LIMIT)).await;
    let mut line = served.line().await;
    line.write(format!("{}transfer-encoding: chunked\r\n\r\n", head_of(&echo()))).await;
    let piece = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
    let mut written = 0;
    while line.try_write(&piece).await.is_ok() {
        written += piece.len();
        assert!(written < 1 << 30, "it reads on");
    }
    is_too_large(&line.answer().await);
}

#[tokio::test]
async fn messages_whose_end_has_not_come_have_a_limit_in_all() {
    let (server, _told) = server();
    let served = Served::new(&server.http().max_body(LIMIT).max_incoming(100_000)).await;
    let whole = sized(LIMIT);
    let (start, end) = whole.body().split_at(60_000);
    let mut lines = [served.line().await, served.line().await];
    for line in &mut lines {
        line.write(format!("{}content-length: {LIMIT}\r\n\r\n{start}", head_of(&whole))).await;
    }
    let [one, other] = &mut lines;
    let (answer, left): (Answer, &mut Line) = tokio::select! {
        answer = one.answer() => (answer, other),
        answer = other.answer() => (answer, one),
    };
    assert_eq!((answer.status, answer.code(), answer.header("retry-after")), (503, -32603, "1"));
    assert!(answer.text.contains("max_incoming"), "{answer:?}");
    // What comes in one piece needs no room there.
    assert_eq!(served.line().await.call(&call("echo", &json!({}))).await.status, 200);
    left.write(end).await;
    assert_eq!(left.answer().await.status, 200);
    assert_eq!(tokio::time::timeout(PATIENCE, left.call(&whole)).await.unwrap().status, 200);
}
