//! What is refused, with its code: by the core, and by the edge of HTTP where that looks at more, and earlier.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use crate::{
    link::{At, Link},
    raw_http::{edge, repeated},
};

/// Something that is refused.
struct Refused {
    what: &'static str,
    /// The era that it is about, if it is about one.
    era: Option<Era>,
    /// Writes the message, from one that is good.
    write: fn(Value, Revision) -> String,
    /// The code where the core answers, by era.
    core: [i64; 2],
    /// Status and code over HTTP, by era.
    edge: [(u16, i64); 2],
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A request that is served.
fn good(revision: Revision) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": "r", "method": "tools/call", "params": {"name": "fails"}});
    if revision.era() == Era::Modern {
        message["params"]["_meta"] = json!({VERSION: revision.as_str(), CAPABILITIES: {}});
    }
    message
}

fn ask(mut message: Value, method: &str, params: Value) -> String {
    let meta = message["params"]["_meta"].take();
    message["method"] = method.into();
    message["params"] = params;
    if !meta.is_null() {
        message["params"]["_meta"] = meta;
    }
    message.to_string()
}

/// The table: what the core and the edge say to it.
fn table() -> Vec<Refused> {
    let both = |code| [(200, code); 2];
    let row = |what, write, core, edge| Refused { what, era: None, write, core, edge };
    let modern = |what, write, core, edge| Refused {
        what,
        era: Some(Era::Modern),
        write,
        core: [0, core],
        edge: [(0, 0), edge],
    };
    vec![
        row(
            "a method that nobody has",
            |good, _| ask(good, "no/such", json!({})),
            [-32601; 2],
            [(200, -32601), (404, -32601)],
        ),
        row(
            "a tool that nobody has",
            |good, _| ask(good, "tools/call", json!({"name": "none"})),
            [-32602; 2],
            both(-32602),
        ),
        row("a call of nothing", |good, _| ask(good, "tools/call", json!({})), [-32602; 2], both(-32602)),
        row(
            "a resource that nobody has",
            |good, _| ask(good, "resources/read", json!({"uri": "a://none"})),
            [-32002, -32602],
            [(200, -32002), (200, -32602)],
        ),
        row(
            "a cursor that nobody gave",
            |good, _| ask(good, "tools/list", json!({"cursor": "none"})),
            [-32602; 2],
            both(-32602),
        ),
        row(
            "a prompt that nobody has",
            |good, _| ask(good, "prompts/get", json!({"name": "none"})),
            [-32602; 2],
            both(-32602),
        ),
        row("a refusal by a handler", |good, _| ask(good, "tools/call", json!({"name": "refuses"})), [8; 2], both(8)),
        row(
            "a handler that panics",
            |good, _| ask(good, "tools/call", json!({"name": "panics"})),
            [-32603; 2],
            both(-32603),
        ),
        row(
            "a method of one's own that refuses",
            |good, _| ask(good, "com.example/double", json!({"sum": -1})),
            [7; 2],
            both(7),
        ),
        row(
            "params of a method of one's own that do not fit",
            |good, _| ask(good, "com.example/double", json!({"sum": "x"})),
            [-32602; 2],
            both(-32602),
        ),
        row("an id that is none", |good, _| good.to_string().replace("\"r\"", "1.5"), [-32600; 2], [(400, -32600); 2]),
        row("text that is no JSON", |_, _| "{".to_owned(), [-32700; 2], [(400, -32700); 2]),
        row("an empty array", |_, _| "[]".to_owned(), [-32600; 2], [(400, -32600); 2]),
        row(
            "another version of JSON-RPC",
            |good, _| good.to_string().replace("2.0", "1.0"),
            [-32600; 2],
            [(400, -32600); 2],
        ),
        modern(
            "an era's method that the other does not have",
            |good, _| ask(good, "ping", json!({})),
            -32601,
            (404, -32601),
        ),
        modern(
            "an unfinished envelope",
            |mut good, _| {
                good["params"]["_meta"].as_object_mut().unwrap().remove(CAPABILITIES);
                good.to_string()
            },
            -32602,
            (400, -32602),
        ),
        modern(
            "an unfinished envelope on a method that nobody has",
            |mut good, _| {
                good["params"]["_meta"].as_object_mut().unwrap().remove(CAPABILITIES);
                ask(good, "no/such", json!({}))
            },
            -32601,
            (400, -32602),
        ),
        modern(
            "no envelope",
            |good, _| json!({"jsonrpc": "2.0", "id": good["id"], "method": "tools/list"}).to_string(),
            -32602,
            (400, -32602),
        ),
        modern(
            "a version that nobody serves",
            |mut good, _| {
                good["params"]["_meta"][VERSION] = json!("2027-01-01");
                good.to_string()
            },
            -32022,
            (400, -32022),
        ),
        modern(
            "a version that is no text",
            |mut good, _| {
                good["params"]["_meta"][VERSION] = json!(7);
                good.to_string()
            },
            -32602,
            (400, -32602),
        ),
        modern(
            "what needs a capability that the client lacks",
            |good, _| ask(good, "tools/call", json!({"name": "greet"})),
            -32021,
            (400, -32021),
        ),
        modern(
            "a state that this server did not give",
            |good, _| ask(good, "tools/call", json!({"name": "greet", "inputResponses": {}, "requestState": "e30"})),
            -32602,
            (200, -32602),
        ),
    ]
}

/// Goes through the table over a link, and gives how many rows there were at all revisions.
async fn run(link: Link) -> usize {
    let mut rows = 0;
    for revision in Revision::ALL {
        let at = At::new(link, revision).await;
        let mut raw = at.raw(json!({})).await;
        // On a pipe it settles the era.
        assert_eq!(raw.call("fails").await["result"]["isError"], true);
        for row in table() {
            if row.era.is_some_and(|era| era != revision.era()) {
                continue;
            }
            let number = usize::from(revision.era() == Era::Modern);
            let text = (row.write)(good(revision), revision);
            if link.is_http() {
                let headers = headers(&text, revision);
                let (status, answer) = edge(&at.url, &raw.session(), headers, text).await;
                let code = answer["error"]["code"].as_i64().unwrap_or_default();
                assert_eq!((status, code), row.edge[number], "{} at {revision}: {answer}", row.what);
            } else {
                raw.send_text(text).await;
                let answer = raw.until(|message| message.get("error").is_some()).await;
                assert_eq!(answer["error"]["code"], row.core[number], "{} at {revision}: {answer}", row.what);
            }
            rows += 1;
        }
        assert_eq!(raw.call("fails").await["result"]["isError"], true, "it is still served");
        raw.close().await;
    }
    rows
}

/// The headers that go with a message, however odd it is.
fn headers(text: &str, revision: Revision) -> Vec<(&'static str, String)> {
    if revision.era() == Era::Legacy {
        return Vec::new();
    }
    let message = serde_json::from_str(text).unwrap_or_default();
    let mut headers = repeated(&message);
    if headers[0].1.is_empty() {
        headers[0].1 = revision.as_str().to_owned();
    }
    headers
}

/// 14 rows at four revisions, and 22 at the fifth.
const ROWS: usize = 14 * 4 + 22;

#[tokio::test]
async fn what_the_core_refuses_in_memory() {
    assert_eq!(run(Link::Memory).await, ROWS);
}

#[tokio::test]
async fn what_the_core_refuses_with_a_child_process() {
    assert_eq!(run(Link::Stdio).await, ROWS);
}

#[tokio::test]
async fn what_is_refused_over_http() {
    assert_eq!(run(Link::Http).await, ROWS);
}

#[tokio::test]
async fn what_is_refused_over_http_without_sessions() {
    assert_eq!(run(Link::Sessionless).await, ROWS);
}
