//! Two ways to drive connections by hand: a [`Half`] hears text and says text; a [`Pair`] is two of them back to back.
//! The clock is a value that is turned; everything that crossed is recorded as text.
//!
//! Integration tests include this file too, so it names the crate from outside.

#![allow(clippy::field_reassign_with_default, reason = "from outside the crate there is no other way")]
#![allow(dead_code, unreachable_pub, reason = "each binary that includes this file uses a part of it")]

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use mcpeer::{
    proto::{
        Config, Connection, Policy,
        io::{Answer, Call, Edge, Event, Handle, Inbound, Link, Outbound, Payload, Reply, Route},
    },
    rpc::{self, Raw, RequestId},
    version::{Era, Revision},
};

/// Makes JSON from its text.
pub fn raw(text: &str) -> Raw {
    Raw::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A server that offers everything and has handlers for what the tests call.
pub fn server_config() -> Config {
    let mut config = Config::server(raw(r#"{"name":"s","version":"1"}"#));
    config.capabilities = raw(concat!(
        r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{},"#,
        r#""resources":{"subscribe":true,"listChanged":true}}"#
    ));
    let methods = ["tools/call", "tools/list", "prompts/get", "resources/read", "completion/complete", "custom/own"];
    config.handlers.methods = methods.into_iter().map(Into::into).collect();
    config
}

/// A client that offers everything and has handlers for what the tests call.
pub fn client_config() -> Config {
    let mut config = Config::client(raw(r#"{"name":"c","version":"1"}"#));
    config.capabilities = raw(r#"{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}"#);
    let methods = ["sampling/createMessage", "elicitation/create", "roots/list", "custom/own"];
    config.handlers.methods = methods.into_iter().map(Into::into).collect();
    config
}

/// Every era on every link: the newest revision of the era.
pub fn cells() -> [(Revision, Link); 4] {
    [
        (Revision::V2025_11_25, Link::Pipe),
        (Revision::V2025_11_25, Link::Exchange),
        (Revision::V2026_07_28, Link::Pipe),
        (Revision::V2026_07_28, Link::Exchange),
    ]
}

/// The text of a request as a client of the revision's era sends it. `members` are members of the params.
pub fn request(revision: Revision, id: &str, method: &str, members: &str) -> String {
    let params = params(revision, members, "");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// The text of params as a client of the revision's era sends them. `meta` are members of the `_meta`.
pub fn params(revision: Revision, members: &str, meta: &str) -> String {
    let mut all = Vec::new();
    if revision.era() == Era::Modern {
        all.push(format!(r#""io.modelcontextprotocol/protocolVersion":"{revision}""#));
        all.push(r#""io.modelcontextprotocol/clientCapabilities":{}"#.to_owned());
    }
    all.extend((!meta.is_empty()).then(|| meta.to_owned()));
    let meta = if all.is_empty() { String::new() } else { format!(r#""_meta":{{{}}}"#, all.join(",")) };
    let parts: Vec<_> = [members, &meta].into_iter().filter(|part| !part.is_empty()).collect();
    format!("{{{}}}", parts.join(","))
}

/// The text of a notification.
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// The text of `initialize`.
pub fn initialize(id: &str, version: &str) -> String {
    let client =
        r#""capabilities":{"sampling":{},"elicitation":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}"#;
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{version}",{client}}}}}"#
    )
}

/// The text of a result.
pub fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The text of an error.
pub fn error(id: &str, code: i64, data: &str) -> String {
    let data = if data.is_empty() { String::new() } else { format!(r#","data":{data}"#) };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no"{data}}}}}"#)
}

/// The code of an error answer; 0 where the text is none.
pub fn code(text: &str) -> i64 {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    value["error"]["code"].as_i64().unwrap_or(0)
}

/// A plain result.
pub fn complete(text: &str) -> Reply {
    Reply::Complete(Payload::from(raw(text)))
}

/// One connection, with a test on its other side.
pub struct Half {
    pub connection: Connection,
    pub now: Instant,
    /// The handles of the requests that it was given, by id.
    pub handles: BTreeMap<String, Handle>,
    pub last_route: u64,
    link: Link,
}

impl Half {
    pub fn server(config: Config, link: Link) -> Self {
        Self::new(Connection::server(Arc::new(config), link), link)
    }

    pub fn client(config: Config, link: Link) -> Self {
        let now = Instant::now();
        let mut half = Self::new(Connection::client(Arc::new(config), link, now), link);
        half.now = now;
        half
    }

    fn new(connection: Connection, link: Link) -> Self {
        Self { connection, now: Instant::now(), handles: BTreeMap::new(), last_route: 0, link }
    }

    /// A server that has settled on a revision, with nothing left to poll.
    pub fn server_at(config: Config, revision: Revision, link: Link) -> Self {
        let mut server = Self::server(config, link);
        match revision.era() {
            Era::Legacy => {
                server.hear(&initialize("0", revision.as_str()));
                server.hear(&notification("notifications/initialized", "{}"));
            }
            Era::Modern => {
                server.hear(&request(revision, "0", "tools/list", ""));
                server.events();
                server.respond("0", complete(r#"{"tools":[]}"#));
            }
        }
        server.quiet();
        server
    }

    /// A client that has settled on a revision, with nothing left to poll.
    pub fn client_at(mut config: Config, revision: Revision, link: Link) -> Self {
        if revision.era() == Era::Legacy {
            config.policy = Policy::LegacyOnly;
        }
        let mut client = Self::client(config, link);
        let answer = match revision.era() {
            Era::Legacy => format!(
                r#"{{"protocolVersion":"{revision}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}"#
            ),
            Era::Modern => {
                format!(r#"{{"resultType":"complete","supportedVersions":["{revision}"],"capabilities":{{}}}}"#)
            }
        };
        client.hear(&result("1", &answer));
        assert_eq!(client.connection.revision(), Some(revision));
        client.quiet();
        client
    }

    /// Hears a text, on a route of its own where each message has one.
    pub fn hear(&mut self, text: &str) -> Route {
        self.hear_under(text, None)
    }

    /// Hears a text under an `MCP-Protocol-Version` header.
    pub fn hear_under(&mut self, text: &str, header: Option<&str>) -> Route {
        let route = match self.link {
            Link::Pipe => Route::PIPE,
            Link::Exchange => {
                self.last_route += 1;
                Route(self.last_route)
            }
        };
        let edge = header.map(|header| {
            let mut edge = Edge::default();
            edge.headers = Some(Box::new(vec![("MCP-Protocol-Version".to_owned(), header.to_owned())]));
            Arc::new(edge)
        });
        self.connection.handle_message(self.now, Inbound { message: text.as_bytes(), route, edge });
        route
    }

    /// Hears a text and gives what is said to it.
    pub fn ask(&mut self, text: &str) -> Vec<String> {
        self.hear(text);
        self.said()
    }

    /// Gives what was said: texts, `abandon ID`, `end ROUTE`.
    pub fn said(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.connection.poll_transmit()).map(describe).collect()
    }

    /// Gives what happened, one line each.
    pub fn events(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(event) = self.connection.poll_event() {
            if let Event::Request(request) = &event {
                self.handles.insert(request.id.to_string(), request.handle);
            }
            lines.push(event_line(event));
        }
        lines
    }

    /// Drops what is left to poll.
    pub fn quiet(&mut self) {
        self.said();
        self.events();
    }

    /// Answers the request that it was given under this id.
    pub fn respond(&mut self, id: &str, reply: Reply) {
        let handle = self.handles[id];
        self.connection.respond(self.now, handle, reply);
    }

    /// Sends a request and gives its id.
    pub fn call(&mut self, call: Call) -> RequestId {
        self.connection.request(self.now, call).unwrap_or_else(|misuse| panic!("{misuse}"))
    }

    /// Turns the clock, stopping at each time at which something is due.
    pub fn advance(&mut self, by: Duration) {
        let end = self.now + by;
        while let Some(at) = self.connection.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.connection.handle_timeout(self.now);
        }
        self.now = end;
    }
}

fn describe(outbound: Outbound) -> String {
    match outbound {
        Outbound::Message { text, .. } => String::from_utf8(text).expect("what is sent is UTF-8"),
        Outbound::Abandon { request } => format!("abandon {request}"),
        Outbound::End { route } => format!("end {}", route.0),
    }
}

/// Writes an event as one line.
pub fn event_line(event: Event) -> String {
    let params = |params: &Option<Raw>| params.as_ref().map_or(String::new(), |raw| format!(" {}", raw.as_str()));
    match event {
        Event::Request(request) => format!("request {} {}{}", request.id, request.method, params(&request.params)),
        Event::Cancelled { reason, .. } => format!("cancelled: {}", reason.unwrap_or_default()),
        Event::Response { id, outcome: Ok(Answer::Complete(raw)) } => format!("response {id} {}", raw.as_str()),
        Event::Response { id, outcome: Ok(Answer::InputRequired(raw)) } => {
            format!("response {id} asks {}", raw.as_str())
        }
        Event::Response { id, outcome: Ok(other) } => format!("response {id} {other:?}"),
        Event::Response { id, outcome: Err(failure) } => format!("response {id} failed: {failure}"),
        Event::Progress { id, params } => format!("progress {id} {}", params.as_str()),
        Event::Notification { method, params: given, subscription } => {
            let mut line = format!("notification {method}{}", params(&given));
            if let Some(subscription) = subscription {
                write!(line, " on {subscription}").expect("a string takes everything");
            }
            line
        }
        Event::Subscribed { filter, .. } => format!("subscribed {}", filter.as_str()),
        Event::Unsubscribed { .. } => "unsubscribed".to_owned(),
        Event::Followed { uri } => format!("followed {uri}"),
        Event::Unfollowed { uri } => format!("unfollowed {uri}"),
        Event::Connected(connected) => format!("connected {}", connected.revision),
        Event::Reopen => "reopen".to_owned(),
        Event::Closed(closed) => format!("closed: {closed}"),
        Event::Misbehaved(misbehaved) => format!("misbehaved: {}", misbehaved.reason),
    }
}

/// Which side of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

/// Two connections back to back. On an exchange link each message of the stateless era meets a server of its own.
pub struct Pair {
    pub client: Connection,
    /// The servers, by the route that they serve; the one of route 0 serves all that is of the stateful era.
    pub servers: BTreeMap<u64, Connection>,
    pub now: Instant,
    /// Everything that crossed, in order.
    pub wire: Vec<(Side, String)>,
    pub client_events: Vec<Event>,
    pub server_events: Vec<(u64, Event)>,
    to_client: VecDeque<Vec<u8>>,
    to_server: VecDeque<(u64, Vec<u8>)>,
    /// The route on which each request of the client went out.
    routes: BTreeMap<RequestId, u64>,
    last_route: u64,
    link: Link,
    server_config: Arc<Config>,
}

impl Pair {
    pub fn new(client: Config, server: Config, link: Link) -> Self {
        let now = Instant::now();
        let server_config = Arc::new(server);
        let session = Connection::server(Arc::clone(&server_config), link);
        Self {
            client: Connection::client(Arc::new(client), link, now),
            servers: BTreeMap::from([(0, session)]),
            now,
            wire: Vec::new(),
            client_events: Vec::new(),
            server_events: Vec::new(),
            to_client: VecDeque::new(),
            to_server: VecDeque::new(),
            routes: BTreeMap::new(),
            last_route: 0,
            link,
            server_config,
        }
    }

    /// Moves everything that either side says until both are quiet.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// Moves one message; says whether there was one.
    pub fn step(&mut self) -> bool {
        self.collect();
        if let Some((route, text)) = self.to_server.pop_front() {
            self.deliver_to_server(route, &text);
        } else if let Some(text) = self.to_client.pop_front() {
            self.client.handle_message(self.now, Inbound { message: &text, route: Route::PIPE, edge: None });
        } else {
            return false;
        }
        self.collect();
        true
    }

    /// Turns the clock, stopping at each time at which something is due.
    pub fn advance(&mut self, by: Duration) {
        let end = self.now + by;
        loop {
            self.run();
            let servers = self.servers.values().filter_map(Connection::poll_timeout);
            let Some(at) = servers.chain(self.client.poll_timeout()).min().filter(|at| *at <= end) else { break };
            self.now = self.now.max(at);
            self.client.handle_timeout(self.now);
            for server in self.servers.values_mut() {
                server.handle_timeout(self.now);
            }
        }
        self.now = end;
    }

    /// Answers a request that a server was given.
    pub fn respond(&mut self, server: u64, handle: Handle, reply: Reply) {
        let now = self.now;
        if let Some(server) = self.servers.get_mut(&server) {
            server.respond(now, handle, reply);
        }
    }

    /// Gives what crossed since the last time, as `C text` and `S text`.
    pub fn crossed(&mut self) -> Vec<String> {
        let mark = |side| if side == Side::Client { 'C' } else { 'S' };
        std::mem::take(&mut self.wire).into_iter().map(|(side, text)| format!("{} {text}", mark(side))).collect()
    }

    fn deliver_to_server(&mut self, route: u64, text: &[u8]) {
        let is_modern = String::from_utf8_lossy(text).contains("io.modelcontextprotocol/protocolVersion");
        let key = if self.link == Link::Exchange && is_modern { route } else { 0 };
        let (config, link) = (&self.server_config, self.link);
        let server = self.servers.entry(key).or_insert_with(|| Connection::server(Arc::clone(config), link));
        let edge = None;
        server.handle_message(self.now, Inbound { message: text, route: Route(route), edge });
    }

    fn collect(&mut self) {
        while let Some(outbound) = self.client.poll_transmit() {
            match outbound {
                Outbound::Message { request, text, .. } => {
                    self.wire.push((Side::Client, String::from_utf8_lossy(&text).into_owned()));
                    let route = match self.link {
                        Link::Pipe => 0,
                        Link::Exchange => {
                            self.last_route += 1;
                            self.last_route
                        }
                    };
                    self.routes.extend(request.map(|request| (request, route)));
                    self.to_server.push_back((route, text));
                }
                Outbound::Abandon { request } => {
                    self.wire.push((Side::Client, format!("abandon {request}")));
                    if let Some(server) = self.routes.remove(&request).filter(|route| *route != 0)
                        && let Some(server) = self.servers.get_mut(&server)
                    {
                        server.close(self.now);
                    }
                }
                Outbound::End { .. } => unreachable!("a client ends no route"),
            }
        }
        for (route, server) in &mut self.servers {
            while let Some(outbound) = server.poll_transmit() {
                if let Outbound::Message { text, .. } = outbound {
                    self.wire.push((Side::Server, String::from_utf8_lossy(&text).into_owned()));
                    self.to_client.push_back(text);
                }
            }
            while let Some(event) = server.poll_event() {
                self.server_events.push((*route, event));
            }
        }
        while let Some(event) = self.client.poll_event() {
            self.client_events.push(event);
        }
    }
}

/// An error of the application's own.
pub fn failure(code: i64) -> Reply {
    Reply::Error(rpc::Error::new(code, "no"))
}
