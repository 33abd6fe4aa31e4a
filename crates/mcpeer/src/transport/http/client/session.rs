//! What a server of the stateful era keeps of a client.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use tracing::debug;

use super::{
    answer, deliver, listen, send,
    shared::{SESSION_ID, Session, Shared},
};
use crate::rpc::{Limits, Message};

/// Reads the id of the session that a response names, if it is one: visible characters only.
pub(super) fn id(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_visible = |id: &&HeaderValue| !id.is_empty() && id.as_bytes().iter().all(u8::is_ascii_graphic);
    headers.get(SESSION_ID).filter(is_visible).cloned()
}

/// Opens another session in place of one that the server no longer knows, once for all who miss it.
///
/// Where the server kept something in the session that nobody could tell it again, the transport breaks instead, so
/// that whoever uses it hears of that.
///
/// # Errors
///
/// There is no other session; the text says why.
pub(super) async fn renew(shared: &Arc<Shared>, lost: &Session) -> Result<(), String> {
    let _one = shared.renewing.lock().await;
    let known = shared.session();
    if known.id != lost.id {
        return Ok(());
    }
    if shared.is_session_used() {
        let reason =
            "the server no longer knows the session, nor what was subscribed to in it; connect again".to_owned();
        shared.break_off(reason.clone());
        return Err(reason);
    }
    debug!("the server no longer knows the session, so another one is opened");
    let failed = |reason: String| format!("the server no longer knows the session, and opens no other one: {reason}");
    let response = send::post(shared, HeaderMap::new(), shared.initialize()).await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(failed(format!("status {}", response.status())));
    }
    let id = id(response.headers());
    let text = answer::read(shared, response).await.map_err(failed)?;
    let version = match Message::parse(&text, &Limits::default()) {
        Ok(Message::Response { result: Some(result), .. }) => deliver::version(result),
        _ => None,
    };
    if version != known.version {
        return Err(failed("it speaks another revision now; connect again".to_owned()));
    }
    shared.set_session_id(id);
    let mut headers = HeaderMap::new();
    shared.session().write(&mut headers);
    let told = Bytes::from_static(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    send::post(shared, headers, told).await.map_err(failed)?;
    drop(listen::start(shared));
    Ok(())
}

/// Tells the server that its session is over, if it has one.
pub(super) async fn end(shared: &Shared, session: &Session) {
    if session.id.is_none() {
        return;
    }
    let mut headers = HeaderMap::new();
    session.write(&mut headers);
    match send::send(shared, Method::DELETE, headers, Bytes::new()).await {
        Ok(response) => debug!(status = %response.status(), "the session was ended"),
        Err(reason) => debug!(reason, "the session could not be ended"),
    }
}
