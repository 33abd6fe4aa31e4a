use super::UriTemplate;

fn template(text: &str) -> UriTemplate {
    UriTemplate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn what_is_expanded_matches_with_the_same_values() {
    let odd = "a/b?c#d é%20,&=+ ~";
    for (pattern, names, expected) in [
        ("x://e/{topic}", vec![("topic", "foo/bar")], "x://e/foo%2Fbar"),
        ("x://e/{topic}/{part}", vec![("topic", odd), ("part", "1.2")], ""),
        ("x://e{?q}", vec![], "x://e"),
        ("x://e{?q}", vec![("q", "a b")], "x://e?q=a%20b"),
        ("x://e{?q,lang}", vec![("lang", odd)], ""),
        ("x://e{?q}{&lang}", vec![("q", ""), ("lang", "en")], "x://e?q=&lang=en"),
        ("x://e?fixed=1{&q}", vec![("q", "2")], "x://e?fixed=1&q=2"),
        ("x://café/{a}", vec![("a", "é")], "x://caf%C3%A9/%C3%A9"),
        ("file:///{+path}", vec![("path", "a/b.rs")], "file:///a/b.rs"),
        ("x://{name}{.ext}", vec![("name", "a"), ("ext", "c")], "x://a.c"),
        ("x://e{/a,b}", vec![("a", "1"), ("b", "2")], "x://e/1/2"),
        ("x://{a,b}", vec![("a", "1,2"), ("b", "3")], "x://1%2C2,3"),
        ("x://e{#part}", vec![("part", "top/1")], "x://e#top/1"),
        ("x://e", vec![], "x://e"),
        ("{scheme}://e", vec![("scheme", "x")], "x://e"),
    ] {
        let template = template(pattern);
        let uri = template.expand(names.iter().copied()).unwrap();
        assert!(expected.is_empty() || uri == expected, "{pattern}: {uri}");
        let found = template.matches(&uri).unwrap_or_else(|| panic!("{pattern}: {uri} does not match"));
        let found: Vec<_> = found.iter().map(|(name, value)| (*name, &**value)).collect();
        assert_eq!(found, names, "{pattern}: {uri}");
    }
}

#[test]
fn parameters_of_the_query_are_optional_and_in_any_order() {
    let template = template("x://e?v=1{&a,b}");
    let values = |uri: &str| template.matches(uri);
    assert_eq!(values("x://e?v=1"), Some(vec![]));
    let both = Some(vec![("a", "1".to_owned()), ("b", "2".to_owned())]);
    assert_eq!(values("x://e?b=2&other=3&a=1&v=1"), both);
    assert_eq!(values("x://e?v=1&a=1&b=2&a=3"), both);
    assert_eq!(values("x://e?v=1&a"), Some(vec![("a", String::new())]));
    assert_eq!(values("x://e"), None, "what the pattern fixes must be there");
    assert_eq!(values("x://e?v=2&a=1"), None);
    assert_eq!(values("x://f?v=1"), None);
}

#[test]
fn an_address_matches_as_clients_write_it() {
    let accent = template("x://café/{a}");
    for uri in ["x://café/b c", "x://caf%c3%a9/b%20c", "x://caf%C3%A9/b c"] {
        assert_eq!(accent.matches(uri), Some(vec![("a", "b c".to_owned())]), "{uri}");
    }
    assert_eq!(template("x://{a}").matches("x://100%"), Some(vec![("a", "100%".to_owned())]));
    assert_eq!(template("x://{a}-{b}").matches("x://1-2-3").unwrap()[0].1, "1-2", "the first takes what it can");
}

#[test]
fn what_does_not_fit_or_leads_out_of_its_place_does_not_match() {
    for (pattern, uri) in [
        ("x://{a}", "x://"),
        ("x://{a}", "x://b/c"),
        ("x://{a}", "y://b"),
        ("x://{a}", "x://b?c"),
        ("x://{a}/end", "x://b/end/more"),
        ("x://{a}", "x://.."),
        ("x://{a}", "x://%2e%2E%2Fb"),
        ("x://{+a}", "x://b/../c"),
        ("x://{+a}", "x://b%5C..%5cc"),
        ("x://{a}", "x://b%00"),
        ("x://{a}", "x://%FF"),
    ] {
        assert_eq!(template(pattern).matches(uri), None, "{pattern}: {uri}");
    }
    let long = format!("x://{}", "a".repeat(70_000));
    assert_eq!(template("x://{a}").matches(&long), None);
    assert!(template("x://{a}").expand([("a", "..")]).is_err());
    assert!(template("x://{a}").expand([]).is_err());
}

#[test]
fn what_cannot_be_matched_is_refused_and_named() {
    for (pattern, reason) in [
        ("x://{customer-id}", "`customer-id` in `{customer-id}` is no name of a variable: use letters, digits and `_`"),
        ("x://{;a}", "the operator `;` of `{;a}` is not supported"),
        ("x://{|a}", "the operator `|` of `{|a}` is not supported"),
        ("x://{a*}", "the modifier of `{a*}` is not supported: leave it out"),
        ("x://{a:3}", "the modifier of `{a:3}` is not supported: leave it out"),
        ("x://{a}{b}", "nothing stands between `a` and `b`, so that neither can be told"),
        ("x://{a}/{a}", "the variable `a` stands there twice: rename one"),
        ("x://{a", "a `{` is not closed"),
        ("x://a}", "a `}` closes nothing"),
        ("x://{}", "`` in `{}` is no name of a variable: use letters, digits and `_`"),
        ("x://{?a}/b", "`{?…}` and `{&…}` must end the pattern"),
        ("x://{?a}{b}", "`{?…}` and `{&…}` must end the pattern"),
        ("x://e{&a}", "`{&a}` goes on with a query that has not begun: use `{?…}`"),
        ("x://e{?a}{?b}", "a pattern has one `{?…}`: use `{&…}` for what follows"),
    ] {
        assert_eq!(UriTemplate::parse(pattern).unwrap_err().to_string(), reason, "{pattern}");
    }
}
