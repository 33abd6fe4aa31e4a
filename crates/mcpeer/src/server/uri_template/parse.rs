use std::{collections::HashSet, fmt};

use super::{Part, Query, UriTemplate, encode};

/// What is wrong with a pattern, or with the values for it.
///
/// ```
/// use mcpeer::server::UriTemplate;
///
/// let error = UriTemplate::parse("docs://{section*}").unwrap_err();
/// assert_eq!(error.to_string(), "the modifier of `{section*}` is not supported: leave it out");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplateError(pub(super) String);

impl fmt::Display for UriTemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UriTemplateError {}

impl UriTemplate {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// It is none, or uses what is [not supported](Self).
    ///
    /// ```
    /// # use mcpeer::server::UriTemplate;
    /// assert!(UriTemplate::parse("docs://{section}").is_ok());
    /// assert!(UriTemplate::parse("docs://{section").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, UriTemplateError> {
        let mut template = Self { text: text.into(), parts: Vec::new(), query: None };
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            template.literal(&rest[..at])?;
            let expression = rest[at..].strip_prefix('{').ok_or_else(|| error("a `}` closes nothing"))?;
            let (expression, after) = expression.split_once('}').ok_or_else(|| error("a `{` is not closed"))?;
            template.expression(expression)?;
            rest = after;
        }
        template.literal(rest)?;
        let mut names = HashSet::new();
        if let Some(name) = template.names().find(|name| !names.insert(*name)) {
            return Err(error(format!("the variable `{name}` stands there twice: rename one")));
        }
        Ok(template)
    }

    fn literal(&mut self, text: &str) -> Result<(), UriTemplateError> {
        if text.is_empty() {
            return Ok(());
        }
        if self.query.is_some() {
            return Err(error("`{?…}` and `{&…}` must end the pattern"));
        }
        let mut encoded = String::new();
        encode::reserved(text, &mut encoded);
        match self.parts.last_mut() {
            Some(Part::Literal(last)) => last.push_str(&encode::normal(&encoded)),
            _ => self.parts.push(Part::Literal(encode::normal(&encoded).into_owned())),
        }
        Ok(())
    }

    fn expression(&mut self, expression: &str) -> Result<(), UriTemplateError> {
        let (operator, list) = match expression.chars().next() {
            Some(first) if "+#./;?&=,!@|".contains(first) => (Some(first), &expression[1..]),
            _ => (None, expression),
        };
        let names = list.split(',').map(|name| check(expression, name)).collect::<Result<Vec<_>, _>>()?;
        let (first, between, is_reserved) = match operator {
            None => ("", ",", false),
            Some('+') => ("", ",", true),
            Some('#') => ("#", ",", true),
            Some('.') => (".", ".", false),
            Some('/') => ("/", "/", false),
            Some('?' | '&') => return self.query(expression, names),
            Some(other) => {
                return Err(error(format!("the operator `{other}` of `{{{expression}}}` is not supported")));
            }
        };
        for (position, name) in names.into_iter().enumerate() {
            self.literal(if position == 0 { first } else { between })?;
            if let Some(Part::Variable { name: before, .. }) = self.parts.last() {
                return Err(error(format!(
                    "nothing stands between `{before}` and `{name}`, so that neither can be told"
                )));
            }
            if self.query.is_some() {
                return Err(error("`{?…}` and `{&…}` must end the pattern"));
            }
            self.parts.push(Part::Variable { name, is_reserved });
        }
        Ok(())
    }

    fn query(&mut self, expression: &str, names: Vec<Box<str>>) -> Result<(), UriTemplateError> {
        let goes_on = expression.starts_with('&');
        match &mut self.query {
            Some(query) if goes_on => query.names.extend(names),
            Some(_) => return Err(error("a pattern has one `{?…}`: use `{&…}` for what follows")),
            None if goes_on => {
                let fixed = match self.parts.last_mut() {
                    Some(Part::Literal(last)) => last.find('?').map(|at| last.split_off(at)),
                    _ => None,
                };
                let fixed = fixed.ok_or_else(|| {
                    error(format!("`{{{expression}}}` goes on with a query that has not begun: use `{{?…}}`"))
                })?;
                self.parts.retain(|part| *part != Part::Literal(String::new()));
                let fixed = fixed[1..].split('&').filter(|pair| !pair.is_empty()).map(str::to_owned).collect();
                self.query = Some(Query { fixed, names });
            }
            None => self.query = Some(Query { fixed: Vec::new(), names }),
        }
        Ok(())
    }
}

/// Checks a name of a variable.
fn check(expression: &str, name: &str) -> Result<Box<str>, UriTemplateError> {
    if name.ends_with('*') || name.contains(':') {
        return Err(error(format!("the modifier of `{{{expression}}}` is not supported: leave it out")));
    }
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    if is_name && !name.starts_with('.') && !name.ends_with('.') && !name.contains("..") {
        Ok(name.into())
    } else {
        Err(error(format!("`{name}` in `{{{expression}}}` is no name of a variable: use letters, digits and `_`")))
    }
}

pub(super) fn error(reason: impl Into<String>) -> UriTemplateError {
    UriTemplateError(reason.into())
}
