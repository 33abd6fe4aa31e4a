/// Tells whether a text is an address: a scheme, and something behind it, without blanks. Letters beyond ASCII are let
/// through, because peers write them.
pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.is_empty()
        && !rest.contains(|c: char| c.is_control() || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_no_blanks() {
        for uri in ["https://a.b/", "file:///a%20b", "x:y", "urn:isbn:1", "x-my.own+1://caf\u{e9}"] {
            assert!(is_uri(uri), "{uri}");
        }
        for other in ["", "a", "/a/b", ":a", "x:", "1x:a", "a b:c", "x:a b", "x:a\nb", "\u{e9}:a"] {
            assert!(!is_uri(other), "{other}");
        }
    }
}
