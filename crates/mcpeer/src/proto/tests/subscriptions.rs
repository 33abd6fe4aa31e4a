//! `subscriptions/listen`, on both sides.

use std::time::Duration;

use super::pair::{Half, Pair, client_config, code, notification, raw, request, result, server_config};
use crate::{
    proto::io::{Call, Change, Event, Link, Outgoing},
    version::Revision,
};

const AT: Revision = Revision::V2026_07_28;
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

fn listen(id: &str, filter: &str) -> String {
    request(AT, id, "subscriptions/listen", &format!(r#""notifications":{filter}"#))
}

fn tag(id: &str) -> String {
    format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#)
}

#[test]
fn the_acknowledgment_comes_first_and_says_what_is_honoured() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut config = server_config();
        config.capabilities = raw(r#"{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true}}"#);
        let mut server = Half::server(config, link);
        let filter = concat!(
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false,"#,
            r#""resourceSubscriptions":["file:///a"],"odd":1}"#
        );
        let said = server.ask(&listen("\"x\"", filter));
        let honoured = r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}"#;
        let expected = notification(ACKNOWLEDGED, &format!("{{{},{honoured}}}", tag("\"x\"")));
        assert_eq!(said, [expected], "{link:?}");
        assert_eq!(server.connection.revision(), Some(AT));
    }
}

#[test]
fn a_change_is_told_once_to_each_subscription_that_asked_for_it() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server(server_config(), link);
        server.hear(&listen("1", r#"{"toolsListChanged":true}"#));
        server.hear(&listen("\"1\"", r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}"#));
        server.hear(&listen("2", "{}"));
        server.quiet();
        server.connection.publish(&Change::Tools);
        let told = |id: &str| notification("notifications/tools/list_changed", &format!("{{{}}}", tag(id)));
        assert_eq!(server.said(), [told("1"), told("\"1\"")], "{link:?}");
        server.connection.publish(&Change::Prompts);
        server.connection.publish(&Change::Resource { uri: "file:///ab".into() });
        assert!(server.said().is_empty(), "{link:?}");
        server.connection.publish(&Change::Resource { uri: "file:///a/b".into() });
        let params = format!(r#"{{{},"uri":"file:///a/b"}}"#, tag("\"1\""));
        assert_eq!(server.said(), [notification("notifications/resources/updated", &params)], "{link:?}");
    }
}

#[test]
fn a_plain_notification_of_a_change_goes_only_to_subscriptions() {
    let mut server = Half::server_at(server_config(), AT, Link::Pipe);
    let changed = || Outgoing { method: "notifications/tools/list_changed".into(), params: None, related: None };
    server.connection.notify(server.now, changed()).unwrap();
    assert!(server.said().is_empty());
    server.hear(&listen("1", r#"{"toolsListChanged":true}"#));
    server.quiet();
    server.connection.notify(server.now, changed()).unwrap();
    assert_eq!(server.said().len(), 1);
}

#[test]
fn subscriptions_and_what_they_name_are_limited() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut config = server_config();
        config.limits.subscriptions = 1;
        config.limits.resources = 1;
        let mut server = Half::server(config, link);
        let said = server.ask(&listen("1", r#"{"resourceSubscriptions":["a:1","a:2"]}"#));
        assert_eq!(code(&said[0]), -32603, "{said:?}");
        server.hear(&listen("2", "{}"));
        server.quiet();
        let said = server.ask(&listen("3", "{}"));
        assert_eq!(code(&said[0]), -32603, "{said:?}");
    }
}

#[test]
fn a_filter_that_is_none_is_refused() {
    let mut server = Half::server(server_config(), Link::Pipe);
    for members in [
        "",
        r#""notifications":[]"#,
        r#""notifications":{"toolsListChanged":1}"#,
        r#""notifications":{"resourceSubscriptions":"a"}"#,
        r#""notifications":{"resourceSubscriptions":[],"resourceSubscriptions":[]}"#,
    ] {
        let said = server.ask(&request(AT, "1", "subscriptions/listen", members));
        assert_eq!(code(&said[0]), -32602, "{members}: {said:?}");
    }
}

#[test]
fn a_server_with_nothing_to_listen_to_does_not_have_the_method() {
    let mut config = server_config();
    config.capabilities = raw(r#"{"tools":{}}"#);
    let mut server = Half::server(config, Link::Pipe);
    assert_eq!(code(&server.ask(&listen("1", "{}"))[0]), -32601);
}

#[test]
fn subscriptions_take_no_turn_from_requests() {
    let mut config = server_config();
    config.limits.concurrent = 1;
    let mut server = Half::server(config, Link::Pipe);
    server.hear(&listen("1", "{}"));
    server.hear(&listen("2", "{}"));
    server.hear(&request(AT, "3", "custom/own", ""));
    assert_eq!(server.events().last().unwrap(), "request 3 custom/own {}");
}

#[test]
fn a_server_that_ends_a_subscription_sends_its_result_and_on_a_pipe_the_cancel() {
    for link in [Link::Pipe, Link::Exchange] {
        for ends_input in [true, false] {
            let mut server = Half::server(server_config(), link);
            server.hear(&listen("4", r#"{"toolsListChanged":true}"#));
            server.quiet();
            match ends_input {
                true => server.connection.handle_input_end(server.now),
                false => server.connection.close(server.now),
            }
            let said = server.said();
            assert!(said[0].starts_with(r#"{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","#), "{said:?}");
            assert!(said[0].contains(r#""io.modelcontextprotocol/subscriptionId":4"#), "{said:?}");
            match link {
                Link::Pipe => {
                    assert_eq!(said[1..], [notification("notifications/cancelled", r#"{"requestId":4}"#)]);
                }
                Link::Exchange => assert_eq!(said.len(), 1, "{said:?}"),
            }
            let events = server.events();
            assert_eq!(events[0], "unsubscribed");
            assert!(events[1].starts_with("closed"), "{events:?}");
        }
    }
}

#[test]
fn the_application_cannot_answer_a_subscription() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&listen("4", "{}"));
    server.said();
    let subscribed = std::iter::from_fn(|| server.connection.poll_event());
    let handle = subscribed.last().and_then(|event| match event {
        Event::Subscribed { handle, .. } => Some(handle),
        _ => None,
    });
    server.connection.respond(server.now, handle.unwrap(), super::pair::complete("{}"));
    assert!(server.said().is_empty());
    server.connection.end_subscriptions();
    assert_eq!(server.said().len(), 2);
}

#[test]
fn only_a_limit_that_was_asked_for_ends_a_subscription_of_ours() {
    for asked in [false, true] {
        let mut config = client_config();
        config.deadlines.max_total = Some(Duration::from_secs(100));
        let mut client = Half::client_at(config, AT, Link::Pipe);
        let max_total = asked.then(|| Duration::from_secs(100));
        let filter = Some(raw(r#"{"notifications":{}}"#));
        let id = client.call(Call { max_total, ..Call::new("subscriptions/listen", filter) });
        client.hear(&acknowledgment(&id.to_string()));
        client.quiet();
        client.advance(Duration::from_secs(200));
        assert_eq!(client.events().len(), usize::from(asked), "{asked}");
    }
}

#[test]
fn after_the_clients_own_cancel_a_subscription_ends_in_silence() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&listen("4", r#"{"toolsListChanged":true}"#));
    server.quiet();
    server.hear(&notification("notifications/cancelled", r#"{"requestId":4}"#));
    assert_eq!(server.events(), ["unsubscribed"]);
    server.connection.publish(&Change::Tools);
    server.connection.end_subscriptions();
    assert!(server.said().is_empty());
}

fn listening(link: Link) -> (Half, String) {
    let mut client = Half::client_at(client_config(), AT, link);
    let id =
        client.call(Call::new("subscriptions/listen", Some(raw(r#"{"notifications":{"toolsListChanged":true}}"#))));
    client.quiet();
    (client, id.to_string())
}

fn acknowledgment(id: &str) -> String {
    notification(ACKNOWLEDGED, &format!(r#"{{{},"notifications":{{"toolsListChanged":true}}}}"#, tag(id)))
}

#[test]
fn the_deadline_of_a_subscription_covers_only_the_acknowledgment() {
    for link in [Link::Pipe, Link::Exchange] {
        let (mut client, id) = listening(link);
        client.advance(Duration::from_secs(59));
        client.hear(&acknowledgment(&id));
        client.advance(Duration::from_secs(100_000));
        let events = client.events();
        assert!(events.len() == 1 && events[0].ends_with(&format!("on {id}")), "{events:?}");
        let (mut client, id) = listening(link);
        client.advance(Duration::from_secs(60));
        assert_eq!(client.events(), [format!("response {id} failed: no answer came within 60s")]);
    }
}

#[test]
fn progress_does_not_bring_back_the_deadline_of_a_subscription() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client_at(client_config(), AT, link);
        let call = Call::new("subscriptions/listen", Some(raw(r#"{"notifications":{"toolsListChanged":true}}"#)));
        let id = client.call(Call { progress: true, reset_on_progress: true, ..call }).to_string();
        client.hear(&acknowledgment(&id));
        client.hear(&notification("notifications/progress", &format!(r#"{{"progressToken":{id},"progress":1}}"#)));
        assert_eq!(client.connection.poll_timeout(), None, "{link:?}");
    }
}

#[test]
fn a_client_tells_its_subscriptions_apart_by_the_tag() {
    for link in [Link::Pipe, Link::Exchange] {
        let (mut client, id) = listening(link);
        let changed = |id: &str| notification("notifications/tools/list_changed", &format!("{{{}}}", tag(id)));
        client.hear(&changed(&id));
        assert!(client.events()[0].contains("before its subscription was acknowledged"));
        client.hear(&acknowledgment(&id));
        client.quiet();
        client.hear(&changed(&id));
        assert!(client.events()[0].ends_with(&format!("on {id}")));
        for text in
            [changed("99"), changed(&format!("\"{id}\"")), notification("notifications/tools/list_changed", "{}")]
        {
            client.hear(&text);
            assert!(client.events()[0].starts_with("misbehaved"), "{text}");
        }
        client.hear(&result(&id, "{}"));
        client.quiet();
        client.hear(&changed(&id));
        assert!(client.events().is_empty(), "what comes late is dropped");
    }
}

#[test]
fn a_server_may_end_a_subscription_by_cancelling_it_but_nothing_else() {
    let (mut client, id) = listening(Link::Pipe);
    client.hear(&acknowledgment(&id));
    let other = client.call(Call::new("tools/list", None));
    client.quiet();
    client.hear(&notification("notifications/cancelled", &format!(r#"{{"requestId":{other}}}"#)));
    assert!(client.events().is_empty());
    client.hear(&notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#)));
    let expected = format!("response {id} failed: the connection has ended: the server ended the subscription");
    assert_eq!(client.events(), [expected]);
    client.hear(&result(&id, "{}"));
    assert!(client.events().is_empty());
}

#[test]
fn both_sides_agree_on_a_subscription_from_its_start_to_its_end() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut pair = Pair::new(client_config(), server_config(), link);
        pair.run();
        let filter = raw(r#"{"notifications":{"toolsListChanged":true}}"#);
        pair.client.request(pair.now, Call::new("subscriptions/listen", Some(filter))).unwrap();
        pair.run();
        for server in pair.servers.values_mut() {
            server.publish(&Change::Tools);
        }
        pair.run();
        for server in pair.servers.values_mut() {
            server.end_subscriptions();
        }
        pair.run();
        let lines: Vec<_> = pair.client_events.drain(..).map(super::pair::event_line).collect();
        assert_eq!(lines.len(), 4, "{link:?}: {lines:?}");
        assert!(lines[1].starts_with(&format!("notification {ACKNOWLEDGED}")), "{lines:?}");
        assert!(lines[2].starts_with("notification notifications/tools/list_changed"), "{lines:?}");
        assert!(lines[3].starts_with("response 2 {"), "{lines:?}");
        assert!(pair.server_events.iter().any(|(_, event)| matches!(event, Event::Unsubscribed { .. })));
    }
}

fn updated(uri: &str) -> Change {
    Change::Resource { uri: uri.to_owned() }
}

fn uris(said: &[String]) -> Vec<String> {
    let found = said.iter().filter_map(|text| {
        let message: serde_json::Value = serde_json::from_str(text).unwrap();
        Some(message["params"]["uri"].as_str()?.to_owned())
    });
    found.collect()
}

#[test]
fn a_listener_that_does_not_read_is_told_each_change_once_when_it_reads_again() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server(server_config(), link);
        server.hear(&listen("1", r#"{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}"#));
        server.quiet();
        server.connection.hold_changes(true);
        for _ in 0..1000 {
            for change in [Change::Tools, updated("file:///a/1"), updated("file:///a"), updated("file:///a/2")] {
                server.connection.publish(&change);
            }
        }
        assert!(server.said().is_empty(), "{link:?}: nothing is added to what is not read");
        server.connection.hold_changes(false);
        let said = server.said();
        assert_eq!(said.len(), 4, "{link:?}: {said:?}");
        assert_eq!(
            uris(&said),
            ["file:///a/1", "file:///a", "file:///a/2"],
            "{link:?}: in the order of the first of each"
        );
    }
}

#[test]
fn a_listener_for_which_too_much_waits_is_ended_with_its_result_and_a_report_and_the_others_go_on() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut config = server_config();
        config.limits.waiting_changes = 3;
        let mut server = Half::server(config, link);
        server.hear(&listen("1", r#"{"resourceSubscriptions":["file:///a"]}"#));
        server.hear(&listen("2", r#"{"resourceSubscriptions":["file:///a/0"]}"#));
        server.quiet();
        server.connection.hold_changes(true);
        for number in 0..4 {
            server.connection.publish(&updated(&format!("file:///a/{number}")));
        }
        let said = server.said();
        let result: serde_json::Value = serde_json::from_str(&said[0]).unwrap();
        assert_eq!(result["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1, "{link:?}: {said:?}");
        assert_eq!(said.len(), if link == Link::Pipe { 2 } else { 1 }, "{link:?}: {said:?}");
        let events = server.events();
        assert!(events.iter().any(|line| line.contains("does not read")), "{link:?}: {events:?}");
        assert!(events.iter().any(|line| line == "unsubscribed"), "{link:?}: {events:?}");
        server.connection.hold_changes(false);
        assert_eq!(uris(&server.said()), ["file:///a/0"], "{link:?}: the other one hears what it asked for");
    }
}

#[test]
fn much_to_tell_at_once_ends_no_listener_that_reads() {
    let mut config = server_config();
    config.limits.waiting_changes = 3;
    let mut server = Half::server(config, Link::Pipe);
    server.hear(&listen("1", r#"{"resourceSubscriptions":["file:///a"]}"#));
    server.quiet();
    for number in 0..500 {
        server.connection.publish(&updated(&format!("file:///a/{number}")));
    }
    let mut told = uris(&server.said());
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), 500);
}

#[test]
fn a_session_that_does_not_read_is_told_each_change_once_and_of_what_it_follows_where_that_is_too_much() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == crate::version::Era::Legacy) {
        let mut config = server_config();
        config.limits.waiting_changes = 3;
        let mut server = Half::server_at(config, revision, Link::Pipe);
        server.hear(&request(revision, "9", "resources/subscribe", r#""uri":"file:///a""#));
        server.quiet();
        server.connection.hold_changes(true);
        for _ in 0..100 {
            for number in 0..10 {
                server.connection.publish(&updated(&format!("file:///a/{number}")));
            }
        }
        assert!(server.said().is_empty());
        server.connection.hold_changes(false);
        let expected = ["file:///a/0", "file:///a/1", "file:///a/2", "file:///a"];
        assert_eq!(uris(&server.said()), expected, "{revision}: above what waits stands what it follows");
    }
}

#[test]
fn what_a_session_follows_is_told_once_at_its_start_and_once_at_its_end() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    let mut events = |method: &str| {
        server.hear(&request(Revision::V2025_11_25, "9", method, r#""uri":"file:///a""#));
        server.events()
    };
    assert_eq!(events("resources/subscribe"), ["followed file:///a"]);
    assert!(events("resources/subscribe").is_empty());
    assert_eq!(events("resources/unsubscribe"), ["unfollowed file:///a"]);
    assert!(events("resources/unsubscribe").is_empty());
}
