//! Responses that are no success.

use http::{StatusCode, header, response};

use super::{ResponseBody, collect::collect, deliver, exchange::Ended, outgoing::Asked, shared::Shared};
use crate::rpc::{self, Limits, Message, Raw, RawRef};

/// Takes in a refusal of a request: an error of the protocol where the body is one, else the status.
pub(super) async fn take(
    shared: &Shared,
    key: u64,
    asked: &Asked,
    head: &response::Parts,
    body: ResponseBody,
) -> Ended {
    let status = head.status;
    if !(status.is_client_error() || status.is_server_error()) {
        return Ended::failed(Some(status), name(head));
    }
    let Ok(text) = collect(body, shared.max_message).await else { return Ended::failed(Some(status), name(head)) };
    let Some((answer, message)) = read(&text, asked) else { return Ended::failed(Some(status), name(head)) };
    match answer.filter(|_| is_for_protocol(status, asked)) {
        Some(answer) => {
            deliver::deliver(shared, key, Some(asked), answer).await;
            Ended::Over
        }
        None => Ended::failed(Some(status), format!("{}: {message}", name(head))),
    }
}

/// Reads the code of the error that a body is, where it answers this request.
pub(super) fn code(text: &[u8], asked: &Asked) -> Option<i64> {
    match Message::parse(text, &Limits::default()) {
        Ok(Message::Response { id: Some(id), error: Some(error), .. }) if id == asked.id => {
            error.member("code")?.decode().ok()
        }
        _ => None,
    }
}

/// Whether an error under this status is one of the protocol. Those of authorization and outages are not: they say
/// nothing about the era, whatever their bodies are.
fn is_for_protocol(status: StatusCode, asked: &Asked) -> bool {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => false,
        _ => status.is_client_error() || !matches!(&*asked.method, "server/discover" | "initialize"),
    }
}

/// Reads a body as an error: as the answer to a request, if it is that, and its message.
fn read(text: &[u8], asked: &Asked) -> Option<(Option<Vec<u8>>, String)> {
    let Ok(Message::Response { id, error: Some(error), .. }) = Message::parse(text, &Limits::default()) else {
        return None;
    };
    let code = error.member("code")?.decode::<i64>().ok()?;
    let message = error.member("message").and_then(RawRef::as_string).unwrap_or_default().into_owned();
    let answer = match id {
        Some(id) if id == asked.id => Some(text.to_vec()),
        Some(_) => None,
        // Who refuses by headers alone has not read the id.
        None => {
            let mut out = Vec::new();
            let mut refusal = rpc::Error::new(code, message.clone());
            refusal.data = error.member("data").map(|data| Raw::trusted(data.as_str()));
            rpc::write_error(Some(&asked.id), &refusal, &mut out);
            Some(out)
        }
    };
    Some((answer, message))
}

/// Says what a status means here.
pub(super) fn name(head: &response::Parts) -> String {
    let status = head.status;
    let means = match status {
        StatusCode::UNAUTHORIZED => ", it wants authorization",
        StatusCode::FORBIDDEN => ", this is not allowed",
        StatusCode::PAYLOAD_TOO_LARGE => ", the message is too long for it",
        _ if status.is_redirection() => ", a redirect that leads to another origin or would change the message",
        _ => "",
    };
    format!("the server answered with status {status}{means}{}", later(head))
}

/// Says when the server wants to be asked again, where it says so in seconds.
fn later(head: &response::Parts) -> String {
    let seconds = head.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u32>().ok());
    seconds.map(|seconds| format!("; it asks to wait {seconds} s")).unwrap_or_default()
}
