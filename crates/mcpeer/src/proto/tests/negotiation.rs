//! §9, the client: which era the server speaks.

use std::time::Duration;

use super::pair::{Half, Pair, cells, client_config, complete, error, event_line, raw, request, result, server_config};
use crate::{
    proto::{
        Config, Policy, Verdict,
        io::{Call, Event, Link, Reply, SendFailure},
    },
    version::{Era, Revision},
};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#;
const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;

fn unsupported(id: &str, supported: &str) -> String {
    error(id, -32022, &format!(r#"{{"supported":{supported},"requested":"2026-07-28"}}"#))
}

fn with(policy: Policy) -> Config {
    let mut config = client_config();
    config.policy = policy;
    config
}

fn is_probe(said: &[String]) -> bool {
    said.len() == 1 && said[0].contains("\"method\":\"server/discover\"")
}

fn is_initialize(said: &[String]) -> bool {
    said.len() == 1 && said[0].contains("\"method\":\"initialize\"")
}

#[test]
fn two_sides_meet_at_the_newest_revision_that_both_speak() {
    for (revision, link) in cells() {
        let mut config = server_config();
        config.revisions.retain(|known| *known <= revision);
        let mut pair = Pair::new(client_config(), config, link);
        pair.run();
        assert_eq!(pair.client.revision(), Some(revision), "{revision} {link:?}");
        pair.client.request(pair.now, Call::new("tools/list", None)).unwrap();
        pair.run();
        let asked = pair.server_events.drain(..).find_map(|(route, event)| match event {
            Event::Request(request) => Some((route, request.handle)),
            _ => None,
        });
        let (route, handle) = asked.unwrap();
        pair.respond(route, handle, complete(r#"{"tools":[]}"#));
        pair.run();
        let last = pair.client_events.pop().map(event_line).unwrap();
        assert!(last.starts_with("response ") && last.contains(r#""tools":[]"#), "{revision} {link:?}: {last}");
        let probed = pair.crossed()[0].contains("server/discover");
        assert!(probed, "auto asks first");
    }
}

#[test]
fn every_policy_meets_every_server_that_it_can() {
    let policies = [
        (Policy::Auto, true, true),
        (Policy::LegacyOnly, true, false),
        (Policy::ModernOnly, false, true),
        (Policy::Remembered(Verdict::Legacy), true, true),
        (Policy::Remembered(Verdict::Modern { revision: Revision::V2026_07_28, discovered: None }), true, true),
    ];
    for link in [Link::Pipe, Link::Exchange] {
        for (policy, meets_legacy, meets_modern) in policies.clone() {
            for (era, meets) in [(Era::Legacy, meets_legacy), (Era::Modern, meets_modern)] {
                let mut config = server_config();
                config.revisions.retain(|revision| revision.era() == era);
                let mut pair = Pair::new(with(policy.clone()), config, link);
                let id = pair.client.request(pair.now, Call::new("tools/list", None)).unwrap();
                pair.run();
                let cell = format!("{policy:?} {era:?} {link:?}");
                let asked = pair.server_events.drain(..).find_map(|(route, event)| match event {
                    Event::Request(request) => Some((route, request.handle)),
                    _ => None,
                });
                assert_eq!(asked.is_some(), meets, "{cell}: {:?}", pair.wire);
                assert_eq!(pair.client.is_closed(), !meets, "{cell}");
                if let Some((route, handle)) = asked {
                    assert_eq!(pair.client.revision().map(Revision::era), Some(era), "{cell}");
                    pair.respond(route, handle, complete(r#"{"tools":[]}"#));
                    pair.run();
                }
                let settled: Vec<_> = pair.client_events.drain(..).map(event_line).collect();
                let settled: Vec<_> =
                    settled.iter().filter(|line| line.starts_with(&format!("response {id} "))).collect();
                assert_eq!(settled.len(), 1, "{cell}: {settled:?}");
                assert_eq!(settled[0].contains(r#""tools":[]"#), meets, "{cell}: {settled:?}");
            }
        }
    }
}

#[test]
fn a_good_answer_to_the_probe_means_the_stateless_era() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(client_config(), link);
        assert!(is_probe(&client.said()));
        client.hear(&result("1", DISCOVERED));
        assert_eq!(client.events(), ["connected 2026-07-28"]);
        assert!(client.said().is_empty());
        assert_eq!(client.connection.poll_timeout(), None);
    }
}

#[test]
fn any_other_answer_to_the_probe_means_the_stateful_era() {
    for link in [Link::Pipe, Link::Exchange] {
        for answer in [
            error("1", -32601, ""),
            error("1", -32602, ""),
            error("1", -32600, ""),
            error("1", -32000, ""),
            unsupported("1", r#"["2025-11-25","2024-11-05"]"#),
            result("1", "{}"),
            result("1", r#"{"supportedVersions":"2026-07-28"}"#),
            result("1", r#"{"supportedVersions":["2027-01-01"],"capabilities":{}}"#),
            result("1", r#"{"resultType":"odd","supportedVersions":["2026-07-28"]}"#),
            r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#.to_owned(),
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#.to_owned(),
        ] {
            let mut client = Half::client(client_config(), link);
            client.said();
            let said = client.ask(&answer);
            assert!(is_initialize(&said), "{link:?} {answer}: {said:?}");
            let said = client.ask(&result("2", INITIALIZED));
            assert_eq!(said, [r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#]);
            assert_eq!(client.events().last().unwrap(), "connected 2025-11-25", "{link:?} {answer}");
        }
    }
}

#[test]
fn an_error_of_a_stateless_server_never_falls_back() {
    for link in [Link::Pipe, Link::Exchange] {
        for answer in [
            error("1", -32020, ""),
            error("1", -32022, ""),
            error("1", -32022, r#"{"supported":"x"}"#),
            error("1", -32021, r#"{"requiredCapabilities":{}}"#),
            unsupported("1", r#"["2027-01-01"]"#),
            unsupported("1", r#"["2027-01-01","2025-11-25"]"#),
            unsupported("1", "[]"),
        ] {
            let mut client = Half::client(client_config(), link);
            client.said();
            assert!(client.ask(&answer).is_empty(), "{link:?} {answer}");
            assert!(client.events()[0].starts_with("closed: no revision could be agreed on"), "{link:?} {answer}");
        }
    }
}

#[test]
fn a_list_with_a_revision_of_ours_is_followed_by_one_more_probe() {
    for link in [Link::Pipe, Link::Exchange] {
        let list = r#"["2027-01-01","2026-07-28"]"#;
        let mut client = Half::client(client_config(), link);
        client.said();
        assert!(is_probe(&client.ask(&unsupported("1", list))));
        client.hear(&result("2", DISCOVERED));
        assert_eq!(client.events(), ["connected 2026-07-28"]);
        let mut client = Half::client(client_config(), link);
        client.said();
        client.hear(&unsupported("1", list));
        client.said();
        assert!(client.ask(&unsupported("2", list)).is_empty(), "only one");
        assert!(client.events()[0].starts_with("closed: no revision could be agreed on"));
    }
}

#[test]
fn silence_means_the_stateful_era_and_is_remembered_only_on_a_pipe() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(client_config(), link);
        client.said();
        client.advance(Duration::from_millis(4_999));
        assert!(client.said().is_empty());
        client.advance(Duration::from_millis(1));
        let said = client.said();
        match link {
            Link::Pipe => assert!(is_initialize(&said), "the probe is never cancelled: {said:?}"),
            Link::Exchange => {
                assert_eq!(said[0], "abandon 1");
                assert!(is_initialize(&said[1..]));
            }
        }
        client.hear(&result("1", DISCOVERED));
        assert!(client.events().is_empty(), "a late answer to the probe is dropped");
        client.hear(&result("2", INITIALIZED));
        match client.connection.poll_event() {
            Some(Event::Connected(connected)) => assert_eq!(connected.is_certain, link == Link::Pipe),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_client_that_cannot_fall_back_gives_the_probe_the_time_of_a_handshake() {
    let mut client = Half::client(with(Policy::ModernOnly), Link::Pipe);
    client.advance(Duration::from_secs(29));
    assert!(client.events().is_empty());
    client.advance(Duration::from_secs(1));
    assert_eq!(
        client.events(),
        ["closed: no revision could be agreed on: `server/discover` failed: no answer came within 30s"]
    );
}

#[test]
fn a_server_that_exits_on_the_probe_is_started_once_more() {
    let mut client = Half::client(client_config(), Link::Pipe);
    client.said();
    client.connection.handle_input_end(client.now);
    assert_eq!(client.events(), ["reopen"]);
    client.advance(Duration::from_secs(29));
    client.connection.handle_reopened(client.now);
    assert!(is_initialize(&client.said()));
    client.advance(Duration::from_secs(29));
    client.hear(&result("2", INITIALIZED));
    assert_eq!(client.events(), ["connected 2025-11-25"]);
}

#[test]
fn a_server_that_exits_after_its_answer_to_the_probe_is_started_once_more() {
    for breaks in [true, false] {
        let mut client = Half::client(client_config(), Link::Pipe);
        client.hear(&error("1", -32601, ""));
        client.said();
        match breaks {
            true => client.connection.handle_transport_error(client.now, "broken pipe"),
            false => client.connection.handle_input_end(client.now),
        }
        assert_eq!(client.events(), ["reopen"]);
        client.connection.handle_reopened(client.now);
        assert!(is_initialize(&client.said()));
        client.connection.handle_input_end(client.now);
        assert!(client.events()[0].starts_with("closed: no revision could be agreed on"), "only once");
    }
}

#[test]
fn a_server_that_cannot_be_started_again_fails_the_connection() {
    let mut client = Half::client(client_config(), Link::Pipe);
    client.connection.handle_input_end(client.now);
    client.connection.handle_transport_error(client.now, "no such file");
    let events = client.events();
    assert_eq!(events[0], "reopen");
    assert!(events[1].starts_with("closed: ") && events[1].contains("no such file"), "{events:?}");
}

#[test]
fn initialize_has_a_deadline_of_its_own_and_is_never_cancelled() {
    let mut client = Half::client(with(Policy::LegacyOnly), Link::Pipe);
    assert!(is_initialize(&client.said()));
    client.advance(Duration::from_secs(29));
    assert!(client.events().is_empty());
    client.advance(Duration::from_secs(1));
    assert_eq!(
        client.events(),
        ["closed: no revision could be agreed on: `initialize` failed: no answer came within 30s"]
    );
    assert!(client.said().is_empty());
}

#[test]
fn a_revision_that_we_do_not_speak_is_no_agreement() {
    for version in ["1999-01-01", "2026-07-28", "2024-11-05"] {
        let mut config = with(Policy::LegacyOnly);
        config.revisions = vec![Revision::V2025_11_25];
        let mut client = Half::client(config, Link::Pipe);
        client.said();
        client.hear(&result("1", &INITIALIZED.replace("2025-11-25", version)));
        let events = client.events();
        assert!(events[0].contains(version) && events[0].starts_with("closed"), "{events:?}");
        assert!(client.said().is_empty());
    }
}

#[test]
fn what_is_optional_in_the_answer_to_initialize_may_be_missing_or_odd() {
    for answer in [
        r#"{"protocolVersion":"2025-11-25"}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":null,"serverInfo":5,"instructions":{}}"#,
    ] {
        let mut client = Half::client(with(Policy::LegacyOnly), Link::Pipe);
        client.hear(&result("1", answer));
        assert_eq!(client.events(), ["connected 2025-11-25"]);
    }
}

#[test]
fn an_answer_to_initialize_that_names_the_stateless_era_is_believed_once() {
    for policy in [Policy::Auto, Policy::Remembered(Verdict::Legacy), Policy::LegacyOnly] {
        let searches = !matches!(policy, Policy::LegacyOnly);
        let mut client = Half::client(with(policy.clone()), Link::Pipe);
        client.said();
        let id = if matches!(policy, Policy::Auto) {
            client.advance(Duration::from_secs(5));
            client.said();
            "2"
        } else {
            "1"
        };
        let said = client.ask(&unsupported(id, r#"["2026-07-28"]"#));
        assert_eq!(is_probe(&said), searches, "{policy:?}: {said:?}");
        if searches {
            let next = if id == "2" { "3" } else { "2" };
            assert!(client.ask(&error(next, -32601, "")).is_empty());
        }
        assert!(client.events()[0].starts_with("closed"), "{policy:?}");
    }
}

#[test]
fn before_initialize_is_answered_a_client_serves_only_ping() {
    let mut client = Half::client(with(Policy::LegacyOnly), Link::Pipe);
    client.said();
    let revision = Revision::V2025_11_25;
    assert_eq!(client.ask(&request(revision, "1", "ping", "")), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    let said = client.ask(&request(revision, "2", "roots/list", ""));
    assert_eq!(super::pair::code(&said[0]), -32600);
    assert!(client.events().is_empty());
}

#[test]
fn a_remembered_verdict_saves_the_probe() {
    let discovered = Some(raw(DISCOVERED));
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered };
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(with(Policy::Remembered(verdict.clone())), link);
        assert_eq!(client.events(), ["connected 2026-07-28"]);
        assert!(client.said().is_empty());
    }
}

#[test]
fn a_remembered_verdict_that_is_contradicted_is_forgotten_and_the_request_sent_again() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    for link in [Link::Pipe, Link::Exchange] {
        let mut client = Half::client(with(Policy::Remembered(verdict.clone())), link);
        let id = client.call(Call { progress: true, ..Call::new("tools/list", None) });
        client.quiet();
        assert!(is_probe(&client.ask(&error(&id.to_string(), -32600, ""))));
        assert!(is_initialize(&client.ask(&error("3", -32601, ""))));
        client.hear(&result("4", INITIALIZED));
        let said = client.said();
        assert!(said[1].starts_with(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list""#), "{said:?}");
        assert!(said[1].contains(r#""progressToken":2"#), "{said:?}");
        assert_eq!(client.events(), ["connected 2025-11-25"]);
        client.hear(&result("2", "{}"));
        assert_eq!(client.events(), [format!("response {id} {{}}")], "the caller's id stands");
    }
}

#[test]
fn a_remembered_verdict_that_was_confirmed_stands() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    let mut client = Half::client(with(Policy::Remembered(verdict)), Link::Pipe);
    client.call(Call::new("tools/list", None));
    client.hear(&result("1", "{}"));
    client.call(Call::new("tools/list", None));
    client.quiet();
    assert!(client.ask(&error("2", -32600, "")).is_empty());
    assert!(client.events()[0].starts_with("response 2 failed"));
}

#[test]
fn http_statuses_are_evidence_only_where_a_stateful_server_would_give_them() {
    for (status, falls_back) in
        [(400, true), (404, true), (405, true), (422, true), (401, false), (403, false), (500, false), (503, false)]
    {
        let mut client = Half::client(client_config(), Link::Exchange);
        client.said();
        let failure = SendFailure { status: Some(status), reason: format!("status {status}") };
        client.connection.handle_send_failed(client.now, 1.into(), failure);
        assert_eq!(is_initialize(&client.said()), falls_back, "{status}");
        assert_eq!(client.connection.is_closed(), !falls_back, "{status}");
    }
    let mut client = Half::client(client_config(), Link::Exchange);
    client.connection.handle_stream_end(client.now, 1.into());
    assert!(client.connection.is_closed(), "an outage says nothing about the era");
}

#[test]
fn notifications_of_the_server_wait_for_nothing_once_the_handshake_runs() {
    let mut client = Half::client(with(Policy::LegacyOnly), Link::Pipe);
    client.hear(&super::pair::notification("notifications/message", r#"{"level":"info","data":1}"#));
    assert_eq!(client.events(), [r#"notification notifications/message {"level":"info","data":1}"#]);
}

#[test]
fn a_client_serves_what_a_stateful_server_asks() {
    for link in [Link::Pipe, Link::Exchange] {
        let revision = Revision::V2025_11_25;
        let mut client = Half::client_at(client_config(), revision, link);
        client.hear(&request(revision, "1", "roots/list", ""));
        assert_eq!(client.events(), ["request 1 roots/list {}"]);
        client.respond("1", complete(r#"{"roots":[]}"#));
        assert_eq!(client.said(), [r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#]);
        client.hear(&request(revision, "2", "custom/own", ""));
        client.quiet();
        client.respond("2", Reply::Error(crate::rpc::Error::new(-1, "user said no")));
        assert!(client.said()[0].contains("\"code\":-1"));
        assert_eq!(super::pair::code(&client.ask(&request(revision, "3", "tools/list", ""))[0]), -32601);
    }
}

#[test]
fn a_transport_that_is_never_opened_anew_fails_the_connection_in_time() {
    let mut client = Half::client(client_config(), Link::Pipe);
    client.connection.handle_input_end(client.now);
    assert_eq!(client.events(), ["reopen"]);
    client.advance(Duration::from_secs(30));
    let events = client.events();
    assert!(events[0].ends_with("the transport could not be opened anew within 30s"), "{events:?}");
    client.connection.handle_reopened(client.now);
    assert!(client.connection.is_closed());
    assert!(client.said().is_empty());
}

#[test]
fn a_remembered_verdict_is_not_confirmed_by_what_could_not_be_sent() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    let mut client = Half::client(with(Policy::Remembered(verdict)), Link::Exchange);
    client.call(Call::new("tools/list", None));
    let failure = SendFailure { status: Some(503), reason: "busy".to_owned() };
    client.connection.handle_send_failed(client.now, 1.into(), failure);
    client.call(Call::new("tools/list", None));
    client.quiet();
    assert!(is_probe(&client.ask(&error("2", -32600, ""))), "this is the first contact");
}

#[test]
fn a_stateful_client_refuses_what_claims_the_stateless_era_and_ids_that_are_in_use() {
    for link in [Link::Pipe, Link::Exchange] {
        let (legacy, modern) = (Revision::V2025_11_25, Revision::V2026_07_28);
        let mut client = Half::client_at(client_config(), legacy, link);
        for method in ["roots/list", "ping"] {
            let said = client.ask(&request(modern, "1", method, ""));
            assert_eq!(super::pair::code(&said[0]), -32022, "{link:?} {said:?}");
        }
        assert!(client.events().is_empty(), "{link:?}");
        client.hear(&super::pair::notification("custom/news", &super::pair::params(modern, "", "")));
        let events = client.events();
        assert!(events.len() == 1 && events[0].starts_with("misbehaved"), "{events:?}");
        client.hear(&request(legacy, "1", "roots/list", ""));
        let said = client.ask(&request(legacy, "1", "roots/list", ""));
        assert_eq!(super::pair::code(&said[0]), -32600, "{link:?} {said:?}");
        let events = client.events();
        assert_eq!(events, ["request 1 roots/list {}", "misbehaved: the id 1 is used twice at once"], "{link:?}");
    }
}

#[test]
fn what_the_old_transport_did_not_take_is_not_sent_on_the_new_one() {
    let mut client = Half::client(client_config(), Link::Pipe);
    client.connection.handle_input_end(client.now);
    client.connection.handle_reopened(client.now);
    assert!(is_initialize(&client.said()), "the probe goes with its transport");
}

#[test]
fn once_confirmed_a_remembered_verdict_stands_for_what_was_sent_before() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    let mut client = Half::client(with(Policy::Remembered(verdict)), Link::Pipe);
    client.call(Call::new("tools/list", None));
    client.call(Call::new("tools/list", None));
    client.quiet();
    client.hear(&result("1", "{}"));
    assert!(client.ask(&error("2", -32600, "")).is_empty());
    assert!(client.events()[1].starts_with("response 2 failed"));
}

#[test]
fn a_request_that_was_sent_anew_is_known_by_its_first_id_alone() {
    let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
    let mut client = Half::client(with(Policy::Remembered(verdict)), Link::Pipe);
    let id = client.call(Call::new("tools/list", None));
    client.hear(&error("1", -32600, ""));
    client.hear(&error("3", -32601, ""));
    client.hear(&result("4", INITIALIZED));
    client.quiet();
    client.connection.cancel(client.now, &2.into(), "no");
    assert!(client.said().is_empty() && client.events().is_empty(), "its id on the wire is not the application's");
    client.connection.cancel(client.now, &id, "no");
    assert!(client.said()[0].contains(r#""requestId":2"#));
    assert_eq!(client.events(), ["response 1 failed: cancelled: no"]);
    assert_eq!(client.connection.occupancy(), 0);
}
