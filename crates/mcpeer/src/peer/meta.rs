//! Puts members of a caller's own into the `_meta` of params.

use std::borrow::Cow;

use crate::rpc::{Raw, RawRef};

/// Gives the params with `members` in their `_meta`, where they win over what stands there.
pub(crate) fn merge(params: Option<&Raw>, members: &[(Cow<'static, str>, Raw)]) -> Raw {
    let old = params.and_then(|params| params.borrow().member("_meta"));
    let kept = old.into_iter().flat_map(RawRef::members);
    let kept = kept.filter(|(name, _)| !members.iter().any(|(own, _)| own == name));
    let meta = object(kept.chain(members.iter().map(|(name, value)| (Cow::Borrowed(&**name), value.borrow()))));
    let others = params.into_iter().flat_map(|params| params.borrow().members());
    let others = others.filter(|(name, _)| name != "_meta");
    Raw::trusted(object([(Cow::Borrowed("_meta"), RawRef::trusted(&meta))].into_iter().chain(others)))
}

fn object<'a>(members: impl Iterator<Item = (Cow<'a, str>, RawRef<'a>)>) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(&name).expect("a string can always be written"));
        text.push(':');
        text.push_str(value.as_str());
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(params: Option<&str>, members: &[(&'static str, &str)]) -> String {
        let params = params.map(Raw::trusted);
        let members: Vec<_> =
            members.iter().map(|(name, value)| (Cow::Borrowed(*name), Raw::trusted(*value))).collect();
        merge(params.as_ref(), &members).as_str().to_owned()
    }

    #[test]
    fn members_of_the_caller_join_what_is_there_and_win() {
        assert_eq!(merged(None, &[("a", "1")]), r#"{"_meta":{"a":1}}"#);
        assert_eq!(merged(Some("{}"), &[("a", "1")]), r#"{"_meta":{"a":1}}"#);
        assert_eq!(
            merged(Some(r#"{"x": [2], "_meta": {"a": 0, "b\"": {}}, "y":3}"#), &[("a", "1"), ("c", "\"z\"")]),
            r#"{"_meta":{"b\"":{},"a":1,"c":"z"},"x":[2],"y":3}"#
        );
    }
}
