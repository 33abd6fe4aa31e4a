use super::{Part, UriTemplate, UriTemplateError, encode, matching::is_safe, parse::error};

impl UriTemplate {
    /// Makes an address out of values. Those of the query may be left out.
    ///
    /// What it makes [matches](Self::matches) with the same values. Only what is percent-encoded in the value of a
    /// `{+name}` or `{#name}` stays as it is, as RFC 6570 says, and is decoded then.
    ///
    /// # Errors
    ///
    /// A value is missing, empty, or one that is never matched: with NUL in it, or a segment `..`.
    ///
    /// ```
    /// # use mcpeer::server::UriTemplate;
    /// let template = UriTemplate::parse("file:///{+path}")?;
    /// assert_eq!(template.expand([("path", "src/main.rs")])?, "file:///src/main.rs");
    /// assert!(template.expand([("path", "../secret")]).is_err());
    /// # Ok::<(), mcpeer::server::UriTemplateError>(())
    /// ```
    pub fn expand<'a>(&self, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, UriTemplateError> {
        let values: Vec<(&str, &str)> = values.into_iter().collect();
        let value_of = |name: &str| values.iter().find(|(found, _)| *found == name).map(|(_, value)| *value);
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Variable { name, is_reserved } => {
                    let value = value_of(name).unwrap_or_default();
                    if value.is_empty() {
                        return Err(error(format!("`{name}` has no value")));
                    }
                    if !is_safe(value) {
                        return Err(error(format!("the value of `{name}` leads out of its place")));
                    }
                    let encode = if *is_reserved { encode::reserved } else { encode::value };
                    encode(value, &mut out);
                }
            }
        }
        let Some(query) = &self.query else { return Ok(out) };
        let mut separator = '?';
        for pair in &query.fixed {
            out.push(std::mem::replace(&mut separator, '&'));
            out.push_str(pair);
        }
        for name in &query.names {
            let Some(value) = value_of(name) else { continue };
            out.push(std::mem::replace(&mut separator, '&'));
            out.push_str(name);
            out.push('=');
            encode::value(value, &mut out);
        }
        Ok(out)
    }
}
