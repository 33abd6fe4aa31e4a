//! Addresses of resources, as far as the macro looks into them.

use syn::LitStr;

/// An address, or a pattern of addresses.
pub(crate) struct Address {
    /// The variables of a pattern.
    pub(crate) variables: Option<Vec<String>>,
}

/// Looks into an address.
pub(crate) fn read(literal: &LitStr) -> syn::Result<Address> {
    let text = literal.value();
    let refuse = |message: &str| Err(syn::Error::new(literal.span(), message));
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    let may_follow = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.chars().all(may_follow) {
        return refuse("an address begins with a scheme, as in `config://version`");
    }
    let mut variables = None;
    let mut rest = &*text;
    while let Some(open) = rest.find(['{', '}']) {
        let expression = rest[open..].strip_prefix('{').and_then(|expression| expression.split_once('}'));
        let Some((expression, behind)) = expression.filter(|(expression, _)| !expression.contains('{')) else {
            return refuse("the braces do not match: a variable stands as `{name}`");
        };
        let names = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(',');
        for name in names {
            let name = name.split(':').next().unwrap_or_default().trim_end_matches('*');
            if name.is_empty() {
                return refuse("a variable has a name: `{name}`");
            }
            variables.get_or_insert_with(Vec::new).push(name.to_owned());
        }
        rest = behind;
    }
    Ok(Address { variables })
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn variables(text: &str) -> Result<Option<Vec<String>>, String> {
        let read = read(&LitStr::new(text, Span::call_site()));
        read.map(|address| address.variables).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_found_in_every_form_of_expression() {
        assert_eq!(variables("config://version"), Ok(None));
        let all = variables("a://{b}/{+c}{?d,e}{&f*}{/g:3}{#h}{;i}{.j}").unwrap().unwrap();
        assert_eq!(all, ["b", "c", "d", "e", "f", "g", "h", "i", "j"]);
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["version", "", "://a", "1a:b", "a b:c"] {
            assert!(variables(text).unwrap_err().contains("scheme"), "{text}");
        }
        for text in ["a://{b", "a://b}", "a://{b{c}}", "a://}{"] {
            assert!(variables(text).unwrap_err().contains("braces"), "{text}");
        }
        for text in ["a://{}", "a://{b,}", "a://{?}"] {
            assert!(variables(text).unwrap_err().contains("name"), "{text}");
        }
    }
}
