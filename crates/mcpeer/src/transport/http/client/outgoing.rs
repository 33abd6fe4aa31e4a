//! What HTTP has to know of a message that goes out.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::tools::Tools;
use crate::{
    proto::io::MoreHeaders,
    rpc::{Limits, Message, RawRef, RequestId},
    wire::{
        classify,
        headers::{self, sentinel},
    },
};

/// A message that goes out.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) text: Bytes,
    /// What it asks; `None` where no answer is due.
    pub(super) asked: Option<Asked>,
    /// Whether it is the notification that ends the handshake.
    pub(super) is_initialized: bool,
    /// The request that it gives up, where it is a cancel.
    pub(super) cancels: Option<RequestId>,
    /// The headers that repeat what it says.
    pub(super) headers: HeaderMap,
    /// Whether it stands alone, outside any session.
    pub(super) is_modern: bool,
}

/// A request of ours.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) id: RequestId,
    pub(super) method: String,
}

impl Outgoing {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// An argument cannot be repeated in a header.
    pub(super) fn read(text: Vec<u8>, request: Option<RequestId>, tools: &Tools) -> Result<Self, String> {
        // What the connection writes is a message; if it were none, the server would say so.
        let (method, params) = match Message::parse(&text, &Limits::default()) {
            Ok(Message::Request { method, params, .. } | Message::Notification { method, params }) => {
                (method.into_owned(), params)
            }
            _ => (String::new(), None),
        };
        let claim = classify(params);
        let mut repeated = HeaderMap::new();
        if let Some(version) = claim.version() {
            put(&mut repeated, headers::PROTOCOL_VERSION, version);
            put(&mut repeated, headers::METHOD, &method);
            if let Some(name) = name_of(&method, params) {
                put(&mut repeated, headers::NAME, &sentinel::encode(&name));
            }
            if method == "tools/call" {
                for (name, value) in tools.repeated(params)? {
                    put(&mut repeated, &name, &value);
                }
            }
        }
        let is_initialized = method == "notifications/initialized";
        let cancelled = params.filter(|_| request.is_none() && method == "notifications/cancelled");
        Ok(Self {
            cancels: cancelled.and_then(|params| params.member("requestId")?.decode().ok()),
            asked: request.map(|id| Asked { id, method }),
            is_initialized,
            headers: repeated,
            is_modern: claim.is_some(),
            text: text.into(),
        })
    }

    /// Adds headers of the caller's own.
    pub(super) fn with(mut self, more: Option<&MoreHeaders>) -> Self {
        for (name, value) in more.into_iter().flat_map(|more| more.iter()) {
            put(&mut self.headers, name, value);
        }
        self
    }

    /// Whether it is sent outside any session.
    pub(super) fn stands_alone(&self) -> bool {
        self.is_modern || self.is_initialize()
    }

    /// Whether it opens a session.
    pub(super) fn is_initialize(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.method == "initialize")
    }
}

fn name_of(method: &str, params: Option<RawRef<'_>>) -> Option<String> {
    let name = params?.member(headers::source_of_name(method)?)?.as_string()?;
    Some(name.into_owned())
}

/// Adds a header where name and value can stand there; the server says what is missing.
fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
        headers.append(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::Message as Parsed;

    fn meta(version: &str) -> String {
        format!("\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":{version}}}")
    }

    fn read(method: &str, members: &str, tools: &Tools) -> Outgoing {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}}}}}"#);
        Outgoing::read(text.into(), Some(RequestId::Integer(1)), tools).unwrap()
    }

    #[test]
    fn headers_repeat_what_a_message_of_the_stateless_era_says() {
        let table = [
            ("tools/list", "", None),
            ("tools/call", r#""name":"add","#, Some("add")),
            ("prompts/get", r#""name":" a ","#, Some("=?base64?IGEg?=")),
            ("resources/read", r#""uri":"file:///\u4e16\r\n","#, Some("=?base64?ZmlsZTovLy/kuJYNCg==?=")),
            ("tasks/cancel", r#""taskId":"7","#, Some("7")),
        ];
        for (method, members, name) in table {
            let outgoing = read(method, &format!("{members}{}", meta("\"2026-07-28\"")), &Tools::default());
            assert!(outgoing.is_modern);
            assert_eq!(outgoing.headers["mcp-protocol-version"], "2026-07-28");
            assert_eq!(outgoing.headers["mcp-method"], method);
            assert_eq!(outgoing.headers.get("mcp-name").map(|name| name.to_str().unwrap()), name, "{method}");
        }
    }

    #[test]
    fn messages_of_the_stateful_era_repeat_nothing() {
        let outgoing = read("tools/call", r#""name":"add""#, &Tools::default());
        assert!(!outgoing.is_modern && outgoing.headers.is_empty());
    }

    #[test]
    fn arguments_are_repeated_where_the_schema_says_so() {
        let list = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"query","inputSchema":
            {"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}}"#;
        let Ok(Parsed::Response { result, .. }) = Parsed::parse(list.as_bytes(), &Limits::default()) else { panic!() };
        let mut tools = Tools::default();
        assert!(tools.learn(result.unwrap()).is_empty());
        let call = format!(r#""name":"query","arguments":{{"region":"us-west1"}},{}"#, meta("\"2026-07-28\""));
        assert_eq!(read("tools/call", &call, &tools).headers["mcp-param-region"], "us-west1");
        let other = call.replace("\"query\"", "\"other\"");
        assert_eq!(read("tools/call", &other, &tools).headers.get("mcp-param-region"), None);
    }
}
