//! What a message that arrived tells the transport, and its way to the connection.

use std::future::poll_fn;

use http::HeaderValue;

use super::{outgoing::Asked, shared::Shared};
use crate::rpc::{Limits, Message, RawRef};

/// Hands on what arrived on a stream, once there is room. Says whether it has the answer that is due.
pub(super) async fn deliver(shared: &Shared, key: u64, asked: Option<&Asked>, text: Vec<u8>) -> bool {
    let batch = match Message::parse(&text, &Limits::default()) {
        // Servers of one revision may join messages; of others such an answer is none, as the connection will say.
        Ok(Message::Batch(elements)) if shared.session().joins_messages() => {
            elements.into_iter().map(|element| element.as_str().into()).collect()
        }
        _ => vec![text],
    };
    let mut is_answered = false;
    for text in batch {
        is_answered |= deliver_one(shared, key, asked, text).await;
    }
    is_answered
}

async fn deliver_one(shared: &Shared, key: u64, asked: Option<&Asked>, mut text: Vec<u8>) -> bool {
    let mut is_answer = false;
    if let Some(asked) = asked
        && let Ok(Message::Response { id: Some(id), result, .. }) = Message::parse(&text, &Limits::default())
        && id == asked.id
    {
        is_answer = true;
        if asked.method == "initialize" {
            shared.set_version(result.and_then(version));
        }
        if asked.method == "tools/list"
            && let Some(shorter) = shared.with_tools(|tools| tools.learn_answer(&text))
        {
            text = shorter;
        }
    }
    poll_fn(|cx| shared.poll_room(key, cx)).await;
    shared.arrive(key, text);
    is_answer
}

/// The revision that the handshake came to.
pub(super) fn version(result: RawRef<'_>) -> Option<HeaderValue> {
    HeaderValue::from_str(&result.member("protocolVersion")?.as_string()?).ok()
}
