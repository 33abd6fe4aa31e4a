//! Patterns of addresses, after [RFC 6570](https://www.rfc-editor.org/rfc/rfc6570).

mod encode;
mod expand;
mod matching;
mod parse;
#[cfg(test)]
mod tests;

pub use parse::UriTemplateError;

/// A pattern of addresses: made into an address, and matched with one.
///
/// Of RFC 6570 there is what can be matched without guessing: `{name}`, `{+name}`, `{#name}`, `{.name}`, `{/name}`,
/// `{?name}` and `{&name}`, each with several names too; `{?…}` and `{&…}` end the pattern. `{;name}` and the modifiers
/// `*` and `:n` are refused, and so are two variables with nothing in between.
///
/// ```
/// use mcpeer::server::UriTemplate;
///
/// let template = UriTemplate::parse("docs://{section}{?page,lang}")?;
/// let uri = template.expand([("section", "a/b"), ("lang", "en")])?;
/// assert_eq!(uri, "docs://a%2Fb?lang=en");
///
/// let variables = template.matches("docs://a%2Fb?lang=en&page=2").unwrap();
/// assert_eq!(variables, [("section", "a/b".into()), ("page", "2".into()), ("lang", "en".into())]);
/// # Ok::<(), mcpeer::server::UriTemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplate {
    text: Box<str>,
    /// All but the query.
    parts: Vec<Part>,
    query: Option<Query>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Text, percent-encoded.
    Literal(String),
    Variable {
        name: Box<str>,
        /// Whether it may hold what separates the parts of an address.
        is_reserved: bool,
    },
}

/// The query of a pattern that has `{?…}` or `{&…}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Query {
    /// What stands in the pattern itself: pairs that must be there, percent-encoded.
    fixed: Vec<String>,
    /// Parameters that may be there, in any order.
    names: Vec<Box<str>>,
}

impl UriTemplate {
    /// Gives the pattern as it was written.
    ///
    /// ```
    /// # use mcpeer::server::UriTemplate;
    /// assert_eq!(UriTemplate::parse("docs://{section}")?.as_str(), "docs://{section}");
    /// # Ok::<(), mcpeer::server::UriTemplateError>(())
    /// ```
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Gives the names of the variables, in their order.
    ///
    /// ```
    /// # use mcpeer::server::UriTemplate;
    /// let template = UriTemplate::parse("docs://{section}{?page}")?;
    /// assert_eq!(template.names().collect::<Vec<_>>(), ["section", "page"]);
    /// # Ok::<(), mcpeer::server::UriTemplateError>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Variable { name, .. } => Some(&**name),
            Part::Literal(_) => None,
        });
        parts.chain(self.query.iter().flat_map(|query| &query.names).map(|name| &**name))
    }
}
