//! Arrays of messages: a message at exactly 2025-03-26, nowhere else.

use super::pair::{Half, cells, client_config, code, complete, initialize, server_config};
use crate::{proto::io::Link, version::Revision};

const AT: Revision = Revision::V2025_03_26;

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn pong(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

#[test]
fn an_array_is_refused_without_an_id_at_every_other_revision() {
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.has_batches()) {
        for link in [Link::Pipe, Link::Exchange] {
            let mut server = Half::server_at(server_config(), revision, link);
            let said = server.ask(&format!("[{},{}]", ping("1"), ping("2")));
            assert_eq!(said.len(), 1, "{revision} {link:?}");
            assert_eq!(code(&said[0]), -32600, "{revision} {link:?}");
            assert!(!said[0].contains("\"id\""), "{revision} {link:?}: {said:?}");
        }
    }
}

#[test]
fn a_client_only_reports_an_array() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        assert!(client.ask(&format!("[{}]", ping("1"))).is_empty());
        let events = client.events();
        assert!(events.len() == 1 && events[0].starts_with("misbehaved: an array"), "{revision} {link:?}: {events:?}");
    }
}

#[test]
fn before_an_era_is_settled_an_array_is_refused() {
    let mut server = Half::server(server_config(), Link::Pipe);
    let said = server.ask(&format!("[{}]", initialize("1", "2025-03-26")));
    assert_eq!(code(&said[0]), -32600);
    assert_eq!(server.connection.revision(), None);
}

#[test]
fn the_answers_to_an_array_go_back_together_once_the_last_is_due() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), AT, link);
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#;
        let unknown = r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#;
        let told = r#"{"jsonrpc":"2.0","method":"custom/news"}"#;
        assert!(server.ask(&format!("[{},{call},{unknown},{told}]", ping("1"))).is_empty(), "{link:?}");
        assert_eq!(server.events(), [r#"request 2 tools/call {"name":"a"}"#, "notification custom/news"]);
        server.respond("2", complete(r#"{"content":[]}"#));
        let said = server.said();
        assert_eq!(said.len(), 1, "{link:?}");
        assert!(said[0].starts_with(&format!("[{},", pong("1"))), "{said:?}");
        assert!(said[0].ends_with(r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}]"#), "{said:?}");
        assert!(said[0].contains("-32601"), "{said:?}");
    }
}

#[test]
fn nothing_is_sent_where_no_answer_is_due() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), AT, link);
        let told = r#"{"jsonrpc":"2.0","method":"custom/news"}"#;
        let answered = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let route = server.hear(&format!("[{told},{answered}]"));
        let expected: Vec<String> = (link == Link::Exchange).then(|| format!("end {}", route.0)).into_iter().collect();
        assert_eq!(server.said(), expected);
    }
}

#[test]
fn an_array_whose_requests_are_all_cancelled_is_not_answered() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), AT, link);
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#;
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
        let route = server.hear(&format!("[{call},{cancel}]"));
        let expected: Vec<String> = (link == Link::Exchange).then(|| format!("end {}", route.0)).into_iter().collect();
        assert_eq!(server.said(), expected);
    }
}

#[test]
fn an_array_that_is_empty_or_too_long_or_holds_initialize_is_refused_whole() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), AT, link);
        let long = vec![ping("1"); 101].join(",");
        for text in ["[]".to_owned(), format!("[{long}]"), format!("[{},{}]", ping("1"), initialize("2", "2025-03-26"))]
        {
            let said = server.ask(&text);
            assert_eq!(said.len(), 1);
            assert_eq!(code(&said[0]), -32600, "{said:?}");
            assert!(!said[0].contains("\"id\""), "{said:?}");
        }
        let hundred: Vec<_> = (0..100).map(|id| ping(&id.to_string())).collect();
        assert!(server.ask(&format!("[{}]", hundred.join(",")))[0].starts_with('['));
    }
}

#[test]
fn members_that_are_no_messages_are_answered_among_the_others() {
    let mut server = Half::server_at(server_config(), AT, Link::Pipe);
    let said = server.ask(&format!("[1,{}]", ping("1")));
    assert!(said[0].starts_with(r#"[{"jsonrpc":"2.0","error":{"code":-32600,"#), "{said:?}");
    assert!(said[0].ends_with(&format!(",{}]", pong("1"))), "{said:?}");
}

#[test]
fn a_client_answers_the_requests_of_an_array_together() {
    let mut client = Half::client_at(client_config(), AT, Link::Pipe);
    let said = client.ask(&format!("[{},{}]", ping("1"), ping("2")));
    assert_eq!(said, [format!("[{},{}]", pong("1"), pong("2"))]);
}

#[test]
fn without_sessions_the_header_says_whether_an_array_is_a_message() {
    for (header, is_message) in [(None, true), (Some("2025-03-26"), true), (Some("2025-06-18"), false)] {
        let mut config = server_config();
        config.sessionless = true;
        let mut server = Half::server(config, Link::Exchange);
        server.hear_under(&format!("[{}]", ping("1")), header);
        let said = server.said();
        if is_message {
            assert_eq!(said, [format!("[{}]", pong("1"))], "{header:?}");
        } else {
            assert_eq!(code(&said[0]), -32600, "{header:?}");
        }
    }
}
