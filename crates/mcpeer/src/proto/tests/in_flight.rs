//! §2 and the guarantees of §4: tables, ids, turns.

use super::pair::{Half, cells, code, complete, failure, notification, params, raw, request, server_config};
use crate::{
    proto::io::Link,
    version::{Era, Revision},
};

const CALL: &str = r#""name":"a""#;

#[test]
fn the_second_request_with_an_id_in_flight_is_refused_and_the_first_goes_on() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "5", "tools/call", CALL));
        server.events();
        let said = server.ask(&request(revision, "5", "tools/list", ""));
        assert_eq!(code(&said[0]), -32600, "{revision} {link:?}");
        server.respond("5", complete("{}"));
        assert!(server.said()[0].contains(r#""id":5,"result""#), "{revision} {link:?}");
    }
}

#[test]
fn a_string_and_a_number_are_two_ids() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "5", "tools/call", CALL));
        server.hear(&request(revision, r#""5""#, "tools/call", CALL));
        assert_eq!(server.events().len(), 2, "{revision} {link:?}");
        server.respond(r#""5""#, complete("{}"));
        assert!(server.said()[0].contains(r#""id":"5","result""#), "{revision} {link:?}");
        server.respond("5", complete("{}"));
        assert!(server.said()[0].contains(r#""id":5,"result""#), "{revision} {link:?}");
    }
}

#[test]
fn an_id_is_free_once_it_was_answered() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        for _ in 0..3 {
            server.hear(&request(revision, "5", "tools/call", CALL));
            assert_eq!(server.events().len(), 1, "{revision} {link:?}");
            server.respond("5", complete("{}"));
            assert!(server.said()[0].contains("result"));
        }
    }
}

#[test]
fn a_handle_never_repeats() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.hear(&request(Revision::V2025_11_25, "5", "tools/call", CALL));
    server.events();
    let first = server.handles["5"];
    server.respond("5", complete("{}"));
    server.hear(&request(Revision::V2025_11_25, "5", "tools/call", CALL));
    server.events();
    assert_ne!(first, server.handles["5"]);
    server.quiet();
    server.connection.respond(server.now, first, complete("{}"));
    assert!(server.said().is_empty());
}

#[test]
fn requests_beyond_the_limit_wait_in_order() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.limits.concurrent = 2;
        let mut server = Half::server_at(config, revision, link);
        for id in ["1", "2", "3", "4"] {
            server.hear(&request(revision, id, "custom/own", ""));
        }
        assert_eq!(server.events(), ["request 1 custom/own {}", "request 2 custom/own {}"], "{revision} {link:?}");
        server.respond("2", complete("{}"));
        assert_eq!(server.events(), ["request 3 custom/own {}"], "{revision} {link:?}");
        server.respond("3", complete("{}"));
        server.respond("1", complete("{}"));
        assert_eq!(server.events(), ["request 4 custom/own {}"], "{revision} {link:?}");
    }
}

#[test]
fn a_request_beyond_the_queue_is_refused_with_the_reason() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.limits.concurrent = 1;
        config.limits.waiting = 2;
        let mut server = Half::server_at(config, revision, link);
        for id in ["1", "2", "3"] {
            assert!(server.ask(&request(revision, id, "custom/own", "")).is_empty());
        }
        let said = server.ask(&request(revision, "4", "custom/own", ""));
        assert_eq!(code(&said[0]), -32603, "{revision} {link:?}");
        assert!(said[0].contains("2 requests wait already"), "{said:?}");
    }
}

#[test]
fn the_params_of_waiting_requests_take_no_more_than_their_bytes() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.limits.concurrent = 1;
        config.limits.waiting_bytes = 2_000;
        let mut server = Half::server_at(config, revision, link);
        let ask =
            |id: &str, bytes: usize| request(revision, id, "tools/call", &format!(r#""name":"{}""#, "a".repeat(bytes)));
        server.hear(&ask("1", 0));
        assert!(server.ask(&ask("2", 5_000)).is_empty(), "one alone may wait, however long");
        assert_eq!(code(&server.ask(&ask("3", 0))[0]), -32603, "{revision} {link:?}");
        server.hear(&notification("notifications/cancelled", r#"{"requestId":2}"#));
        server.quiet();
        if link == Link::Exchange && revision.era() == Era::Modern {
            continue;
        }
        for id in ["4", "5"] {
            assert!(server.ask(&ask(id, 800)).is_empty(), "{revision} {link:?}: what is gone holds nothing");
        }
        assert_eq!(code(&server.ask(&ask("6", 800))[0]), -32603, "{revision} {link:?}");
        server.respond("1", complete("{}"));
        server.quiet();
        assert!(server.ask(&ask("7", 800)).is_empty(), "{revision} {link:?}: nor does what runs");
    }
}

#[test]
fn ping_and_notifications_never_wait() {
    let revision = Revision::V2025_11_25;
    for link in [Link::Pipe, Link::Exchange] {
        let mut config = server_config();
        config.limits.concurrent = 1;
        config.limits.waiting = 1;
        let mut server = Half::server_at(config, revision, link);
        server.hear(&request(revision, "1", "custom/own", ""));
        server.hear(&request(revision, "2", "custom/own", ""));
        server.quiet();
        assert_eq!(server.ask(&request(revision, "3", "ping", "")), [r#"{"jsonrpc":"2.0","id":3,"result":{}}"#]);
        server.hear(&notification("custom/news", "{}"));
        assert_eq!(server.events(), ["notification custom/news {}"]);
    }
}

#[test]
fn a_cancel_removes_a_waiting_request_and_its_place_is_free() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut config = server_config();
        config.limits.concurrent = 1;
        config.limits.waiting = 1;
        let mut server = Half::server_at(config, revision, Link::Pipe);
        server.hear(&request(revision, "1", "custom/own", ""));
        for _ in 0..50 {
            server.hear(&request(revision, "2", "custom/own", ""));
            server.hear(&notification("notifications/cancelled", r#"{"requestId":2}"#));
        }
        assert_eq!(server.events(), ["request 1 custom/own {}"]);
        assert!(server.said().is_empty());
        server.hear(&request(revision, "3", "custom/own", ""));
        assert!(server.said().is_empty());
        server.respond("1", complete("{}"));
        assert_eq!(server.events(), ["request 3 custom/own {}"]);
    }
}

#[test]
fn a_cancelled_request_gets_no_answer_and_its_id_is_free_at_once() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut server = Half::server_at(server_config(), revision, Link::Pipe);
        server.hear(&request(revision, "5", "tools/call", CALL));
        server.events();
        server.hear(&notification("notifications/cancelled", r#"{"requestId":5,"reason":"enough"}"#));
        assert_eq!(server.events(), ["cancelled: enough"]);
        server.hear(&request(revision, "5", "tools/list", ""));
        let first = server.handles["5"];
        assert_eq!(server.events(), ["request 5 tools/list {}"]);
        server.connection.respond(server.now, first, complete("{}"));
        server.connection.progress(first, &raw(r#"{"progress":1}"#));
        assert!(server.said().is_empty(), "{revision}");
    }
}

#[test]
fn a_cancel_of_one_id_does_not_hit_the_other_of_the_same_digits() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut server = Half::server_at(server_config(), revision, Link::Pipe);
        server.hear(&request(revision, "7", "tools/call", CALL));
        server.events();
        server.hear(&notification("notifications/cancelled", r#"{"requestId":"7"}"#));
        assert!(server.events().is_empty(), "{revision}");
    }
}

#[test]
fn a_cancel_that_names_nothing_open_is_ignored() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "7", "tools/call", CALL));
        server.quiet();
        for params in [r#"{"requestId":12345}"#, r#"{"requestId":0}"#] {
            server.hear(&notification("notifications/cancelled", params));
            assert!(server.events().is_empty(), "{revision} {link:?} {params}");
        }
        let is_heard = revision.era() == Era::Legacy || link == Link::Pipe;
        for params in ["{}", r#"{"requestId":{}}"#, r#"{"requestId":null}"#, r#"{"requestId":true}"#, "[]"] {
            server.hear(&notification("notifications/cancelled", params));
            let expected: &[&str] = if is_heard { &["misbehaved: a cancel that names no request"] } else { &[] };
            assert_eq!(server.events(), expected, "{revision} {link:?} {params}");
        }
        server.respond("7", complete("{}"));
        assert!(server.said().iter().any(|line| line.contains(r#""id":7,"result""#)), "{revision} {link:?}");
    }
}

#[test]
fn on_a_stateful_exchange_the_stream_of_a_cancelled_request_ends_without_a_message() {
    let revision = Revision::V2025_11_25;
    let mut server = Half::server_at(server_config(), revision, Link::Exchange);
    let route = server.hear(&request(revision, "7", "tools/call", CALL));
    server.quiet();
    let notice = server.hear(&notification("notifications/cancelled", r#"{"requestId":7}"#));
    assert_eq!(server.events(), ["cancelled: "]);
    assert_eq!(server.said(), [format!("end {}", route.0), format!("end {}", notice.0)]);
}

#[test]
fn on_a_stateless_exchange_a_cancel_has_no_effect() {
    let revision = Revision::V2026_07_28;
    let mut server = Half::server_at(server_config(), revision, Link::Exchange);
    server.hear(&request(revision, "7", "tools/call", CALL));
    server.quiet();
    let notice = server.hear(&notification("notifications/cancelled", &params(revision, r#""requestId":7"#, "")));
    assert!(server.events().is_empty());
    assert_eq!(server.said(), [format!("end {}", notice.0)]);
}

#[test]
fn the_answer_goes_out_on_the_route_that_the_request_came_in_on() {
    use crate::proto::io::Outbound;
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        let first = server.hear(&request(revision, "1", "tools/call", CALL));
        let second = server.hear(&request(revision, "2", "tools/call", CALL));
        server.quiet();
        for (id, expected) in [("2", second), ("1", first)] {
            server.respond(id, complete("{}"));
            match server.connection.poll_transmit() {
                Some(Outbound::Message { route, is_last, .. }) => {
                    assert_eq!((route, is_last), (expected, link == Link::Exchange), "{revision} {link:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_result_that_the_codec_refuses_is_an_internal_error_whose_reason_only_we_hear() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "1", "tools/list", ""));
        server.events();
        server.respond("1", crate::proto::io::Reply::InputRequired(raw(r#"{"requestState":"secret"}"#)));
        let said = server.said();
        assert_eq!(code(&said[0]), -32603, "{revision} {link:?}: {said:?}");
        assert!(!said[0].contains("input_required") && !said[0].contains("secret"), "{said:?}");
        assert!(server.events()[0].starts_with("misbehaved: the result of \"tools/list\" cannot be sent"));
    }
}

#[test]
fn codes_of_handlers_are_mapped_to_those_that_the_era_has() {
    for (revision, given, expected) in [
        (Revision::V2025_11_25, -32002, -32002),
        (Revision::V2026_07_28, -32002, -32602),
        (Revision::V2025_11_25, -32022, -32603),
        (Revision::V2026_07_28, -32042, -32603),
        (Revision::V2025_11_25, -32042, -32042),
        (Revision::V2025_11_25, 7, 7),
        (Revision::V2026_07_28, 7, 7),
        (Revision::V2026_07_28, -32050, -32603),
    ] {
        for link in [Link::Pipe, Link::Exchange] {
            let mut server = Half::server_at(server_config(), revision, link);
            server.hear(&request(revision, "1", "tools/call", CALL));
            server.quiet();
            server.respond("1", failure(given));
            assert_eq!(code(&server.said()[0]), expected, "{revision} {link:?} {given}");
        }
    }
}

#[test]
fn progress_goes_out_only_while_the_request_runs_and_only_where_it_was_asked_for() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        let asked = params(revision, CALL, r#""progressToken":"t""#);
        server.hear(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{asked}}}"#));
        server.hear(&request(revision, "2", "tools/call", CALL));
        server.quiet();
        let handles = server.handles.clone();
        server.connection.progress(handles["1"], &raw(r#"{"progress":0.5}"#));
        server.connection.progress(handles["2"], &raw(r#"{"progress":0.5}"#));
        let params = r#"{"progressToken":"t","progress":0.5}"#;
        assert_eq!(server.said(), [notification("notifications/progress", params)], "{revision} {link:?}");
        server.connection.progress(handles["1"], &raw("{ }"));
        let said = server.said();
        assert_eq!(raw(&said[0]).borrow().member("params").unwrap().as_str(), r#"{"progressToken":"t" }"#);
        server.respond("1", complete("{}"));
        server.connection.progress(handles["1"], &raw(r#"{"progress":1}"#));
        let said = server.said();
        assert_eq!(said.len(), 1, "{revision} {link:?}: {said:?}");
        assert!(said[0].contains("result"));
    }
}

#[test]
fn progress_says_what_is_done_where_the_revision_has_words_for_it() {
    for (revision, link) in Revision::ALL.into_iter().flat_map(|at| [(at, Link::Pipe), (at, Link::Exchange)]) {
        let mut server = Half::server_at(server_config(), revision, link);
        let asked = params(revision, CALL, r#""progressToken":7"#);
        server.hear(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{asked}}}"#));
        server.quiet();
        server.connection.progress(server.handles["1"], &raw(r#"{"progress":1,"message":"half way","total":2}"#));
        let params = match revision {
            Revision::V2024_11_05 => r#"{"progressToken":7,"progress":1,"total":2}"#,
            _ => r#"{"progressToken":7,"progress":1,"message":"half way","total":2}"#,
        };
        assert_eq!(server.said(), [notification("notifications/progress", params)], "{revision} {link:?}");
    }
}

#[test]
fn a_route_ends_with_the_last_answer_that_is_due_on_it() {
    use crate::proto::io::{Inbound, Outbound, Route};
    for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
        let mut server = Half::server_at(server_config(), revision, Link::Exchange);
        for id in ["1", "2"] {
            let text = request(revision, id, "tools/call", CALL);
            let inbound = Inbound { message: text.as_bytes(), route: Route(77), edge: None };
            server.connection.handle_message(server.now, inbound);
        }
        server.quiet();
        for (id, is_the_last) in [("2", false), ("1", true)] {
            server.respond(id, complete("{}"));
            match server.connection.poll_transmit() {
                Some(Outbound::Message { route: Route(77), is_last, .. }) => assert_eq!(is_last, is_the_last, "{id}"),
                other => panic!("{other:?}"),
            }
        }
        let told = notification("custom/news", "{}");
        let inbound = Inbound { message: told.as_bytes(), route: Route::PIPE, edge: None };
        server.connection.handle_message(server.now, inbound);
        assert!(server.said().is_empty(), "the stream that belongs to no request goes on");
    }
}

#[test]
fn a_peer_that_floods_grows_no_table_beyond_its_limit() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.limits.concurrent = 3;
        config.limits.waiting = 4;
        config.limits.subscriptions = 2;
        config.handlers.methods.insert("resources/subscribe".into());
        let mut server = Half::server_at(config, revision, link);
        for number in 0..500 {
            let id = |kind: usize| (10 * number + kind).to_string();
            let single = [
                request(revision, &id(1), "tools/call", CALL),
                request(revision, &id(2), "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#),
                request(revision, &id(3), "resources/subscribe", &format!(r#""uri":"a:{number}""#)),
                request(revision, &id(4), "no/such", ""),
                notification("notifications/cancelled", r#"{"requestId":"none"}"#),
                notification("notifications/progress", &format!(r#"{{"progressToken":{number},"progress":1}}"#)),
                notification("notifications/initialized", "{}"),
                format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{}}}}"#),
                "garbage".to_owned(),
            ];
            for text in &single {
                server.hear(text);
            }
            let others = [5, 6].map(|kind| request(revision, &id(kind), "tools/call", CALL));
            server.hear(&format!("[{},{},1]", others[0], others[1]));
            server.quiet();
        }
        // Each that runs, waits or listens counts once, and each array that has one of them once more.
        let occupancy = server.connection.occupancy();
        assert!((7..=18).contains(&occupancy), "{revision} {link:?}: {occupancy}");
        server.connection.close(server.now);
        assert_eq!(server.connection.occupancy(), 0, "{revision} {link:?}");
    }
}
