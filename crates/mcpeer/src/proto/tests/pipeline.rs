//! What becomes of each kind of request in each state of a server: the whole product, as one table.

use super::pair::{Half, code, complete, initialize, notification, request, server_config};
use crate::{
    proto::{Config, io::Link},
    version::Revision,
    wire::{Direction, ExtensionRows, Row},
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    /// In both eras.
    Here,
    /// Only in the era whose pipeline the request does not take.
    Other,
    /// Outside the specification.
    Unknown,
    /// Of an enabled extension.
    Extension,
    Initialize,
    Ping,
    Discover,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Handler {
    Some,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Claim {
    None,
    Complete,
    /// Without `clientCapabilities`.
    Incomplete,
    NotAString,
    NotServed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Open,
    Stateful,
    Stateless,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// The application gets it.
    Runs,
    /// The connection answers with a result.
    Result,
    Code(i64),
    /// There is no such request, and why.
    #[allow(dead_code, reason = "every cell can be built today; a row of a new axis may have to say otherwise")]
    Impossible(&'static str),
}

use Method::{Discover, Extension, Here, Initialize, Other, Ping, Unknown};
use Outcome::{Code, Result, Runs};
use State::{Open, Stateful, Stateless};

const METHODS: [Method; 7] = [Here, Other, Unknown, Extension, Initialize, Ping, Discover];
const HANDLERS: [Handler; 2] = [Handler::Some, Handler::None];
const CLAIMS: [Claim; 5] = [Claim::None, Claim::Complete, Claim::Incomplete, Claim::NotAString, Claim::NotServed];
const STATES: [State; 3] = [Open, Stateful, Stateless];
const SERVABLE: &[Method] = &[Here, Unknown, Extension];
const ANY: &[Method] = &METHODS;
const BOTH: &[Handler] = &HANDLERS;
const WITH: &[Handler] = &[Handler::Some];
const WITHOUT: &[Handler] = &[Handler::None];

/// Methods, handlers, claims, states, what comes of it, and the state afterwards where it changes.
type Line = (&'static [Method], &'static [Handler], &'static [Claim], &'static [State], Outcome, Option<State>);

#[rustfmt::skip]
const TABLE: &[Line] = &[
    (ANY, BOTH, &[Claim::NotAString], &STATES, Code(-32602), None),
    (ANY, BOTH, &[Claim::NotServed], &STATES, Code(-32022), None),
    // The stateful era is settled: a claim is of the other.
    (ANY, BOTH, &[Claim::Complete, Claim::Incomplete], &[Stateful], Code(-32022), None),
    (SERVABLE, WITH, &[Claim::None], &[Stateful], Runs, None),
    (SERVABLE, WITHOUT, &[Claim::None], &[Stateful], Code(-32601), None),
    (&[Other, Discover], BOTH, &[Claim::None], &[Stateful], Code(-32601), None),
    (&[Initialize], BOTH, &[Claim::None], &[Stateful], Code(-32600), None),
    (&[Ping], BOTH, &[Claim::None], &[Stateful], Result, None),
    // Nothing is settled, and nothing is claimed: the stateful era, before `initialize`.
    (&[Here, Other, Unknown, Extension], BOTH, &[Claim::None], &[Open], Code(-32600), None),
    (&[Initialize], BOTH, &[Claim::None], &[Open], Result, Some(Stateful)),
    (&[Ping], BOTH, &[Claim::None], &[Open], Result, None),
    (&[Discover], BOTH, &[Claim::None], &[Open], Code(-32602), None),
    // The stateless era, claimed or settled.
    (SERVABLE, WITH, &[Claim::Complete], &[Open], Runs, Some(Stateless)),
    (SERVABLE, WITH, &[Claim::Complete], &[Stateless], Runs, None),
    (SERVABLE, WITH, &[Claim::Incomplete], &[Open, Stateless], Code(-32602), None),
    (SERVABLE, WITH, &[Claim::None], &[Stateless], Code(-32602), None),
    (SERVABLE, WITHOUT, &[Claim::Complete, Claim::Incomplete], &[Open, Stateless], Code(-32601), None),
    (SERVABLE, WITHOUT, &[Claim::None], &[Stateless], Code(-32601), None),
    (&[Other, Initialize, Ping], BOTH, &[Claim::Complete, Claim::Incomplete], &[Open, Stateless], Code(-32601), None),
    (&[Other, Ping], BOTH, &[Claim::None], &[Stateless], Code(-32601), None),
    (&[Initialize], BOTH, &[Claim::None], &[Stateless], Code(-32022), None),
    (&[Discover], BOTH, &[Claim::Complete], &[Open, Stateless], Result, None),
    (&[Discover], BOTH, &[Claim::Incomplete], &[Open, Stateless], Code(-32602), None),
    (&[Discover], BOTH, &[Claim::None], &[Stateless], Code(-32602), None),
];

#[test]
fn each_request_comes_to_what_the_table_says() {
    let mut seen = 0;
    for method in METHODS {
        for handler in HANDLERS {
            for claim in CLAIMS {
                for state in STATES {
                    let lines: Vec<_> = TABLE
                        .iter()
                        .filter(|line| line.0.contains(&method) && line.1.contains(&handler))
                        .filter(|line| line.2.contains(&claim) && line.3.contains(&state))
                        .collect();
                    let cell = format!("{method:?} {handler:?} {claim:?} {state:?}");
                    assert_eq!(lines.len(), 1, "{cell}: the table has {} lines", lines.len());
                    let (.., outcome, after) = *lines[0];
                    seen += 1;
                    if !matches!(outcome, Outcome::Impossible(_)) {
                        check(&cell, method, handler, claim, state, outcome, after.unwrap_or(state));
                    }
                }
            }
        }
    }
    assert_eq!(seen, 7 * 2 * 5 * 3);
}

fn check(cell: &str, method: Method, handler: Handler, claim: Claim, state: State, outcome: Outcome, after: State) {
    let mut server = server_in(state, handler);
    let name = name(method, claim, state);
    server.hear(&text(name, claim));
    let said = server.said();
    let events = server.events();
    let runs = events.iter().any(|event| event.starts_with("request "));
    match outcome {
        Runs => assert!(runs && said.is_empty(), "{cell}: {said:?} {events:?}"),
        Result => assert!(!runs && said.len() == 1 && said[0].contains(r#""id":7,"result":{"#), "{cell}: {said:?}"),
        Code(expected) => {
            assert_eq!(said.len(), 1, "{cell}: {said:?} {events:?}");
            assert_eq!(code(&said[0]), expected, "{cell}: {said:?}");
            assert!(said[0].contains(r#""id":7,"#) && !runs, "{cell}: {said:?}");
        }
        Outcome::Impossible(_) => unreachable!("such cells are not run"),
    }
    assert_eq!(state_of(&mut server), after, "{cell}: the state afterwards");
}

fn config(handler: Handler) -> Config {
    let mut config = server_config();
    const ROWS: &[Row] = &[Row::request("extension/do", Direction::ToServer, Revision::V2024_11_05, None)];
    config.extensions =
        vec![ExtensionRows { identifier: "com.example/do".into(), rows: ROWS.into(), result_types: (&[]).into() }];
    config.handlers.methods.clear();
    if handler == Handler::Some {
        let all = ["tools/list", "custom/own", "extension/do", "subscriptions/listen", "resources/unsubscribe"];
        let own = ["initialize", "ping", "server/discover"];
        config.handlers.methods = all.into_iter().chain(own).map(Into::into).collect();
    }
    config
}

fn server_in(state: State, handler: Handler) -> Half {
    let mut server = Half::server(config(handler), Link::Pipe);
    match state {
        Open => {}
        Stateful => {
            server.hear(&initialize("0", "2025-11-25"));
            server.hear(&notification("notifications/initialized", "{}"));
        }
        // A subscription settles the era without any handler.
        Stateless => {
            let listen = request(Revision::V2026_07_28, "0", "subscriptions/listen", r#""notifications":{}"#);
            server.hear(&listen);
        }
    }
    server.quiet();
    assert_eq!(state_of(&mut server), state);
    server
}

fn state_of(server: &mut Half) -> State {
    match server.connection.revision() {
        None => Open,
        Some(Revision::V2026_07_28) => Stateless,
        Some(_) => Stateful,
    }
}

fn name(method: Method, claim: Claim, state: State) -> &'static str {
    let is_stateless = match state {
        Open => matches!(claim, Claim::Complete | Claim::Incomplete),
        Stateful => false,
        Stateless => true,
    };
    match method {
        Here => "tools/list",
        Other if is_stateless => "resources/unsubscribe",
        Other => "subscriptions/listen",
        Unknown => "custom/own",
        Extension => "extension/do",
        Initialize => "initialize",
        Ping => "ping",
        Discover => "server/discover",
    }
}

fn text(method: &str, claim: Claim) -> String {
    let members = match method {
        "initialize" => r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},"#,
        "resources/unsubscribe" => r#""uri":"file:///a","#,
        "subscriptions/listen" => r#""notifications":{},"#,
        _ => "",
    };
    let version = r#""io.modelcontextprotocol/protocolVersion""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let meta = match claim {
        Claim::None => String::new(),
        Claim::Complete => format!(r#"{version}:"2026-07-28",{capabilities}"#),
        Claim::Incomplete => format!(r#"{version}:"2026-07-28""#),
        Claim::NotAString => format!("{version}:20260728,{capabilities}"),
        Claim::NotServed => format!(r#"{version}:"2099-01-01",{capabilities}"#),
    };
    format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{members}"_meta":{{{meta}}}}}}}"#)
}

#[test]
fn a_request_that_runs_is_answered_in_the_shape_of_its_era() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&request(Revision::V2026_07_28, "7", "tools/call", r#""name":"a""#));
    assert_eq!(server.events(), ["connected 2026-07-28", r#"request 7 tools/call {"name":"a"}"#]);
    server.respond("7", complete(r#"{"content":[]}"#));
    let said = server.said();
    assert!(said[0].starts_with(r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","#), "{said:?}");
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.hear(&request(Revision::V2025_11_25, "7", "tools/call", r#""name":"a""#));
    assert_eq!(server.events(), [r#"request 7 tools/call {"name":"a"}"#]);
    server.respond("7", complete(r#"{"content":[]}"#));
    assert_eq!(server.said(), [r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#]);
}

#[test]
fn a_method_whose_capability_is_not_declared_does_not_exist() {
    for (revision, link) in super::pair::cells() {
        let mut config = server_config();
        config.capabilities = super::pair::raw(r#"{"prompts":{},"tools":false}"#);
        config.handlers.methods.insert("prompts/list".into());
        let mut server = Half::server(config, link);
        if revision == Revision::V2025_11_25 {
            server.hear(&initialize("0", "2025-11-25"));
        }
        server.quiet();
        let said = server.ask(&request(revision, "1", "tools/list", ""));
        assert_eq!(code(&said[0]), -32601, "{revision} {link:?}: {said:?}");
        server.hear(&request(revision, "2", "prompts/list", ""));
        assert!(server.events().contains(&"request 2 prompts/list {}".to_owned()), "{revision} {link:?}");
    }
}

#[test]
fn the_fallback_takes_what_no_handler_takes() {
    for (revision, link) in super::pair::cells() {
        let mut config = server_config();
        config.handlers.methods.clear();
        config.handlers.fallback = true;
        let mut server = Half::server(config, link);
        if revision == Revision::V2025_11_25 {
            server.hear(&initialize("0", "2025-11-25"));
        }
        server.quiet();
        server.hear(&request(revision, "1", "custom/own", ""));
        assert!(server.events().contains(&"request 1 custom/own {}".to_owned()), "{revision} {link:?}");
        let other = if revision == Revision::V2025_11_25 { "subscriptions/listen" } else { "ping" };
        let said = server.ask(&request(revision, "2", other, ""));
        assert_eq!(code(&said[0]), -32601, "{revision} {link:?}: {said:?}");
    }
}

#[test]
fn params_that_are_no_object_are_invalid_params() {
    for (revision, params, expected) in
        [("2025-11-25", "[1]", -32602), ("2025-11-25", "5", -32602), ("2026-07-28", "[1]", -32602)]
    {
        let revision: Revision = revision.parse().unwrap();
        let mut server = Half::server_at(server_config(), revision, Link::Pipe);
        let said = server.ask(&format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{params}}}"#));
        assert_eq!(code(&said[0]), expected, "{said:?}");
        let said = server.ask(&format!(r#"{{"jsonrpc":"2.0","id":5,"method":"no/such","params":{params}}}"#));
        assert_eq!(code(&said[0]), -32601, "{said:?}");
    }
}

#[test]
fn params_of_null_mean_none() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.hear(r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":null}"#);
    assert_eq!(server.events(), ["request 5 tools/list"]);
}

#[test]
fn wire_only_material_is_lifted_out_of_sight() {
    let mut server = Half::server_at(server_config(), Revision::V2026_07_28, Link::Pipe);
    let text =
        request(Revision::V2026_07_28, "5", "tools/call", r#""name":"a","inputResponses":{"k":{}},"requestState":"s""#);
    server.hear(&text);
    assert_eq!(server.events(), [r#"request 5 tools/call {"name":"a"}"#]);
}
