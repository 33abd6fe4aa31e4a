//! Two connections, the wire between them, one clock, and the steps that a schedule is made of.

use std::{
    env,
    sync::Arc,
    time::{Duration, Instant},
};

use mcpeer::{
    proto::{
        Config, Connection, Policy,
        io::{Call, Change, Event, Inbound, Link, Outbound, Outgoing, Payload, Reply},
    },
    rpc::{self, Raw, RequestId},
    version::Revision,
};
use serde_json::{Value, json};

use crate::{Totals, judge::Judge, random::Random, wire::Wire};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Client,
    Server,
}

impl Role {
    fn other(self) -> Self {
        if self == Self::Client { Self::Server } else { Self::Client }
    }
}

struct Side {
    connection: Connection,
    judge: Judge,
    /// What this side has sent.
    wire: Wire,
}

pub(crate) struct World {
    random: Random,
    now: Instant,
    client: Side,
    server: Side,
    server_config: Arc<Config>,
    /// The server ends on its first message unless that is `initialize`, as some old ones do.
    is_brittle: bool,
    /// What the client asked last.
    last_request: Option<Vec<u8>>,
    notes: u64,
    totals: Totals,
    trace: bool,
}

impl World {
    /// Runs one schedule to its end.
    pub(crate) fn run(random: Random) -> Totals {
        let mut world = Self::new(random);
        world.drain();
        let steps = 20 + world.random.below(180);
        for _ in 0..steps {
            world.step();
            world.drain();
        }
        if !world.random.one_in(3) {
            world.settle();
            for role in [Role::Client, Role::Server] {
                if !world.side(role).judge.is_closed {
                    world.side(role).judge.is_at_rest();
                    let kept = world.side(role).connection.occupancy();
                    assert_eq!(kept, 0, "the {role:?} at rest keeps entries");
                }
            }
        }
        world.end();
        world.totals.requests = world.client.judge.requests() + world.server.judge.requests();
        world.totals.answered += world.client.judge.answered + world.server.judge.answered;
        world.totals
    }

    fn new(mut random: Random) -> Self {
        let now = Instant::now();
        let mut server_config = config("server", &mut random);
        server_config.handlers.methods =
            ["tools/call", "tools/list", "resources/read", "acme/work"].map(Into::into).into();
        server_config.capabilities = raw(&json!({
            "tools": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "logging": {}
        }));
        let mut client_config = config("client", &mut random);
        client_config.handlers.methods = ["roots/list", "sampling/createMessage", "acme/ask"].map(Into::into).into();
        client_config.capabilities = raw(&json!({"roots": {"listChanged": true}, "sampling": {}}));
        client_config.policy = match random.below(4) {
            0 => Policy::LegacyOnly,
            1 => Policy::ModernOnly,
            _ => Policy::Auto,
        };
        let server_config = Arc::new(server_config);
        Self {
            now,
            client: Side::new(Connection::client(Arc::new(client_config), Link::Pipe, now)),
            server: Side::new(Connection::server(server_config.clone(), Link::Pipe)),
            server_config,
            is_brittle: random.one_in(6),
            last_request: None,
            notes: 0,
            totals: Totals::default(),
            trace: env::var_os("MCPEER_SIMULATE_TRACE").is_some(),
            random,
        }
    }

    fn side(&mut self, role: Role) -> &mut Side {
        match role {
            Role::Client => &mut self.client,
            Role::Server => &mut self.server,
        }
    }

    fn note(&self, text: impl FnOnce() -> String) {
        if self.trace {
            eprintln!("{}", text());
        }
    }

    fn step(&mut self) {
        let role = if self.random.one_in(2) { Role::Client } else { Role::Server };
        match self.random.below(100) {
            0..34 => self.deliver(role),
            34..36 => self.request(Role::Server),
            36..47 => self.request(Role::Client),
            47..63 => self.respond(role),
            63..72 => self.progress(role),
            72..77 => self.cancel(role),
            77..80 => self.notify(role),
            80..84 => self.listen_or_publish(role),
            84..87 => self.respond_late(role),
            87..90 => self.stray(role),
            90..97 => {
                let span = Duration::from_millis(self.random.below(20_000) as u64);
                self.advance(span);
            }
            97 if self.random.one_in(6) => self.drop_link(),
            98 if self.random.one_in(6) => self.half_close(role),
            99 if self.random.one_in(6) => {
                self.note(|| format!("{role:?} closes"));
                let now = self.now;
                self.side(role).connection.close(now);
            }
            _ => self.deliver(role),
        }
    }

    fn request(&mut self, role: Role) {
        let methods: &[&'static str] = match role {
            Role::Client => &["tools/call", "tools/list", "resources/read", "acme/work", "ping", "resources/subscribe"],
            Role::Server => &["roots/list", "sampling/createMessage", "acme/ask", "ping"],
        };
        let method = *self.random.pick(methods);
        let params = match method {
            "tools/call" => json!({"name": "work", "arguments": {}}),
            "resources/read" | "resources/subscribe" => json!({"uri": "a:b"}),
            _ => json!({}),
        };
        let mut call = Call::new(method, Some(raw(&params)));
        call.progress = self.random.one_in(2);
        call.timeout = self.span(3);
        call.max_total = self.span(4);
        call.reset_on_progress = self.random.one_in(2);
        if self.random.one_in(3)
            && let Some(running) = self.side(role).judge.running.first()
        {
            call.related = Some(running.handle);
        }
        self.send(role, call);
    }

    fn send(&mut self, role: Role, call: Call) {
        let (now, method) = (self.now, call.method.clone());
        let side = self.side(role);
        let outcome = side.connection.request(now, call.clone());
        if let Ok(id) = &outcome {
            side.judge.issued(id.clone(), &call, now);
        }
        self.note(|| format!("{role:?} requests {method}: {outcome:?}"));
    }

    fn span(&mut self, one_in: usize) -> Option<Duration> {
        self.random.one_in(one_in).then(|| Duration::from_millis(1 + self.random.below(90_000) as u64))
    }

    fn respond(&mut self, role: Role) {
        let count = self.side(role).judge.running.len();
        if count == 0 {
            return;
        }
        let at = self.random.below(count);
        let handle = self.side(role).judge.running[at].handle;
        let reply = match self.random.below(8) {
            0 => Reply::Error(rpc::Error::new(1, "no")),
            1 => Reply::InputRequired(raw(&json!({"requestState": "s"}))),
            2 => {
                Reply::Complete(Payload::from(raw(&json!({"_meta": {"a": 1}, "content": [], "structuredContent": 3}))))
            }
            _ => Reply::Complete(Payload::from(raw(&json!({"content": []})))),
        };
        self.note(|| format!("{role:?} responds to {handle:?}: {reply:?}"));
        let now = self.now;
        let side = self.side(role);
        side.judge.responded(handle);
        side.connection.respond(now, handle, reply);
    }

    /// Answers a request that has ended: nothing may come of it.
    fn respond_late(&mut self, role: Role) {
        let now = self.now;
        let side = self.side(role);
        if let Some(handle) = side.judge.ended.last().copied() {
            side.connection.respond(now, handle, Reply::Complete(Payload::from(raw(&json!({"late": true})))));
            side.connection.progress(handle, &raw(&json!({"progress": 1e9})));
        }
    }

    fn progress(&mut self, role: Role) {
        let count = self.side(role).judge.running.len();
        if count > 0 {
            let at = self.random.below(count);
            let side = self.side(role);
            let running = &mut side.judge.running[at];
            running.progress += 1;
            let params = raw(&json!({"progress": running.progress}));
            side.connection.progress(running.handle, &params);
        }
    }

    fn cancel(&mut self, role: Role) {
        let ids = self.side(role).judge.issued_ids();
        let id = if ids.is_empty() || self.random.one_in(20) {
            RequestId::Integer(99_999)
        } else {
            // Most often one of the latest, which may still be open.
            let from = ids.len().saturating_sub(4);
            ids[from + self.random.below(ids.len() - from)].clone()
        };
        self.note(|| format!("{role:?} cancels {id}"));
        let now = self.now;
        self.side(role).connection.cancel(now, &id, "no longer wanted");
    }

    fn notify(&mut self, role: Role) {
        self.notes += 1;
        let is_plain = self.notes.is_multiple_of(2);
        let params = raw(&json!({"n": self.notes}));
        let now = self.now;
        let side = self.side(role);
        let related = side.judge.running.first().map(|running| running.handle);
        if is_plain {
            let _ = side.connection.notify(now, Outgoing { method: "acme/note".into(), params: Some(params), related });
        } else if role == Role::Server {
            side.connection.log(related, "error", &raw(&json!({"level": "error", "data": 1})));
        }
    }

    fn listen_or_publish(&mut self, role: Role) {
        if role == Role::Client {
            let filter = json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["a:b"]}});
            return self.send(role, Call::new("subscriptions/listen", Some(raw(&filter))));
        }
        let change = if self.random.one_in(2) { Change::Tools } else { Change::Resource { uri: "a:b".into() } };
        self.server.connection.publish(&change);
        if self.random.one_in(4) {
            self.server.connection.end_subscriptions();
        }
    }

    /// Puts something on the wire that the sender's connection did not send.
    fn stray(&mut self, role: Role) {
        if self.random.one_in(4) {
            return self.repeat();
        }
        let lines = [
            "listening on port 3000",
            "{}",
            r#"{"jsonrpc":"2.0","id":77777,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77777}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77777,"progress":1}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}"#,
        ];
        let line = *self.random.pick(&lines);
        self.side(role).wire.send(line.as_bytes());
    }

    /// Has a request arrive once more while it is open.
    fn repeat(&mut self) {
        let Some(line) = self.last_request.clone() else { return };
        let message: Value = serde_json::from_slice(&line).expect("what was sent is JSON");
        if self.server.judge.is_open(&message["id"]) {
            self.arrive(Role::Server, &line);
        }
    }

    /// Lets some of what one side sent arrive at the other.
    fn deliver(&mut self, from: Role) {
        let bytes = match self.random.below(4) {
            0 => self.random.below(40),
            1 => self.random.below(400),
            _ => usize::MAX,
        };
        self.deliver_bytes(from, bytes);
    }

    fn deliver_bytes(&mut self, from: Role, bytes: usize) {
        for line in self.side(from).wire.deliver(bytes) {
            self.totals.messages += 1;
            self.arrive(from.other(), &line);
            self.drain();
        }
        let wire = &mut self.side(from).wire;
        if wire.ended && wire.in_flight() == 0 && !wire.end_seen {
            wire.end_seen = true;
            self.note(|| format!("{:?} sees the end", from.other()));
            let now = self.now;
            let side = self.side(from.other());
            if !side.judge.is_closed {
                side.connection.handle_input_end(now);
            }
            self.drain();
        }
    }

    fn arrive(&mut self, at: Role, line: &[u8]) {
        self.note(|| format!("{at:?} <- {}", String::from_utf8_lossy(line)));
        let message: Value = serde_json::from_slice(line).unwrap_or(Value::Null);
        if at == Role::Server && std::mem::take(&mut self.is_brittle) && message["method"] != "initialize" {
            return self.end_server();
        }
        let now = self.now;
        let side = self.side(at);
        side.judge.receives(&message);
        if !side.judge.is_closed {
            side.connection.handle_message(now, Inbound::pipe(line));
        }
    }

    /// The server's process ends without a word.
    fn end_server(&mut self) {
        self.note(|| "the server ends".into());
        let now = self.now;
        self.server.connection.handle_transport_error(now, "the process ended");
        self.client.wire = Wire::default();
        self.server.wire.ended = true;
    }

    fn drop_link(&mut self) {
        self.note(|| "the link drops".into());
        self.totals.drops += 1;
        let now = self.now;
        for role in [Role::Client, Role::Server] {
            let side = self.side(role);
            side.wire = Wire::cut();
            if !side.judge.is_closed {
                side.connection.handle_transport_error(now, "the link dropped");
            }
        }
    }

    fn half_close(&mut self, role: Role) {
        self.note(|| format!("{role:?} ends its output"));
        self.side(role).wire.ended = true;
    }

    /// Moves time on, through every timer on the way.
    fn advance(&mut self, span: Duration) {
        self.note(|| format!("{span:?} pass"));
        let target = self.now + span;
        for _ in 0..100_000 {
            let due = [&self.client, &self.server].map(|side| side.connection.poll_timeout());
            let Some(next) = due.into_iter().flatten().min().filter(|next| *next <= target) else {
                self.now = target;
                return;
            };
            self.now = self.now.max(next);
            let now = self.now;
            for role in [Role::Client, Role::Server] {
                let side = self.side(role);
                if side.connection.poll_timeout().is_some_and(|due| due <= now) {
                    side.connection.handle_timeout(now);
                    let left = side.connection.poll_timeout();
                    assert!(left.is_none_or(|left| left > now), "a timer does not move on");
                }
            }
            self.drain();
        }
        panic!("timers never come to rest");
    }

    /// Takes everything that the connections have to say.
    fn drain(&mut self) {
        let now = self.now;
        loop {
            let mut is_quiet = true;
            for role in [Role::Client, Role::Server] {
                while let Some(outbound) = self.side(role).connection.poll_transmit() {
                    is_quiet = false;
                    self.transmit(role, outbound);
                }
                while let Some(event) = self.side(role).connection.poll_event() {
                    is_quiet = false;
                    self.note(|| format!("{role:?} hears {event:?}"));
                    if matches!(event, Event::Reopen) {
                        self.reopen();
                        continue;
                    }
                    let side = self.side(role);
                    side.judge.hears(&event, now);
                    if matches!(event, Event::Closed(_)) {
                        side.wire.ended = true;
                    }
                }
            }
            if is_quiet {
                return self.check();
            }
        }
    }

    /// What must hold whenever both sides have said all that they have to say.
    fn check(&mut self) {
        for role in [Role::Client, Role::Server] {
            let has_input_ended = self.side(role.other()).wire.end_seen;
            let now = self.now;
            let side = self.side(role);
            if side.judge.is_closed {
                continue;
            }
            side.judge.is_in_time(now);
            let running = side.judge.running.len();
            let room = side.connection.config().limits.concurrent.saturating_sub(running);
            // A client of the stateless era drops what a server asks.
            if role == Role::Server {
                assert!(room == 0 || side.judge.waiting() == 0, "a request waits although there is room");
            }
            if has_input_ended {
                assert!(running > 0, "the {role:?} goes on after the end with nothing to do");
            } else if side.judge.is_connected && !side.judge.waits() {
                assert_eq!(side.connection.poll_timeout(), None, "the {role:?} keeps a timer for nothing");
            }
        }
    }

    fn transmit(&mut self, role: Role, outbound: Outbound) {
        let Outbound::Message { text, .. } = outbound else { panic!("a pipe has no streams: {outbound:?}") };
        let message: Value = serde_json::from_slice(&text).expect("what is sent is JSON");
        let side = self.side(role);
        // After the end only what was due before it goes out; nobody may rely on it.
        side.judge.sends(&message);
        side.wire.send(&text);
        if role == Role::Client && message["method"].is_string() && !message["id"].is_null() {
            self.last_request = Some(text.clone());
        }
        self.note(|| format!("{role:?} -> {}", String::from_utf8_lossy(&text)));
    }

    /// Starts the server anew, as a client asks that probed a server which ended on that.
    fn reopen(&mut self) {
        let now = self.now;
        if !self.server.judge.is_closed {
            self.server.connection.handle_transport_error(now, "replaced");
            while let Some(event) = self.server.connection.poll_event() {
                self.server.judge.hears(&event, now);
            }
        }
        self.server.judge.is_at_rest();
        self.totals.answered += self.server.judge.answered;
        self.server = Side::new(Connection::server(self.server_config.clone(), Link::Pipe));
        self.client.wire = Wire::default();
        self.client.connection.handle_reopened(now);
    }

    /// Answers everything and lets it arrive, for as long as it takes.
    fn settle(&mut self) {
        for _ in 0..60 {
            self.server.connection.end_subscriptions();
            self.drain();
            for role in [Role::Client, Role::Server] {
                while !self.side(role).judge.running.is_empty() {
                    self.respond(role);
                    self.drain();
                }
                self.deliver_bytes(role, usize::MAX);
            }
            self.advance(Duration::from_secs(60));
        }
    }

    /// Ends the connection in one of the ways there are; both sides have to notice.
    fn end(&mut self) {
        let now = self.now;
        match self.random.below(4) {
            0 => {
                self.drop_link();
                self.drain();
                // A client in its handshake took this for a server that ends on the probe, and started it anew.
                if !self.client.judge.is_closed {
                    self.drop_link();
                }
            }
            1 => self.client.connection.close(now),
            2 => self.server.connection.close(now),
            _ => self.half_close(Role::Client),
        }
        self.drain();
        for _ in 0..4 {
            for role in [Role::Client, Role::Server] {
                self.deliver_bytes(role, usize::MAX);
            }
            self.advance(Duration::from_secs(30));
        }
        for role in [Role::Client, Role::Server] {
            let side = self.side(role);
            assert!(side.judge.is_closed, "the {role:?} never hears of the end");
            side.judge.is_at_rest();
            assert_eq!(side.connection.occupancy(), 0, "the closed {role:?} keeps entries");
            assert_eq!(side.connection.poll_timeout(), None, "the closed {role:?} keeps a timer");
        }
    }
}

impl Side {
    fn new(connection: Connection) -> Self {
        Self { connection, judge: Judge::default(), wire: Wire::default() }
    }
}

fn config(name: &str, random: &mut Random) -> Config {
    let implementation = raw(&json!({"name": name, "version": "1"}));
    let mut config = if name == "server" { Config::server(implementation) } else { Config::client(implementation) };
    config.revisions = match random.below(6) {
        0 => vec![Revision::V2026_07_28],
        1 => vec![Revision::V2025_11_25, Revision::V2024_11_05],
        2 => vec![Revision::V2026_07_28, Revision::V2025_03_26],
        _ => Revision::ALL.to_vec(),
    };
    config.limits.concurrent = 1 + random.below(6);
    config.limits.waiting = random.below(6);
    config.limits.pending = 4 + random.below(20);
    config.limits.subscriptions = 1 + random.below(2);
    config
}

fn raw(value: &Value) -> Raw {
    Raw::from_value(value).expect("a value is JSON")
}
