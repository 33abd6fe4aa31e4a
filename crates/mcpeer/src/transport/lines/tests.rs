use std::future::poll_fn;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::transport::{Route, TransportExt};

fn lines(size: usize) -> (Lines<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>, DuplexStream) {
    let (stream, peer) = duplex(size);
    (Lines::from_stream(stream), peer)
}

/// Polls once.
async fn is_pending(lines: &mut impl Transport) -> bool {
    poll_fn(|cx| Poll::Ready(lines.poll_receive(cx).is_pending())).await
}

#[tokio::test]
async fn half_a_line_survives_a_poll_that_is_given_up() {
    let (mut lines, mut peer) = lines(64);
    peer.write_all(b"{\"id\":").await.unwrap();
    assert!(is_pending(&mut lines).await);
    lines.send_text("meanwhile").await.unwrap();
    peer.write_all(b"1}\n").await.unwrap();
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{\"id\":1}"));
}

#[tokio::test]
async fn the_last_line_needs_no_newline() {
    let (mut lines, mut peer) = lines(64);
    peer.write_all(b"{}\n{\"last\":1}").await.unwrap();
    peer.shutdown().await.unwrap();
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{}"));
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{\"last\":1}"));
    assert_eq!(lines.receive_text().await.unwrap(), None);
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_reported_and_the_next_one_served() {
    let (stream, mut peer) = duplex(16);
    let mut lines = Lines::from_stream(stream).message_limit(1000);
    let writer = tokio::spawn(async move {
        peer.write_all(&[b'a'; 5000]).await.unwrap();
        peer.write_all(b"\n{}\n").await.unwrap();
        peer
    });
    poll_fn(|cx| {
        let Received::Skipped { reason, excerpt, bytes } = ready!(lines.poll_receive(cx)).unwrap() else { panic!() };
        assert_eq!(bytes, 5000);
        assert_eq!(excerpt, "a".repeat(256));
        assert!(reason.contains("1000") && reason.contains("message_limit"), "{reason}");
        Poll::Ready(())
    })
    .await;
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{}"));
    writer.await.unwrap();
}

#[tokio::test]
async fn bytes_that_are_no_text_are_passed_on() {
    let (mut lines, mut peer) = lines(64);
    peer.write_all(b"\xFF\xFE\n").await.unwrap();
    poll_fn(|cx| {
        let Received::Message(inbound) = ready!(lines.poll_receive(cx)).unwrap() else { panic!() };
        assert_eq!(inbound.message, b"\xFF\xFE");
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn reading_goes_on_while_the_output_is_full() {
    let (mut lines, mut peer) = lines(8);
    lines.send(Outbound::Message {
        route: Route::PIPE,
        request: None,
        is_last: false,
        refusal: None,
        headers: None,
        text: vec![b'x'; 100],
    });
    assert!(poll_fn(|cx| Poll::Ready(lines.poll_flush(cx).is_pending())).await);
    peer.write_all(b"{}\n").await.unwrap();
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{}"));
    assert_eq!(lines.buffered(), 93);
}

#[tokio::test]
async fn a_broken_output_is_an_error() {
    let (mut lines, peer) = lines(64);
    drop(peer);
    assert_eq!(lines.send_text("{}").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn closing_writes_out_what_was_sent_and_ends_the_output_alone() {
    let (mut lines, mut peer) = lines(8);
    lines.send(Outbound::Message {
        route: Route::PIPE,
        request: None,
        is_last: true,
        refusal: None,
        headers: None,
        text: b"0123456789".to_vec(),
    });
    let reader = tokio::spawn(async move {
        let mut text = String::new();
        peer.read_to_string(&mut text).await.unwrap();
        peer.write_all(b"{}\n").await.unwrap();
        text
    });
    lines.close().await.unwrap();
    lines.close().await.unwrap();
    assert_eq!(reader.await.unwrap(), "0123456789\n");
    assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("{}"));
    assert_eq!(lines.send_text("late").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn giant_messages_pass_both_ways() {
    let (one, other) = duplex(4096);
    let (mut here, mut there) = (Lines::from_stream(one), Lines::from_stream(other));
    let text = format!("\"{}\"", "é".repeat(1 << 20));
    let copy = text.clone();
    let sender = tokio::spawn(async move {
        here.send_text(copy).await.unwrap();
        here.send_text("1").await.unwrap();
        here
    });
    assert!(there.receive_text().await.unwrap().unwrap() == text);
    assert_eq!(there.receive_text().await.unwrap().as_deref(), Some("1"));
    sender.await.unwrap();
}
