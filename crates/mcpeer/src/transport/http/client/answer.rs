//! The answer to what the transport asks by itself.

use http::Response;

use super::{ResponseBody, collect::collect, exchange::Kind, shared::Shared};
use crate::{
    rpc::{Limits, Message},
    transport::http::sse::Reader,
};

/// Reads the first answer in a response.
///
/// # Errors
///
/// There is none; the text says why.
pub(super) async fn read(shared: &Shared, response: Response<ResponseBody>) -> Result<Vec<u8>, String> {
    let (head, mut body) = response.into_parts();
    let none = || "it answers with no message".to_owned();
    let is_answer = |text: &[u8]| matches!(Message::parse(text, &Limits::default()), Ok(Message::Response { .. }));
    if Kind::of(&head.headers) == Kind::Json {
        return collect(body, shared.max_message).await.and_then(
            |text| {
                if is_answer(&text) { Ok(text) } else { Err(none()) }
            },
        );
    }
    let mut reader = Reader::new(shared.max_message);
    while let Some(Ok(piece)) = body.next().await {
        let events = reader.feed(&piece).map_err(|_| none())?;
        if let Some(event) = events.into_iter().find(|event| event.is_message() && is_answer(&event.data)) {
            return Ok(event.data);
        }
    }
    Err(none())
}
