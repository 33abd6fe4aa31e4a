//! §9, the server: how a connection gets its era.

use super::pair::{Half, code, complete, initialize, notification, raw, request, server_config};
use crate::{proto::io::Link, version::Revision};

const MODERN: Revision = Revision::V2026_07_28;

#[test]
fn initialize_gets_the_revision_that_was_asked_for_or_else_the_newest() {
    for link in [Link::Pipe, Link::Exchange] {
        for (asked, given) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2099-01-01", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2024-10-07", "2025-11-25"),
        ] {
            let mut server = Half::server(server_config(), link);
            let said = server.ask(&initialize("1", asked));
            assert!(said[0].contains(&format!(r#""protocolVersion":"{given}""#)), "{asked}: {said:?}");
            assert_eq!(server.events(), [format!("connected {given}")]);
        }
    }
}

#[test]
fn initialize_is_answered_with_what_the_server_is_and_offers() {
    let mut config = server_config();
    config.capabilities = raw(r#"{"tools":{}}"#);
    config.instructions = Some("be \"kind\"".into());
    let mut server = Half::server(config, Link::Pipe);
    let expected = concat!(
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
        r#""serverInfo":{"name":"s","version":"1"},"instructions":"be \"kind\""}}"#
    );
    assert_eq!(server.ask(&initialize("1", "2025-11-25")), [expected]);
}

#[test]
fn an_initialize_that_lacks_something_names_it_and_settles_nothing() {
    for (members, name) in [
        (r#""capabilities":{},"clientInfo":{}"#, "protocolVersion"),
        (r#""protocolVersion":5,"capabilities":{},"clientInfo":{}"#, "protocolVersion"),
        (r#""protocolVersion":"2025-11-25","clientInfo":{}"#, "capabilities"),
        (r#""protocolVersion":"2025-11-25","capabilities":{}"#, "clientInfo"),
    ] {
        let mut server = Half::server(server_config(), Link::Pipe);
        let said = server.ask(&request(Revision::V2025_11_25, "1", "initialize", members));
        assert_eq!(code(&said[0]), -32602);
        assert!(said[0].contains(name), "{said:?}");
        assert_eq!(server.connection.revision(), None);
    }
}

#[test]
fn a_second_initialize_is_refused_and_changes_nothing() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), Revision::V2025_03_26, link);
        assert_eq!(code(&server.ask(&initialize("9", "2025-11-25"))[0]), -32600);
        assert_eq!(server.connection.revision(), Some(Revision::V2025_03_26));
    }
}

#[test]
fn requests_between_initialize_and_initialized_are_served() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&initialize("1", "2025-11-25"));
    server.quiet();
    server.hear(&request(Revision::V2025_11_25, "2", "tools/list", ""));
    assert_eq!(server.events(), ["request 2 tools/list {}"]);
}

#[test]
fn supported_names_what_the_connection_can_still_accept_newest_first() {
    let all = r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#;
    let odd = request(MODERN, "7", "tools/list", "").replace("2026-07-28", "2099-01-01");
    let stateful = request(MODERN, "7", "tools/list", "").replace("2026-07-28", "2025-11-25");
    let cases = [
        (None, Link::Pipe, all),
        (None, Link::Exchange, all),
        (Some(MODERN), Link::Pipe, r#"["2026-07-28"]"#),
        (Some(MODERN), Link::Exchange, all),
        (Some(Revision::V2025_06_18), Link::Pipe, r#"["2025-06-18"]"#),
        (Some(Revision::V2025_06_18), Link::Exchange, all),
    ];
    for (settled, link, expected) in cases {
        for (text, requested) in [(&odd, "2099-01-01"), (&stateful, "2025-11-25")] {
            let mut server = match settled {
                Some(revision) => Half::server_at(server_config(), revision, link),
                None => Half::server(server_config(), link),
            };
            let said = server.ask(text);
            assert_eq!(code(&said[0]), -32022, "{settled:?} {link:?}");
            let data = format!(r#""data":{{"supported":{expected},"requested":"{requested}"}}"#);
            assert!(said[0].contains(&data), "{settled:?} {link:?}: {said:?}");
        }
    }
}

#[test]
fn discover_names_every_revision_and_what_the_server_is() {
    let mut config = server_config();
    config.capabilities = raw(r#"{"tools":{}}"#);
    config.instructions = Some("hi".into());
    let mut server = Half::server(config, Link::Pipe);
    let said = server.ask(&request(MODERN, "1", "server/discover", ""));
    let value: serde_json::Value = serde_json::from_str(&said[0]).unwrap();
    let result = &value["result"];
    assert_eq!(result["supportedVersions"].as_array().unwrap().len(), 5);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["capabilities"], serde_json::json!({"tools":{}}));
    assert_eq!(result["instructions"], "hi");
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&serde_json::json!(0), &serde_json::json!("private")));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "s");
    assert_eq!(server.connection.revision(), None);
}

#[test]
fn every_later_messages_version_is_checked() {
    let mut server = Half::server_at(server_config(), MODERN, Link::Pipe);
    server.hear(&request(MODERN, "1", "tools/list", ""));
    assert_eq!(server.events().len(), 1);
    let odd = request(MODERN, "2", "tools/list", "").replace("2026-07-28", "2099-01-01");
    assert_eq!(code(&server.ask(&odd)[0]), -32022);
}

#[test]
fn a_refused_request_settles_nothing() {
    for text in [
        request(MODERN, "1", "no/such", ""),
        request(MODERN, "1", "ping", ""),
        request(MODERN, "1", "server/discover", ""),
        request(Revision::V2025_11_25, "1", "ping", ""),
        request(Revision::V2025_11_25, "1", "tools/list", ""),
        request(MODERN, "1", "tools/list", "").replace("2026-07-28", "2099-01-01"),
    ] {
        let mut server = Half::server(server_config(), Link::Pipe);
        assert_eq!(server.ask(&text).len(), 1, "{text}");
        assert_eq!(server.connection.revision(), None, "{text}");
    }
}

#[test]
fn a_server_of_one_era_says_so() {
    let mut config = server_config();
    config.revisions = vec![MODERN];
    let mut server = Half::server(config.clone(), Link::Pipe);
    let said = server.ask(&initialize("1", "2025-11-25"));
    assert!(said[0].contains(r#""code":-32022"#), "{said:?}");
    assert!(said[0].contains(r#""data":{"supported":["2026-07-28"],"requested":"2025-11-25"}"#), "{said:?}");
    server.hear(&request(MODERN, "2", "tools/list", ""));
    assert!(server.events().contains(&"request 2 tools/list {}".to_owned()));
    config.revisions = vec![Revision::V2025_06_18];
    let mut server = Half::server(config, Link::Pipe);
    let said = server.ask(&request(MODERN, "1", "server/discover", ""));
    assert!(said[0].contains(r#""data":{"supported":["2025-06-18"],"requested":"2026-07-28"}"#), "{said:?}");
    assert!(server.ask(&initialize("2", "2025-11-25"))[0].contains(r#""protocolVersion":"2025-06-18""#));
}

#[test]
fn without_sessions_the_header_gives_the_revision() {
    for (header, revision) in [(None, "2025-03-26"), (Some("2025-06-18"), "2025-06-18")] {
        let mut config = server_config();
        config.sessionless = true;
        let mut server = Half::server(config, Link::Exchange);
        server.hear_under(&request(Revision::V2025_11_25, "1", "tools/list", ""), header);
        match server.connection.poll_event() {
            Some(crate::proto::io::Event::Request(request)) => assert_eq!(request.revision.as_str(), revision),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn without_sessions_initialize_is_answered_and_settles_nothing() {
    let mut config = server_config();
    config.sessionless = true;
    let mut server = Half::server(config, Link::Exchange);
    for id in ["1", "2"] {
        let said = server.ask(&initialize(id, "2025-06-18"));
        assert!(said[0].contains(r#""protocolVersion":"2025-06-18""#), "{said:?}");
        assert_eq!(server.connection.revision(), None);
    }
    assert!(server.events().is_empty());
}

#[test]
fn a_header_that_fits_no_request_without_a_claim_refuses_it() {
    for sessionless in [true, false] {
        let mut config = server_config();
        config.sessionless = sessionless;
        config.revisions.retain(|revision| *revision != Revision::V2024_11_05);
        for (header, expected) in [
            ("2026-07-28", -32602),
            ("2099-01-01", -32602),
            ("1999-01-01", -32600),
            ("zzz", -32600),
            ("2024-11-05", -32600),
        ] {
            let mut server = Half::server(config.clone(), Link::Exchange);
            if !sessionless {
                server.hear(&initialize("0", "2025-11-25"));
                server.quiet();
            }
            server.hear_under(&request(Revision::V2025_11_25, "1", "tools/list", ""), Some(header));
            assert_eq!(code(&server.said()[0]), expected, "{header} {sessionless}");
            let mut server = Half::server(config.clone(), Link::Exchange);
            server.hear_under(&initialize("1", "2025-11-25"), Some(header));
            assert_eq!(code(&server.said()[0]), 0, "initialize is served whatever its header says: {header}");
        }
    }
}

#[test]
fn in_a_session_any_served_revision_may_stand_in_the_header() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Exchange);
    server.hear_under(&request(Revision::V2025_11_25, "1", "tools/list", ""), Some("2025-06-18"));
    match server.connection.poll_event() {
        Some(crate::proto::io::Event::Request(request)) => assert_eq!(request.revision, Revision::V2025_11_25),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_is_answered_at_the_revision_that_it_was_admitted_at() {
    let mut server = Half::server(server_config(), Link::Pipe);
    server.hear(&initialize("0", "2024-11-05"));
    server.hear(&notification("notifications/initialized", "{}"));
    server.hear(&request(Revision::V2024_11_05, "1", "tools/call", r#""name":"a""#));
    server.quiet();
    server.respond("1", complete(r#"{"content":[],"structuredContent":{"a":1},"_meta":{"b":2}}"#));
    let said = server.said();
    assert!(!said[0].contains("structuredContent") && said[0].contains(r#""_meta":{"b":2}"#), "{said:?}");
}
