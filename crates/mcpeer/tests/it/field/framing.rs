//! Lines that are no messages, and messages that are cut in odd places.

use mcpeer::{
    client::Policy,
    transport::{
        child::{Command, Stderr},
        lines::Lines,
    },
    version::Revision,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::process::{PING, Process, initialize};
use crate::{
    peers::{builder, connect_raw},
    warnings::Warnings,
};

fn initialize_result(id: &Value) -> Value {
    let info = json!({"name": "raw", "version": "0"});
    let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info});
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[tokio::test]
async fn a_line_that_is_no_json_is_skipped_and_the_session_goes_on() {
    let mut process = Process::initialized().await;
    process.write("oops\n").await;
    let said = process.assert_alive().await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["error"]["code"], -32700, "{said:?}");
    assert!(said[0].get("id").is_none(), "{said:?}");
    let end = process.end().await;
    assert!(end.status.success() && end.messages.is_empty());
}

#[tokio::test]
async fn a_client_never_replies_to_text_that_is_no_json() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        for _ in 0..50 {
            server.send_text("listening on 3000").await;
        }
        client.peer().notify_raw("com.example/probe", None).await.unwrap();
        server.expect("com.example/probe").await;
    }
}

#[tokio::test]
async fn a_byte_order_mark_before_the_first_message_is_dropped_on_either_side() {
    let mut process = Process::start();
    process.write(format!("\u{feff}{}\n", initialize())).await;
    assert!(process.answer(1).await.0["result"].is_object());

    let script =
        format!("read -r request; printf '\\357\\273\\277%s\\n' '{}'; cat >/dev/null", initialize_result(&json!(1)));
    let command = Command::new("sh").args(["-c", &script]).stderr(Stderr::Capture);
    let client = builder().policy(Policy::LegacyOnly).connect(command).await.unwrap();
    assert_eq!(client.server_info().unwrap().name, "raw");
}

#[tokio::test]
async fn carriage_returns_and_blank_lines_are_no_mistakes() {
    let mut process = Process::initialized().await;
    process.write(format!("{}\r\n\n   \n\r\n", PING)).await;
    let (answer, before) = process.answer(2).await;
    assert_eq!(answer["result"], json!({}));
    assert!(before.is_empty(), "{before:?}");
    assert_eq!(process.assert_alive().await, Vec::<Value>::new());
}

#[tokio::test]
async fn half_a_line_waits_for_the_other_half_whatever_is_sent_meanwhile() {
    let mut process = Process::initialized().await;
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "wait", "_meta": {"progressToken": "p"}}});
    let (one, other) = PING.split_at(17);
    process.write(format!("{call}\n{one}")).await;
    let progress = process.message().await.unwrap();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    process.write(format!("{other}\n")).await;
    let (answer, before) = process.answer(2).await;
    assert_eq!(answer["result"], json!({}));
    assert!(before.is_empty(), "{before:?}");
}

#[tokio::test]
async fn headers_before_a_message_are_noise() {
    let mut process = Process::initialized().await;
    process.write(format!("Content-Length: {}\r\n\r\n{PING}\n", PING.len())).await;
    let (answer, before) = process.answer(2).await;
    assert_eq!(answer["result"], json!({}));
    assert_eq!(before.len(), 1, "{before:?}");
    assert_eq!(before[0]["error"]["code"], -32700, "{before:?}");
}

#[tokio::test]
async fn calls_beyond_those_that_may_wait_are_refused_and_ping_passes_those_that_do() {
    let mut process = Process::initialized().await;
    let mut text = String::new();
    for id in 1000..21_000 {
        text += &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wait"}}}}"#);
        text.push('\n');
    }
    process.write(&text).await;
    let refusals = process.assert_alive().await;
    assert!(refusals.len() > 10_000, "{} of 20000 were refused", refusals.len());
    assert!(refusals.iter().all(|refusal| refusal["error"]["code"] == -32603), "{}", refusals[0]);
    // One that runs, and one that waits for its turn.
    for id in [1000, 1200] {
        let params = json!({"requestId": id});
        process
            .write(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string() + "\n")
            .await;
    }
    assert_eq!(process.assert_alive().await, Vec::<Value>::new());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_fails_its_call_in_time_and_is_warned_of() {
    let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": []}});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let utf_16: Vec<u8> = format!("{answer}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (what, bytes) in [
        ("log text before it", format!("LOG: {answer}\n").into_bytes()),
        ("another message before it", format!("{notification}{answer}\n").into_bytes()),
        ("pretty", format!("{answer:#}\n").into_bytes()),
        ("carriage returns alone", format!("{notification}\r{answer}\r\n").into_bytes()),
        ("UTF-16", utf_16),
    ] {
        let warnings = Warnings::default();
        let _listening = tracing::subscriber::set_default(warnings.clone());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(ours);
        let server = tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                let request: Value = serde_json::from_str(&line).unwrap();
                match request["method"].as_str() {
                    Some("initialize") => {
                        let result = initialize_result(&request["id"]);
                        writer.write_all(format!("{result}\n").as_bytes()).await.unwrap();
                    }
                    Some("tools/call") => writer.write_all(&bytes).await.unwrap(),
                    _ => {}
                }
            }
        });
        let client = builder().policy(Policy::LegacyOnly).connect_with(Lines::new(reader, writer)).await.unwrap();
        let error = client.call("a").await.expect_err(what);
        assert!(error.is_timeout() || error.is_peer_misbehaved(), "{what}: {error:?}");
        assert!(warnings.count() >= 1, "{what}");
        client.close().await;
        server.await.unwrap();
    }
}
