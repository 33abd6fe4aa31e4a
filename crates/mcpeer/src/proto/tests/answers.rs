//! §5: what a request of ours comes to.

use super::pair::{Half, cells, client_config, error, raw, request, result, server_config};
use crate::{
    proto::io::{Call, Link},
    version::{Era, Revision},
};

fn answered(revision: Revision, link: Link, answer: &str) -> Vec<String> {
    let mut client = Half::client_at(client_config(), revision, link);
    let id = client.call(Call::new("tools/call", Some(raw(r#"{"name":"a"}"#))));
    client.quiet();
    client.hear(&answer.replace("ID", &id.to_string()));
    assert!(client.said().is_empty());
    client.events()
}

#[test]
fn a_result_settles_the_request_once() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None)).to_string();
        client.quiet();
        client.hear(&result(&id, r#"{"tools":[]}"#));
        assert_eq!(client.events(), [format!(r#"response {id} {{"tools":[]}}"#)], "{revision} {link:?}");
        client.hear(&result(&id, r#"{"tools":[]}"#));
        assert!(client.events().is_empty(), "late answers are dropped: {revision} {link:?}");
    }
}

#[test]
fn answers_that_were_never_asked_for_are_reported() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        for id in ["77", "0", "-1", "\"1\"", "\"\""] {
            client.hear(&result(id, "{}"));
            let events = client.events();
            assert!(events.len() == 1 && events[0].contains("never sent"), "{revision} {link:?} {id}: {events:?}");
        }
    }
}

#[test]
fn ids_are_compared_strictly() {
    for (revision, link) in cells() {
        let mut client = Half::client_at(client_config(), revision, link);
        let id = client.call(Call::new("tools/list", None));
        client.quiet();
        client.hear(&result(&format!("\"{id}\""), "{}"));
        assert!(client.events()[0].starts_with("misbehaved"), "{revision} {link:?}");
        client.hear(&result(&id.to_string(), "{}"));
        assert_eq!(client.events(), [format!("response {id} {{}}")]);
    }
}

#[test]
fn an_error_keeps_code_message_and_data() {
    for (revision, link) in cells() {
        let events = answered(revision, link, &error("ID", -32603, r#"{"a":1}"#));
        assert!(events[0].contains("failed: no (-32603)"), "{events:?}");
    }
}

#[test]
fn a_malformed_answer_fails_the_request_and_never_hangs_it() {
    let broken = [
        r#""result":{},"error":{"code":1,"message":"x"}"#,
        r#""error":{"code":-1}"#,
        r#""error":{"code":"-1","message":"x"}"#,
        r#""error":{"code":1.5,"message":"x"}"#,
        r#""error":"boom""#,
        r#""error":null"#,
    ];
    for (revision, link) in cells() {
        for members in broken {
            let events = answered(revision, link, &format!(r#"{{"jsonrpc":"2.0","id":ID,{members}}}"#));
            assert_eq!(events.len(), 1, "{revision} {link:?} {members}: {events:?}");
            assert!(events[0].contains("failed: the answer is not valid"), "{members}: {events:?}");
        }
        let events = answered(revision, link, r#"{"jsonrpc":"2.0","id":ID}"#);
        assert!(events[0].contains("failed: the answer is not valid"), "{events:?}");
    }
}

#[test]
fn the_result_is_read_by_the_rules_of_its_era() {
    for link in [Link::Pipe, Link::Exchange] {
        for (given, modern, legacy) in [
            (r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"resultType":"complete","a":1}"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"resultType":"odd","a":1}"#, "failed", r#"{"a":1}"#),
            (r#"{"resultType":"input_required","requestState":"s"}"#, "asks", r#"{"requestState":"s"}"#),
        ] {
            for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
                let expected = if revision.era() == Era::Modern { modern } else { legacy };
                let events = answered(revision, link, &result("ID", given));
                assert!(events[0].contains(expected), "{revision} {given}: {events:?}");
            }
        }
    }
}

#[test]
fn a_server_hears_the_answers_to_its_own_requests() {
    for link in [Link::Pipe, Link::Exchange] {
        let mut server = Half::server_at(server_config(), Revision::V2025_11_25, link);
        let id = server.call(Call::new("roots/list", None)).to_string();
        assert_eq!(server.said(), [format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#)]);
        server.hear(&result(&id, r#"{"roots":[]}"#));
        assert_eq!(server.events(), [format!(r#"response {id} {{"roots":[]}}"#)]);
    }
}

#[test]
fn the_ids_of_the_two_directions_do_not_meet() {
    let mut server = Half::server_at(server_config(), Revision::V2025_11_25, Link::Pipe);
    let id = server.call(Call::new("roots/list", None)).to_string();
    server.quiet();
    server.hear(&request(Revision::V2025_11_25, &id, "tools/list", ""));
    assert_eq!(server.events(), [format!("request {id} tools/list {{}}")]);
    server.hear(&result(&id, "{}"));
    assert_eq!(server.events(), [format!("response {id} {{}}")]);
}

#[test]
fn a_stream_that_ends_without_the_answer_fails_the_request() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut client = Half::client_at(client_config(), revision, Link::Exchange);
        let id = client.call(Call::new("tools/list", None));
        client.quiet();
        client.connection.handle_stream_end(client.now, id.clone());
        assert!(client.events()[0].starts_with(&format!("response {id} failed")), "{revision}");
    }
}
