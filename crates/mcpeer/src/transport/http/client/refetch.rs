//! The headers of a tool that was called before it was listed, or that has changed since.

use tracing::debug;

use super::{
    answer,
    outgoing::{Asked, Outgoing},
    send,
    shared::Shared,
};
use crate::rpc::{self, Limits, Message, Raw, RawRef, RequestId};

/// How many pages are looked through for a tool.
const PAGES: usize = 100;

/// Asks the server for its tools, and gives the call with the headers that it should have had; `None` where these are
/// the ones that it had.
pub(super) async fn better(shared: &Shared, call: &Outgoing, asked: &Asked) -> Option<Outgoing> {
    let Ok(Message::Request { params: Some(params), .. }) = Message::parse(&call.text, &Limits::default()) else {
        return None;
    };
    let name = params.member("name")?.as_string()?;
    let envelope = envelope(params.member("_meta")?);
    let mut cursor = String::new();
    for page in 0..PAGES {
        let asks = format!("{{{cursor}\"_meta\":{envelope}}}");
        let text = list(shared, page, asks).await?;
        let Ok(Message::Response { result: Some(result), .. }) = Message::parse(&text, &Limits::default()) else {
            return None;
        };
        shared.with_tools(|tools| tools.learn(result));
        let is_here = |tool: RawRef<'_>| tool.member("name").and_then(RawRef::as_string).as_deref() == Some(&name);
        if result.member("tools")?.elements().any(is_here) {
            break;
        }
        cursor = format!("\"cursor\":{},", result.member("nextCursor").filter(|next| !next.is_null())?.as_str());
    }
    let (text, id) = (call.text.to_vec(), asked.id.clone());
    let better = shared.with_tools(|tools| Outgoing::read(text, Some(id), tools)).ok()?;
    (better.headers != call.headers).then_some(better)
}

async fn list(shared: &Shared, page: usize, params: String) -> Option<Vec<u8>> {
    // No id of the connection's is a text.
    let id = RequestId::from(&*format!("tools-{page}"));
    let mut text = Vec::new();
    rpc::write_request(&id, "tools/list", Some(&Raw::trusted(params)), &mut text);
    let request = shared.with_tools(|tools| Outgoing::read(text, Some(id), tools)).ok()?;
    let listed = match send::post(shared, request.headers, request.text).await {
        Ok(response) => answer::read(shared, response).await,
        Err(reason) => Err(reason),
    };
    listed.inspect_err(|reason| debug!(reason, "the tools could not be listed for their headers")).ok()
}

/// What a message says of its sender: of the `_meta` of a call that which is not about the call.
fn envelope(meta: RawRef<'_>) -> String {
    let kept = meta.members().filter(|(name, _)| name.starts_with("io.modelcontextprotocol/"));
    let members: Vec<String> =
        kept.map(|(name, value)| format!("{}:{}", serde_json::Value::from(&*name), value.as_str())).collect();
    format!("{{{}}}", members.join(","))
}
