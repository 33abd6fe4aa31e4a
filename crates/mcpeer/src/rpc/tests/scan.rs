//! The scanner against serde_json: both must agree on what is JSON, and on what stands where.

use proptest::{collection, prelude::*};
use serde_json::{Value, value::RawValue};

use crate::rpc::{Fault, Limits, Message, Raw, Unreadable, raw::write_string};

fn serde_accepts(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            collection::hash_map(any::<String>(), inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_is_accepted_compact_and_pretty(value in json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            prop_assert_eq!(Raw::parse(text.clone()).map(|raw| raw.as_str().to_owned()), Ok(text));
        }
    }

    #[test]
    fn both_scanners_agree_on_damaged_json(value in json(), at in any::<prop::sample::Index>(), byte in 0_u8..128) {
        let mut text = value.to_string().into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        if let Ok(text) = String::from_utf8(text) {
            prop_assert_eq!(Raw::parse(text.clone()).is_ok(), serde_accepts(&text), "{}", text);
        }
    }

    #[test]
    fn both_scanners_agree_on_truncated_json(value in json(), at in any::<prop::sample::Index>()) {
        let text = value.to_string();
        let at = at.index(text.len());
        if let Some(text) = text.get(..at) {
            prop_assert_eq!(Raw::parse(text).is_ok(), serde_accepts(text), "{}", text);
        }
    }

    #[test]
    fn both_scanners_agree_on_noise(text in r#"[\[\]{}",:0-9eE.+\-a-ntrufls\\ \t\n/]{0,24}"#) {
        prop_assert_eq!(Raw::parse(text.clone()).is_ok(), serde_accepts(&text), "{}", text);
    }

    #[test]
    fn any_bytes_are_answered_without_a_panic(bytes in collection::vec(any::<u8>(), 0..64)) {
        let parsed = Message::parse(&bytes, &Limits::default());
        if parsed.is_ok() {
            prop_assert!(serde_accepts(std::str::from_utf8(&bytes).unwrap()));
        }
    }

    #[test]
    fn strings_are_written_as_serde_writes_them(text in "[\\x00-\\x7f\\u{80}-\\u{ffff}]{0,40}") {
        let mut written = Vec::new();
        write_string(&text, &mut written);
        prop_assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn members_are_those_that_serde_sees(value in json()) {
        let text = serde_json::to_string_pretty(&value).unwrap();
        let raw = Raw::parse(text).unwrap();
        let seen: serde_json::Map<String, Value> =
            raw.borrow().members().map(|(name, value)| (name.into_owned(), value.decode().unwrap())).collect();
        let expected = value.as_object().cloned().unwrap_or_default();
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn numbers_follow_the_grammar() {
    for text in ["0", "-0", "10", "1.5", "1e5", "1E-5", "1.0e+10", "-12.25"] {
        assert!(Raw::parse(text).is_ok(), "{text}");
    }
    for text in ["01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "1_0", "NaN", "Infinity", "--1"] {
        assert!(Raw::parse(text).is_err(), "{text}");
    }
}

#[test]
fn strings_of_every_length_end_where_they_end() {
    for length in 0..40 {
        let body = "x".repeat(length);
        for (text, valid) in [
            (format!("\"{body}\""), true),
            (format!("\"{body}\\n{body}\""), true),
            (format!("\"{body}é{body}\""), true),
            (format!("\"{body}\u{1f}{body}\""), false),
            (format!("\"{body}\n\""), false),
            (format!("\"{body}\\x\""), false),
            (format!("\"{body}\\u12g4\""), false),
            (format!("\"{body}"), false),
            (format!("\"{body}\\\""), false),
        ] {
            assert_eq!(Raw::parse(text.clone()).is_ok(), valid, "{text:?}");
            assert_eq!(serde_accepts(&text), valid, "{text:?}");
        }
    }
}

#[test]
fn nesting_is_limited_and_costs_no_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(Raw::parse(nested(127)).is_ok());
        let too_deep = Err(Unreadable { fault: Fault::TooDeep, id: None, is_answer: false });
        assert_eq!(Raw::parse(nested(128)), too_deep);
        assert_eq!(Raw::parse(nested(1_000_000)), too_deep);
    }
    let limits = Limits { max_depth: 3, ..Limits::default() };
    assert!(Message::parse(br#"{"jsonrpc":"2.0","method":"m","params":[[1]]}"#, &limits).is_ok());
    assert!(Message::parse(br#"{"jsonrpc":"2.0","method":"m","params":[[[1]]]}"#, &limits).is_err());
}

#[test]
fn a_decoded_value_of_the_greatest_depth_is_no_error() {
    let text = format!("{}1{}", "[".repeat(126), "]".repeat(126));
    assert!(Raw::parse(text).unwrap().decode::<Value>().is_ok());
}

#[test]
fn half_a_surrogate_pair_is_json_but_no_text() {
    let raw = Raw::parse(r#"{"\ud800":"\ud800","b":1}"#).unwrap();
    assert!(raw.borrow().members().next().unwrap().1.as_string().is_none());
    assert_eq!(raw.borrow().member("b").unwrap().as_str(), "1");
}
