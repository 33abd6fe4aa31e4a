use std::borrow::Cow;

use crate::rpc::{Raw, RawRef, raw::push_string};

/// Writes params so that those that mean the same are the same text: members in order, no spaces, no `_meta`. `None`
/// where they go on with an earlier request, so that the answer is of this one alone.
pub(super) fn params(params: Option<&Raw>) -> Option<String> {
    let mut out = String::new();
    let Some(params) = params else { return Some("{}".to_owned()) };
    let mut is_of_a_round = false;
    write_object(params.borrow(), &mut out, |name| {
        is_of_a_round |= name == "inputResponses" || name == "requestState";
        name != "_meta"
    });
    (!is_of_a_round).then_some(out)
}

fn write(value: RawRef<'_>, out: &mut String) {
    let text = value.as_str();
    match text.as_bytes().first() {
        Some(b'{') => write_object(value, out, |_| true),
        Some(b'[') => {
            out.push('[');
            for (at, element) in value.elements().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Some(b'"') => push_string(&value.as_string().unwrap_or(Cow::Borrowed("")), out),
        // Numbers that are written in two ways count as two.
        _ => out.push_str(text),
    }
}

fn write_object(value: RawRef<'_>, out: &mut String, mut counts: impl FnMut(&str) -> bool) {
    let mut members: Vec<_> = value.members().filter(|(name, _)| counts(name)).collect();
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    out.push('{');
    for (at, (name, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_string(&name, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        params(Some(&Raw::parse(text).unwrap()))
    }

    #[test]
    fn what_means_the_same_is_the_same_text() {
        let expected = r#"{"cursor":"é","x":{"a":[1,{"b":null}],"c":true}}"#;
        for text in [
            r#"{"x":{"c":true,"a":[1,{"b":null}]},"cursor":"é"}"#,
            r#" { "cursor" : "\u00e9", "_meta": {"traceparent": "1"}, "\u0078": {"a":[ 1,{"b": null}], "c":true} } "#,
        ] {
            assert_eq!(of(text).as_deref(), Some(expected));
        }
        assert_eq!(params(None).as_deref(), Some("{}"));
        assert_eq!(of("{}").as_deref(), Some("{}"));
    }

    #[test]
    fn what_means_something_else_is_another_text() {
        let texts = [r#"{"a":1}"#, r#"{"a":"1"}"#, r#"{"a":1.0}"#, r#"{"a":[1]}"#, r#"{"a":{}}"#, r#"{"a":"\""}"#];
        let different: std::collections::HashSet<_> = texts.map(of).into_iter().collect();
        assert_eq!(different.len(), texts.len());
    }

    #[test]
    fn what_goes_on_with_a_round_has_no_text() {
        assert_eq!(of(r#"{"uri":"a:/","inputResponses":{}}"#), None);
        assert_eq!(of(r#"{"uri":"a:/","requestState":"s"}"#), None);
    }
}
