use super::{Part, Query, UriTemplate, encode};

/// The longest address that is looked at: matching takes time and memory by its length.
const LONGEST: usize = 64 * 1024;

impl UriTemplate {
    /// Gives the values with which an address fits, percent-decoded, in the order of the [names](Self::names); of the
    /// query only those that are there. `None` where it does not fit.
    ///
    /// A value is never empty, but in the query. Nothing fits whose values would hold NUL or lead out of their place by
    /// a segment `..`, encoded or not; a query may hold them. Parameters of the query that the pattern does not name
    /// are passed over. An address of more than 64 KiB never fits.
    ///
    /// ```
    /// # use mcpeer::server::UriTemplate;
    /// let template = UriTemplate::parse("docs://{section}")?;
    /// assert_eq!(template.matches("docs://caf%C3%A9"), Some(vec![("section", "café".into())]));
    /// assert_eq!(template.matches("docs://a/b"), None);
    /// assert_eq!(template.matches("docs://..%2Fsecret"), None);
    /// # Ok::<(), mcpeer::server::UriTemplateError>(())
    /// ```
    pub fn matches(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        if uri.len() > LONGEST {
            return None;
        }
        let uri = encode::normal(uri);
        let (path, asked) = match &self.query {
            Some(_) => uri.split_once('?').unwrap_or((&uri, "")),
            None => (&*uri, ""),
        };
        let mut values = self.match_parts(path)?;
        if let Some(query) = &self.query {
            query.match_into(asked, &mut values)?;
        }
        Some(values)
    }

    fn match_parts(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let bytes = path.as_bytes();
        // Of each part the places where it may begin, found from left to right; then its place, from right to left.
        let mut starts = vec![vec![false; bytes.len() + 1]];
        starts[0][0] = true;
        for part in &self.parts {
            let ends = ends_of(part, bytes, starts.last().expect("there is always one"));
            starts.push(ends);
        }
        let mut end = bytes.len();
        if !starts.pop()?[end] {
            return None;
        }
        let mut values = Vec::new();
        for (part, starts) in self.parts.iter().zip(&starts).rev() {
            match part {
                Part::Literal(text) => end -= text.len(),
                Part::Variable { name, .. } => {
                    let start = (0..end).rev().find(|start| starts[*start])?;
                    let value = encode::decode(&path[start..end]).filter(|value| is_safe(value))?;
                    values.push((&**name, value));
                    end = start;
                }
            }
        }
        values.reverse();
        Some(values)
    }
}

impl Query {
    fn match_into<'a>(&'a self, asked: &str, values: &mut Vec<(&'a str, String)>) -> Option<()> {
        let pairs: Vec<&str> = asked.split('&').collect();
        if !self.fixed.iter().all(|fixed| pairs.contains(&&**fixed)) {
            return None;
        }
        for name in &self.names {
            let value = pairs.iter().find_map(|pair| {
                let (found, value) = pair.split_once('=').unwrap_or((pair, ""));
                (encode::decode(found)? == **name).then_some(value)
            });
            if let Some(value) = value {
                values.push((name, encode::decode(value)?));
            }
        }
        Some(())
    }
}

/// Gives the places where a part may end, by those where it may begin.
fn ends_of(part: &Part, bytes: &[u8], starts: &[bool]) -> Vec<bool> {
    let mut ends = vec![false; starts.len()];
    match part {
        Part::Literal(text) => {
            for start in (0..starts.len()).filter(|start| starts[*start]) {
                if bytes[start..].starts_with(text.as_bytes()) {
                    ends[start + text.len()] = true;
                }
            }
        }
        Part::Variable { is_reserved, .. } => {
            let mut is_within = false;
            for (at, byte) in bytes.iter().enumerate() {
                is_within = (is_within || starts[at]) && (*is_reserved || !matches!(byte, b'/' | b'?' | b'#'));
                ends[at + 1] = is_within;
            }
        }
    }
    ends
}

/// Whether a value stays in its place where it is used as a path.
pub(super) fn is_safe(value: &str) -> bool {
    !value.contains('\0') && !value.split(['/', '\\']).any(|segment| segment == "..")
}
