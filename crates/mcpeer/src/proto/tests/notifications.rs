//! §8: notifications in either direction.

use super::pair::{Half, cells, client_config, error, initialize, notification, params, raw, request, server_config};
use crate::{
    proto::{
        Policy, Verdict,
        io::{Call, Change, Handle, Link, Misuse, Outgoing},
    },
    version::{Era, Revision},
};

fn outgoing(method: &'static str) -> Outgoing {
    Outgoing { method: method.into(), params: None, related: None }
}

#[test]
fn notifications_need_no_envelope_and_lose_it_where_they_have_one() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&notification("custom/news", r#"{"a":1}"#));
        assert_eq!(server.events(), [r#"notification custom/news {"a":1}"#], "{revision} {link:?}");
        server.hear(&notification("custom/news", &params(revision, r#""a":1"#, "")));
        assert_eq!(server.events(), [r#"notification custom/news {"a":1}"#], "{revision} {link:?}");
    }
}

#[test]
fn a_notification_is_never_answered() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        for text in [
            notification("custom/news", "[1]"),
            notification("notifications/tools/list_changed", "{}"),
            notification("custom/news", r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}"#),
            r#"{"jsonrpc":"2.0","method":"$/setTrace","params":{}}"#.to_owned(),
        ] {
            let said = server.ask(&text);
            assert!(!said.iter().any(|line| line.starts_with('{')), "{revision} {link:?} {text}: {said:?}");
        }
    }
}

#[test]
fn a_notification_of_another_era_or_direction_is_dropped_and_reported() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        let mut texts = vec![notification("notifications/tools/list_changed", "{}")];
        match revision.era() {
            Era::Legacy => texts.push(notification("custom/news", &params(Revision::V2026_07_28, "", ""))),
            Era::Modern => texts.push(notification("notifications/initialized", "{}")),
        }
        for text in texts {
            server.hear(&text);
            let events = server.events();
            assert!(events.len() == 1 && events[0].starts_with("misbehaved"), "{revision} {link:?} {text}: {events:?}");
        }
    }
}

#[test]
fn a_stray_notification_settles_no_era() {
    for text in [
        notification("notifications/initialized", "{}"),
        notification("notifications/foo", "{}"),
        notification("notifications/cancelled", r#"{"requestId":1}"#),
        notification("notifications/cancelled", &params(Revision::V2026_07_28, r#""requestId":1"#, "")),
        notification("custom/news", &params(Revision::V2026_07_28, "", "")),
    ] {
        for link in [Link::Pipe, Link::Exchange] {
            let mut server = Half::server(server_config(), link);
            let said = server.ask(&text);
            assert!(!said.iter().any(|line| line.starts_with('{')), "{said:?}");
            assert_eq!(server.connection.revision(), None, "{text}");
            assert!(server.ask(&initialize("1", "2025-11-25"))[0].contains("result"), "{text}");
        }
    }
}

#[test]
fn debounced_notifications_go_out_once_for_each_flush() {
    for (revision, link) in cells().into_iter().filter(|cell| cell.0.era() == Era::Legacy) {
        let mut config = server_config();
        config.debounced = vec!["notifications/tools/list_changed".into()];
        let mut server = Half::server_at(config, revision, link);
        for _ in 0..5 {
            server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
        }
        let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        assert_eq!(server.said(), [changed], "{revision} {link:?}");
        server.connection.notify(server.now, outgoing("notifications/prompts/list_changed")).unwrap();
        server.connection.notify(server.now, outgoing("notifications/prompts/list_changed")).unwrap();
        assert_eq!(server.said().len(), 2, "what is not on the list goes out each time");
        for related in [None, Some(Handle(99))] {
            for _ in 0..2 {
                let params = related.is_none().then(|| raw("{}"));
                let told = Outgoing { params, related, ..outgoing("notifications/tools/list_changed") };
                server.connection.notify(server.now, told).unwrap();
            }
            assert_eq!(server.said().len(), 2, "what has params or belongs to a request is no repetition");
        }
        server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
        server.connection.notify(server.now, outgoing("custom/news")).unwrap();
        let said = server.said();
        assert!(said.len() == 2 && said[0].contains("custom/news"), "all else goes first: {said:?}");
        for _ in 0..2 {
            server.connection.notify(server.now, outgoing("custom/news")).unwrap();
        }
        for _ in 0..2 {
            server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
            assert!(server.connection.poll_transmit().is_some());
        }
        assert_eq!(server.said(), [changed], "nothing is flushed while something else is to be sent");
        server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
        server.connection.close(server.now);
        assert!(server.said().is_empty(), "what was not flushed goes with the connection");
    }
}

#[test]
fn what_is_debounced_reaches_each_subscription_once_for_each_flush() {
    for link in [Link::Pipe, Link::Exchange] {
        let revision = Revision::V2026_07_28;
        let mut config = server_config();
        config.debounced = vec!["notifications/tools/list_changed".into()];
        let mut server = Half::server(config, link);
        for id in ["1", "2"] {
            server.hear(&request(revision, id, "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#));
        }
        server.quiet();
        for _ in 0..5 {
            server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
            server.connection.publish(&Change::Tools);
            server.connection.publish(&Change::Prompts);
        }
        assert_eq!(server.said().len(), 2, "{link:?}");
    }
}

#[test]
fn a_stateful_client_hears_of_changes_unasked_and_of_resources_that_it_follows() {
    for link in [Link::Pipe, Link::Exchange] {
        let revision = Revision::V2025_11_25;
        let mut server = Half::server_at(server_config(), revision, link);
        server.connection.publish(&Change::Tools);
        assert_eq!(server.said(), [r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#]);
        let update = Change::Resource { uri: "file:///a/b".into() };
        server.connection.publish(&update);
        assert!(server.said().is_empty());
        let said = server.ask(&request(revision, "1", "resources/subscribe", r#""uri":"file:///a""#));
        assert_eq!(said, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
        server.connection.publish(&update);
        assert_eq!(server.said(), [notification("notifications/resources/updated", r#"{"uri":"file:///a/b"}"#)]);
        server.hear(&request(revision, "2", "resources/unsubscribe", r#""uri":"file:///a""#));
        server.quiet();
        server.connection.publish(&update);
        assert!(server.said().is_empty());
    }
}

#[test]
fn a_change_before_initialized_is_told_once_the_client_is_ready() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&initialize("1", "2025-11-25"));
    server.quiet();
    server.connection.publish(&Change::Tools);
    server.connection.publish(&Change::Tools);
    assert!(server.said().is_empty());
    let said = server.ask(&notification("notifications/initialized", "{}"));
    assert_eq!(said, [r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#]);
}

#[test]
fn resources_are_followed_up_to_a_limit() {
    let mut config = server_config();
    config.limits.resources = 1;
    let revision = Revision::V2025_11_25;
    let mut server = Half::server_at(config, revision, Link::Pipe);
    server.hear(&request(revision, "1", "resources/subscribe", r#""uri":"file:///a""#));
    server.quiet();
    let said = server.ask(&request(revision, "2", "resources/subscribe", r#""uri":"file:///b""#));
    assert_eq!(super::pair::code(&said[0]), -32603);
    let said = server.ask(&request(revision, "3", "resources/subscribe", r#""uri":"file:///a""#));
    assert_eq!(said, [r#"{"jsonrpc":"2.0","id":3,"result":{}}"#], "to follow it again takes no place");
}

#[test]
fn a_resource_with_an_endless_uri_cannot_be_followed() {
    let long = "a".repeat(64 << 10);
    for (uri, expected) in [(long.clone(), 0), (long + "a", -32602)] {
        let legacy = Revision::V2025_11_25;
        let mut server = Half::server_at(server_config(), legacy, Link::Pipe);
        let said = server.ask(&request(legacy, "1", "resources/subscribe", &format!(r#""uri":"{uri}""#)));
        assert_eq!(super::pair::code(&said[0]), expected);
        let mut server = Half::server(server_config(), Link::Pipe);
        let filter = format!(r#""notifications":{{"resourceSubscriptions":["{uri}"]}}"#);
        let said = server.ask(&request(Revision::V2026_07_28, "1", "subscriptions/listen", &filter));
        assert_eq!(super::pair::code(&said[0]), expected);
    }
}

#[test]
fn resources_that_a_handler_may_yet_grant_count_and_those_that_it_refuses_do_not() {
    let mut config = server_config();
    config.limits.resources = 1;
    config.handlers.methods.insert("resources/subscribe".into());
    let revision = Revision::V2025_11_25;
    let mut server = Half::server_at(config, revision, Link::Pipe);
    let subscribe = |id: &str, uri: &str| request(revision, id, "resources/subscribe", &format!(r#""uri":"{uri}""#));
    server.hear(&subscribe("1", "file:///a"));
    server.events();
    assert_eq!(super::pair::code(&server.ask(&subscribe("2", "file:///b"))[0]), -32603);
    server.respond("1", super::pair::failure(-1));
    server.quiet();
    server.connection.publish(&Change::Resource { uri: "file:///a".into() });
    assert!(server.said().is_empty(), "what was refused is not followed");
    server.hear(&subscribe("3", "file:///b"));
    server.events();
    server.respond("3", super::pair::complete("{}"));
    server.quiet();
    server.connection.publish(&Change::Resource { uri: "file:///b".into() });
    assert_eq!(server.said().len(), 1);
}

#[test]
fn log_messages_follow_the_session_level_in_the_stateful_era() {
    for link in [Link::Pipe, Link::Exchange] {
        let revision = Revision::V2025_11_25;
        let mut server = Half::server_at(server_config(), revision, link);
        let text = raw(r#"{"level":"info","data":"x"}"#);
        assert!(server.connection.log(None, "debug", &text));
        assert_eq!(server.said(), [notification("notifications/message", text.as_str())]);
        let said = server.ask(&request(revision, "1", "logging/setLevel", r#""level":"warning""#));
        assert_eq!(said, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
        assert!(!server.connection.log(None, "info", &text));
        assert!(server.connection.log(None, "error", &text));
        assert_eq!(server.said().len(), 1);
        let said = server.ask(&request(revision, "2", "logging/setLevel", r#""level":"loud""#));
        assert_eq!(super::pair::code(&said[0]), -32602);
    }
}

#[test]
fn log_messages_go_only_on_requests_that_ask_for_them_in_the_stateless_era() {
    let revision = Revision::V2026_07_28;
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), revision, link);
        let asked = params(revision, "", r#""io.modelcontextprotocol/logLevel":"warning""#);
        server.hear(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{asked}}}"#));
        server.hear(&request(revision, "2", "tools/list", ""));
        server.quiet();
        let text = raw(r#"{"level":"error","data":"x"}"#);
        let (asking, silent) = (server.handles["1"], server.handles["2"]);
        assert!(!server.connection.log(None, "error", &text));
        assert!(!server.connection.log(Some(silent), "error", &text));
        assert!(!server.connection.log(Some(asking), "info", &text));
        assert!(server.said().is_empty(), "{link:?}");
        assert!(server.connection.log(Some(asking), "error", &text));
        assert_eq!(server.said(), [notification("notifications/message", text.as_str())], "{link:?}");
    }
}

#[test]
fn without_the_capability_nothing_is_logged() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.capabilities = raw(r#"{"tools":{}}"#);
        let mut server = Half::server_at(config, revision, link);
        assert!(!server.connection.log(None, "error", &raw("{}")), "{revision} {link:?}");
        assert!(server.said().is_empty());
    }
}

#[test]
fn a_stateless_client_drops_the_requests_of_the_server_and_reports_them() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client_at(client_config(), Revision::V2026_07_28, link);
        assert!(client.ask(&request(Revision::V2025_11_25, "1", "sampling/createMessage", "")).is_empty());
        assert!(client.ask(&request(Revision::V2025_11_25, "2", "ping", "")).is_empty());
        assert_eq!(client.events().len(), 2, "{link:?}");
    }
}

#[test]
fn handlers_start_in_the_order_in_which_the_peer_sent() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&notification("custom/a", "{}"));
        server.hear(&request(revision, "1", "custom/own", ""));
        server.hear(&notification("custom/b", "{}"));
        let lines = ["notification custom/a {}", "request 1 custom/own {}", "notification custom/b {}"];
        assert_eq!(server.events(), lines, "{revision} {link:?}");
    }
}

#[test]
fn notifications_before_an_era_is_settled_wait_for_it_in_order() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(client_config(), link);
        client.said();
        client.connection.notify(client.now, outgoing("custom/first")).unwrap();
        client.call(Call::new("tools/list", None));
        client.connection.notify(client.now, outgoing("custom/second")).unwrap();
        // Only one of the two eras has it.
        client.connection.notify(client.now, outgoing("notifications/roots/list_changed")).unwrap();
        assert!(client.said().is_empty(), "{link:?}");
        client.hear(r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#);
        let said = client.said();
        assert_eq!(said.len(), 3, "{said:?}");
        for (line, method) in said.iter().zip(["custom/first", "tools/list", "custom/second"]) {
            assert!(line.contains(method) && line.contains("io.modelcontextprotocol/protocolVersion"), "{said:?}");
        }
        let events = client.events();
        assert_eq!(events[0], "connected 2026-07-28");
        assert!(events[1].starts_with("misbehaved: \"notifications/roots/list_changed\" was not sent: revision"));
        assert_eq!(client.connection.occupancy(), 2, "the request and its deadline");
    }
}

#[test]
fn what_a_server_tells_before_an_era_is_settled_waits_for_it() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.connection.notify(server.now, outgoing("custom/news")).unwrap();
    server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
    assert!(server.said().is_empty());
    let said = server.ask(&initialize("1", "2025-11-25"));
    assert!(said[0].contains(r#""id":1,"result""#), "{said:?}");
    assert!(said[1].contains("custom/news") && said[2].contains("tools/list_changed"), "{said:?}");

    let mut server = Half::server(server_config(), Link::Pipe);
    server.connection.notify(server.now, outgoing("custom/news")).unwrap();
    server.connection.notify(server.now, outgoing("notifications/tools/list_changed")).unwrap();
    server.hear(&request(Revision::V2026_07_28, "1", "tools/list", ""));
    assert_eq!(server.said(), [r#"{"jsonrpc":"2.0","method":"custom/news"}"#], "no subscription asks for the other");
}

#[test]
fn no_more_notifications_than_the_limit_wait_and_none_is_left_at_the_end() {
    let mut config = client_config();
    config.limits.pending = 2;
    let mut client = Half::client(config, Link::Pipe);
    client.said();
    for _ in 0..2 {
        client.connection.notify(client.now, outgoing("custom/news")).unwrap();
    }
    let refused = client.connection.notify(client.now, outgoing("custom/news"));
    assert!(matches!(refused, Err(Misuse::Limit { .. })), "{refused:?}");
    let refused = client.connection.notify(client.now, outgoing("notifications/tools/list_changed"));
    assert!(matches!(refused, Err(Misuse::NotInRevision { .. })), "no revision of a client sends it: {refused:?}");
    client.connection.close(client.now);
    assert!(client.connection.core.kept.is_empty());
    assert!(client.said().is_empty());
}

#[test]
fn params_that_are_no_object_are_reported_and_not_handed_on() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&notification("custom/news", "[1]"));
        assert_eq!(server.events(), ["misbehaved: the params of \"custom/news\" are no object"], "{revision} {link:?}");
        server.hear(&notification("custom/news", "null"));
        assert_eq!(server.events(), ["notification custom/news"], "{revision} {link:?}");
    }
}

#[test]
fn without_sessions_log_messages_go_out_with_the_request_they_belong_to() {
    let mut config = server_config();
    config.sessionless = true;
    let mut server = Half::server(config, Link::Exchange);
    server.hear_under(&request(Revision::V2025_06_18, "1", "tools/list", ""), Some("2025-06-18"));
    server.events();
    let handle = server.handles["1"];
    assert!(server.connection.log(Some(handle), "debug", &raw(r#"{"level":"debug","data":1}"#)));
    assert_eq!(server.said(), [notification("notifications/message", r#"{"level":"debug","data":1}"#)]);
}

#[test]
fn while_a_wrong_verdict_is_looked_into_notifications_wait() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    let mut config = client_config();
    config.policy = Policy::Remembered(verdict);
    let mut client = Half::client(config, Link::Pipe);
    client.call(Call::new("tools/list", None));
    client.call(Call::new("tools/list", None));
    client.quiet();
    client.hear(&error("1", -32600, ""));
    client.quiet();
    client.connection.notify(client.now, outgoing("custom/news")).unwrap();
    client.hear(&error("2", -32600, ""));
    assert!(client.said().is_empty(), "the other request waits too, and nothing goes out before");
    client.hear(&super::pair::result("4", r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#));
    let said = client.said();
    assert_eq!(said.len(), 3, "{said:?}");
}
