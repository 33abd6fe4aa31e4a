//! §3: what is no message, and who answers it.

use std::time::Duration;

use super::pair::{Half, cells, client_config, code, raw, server_config};
use crate::{
    proto::io::{Call, Link},
    version::{Era, Revision},
};

#[test]
fn a_server_answers_what_is_not_json_without_an_id() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        let said = server.ask("oops");
        assert_eq!(code(&said[0]), -32700, "{revision} {link:?}");
        assert!(!said[0].contains("\"id\""), "{said:?}");
        assert!(server.events()[0].starts_with("misbehaved: not JSON"), "{revision} {link:?}");
    }
}

#[test]
fn a_server_answers_what_is_unreadable_with_the_id_where_there_is_one() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        for (text, id) in [
            (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, Some("\"id\":3")),
            (r#"{"jsonrpc":"2.0","id":"x","method":5}"#, Some("\"id\":\"x\"")),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0"}"#, None),
            (r#"{"jsonrpc":"2.0","id":99}"#, Some("\"id\":99")),
            ("5", None),
        ] {
            let said = server.ask(text);
            assert_eq!(said.len(), 1, "{revision} {link:?}: {text}");
            assert_eq!(code(&said[0]), -32600, "{text}: {said:?}");
            assert_eq!(said[0].contains("\"id\""), id.is_some(), "{text}: {said:?}");
            assert!(said[0].contains(id.unwrap_or_default()), "{text}: {said:?}");
            server.quiet();
        }
    }
}

#[test]
fn answers_without_an_id_are_few_on_a_pipe() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    let said: usize = (0..100).map(|_| server.ask("oops").len()).sum();
    assert_eq!(said, 10);
    server.advance(Duration::from_secs(3));
    let said: usize = (0..100).map(|_| server.ask("oops").len()).sum();
    assert_eq!(said, 3);
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Exchange);
    let said: usize = (0..100).map(|_| server.ask("oops").len()).sum();
    assert_eq!(said, 100);
}

#[test]
fn a_client_answers_only_what_has_an_id_and_nothing_in_the_stateless_era() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        assert!(client.ask("listening on 3000").is_empty());
        assert!(client.ask(r#"{"jsonrpc":"2.0","method":7}"#).is_empty());
        let said = client.ask(r#"{"jsonrpc":"2.0","id":3,"method":7}"#);
        match revision.era() {
            Era::Legacy => assert_eq!(code(&said[0]), -32600),
            Era::Modern => assert!(said.is_empty()),
        }
        assert_eq!(client.events().len(), 3, "{revision} {link:?}");
    }
}

#[test]
fn nobody_answers_an_answer_but_where_each_message_has_an_answer_of_its_own() {
    for (revision, link) in cells() {
        let mut server = Half::server_at(server_config(), revision, link);
        for text in [
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"1.0","id":99,"result":{}}"#,
        ] {
            let said = server.ask(text);
            match link {
                Link::Pipe => assert!(said.is_empty(), "{revision} {text}: {said:?}"),
                Link::Exchange => {
                    assert_eq!(code(&said[0]), -32600, "{revision} {text}");
                    assert!(!said[0].contains("\"id\""), "{said:?}");
                }
            }
            assert_eq!(server.events().len(), 1, "{revision} {link:?} {text}");
        }
    }
}

#[test]
fn an_unreadable_answer_fails_the_request_that_it_names() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None));
        client.quiet();
        client.hear(&format!(r#"{{"jsonrpc":"1.0","id":{id},"result":{{}}}}"#));
        let events = client.events();
        assert!(events[1].starts_with(&format!("response {id} failed")), "{revision} {link:?}: {events:?}");
        assert!(client.said().is_empty());
    }
}

#[test]
fn what_the_transport_skipped_is_reported_and_a_server_says_so() {
    use crate::proto::io::Route;
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.connection.handle_skipped(server.now, Route::PIPE, "the line is too long", "aaaa");
    assert_eq!(code(&server.said()[0]), -32600);
    assert_eq!(server.events(), ["misbehaved: the line is too long"]);
    let mut client = Half::client_at(client_config(), Revision::V2025_11_25, Link::Pipe);
    client.connection.handle_skipped(client.now, Route::PIPE, "the line is too long", "aaaa");
    assert!(client.said().is_empty());
    assert_eq!(client.events(), ["misbehaved: the line is too long"]);
}

#[test]
fn a_report_quotes_no_more_than_the_start_of_a_message() {
    use crate::proto::io::Event;
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    server.hear(&"é".repeat(1000));
    let Some(Event::Misbehaved(report)) = server.connection.poll_event() else { panic!() };
    assert!(report.excerpt.len() <= 260 && report.excerpt.starts_with('é'));
}

#[test]
fn a_message_over_the_limit_is_refused() {
    let mut config = server_config();
    config.limits.message.max_bytes = 100;
    let mut server = Half::server(config, Link::Pipe);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#, "a".repeat(100));
    assert_eq!(code(&server.ask(&long)[0]), -32600);
    assert!(raw(&long).as_str().len() > 100);
}

#[test]
fn an_answer_that_stops_being_json_fails_the_request_that_it_names_and_is_not_answered() {
    for (revision, link) in cells() {
        for rest in [r#""result":{"ratio":NaN}}"#, r#""error":{"code":1,"message":"\x"}}"#, r#""result":{"text":"cut"#]
        {
            let mut client = Half::client_at(client_config(), revision, link);
            let id = client.call(Call::new("tools/list", None));
            client.quiet();
            assert!(client.ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}"#)).is_empty(), "{revision} {rest}");
            let events = client.events();
            assert!(events[1].starts_with(&format!("response {id} failed: the answer is not valid: not JSON")));
        }
        let mut server = Half::server_at(server_config(), revision, Link::Pipe);
        assert!(server.ask(r#"{"jsonrpc":"2.0","id":1,"result":NaN}"#).is_empty(), "{revision}");
    }
}

#[test]
fn an_answer_over_the_limit_fails_the_request_that_it_names() {
    use crate::proto::io::Route;
    for (revision, link) in cells() {
        for (is_skipped, filler) in [(false, "é"), (false, "aé"), (false, "aéa"), (true, "é")] {
            let mut config = client_config();
            config.limits.message.max_bytes = 1000;
            let mut client = Half::client_at(config, revision, link);
            let id = client.call(Call::new("tools/list", None));
            client.quiet();
            let long = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"text":"{}"}}}}"#, filler.repeat(1000));
            match is_skipped {
                true => client.connection.handle_skipped(client.now, Route::PIPE, "the line is longer", &long[..200]),
                false => drop(client.hear(&long)),
            }
            let events = client.events();
            assert!(events[1].starts_with(&format!("response {id} failed")), "{revision} {link:?}: {events:?}");
            assert!(events[1].contains("longer"), "{events:?}");
            assert!(client.said().is_empty());
        }
    }
}

#[test]
fn a_request_over_the_limit_is_answered_under_its_id_where_that_stands_at_the_start() {
    let mut config = server_config();
    config.limits.message.max_bytes = 400;
    let mut server = Half::server(config, Link::Pipe);
    let filler = "a".repeat(500);
    for (text, id) in [
        (format!(r#"{{"jsonrpc":"2.0","id":12,"method":"ping","params":{{"x":"{filler}"}}}}"#), Some("\"id\":12,")),
        (format!(r#"{{"jsonrpc":"2.0","method":"ping","params":{{"x":"{filler}"}},"id":12}}"#), None),
        // The number is cut in the middle.
        (format!(r#"{{"x":"{}","id":12{}"#, "a".repeat(240), "3".repeat(500)), None),
    ] {
        let said = server.ask(&text);
        assert_eq!(code(&said[0]), -32600, "{said:?}");
        assert_eq!(said[0].contains("\"id\""), id.is_some(), "{said:?}");
        assert!(said[0].contains(id.unwrap_or_default()), "{said:?}");
    }
}

#[test]
fn answers_without_an_id_within_an_array_are_as_few_as_any() {
    let mut server = Half::server_at(server_config(), Revision::V2025_03_26, Link::Pipe);
    let said = server.ask(&format!("[{}1]", "1,".repeat(99)));
    assert_eq!(said[0].matches("-32600").count(), 10, "{said:?}");
    assert!(server.ask("[1]").is_empty());
    assert!(server.ask("oops").is_empty());
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    assert!(server.ask(&format!("[1,{call},{cancel}]")).is_empty());
}
