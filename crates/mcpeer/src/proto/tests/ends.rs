//! §7: how a connection ends. Nothing waits for ever, and nothing is settled twice.

use std::time::Duration;

use super::pair::{Half, cells, client_config, complete, raw, request, result, server_config};
use crate::{
    proto::io::{Call, Change, Link, Misuse, Outgoing, Route, SendFailure},
    version::Revision,
};

#[test]
fn the_end_of_the_input_settles_what_waits_and_lets_what_runs_finish() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "1", "tools/call", r#""name":"a""#));
        server.events();
        if revision == Revision::V2025_11_25 {
            server.call(Call::new("roots/list", None));
        }
        server.quiet();
        server.connection.handle_input_end(server.now);
        server.connection.handle_input_end(server.now);
        let expected = usize::from(revision == Revision::V2025_11_25);
        assert_eq!(server.events().len(), expected, "{revision} {link:?}");
        assert!(!server.connection.is_closed());
        server.respond("1", complete("{}"));
        assert!(server.said()[0].contains(r#""id":1,"result""#), "{revision} {link:?}");
        assert_eq!(server.events(), ["closed: the peer closed the connection"], "{revision} {link:?}");
        assert_eq!(server.connection.poll_timeout(), None);
    }
}

#[test]
fn requests_that_waited_for_their_turn_are_still_served_while_draining() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.limits.concurrent = 1;
        let mut server = Half::server_at(config, revision, link);
        server.hear(&request(revision, "1", "custom/own", ""));
        server.hear(&request(revision, "2", "custom/own", ""));
        server.connection.handle_input_end(server.now);
        server.quiet();
        let handle = server.handles["1"];
        server.connection.respond(server.now, handle, complete("{}"));
        assert_eq!(server.events(), ["request 2 custom/own {}"], "{revision} {link:?}");
        server.respond("2", complete("{}"));
        assert_eq!(server.events(), ["closed: the peer closed the connection"], "{revision} {link:?}");
    }
}

#[test]
fn what_does_not_finish_in_time_is_cancelled() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "1", "tools/call", r#""name":"a""#));
        server.quiet();
        server.connection.handle_input_end(server.now);
        server.advance(Duration::from_secs(4));
        assert!(server.events().is_empty());
        server.advance(Duration::from_secs(1));
        let events = server.events();
        assert!(events[0].starts_with("cancelled"), "{revision} {link:?}: {events:?}");
        assert_eq!(events[1], "closed: the peer closed the connection");
        server.quiet();
        server.respond("1", complete("{}"));
        assert!(server.said().is_empty() && server.events().is_empty());
    }
}

#[test]
fn an_idle_connection_closes_as_soon_as_the_input_ends() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.connection.handle_input_end(server.now);
        assert_eq!(server.events(), ["closed: the peer closed the connection"], "{revision} {link:?}");
        let mut client = Half::client_at(client_config(), revision, link);
        client.connection.handle_input_end(client.now);
        assert_eq!(client.events(), ["closed: the peer closed the connection"], "{revision} {link:?}");
    }
}

#[test]
fn a_peer_that_leaves_before_it_began_is_no_failure() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.connection.handle_input_end(server.now);
    assert_eq!(server.events(), ["closed: the peer closed the connection"]);
}

#[test]
fn closing_settles_everything_exactly_once() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let first = client.call(Call::new("tools/list", None));
        let second = client.call(Call::new("prompts/list", None));
        client.quiet();
        client.connection.close(client.now);
        client.connection.close(client.now);
        client.connection.handle_transport_error(client.now, "gone");
        client.connection.handle_input_end(client.now);
        client.hear(&result(&first.to_string(), "{}"));
        client.advance(Duration::from_secs(100));
        let reason = "failed: the connection has ended: this side closed the connection";
        let lines = [
            format!("response {first} {reason}"),
            format!("response {second} {reason}"),
            "closed: this side closed the connection".to_owned(),
        ];
        assert_eq!(client.events(), lines, "{revision} {link:?}");
        let abandoned: Vec<_> = [first, second].iter().map(|id| format!("abandon {id}")).collect();
        assert_eq!(client.said(), if link == Link::Exchange { abandoned } else { Vec::new() });
        assert_eq!(client.connection.request(client.now, Call::new("tools/list", None)), Err(Misuse::Closed));
        let news = Outgoing { method: "custom/news".into(), params: None, related: None };
        assert_eq!(client.connection.notify(client.now, news), Err(Misuse::Closed));
    }
}

#[test]
fn a_transport_that_breaks_ends_everything() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "1", "tools/call", r#""name":"a""#));
        server.quiet();
        server.hear(&request(revision, "2", "no/such", ""));
        server.connection.handle_transport_error(server.now, "broken pipe");
        let events = server.events();
        assert_eq!(events, ["cancelled: broken pipe", "closed: broken pipe"], "{revision} {link:?}");
        server.respond("1", complete("{}"));
        server.connection.progress(server.handles["1"], &raw(r#"{"progress":1}"#));
        assert!(!server.said().iter().any(|line| line.starts_with('{')), "{revision} {link:?}");
    }
}

#[test]
fn nothing_that_arrives_after_the_end_has_an_effect() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.debounced = vec!["notifications/tools/list_changed".into()];
        let mut server = Half::server_at(config, revision, link);
        server.connection.close(server.now);
        server.quiet();
        server.hear(&request(revision, "1", "tools/call", r#""name":"a""#));
        server.hear("oops");
        server.connection.handle_skipped(server.now, Route::PIPE, "too long", "aaaa");
        server.connection.handle_input_end(server.now);
        server.connection.handle_transport_error(server.now, "broken pipe");
        server.connection.publish(&Change::Tools);
        server.connection.close(server.now);
        assert!(!server.connection.log(None, "error", &raw("{}")));
        assert!(server.said().is_empty() && server.events().is_empty(), "{revision} {link:?}");
        assert_eq!(server.connection.poll_timeout(), None, "{revision} {link:?}");
    }
}

#[test]
fn a_client_that_is_closed_while_it_probes_abandons_the_probe_once_and_does_nothing_more() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(client_config(), link);
        client.said();
        client.connection.close(client.now);
        client.connection.close(client.now);
        let failure = SendFailure { status: Some(404), reason: "not found".to_owned() };
        client.connection.handle_send_failed(client.now, 1.into(), failure);
        let expected: Vec<_> = (link == Link::Exchange).then(|| "abandon 1".to_owned()).into_iter().collect();
        assert_eq!(client.said(), expected, "{link:?}");
        assert_eq!(client.events(), ["closed: this side closed the connection"], "{link:?}");
    }
}

#[test]
fn nothing_is_begun_once_the_input_has_ended() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        server.hear(&request(revision, "1", "tools/call", r#""name":"a""#));
        server.quiet();
        server.connection.handle_input_end(server.now);
        server.hear(&request(revision, "2", "tools/call", r#""name":"a""#));
        server.connection.handle_skipped(server.now, Route::PIPE, "too long", "aaaa");
        assert!(server.said().is_empty() && server.events().is_empty(), "{revision} {link:?}");
        let asked = server.connection.request(server.now, Call::new("ping", None));
        assert_eq!(asked, Err(Misuse::Closed), "{revision} {link:?}");
        server.respond("1", complete("{}"));
        assert_eq!(server.said().len(), 1, "{revision} {link:?}");
    }
}

#[test]
fn verbs_that_wait_for_the_negotiation_are_settled_when_it_fails() {
    let mut config = client_config();
    config.policy = crate::proto::Policy::ModernOnly;
    let mut client = Half::client(config, Link::Pipe);
    let id = client.call(Call::new("tools/list", None));
    client.quiet();
    client.hear(&super::pair::error("1", -32601, ""));
    let events = client.events();
    assert!(events[0].starts_with(&format!("response {id} failed: the connection has ended")), "{events:?}");
    assert_eq!(events[1], "closed: no revision could be agreed on: `server/discover` failed: no (-32601)");
    assert_eq!(client.connection.poll_timeout(), None);
}
