//! What each shape of message is taken for.

use std::borrow::Cow;

use crate::rpc::{Fault, Limits, Message, RawRef, RequestId, Unreadable, open_result, room_around};

fn parse(text: &str) -> Result<Message<'_>, Unreadable> {
    Message::parse(text.as_bytes(), &Limits::default())
}

fn request<'a>(id: impl Into<RequestId>, params: Option<&'a str>) -> Result<Message<'a>, Unreadable> {
    Ok(Message::Request { id: id.into(), method: Cow::Borrowed("m"), params: params.map(RawRef::trusted) })
}

fn unreadable<'a>(fault: Fault, id: Option<RequestId>, is_answer: bool) -> Result<Message<'a>, Unreadable> {
    Err(Unreadable { fault, id, is_answer })
}

#[test]
fn members_may_come_in_any_order_and_with_white_space() {
    let parts = [r#""jsonrpc":"2.0""#, r#""id":1"#, r#""method":"m""#, r#""params":{"a":[1,"}"]}"#];
    for first in 0..4 {
        for second in (0..4).filter(|second| *second != first) {
            let mut order = vec![first, second];
            order.extend((0..4).filter(|part| *part != first && *part != second));
            let members: Vec<_> = order.iter().map(|part| parts[*part]).collect();
            for separator in [",", " ,\r\n\t"] {
                let text = format!(" {{ {} }} ", members.join(separator));
                assert_eq!(parse(&text), request(1, Some(r#"{"a":[1,"}"]}"#)), "{text}");
            }
        }
    }
}

#[test]
fn every_legal_id_is_kept_as_it_came() {
    for id in [0, 1, -7, i64::MAX, i64::MIN, 1 << 53] {
        assert_eq!(parse(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#)), request(id, None));
    }
    for id in ["", "1", "ü", "a\\\"b"] {
        let decoded: String = serde_json::from_str(&format!("\"{id}\"")).unwrap();
        let text = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"m"}}"#);
        assert_eq!(parse(&text), request(decoded.as_str(), None));
    }
}

#[test]
fn what_is_no_id_makes_the_message_unreadable() {
    for id in ["1.5", "3.0", "1e2", "9223372036854775808", "-9223372036854775809", "true", "null", "{}", "[1]"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert_eq!(parse(&text), unreadable(Fault::Id, None, false), "{text}");
    }
    for id in ["1.5", "true", "{}"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(parse(&text), unreadable(Fault::Id, None, true), "{text}");
    }
}

#[test]
fn a_member_that_stands_there_twice_makes_the_message_unreadable() {
    let id = || Some(RequestId::Integer(1));
    for (text, name, id, is_answer) in [
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#, "id", None, false),
        (r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m"}"#, "id", None, false),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#, "method", id(), false),
        (r#"{"jsonrpc":"2.0","params":{},"id":1,"method":"m","params":{}}"#, "params", id(), false),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, "result", id(), true),
        (r#"{"jsonrpc":"2.0","error":{},"id":1,"error":{}}"#, "error", id(), true),
    ] {
        assert_eq!(parse(text), unreadable(Fault::Duplicate(name), id, is_answer), "{text}");
    }
}

#[test]
fn the_version_must_be_two() {
    for version in [r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#, r#""jsonrpc":null,"#, ""] {
        let text = format!(r#"{{{version}"id":"a","method":"m"}}"#);
        assert_eq!(parse(&text), unreadable(Fault::Version, Some("a".into()), false), "{text}");
    }
}

#[test]
fn methods_are_strings() {
    for method in ["1", "null", "{}", r#""\ud800""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":{method}}}"#);
        assert_eq!(parse(&text), unreadable(Fault::Method, Some(1.into()), false), "{text}");
    }
}

#[test]
fn answers_are_told_by_result_or_error_and_keep_their_id() {
    let raw = RawRef::trusted;
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, (Some(1), Some("{}"), None)),
        (r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#, (Some(1), None, Some("\"boom\""))),
        (r#"{"jsonrpc":"2.0","id":1,"error":{},"result":[]}"#, (Some(1), Some("[]"), Some("{}"))),
        (r#"{"jsonrpc":"2.0","id":1}"#, (Some(1), None, None)),
        (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, (None, None, Some("{}"))),
        (r#"{"jsonrpc":"2.0","error":{}}"#, (None, None, Some("{}"))),
    ] {
        let (id, result, error) = expected;
        let expected =
            Message::Response { id: id.map(RequestId::Integer), result: result.map(raw), error: error.map(raw) };
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn a_method_beside_an_answer_is_no_message_but_meant_as_an_answer() {
    for answer in [r#""result":{}"#, r#""error":{}"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m",{answer}}}"#);
        assert_eq!(parse(&text), unreadable(Fault::Mixed, Some(1.into()), true), "{text}");
    }
}

#[test]
fn what_is_no_object_is_no_message() {
    for text in ["1", "\"a\"", "null", " true "] {
        assert_eq!(parse(text), unreadable(Fault::NotAnObject, None, false), "{text}");
    }
    for text in ["{}", r#"{"jsonrpc":"2.0"}"#, r#"{"jsonrpc":"2.0","id":null}"#] {
        assert!(matches!(parse(text), Err(Unreadable { id: None, is_answer: false, .. })), "{text}");
    }
}

#[test]
fn text_that_is_no_json_tells_where() {
    for (text, at) in [("", 0), ("oops", 0), ("{", 1), (r#"{"a":1} x"#, 8), ("Content-Length: 46", 0), ("[1,]", 3)] {
        assert_eq!(parse(text), unreadable(Fault::NotJson { at }, None, false), "{text}");
    }
    let broken = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\xff}}";
    assert!(matches!(
        Message::parse(broken, &Limits::default()),
        Err(Unreadable { fault: Fault::NotJson { at: 38 }, .. })
    ));
}

#[test]
fn a_broken_text_still_names_the_request_that_it_answers() {
    let text = r#"{"jsonrpc":"2.0","id":7,"result":{"a":"#;
    assert!(matches!(parse(text), Err(Unreadable { id: Some(RequestId::Integer(7)), .. })));
}

#[test]
fn a_message_that_nests_too_deep_still_gives_its_id() {
    let params = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for text in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{params}}}"#),
        format!(r#"{{"jsonrpc":"2.0","params":{params},"method":"m","id":7}}"#),
    ] {
        assert_eq!(parse(&text), unreadable(Fault::TooDeep, Some(7.into()), false));
    }
}

#[test]
fn a_message_over_the_size_limit_is_not_looked_at() {
    let limits = Limits { max_bytes: 10, ..Limits::default() };
    let parsed = Message::parse(br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, &limits);
    assert_eq!(parsed, unreadable(Fault::TooLong, None, false));
}

#[test]
fn batches_are_cut_one_past_their_limit() {
    let element = r#"{"jsonrpc":"2.0","method":"m"}"#;
    for (count, kept) in [(0, 0), (1, 1), (100, 100), (101, 101), (300, 101)] {
        let text = format!("[{}]", vec![element; count].join(" , "));
        let Ok(Message::Batch(elements)) = parse(&text) else { panic!("{text}") };
        assert_eq!(elements.len(), kept);
        for element in elements {
            assert!(matches!(Message::from_raw(element), Ok(Message::Notification { .. })));
        }
    }
    let Ok(Message::Batch(elements)) = parse("[[],1]") else { panic!() };
    for element in elements {
        assert_eq!(Message::from_raw(element), unreadable(Fault::NotAnObject, None, false));
    }
}

#[test]
fn the_room_around_a_result_is_exact() {
    let ids = [0, 1, 9, 10, 99, 100, -1, -10, i64::MAX, i64::MIN].map(RequestId::from);
    for id in ids.into_iter().chain(["", "a", "é"].map(RequestId::from)) {
        let mut text = Vec::new();
        open_result(&id, &mut text);
        text.push(b'}');
        assert_eq!(room_around(&id), text.len(), "{id}");
    }
}
