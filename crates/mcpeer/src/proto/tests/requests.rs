//! §6: what goes out, deadlines, and giving up.

use std::time::Duration;

use super::pair::{Half, cells, client_config, notification, raw, result, server_config};
use crate::{
    proto::io::{Call, Link, Misuse, Outgoing},
    rpc::RequestId,
    version::{Era, Revision},
};

const ENVELOPE: &str = concat!(
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}"#
);

fn call(method: &'static str, params: &str) -> Call {
    Call::new(method, Some(raw(params)))
}

#[test]
fn our_ids_count_up_and_never_repeat() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let ids: Vec<_> = (0..3).map(|_| client.call(Call::new("tools/list", None))).collect();
        assert_eq!(ids, [2, 3, 4].map(RequestId::Integer), "{revision} {link:?}");
    }
}

#[test]
fn a_request_carries_the_envelope_in_the_stateless_era_and_nothing_in_the_stateful_one() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        client.call(call("tools/call", r#"{"name":"a"}"#));
        let said = client.said();
        match revision.era() {
            Era::Legacy => {
                assert_eq!(said, [r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#]);
            }
            Era::Modern => {
                assert!(said[0].contains(ENVELOPE), "{said:?}");
                assert!(said[0].contains(r#""name":"a""#), "{said:?}");
            }
        }
    }
}

#[test]
fn the_progress_token_is_the_id() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call { progress: true, ..call("tools/call", r#"{"name":"a"}"#) });
        assert!(client.said()[0].contains(&format!(r#""progressToken":{id}"#)), "{revision} {link:?}");
        client.call(call("tools/call", r#"{"name":"a"}"#));
        assert!(!client.said()[0].contains("progressToken"), "{revision} {link:?}");
    }
}

#[test]
fn what_cannot_be_sent_fails_here_and_nothing_is_written() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let other = if revision.era() == Era::Legacy { "subscriptions/listen" } else { "ping" };
        let refused = client.connection.request(client.now, Call::new(other, None));
        assert_eq!(refused, Err(Misuse::NotInRevision { method: other.into(), revision }));
        for params in ["[1]", r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}"#] {
            let refused = client.connection.request(client.now, call("tools/list", params));
            assert!(matches!(refused, Err(Misuse::Params { .. })), "{revision} {link:?} {params}: {refused:?}");
        }
        assert!(client.said().is_empty() && client.events().is_empty());
        assert_eq!(client.connection.poll_timeout(), None);
    }
}

#[test]
fn elicitation_never_leaves_at_a_revision_that_has_none() {
    let mut server = Half::server_at(server_config(), Revision::V2025_03_26, Link::Pipe);
    let refused = server.connection.request(server.now, call("elicitation/create", r#"{"message":"?"}"#));
    assert!(matches!(refused, Err(Misuse::NotInRevision { .. })), "{refused:?}");
    assert!(server.said().is_empty());
}

#[test]
fn a_server_of_the_stateless_era_sends_no_requests() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), Revision::V2026_07_28, link);
        let refused = server.connection.request(server.now, Call::new("roots/list", None));
        assert_eq!(refused, Err(Misuse::Direction { method: "roots/list".into() }));
        assert!(server.said().is_empty());
    }
}

#[test]
fn a_strict_peer_asks_only_for_what_the_other_declares() {
    for (revision, link) in cells() {
        let mut config = client_config();
        config.strict_capabilities = true;
        let mut client = Half::client_at(config, revision, link);
        let refused = client.connection.request(client.now, Call::new("tools/list", None));
        let expected = Misuse::NoCapability { method: "tools/list".into(), capability: "tools".into(), is_ours: false };
        assert_eq!(refused, Err(expected), "{revision} {link:?}");
    }
}

#[test]
fn no_more_requests_than_the_limit_are_open() {
    for (revision, link) in cells() {
        let mut config = client_config();
        config.limits.pending = 2;
        let mut client = Half::client_at(config, revision, link);
        client.call(Call::new("tools/list", None));
        client.call(Call::new("tools/list", None));
        let refused = client.connection.request(client.now, Call::new("tools/list", None));
        assert!(matches!(refused, Err(Misuse::Limit { .. })), "{revision} {link:?}");
        client.hear(&result("2", "{}"));
        client.call(Call::new("tools/list", None));
    }
}

/// What is written when a request is given up: per era and link.
fn withdrawn(revision: Revision, link: Link, id: &RequestId, reason: &str) -> Vec<String> {
    let members = format!(r#""requestId":{id},"reason":"{reason}""#);
    let abandon = format!("abandon {id}");
    match (revision.era(), link) {
        (Era::Legacy, Link::Pipe) => vec![notification("notifications/cancelled", &format!("{{{members}}}"))],
        (Era::Legacy, Link::Exchange) => {
            vec![notification("notifications/cancelled", &format!("{{{members}}}")), abandon]
        }
        (Era::Modern, Link::Pipe) => {
            let params = format!(r#"{{"_meta":{{{ENVELOPE}}},{members}}}"#);
            vec![notification("notifications/cancelled", &params)]
        }
        (Era::Modern, Link::Exchange) => vec![abandon],
    }
}

#[test]
fn a_deadline_that_passes_cancels_on_the_wire_and_settles_the_request() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None));
        client.quiet();
        client.advance(Duration::from_secs(59));
        assert!(client.said().is_empty());
        client.advance(Duration::from_secs(1));
        assert_eq!(
            client.events(),
            [format!("response {id} failed: no answer came within 60s")],
            "{revision} {link:?}"
        );
        assert_eq!(client.said(), withdrawn(revision, link, &id, "no answer within 60s"), "{revision} {link:?}");
        client.hear(&result(&id.to_string(), "{}"));
        assert!(client.events().is_empty(), "late answers are dropped");
        assert_eq!(client.connection.poll_timeout(), None);
    }
}

#[test]
fn a_caller_who_gives_up_cancels_on_the_wire_and_settles_the_request() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None));
        client.quiet();
        client.connection.cancel(client.now, &id, "enough");
        client.connection.cancel(client.now, &id, "enough");
        assert_eq!(client.events(), [format!("response {id} failed: cancelled: enough")], "{revision} {link:?}");
        assert_eq!(client.said(), withdrawn(revision, link, &id, "enough"), "{revision} {link:?}");
        assert_eq!(client.connection.poll_timeout(), None);
    }
}

#[test]
fn what_a_person_answers_may_take_ten_minutes() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.call(call("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#));
    server.advance(Duration::from_secs(599));
    assert!(server.events().is_empty());
    server.advance(Duration::from_secs(1));
    assert_eq!(server.events(), ["response 1 failed: no answer came within 600s"]);
}

fn progress(token: &str, progress: &str) -> String {
    notification("notifications/progress", &format!(r#"{{"progressToken":{token},"progress":{progress}}}"#))
}

#[test]
fn progress_restarts_the_deadline_only_where_that_was_asked_for() {
    for (revision, link) in cells() {
        for resets in [true, false] {
            let mut client = Half::client_at(client_config(), revision, link);
            let timeout = Some(Duration::from_secs(10));
            let id = client
                .call(Call { progress: true, reset_on_progress: resets, timeout, ..Call::new("tools/list", None) })
                .to_string();
            client.quiet();
            client.advance(Duration::from_secs(9));
            client.hear(&progress(&id, "1"));
            client.advance(Duration::from_secs(9));
            let expected = if resets { 1 } else { 2 };
            assert_eq!(client.events().len(), expected, "{revision} {link:?} {resets}");
            client.advance(Duration::from_secs(1));
            let events = client.events();
            assert_eq!(events.is_empty(), !resets, "{revision} {link:?} {resets}: {events:?}");
        }
    }
}

#[test]
fn a_timeout_without_end_has_no_timer_and_progress_gives_it_none() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let timeout = Some(Duration::MAX);
        let call = Call { timeout, progress: true, reset_on_progress: true, ..Call::new("tools/list", None) };
        let id = client.call(Call { max_total: timeout, ..call }).to_string();
        client.hear(&progress(&id, "1"));
        assert_eq!(client.connection.poll_timeout(), None, "{revision} {link:?}");
    }
}

#[test]
fn the_limit_on_the_whole_flow_has_a_timer_of_its_own() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client
            .call(Call {
                progress: true,
                reset_on_progress: true,
                timeout: Some(Duration::from_secs(10)),
                max_total: Some(Duration::from_secs(25)),
                ..Call::new("tools/list", None)
            })
            .to_string();
        client.quiet();
        for step in 1..=4 {
            client.advance(Duration::from_secs(6));
            client.hear(&progress(&id, &step.to_string()));
        }
        assert_eq!(client.events().len(), 4);
        client.advance(Duration::from_secs(1));
        let expected = format!("response {id} failed: the whole of it took longer than 25s");
        assert_eq!(client.events(), [expected], "{revision} {link:?}");
        assert_eq!(client.connection.poll_timeout(), None);
    }
}

#[test]
fn the_timers_of_a_request_go_with_it() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let max_total = Some(Duration::from_secs(25));
        let id = client.call(Call { max_total, ..Call::new("tools/list", None) });
        assert!(client.connection.poll_timeout().is_some());
        client.hear(&result(&id.to_string(), "{}"));
        assert_eq!(client.connection.poll_timeout(), None, "{revision} {link:?}");
    }
}

#[test]
fn progress_comes_in_order_and_never_after_the_answer() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call { progress: true, ..Call::new("tools/list", None) }).to_string();
        client.quiet();
        client.hear(&progress(&id, "0.25"));
        client.hear(&progress(&id, "1.0"));
        client.hear(&result(&id, "{}"));
        client.hear(&progress(&id, "2"));
        let lines = [
            format!(r#"progress {id} {{"progressToken":{id},"progress":0.25}}"#),
            format!(r#"progress {id} {{"progressToken":{id},"progress":1.0}}"#),
            format!("response {id} {{}}"),
        ];
        assert_eq!(client.events(), lines, "{revision} {link:?}");
    }
}

#[test]
fn progress_that_is_no_number_changes_nothing_and_is_reported() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let call = Call { progress: true, reset_on_progress: true, ..Call::new("tools/list", None) };
        let id = client.call(call).to_string();
        client.quiet();
        client.advance(Duration::from_secs(59));
        for given in ["\"50%\"", "null", "{}", "true"] {
            client.hear(&progress(&id, given));
            let events = client.events();
            assert_eq!(events, ["misbehaved: progress that is no number"], "{revision} {link:?} {given}");
        }
        client.advance(Duration::from_secs(1));
        assert_eq!(client.events(), [format!("response {id} failed: no answer came within 60s")]);
    }
}

#[test]
fn progress_under_the_token_of_a_request_that_was_not_sent_is_reported() {
    let mut config = client_config();
    config.policy = crate::proto::Policy::LegacyOnly;
    let mut client = Half::client(config, Link::Pipe);
    let call = Call { progress: true, ..Call::new("tools/list", None) };
    let id = client.call(call).to_string();
    client.hear(&progress(&id, "1"));
    let events = client.events();
    assert!(events.len() == 1 && events[0].starts_with("misbehaved"), "{events:?}");
}

#[test]
fn progress_that_nobody_asked_for_is_reported() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None)).to_string();
        client.quiet();
        for (token, given) in [(&*id, "1"), ("99", "1"), ("\"x\"", "1"), ("1.5", "1"), ("{}", "1"), (&*id, "\"50%\"")] {
            client.hear(&progress(token, given));
            let events = client.events();
            assert!(
                events.len() == 1 && events[0].starts_with("misbehaved"),
                "{revision} {link:?} {token}: {events:?}"
            );
        }
    }
}

#[test]
fn verbs_before_the_negotiation_wait_within_their_deadline() {
    let mut client = Half::client(client_config(), Link::Pipe);
    let slow = client.call(Call::new("tools/list", None));
    let fast = client.call(Call { timeout: Some(Duration::from_secs(1)), ..Call::new("tools/list", None) });
    assert_eq!(client.said().len(), 1, "only the probe goes out");
    client.advance(Duration::from_secs(1));
    assert_eq!(client.events(), [format!("response {fast} failed: no answer came within 1s")]);
    assert!(client.said().is_empty(), "nothing is withdrawn that was never sent");
    client.hear(&result("1", r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#));
    let said = client.said();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains(&format!(r#""id":{slow},"method":"tools/list""#)), "{said:?}");
}

#[test]
fn a_verb_that_waited_in_vain_fails_once_the_revision_is_known() {
    let mut client = Half::client(client_config(), Link::Pipe);
    let id = client.call(Call::new("ping", None));
    client.hear(&result("1", r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#));
    assert!(client.events()[1].starts_with(&format!("response {id} failed: revision 2026-07-28 does not have `ping`")));
}

#[test]
fn a_verb_that_is_given_up_while_it_waits_writes_nothing() {
    let mut client = Half::client(client_config(), Link::Pipe);
    let id = client.call(Call::new("tools/list", None));
    client.said();
    client.connection.cancel(client.now, &id, "enough");
    assert_eq!(client.events(), [format!("response {id} failed: cancelled: enough")]);
    assert!(client.said().is_empty());
}

#[test]
fn notifications_are_checked_before_they_go() {
    for (revision, link) in cells() {
        let mut config = client_config();
        config.capabilities = raw(r#"{"roots":{}}"#);
        let mut client = Half::client_at(config, revision, link);
        let outgoing = |method: &'static str| Outgoing { method: method.into(), params: None, related: None };
        let refused = client.connection.notify(client.now, outgoing("notifications/roots/list_changed"));
        match revision.era() {
            Era::Legacy => {
                let told = refused.unwrap_err().to_string();
                assert!(
                    told.ends_with("needs the capability `roots.listChanged`; declare it before connecting"),
                    "{told}"
                );
            }
            Era::Modern => assert!(matches!(refused, Err(Misuse::NotInRevision { .. })), "{refused:?}"),
        }
        assert!(client.said().is_empty());
        client.connection.notify(client.now, outgoing("custom/news")).unwrap();
        assert_eq!(client.said().len(), 1);
    }
}

#[test]
fn the_requests_of_a_stateful_server_wait_for_initialized_but_ping_does_not() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server(server_config(), link);
        server.call(Call::new("roots/list", None));
        server.call(Call::new("ping", None));
        assert!(server.said().is_empty());
        let said = server.ask(&super::pair::initialize("0", "2025-11-25"));
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains(r#""id":0,"result""#));
        assert_eq!(said[1], r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        let said = server.ask(&notification("notifications/initialized", "{}"));
        assert_eq!(said[0], r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    }
}

#[test]
fn what_a_server_wanted_to_ask_fails_once_the_stateless_era_is_settled() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.call(Call::new("roots/list", None));
    server.hear(&super::pair::request(Revision::V2026_07_28, "1", "tools/list", ""));
    assert!(server.events()[1].starts_with("response 1 failed: `roots/list` cannot be sent in this direction"));
}

#[test]
fn the_log_level_goes_along_in_the_stateless_era() {
    let mut client = Half::client_at(client_config(), Revision::V2026_07_28, Link::Pipe);
    client.call(Call { log_level: Some("info".into()), ..Call::new("tools/list", None) });
    assert!(client.said()[0].contains(r#""io.modelcontextprotocol/logLevel":"info""#));
}
