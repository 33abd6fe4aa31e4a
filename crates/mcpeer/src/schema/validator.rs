use std::{fmt, fmt::Write};

use jsonschema::{PatternOptions, ValidationError, paths::LocationSegment};
use serde_json::Value;

use super::bounds;

/// A JSON Schema, ready to check values.
///
/// ```
/// use mcpeer::schema::Validator;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}}});
/// let validator = Validator::new(&schema)?;
/// assert!(validator.check(&json!({"count": 3})).is_ok());
///
/// let mismatch = validator.check(&json!({"count": "three"})).unwrap_err();
/// assert_eq!(mismatch.explain("arguments"), r#"`arguments.count`: the value is not of type "integer""#);
/// # Ok::<(), mcpeer::schema::Unusable>(())
/// ```
pub struct Validator(jsonschema::Validator);

impl Validator {
    /// Makes a schema ready.
    ///
    /// # Errors
    ///
    /// The schema is none, refers to something outside of itself, or is too large or too deep.
    ///
    /// ```
    /// use mcpeer::schema::Validator;
    /// use serde_json::json;
    ///
    /// assert!(Validator::new(&json!({"type": "strin"})).is_err());
    /// assert!(Validator::new(&json!({"$ref": "http://192.0.2.1/schema.json"})).is_err());
    /// ```
    pub fn new(schema: &Value) -> Result<Self, Unusable> {
        bounds::of_schema(schema).map_err(Unusable)?;
        // A pattern that backtracks for long counts as one that does not match.
        let patterns = PatternOptions::fancy_regex().backtrack_limit(100_000).size_limit(1 << 20);
        let options = jsonschema::options().offline().with_pattern_options(patterns);
        options.build(schema).map(Self).map_err(|error| Unusable(unusable(&error)))
    }

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// The value does not fit the schema, or is too large or too deep to be checked.
    ///
    /// ```
    /// use mcpeer::schema::Validator;
    /// use serde_json::json;
    ///
    /// let validator = Validator::new(&json!({"type": "integer"}))?;
    /// assert!(validator.check(&json!(3.0)).is_ok());
    /// assert!(validator.check(&json!(3.5)).is_err());
    /// # Ok::<(), mcpeer::schema::Unusable>(())
    /// ```
    pub fn check(&self, value: &Value) -> Result<(), Mismatch> {
        bounds::of_value(value).map_err(|reason| Mismatch { path: String::new(), reason })?;
        self.0.validate(value).map_err(|error| Mismatch { path: path(&error), reason: reason(&error) })
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validator")
    }
}

/// Why a schema cannot be used.
///
/// ```
/// use mcpeer::schema::Validator;
///
/// let unusable = Validator::new(&serde_json::json!({"type": "strin"})).unwrap_err();
/// assert!(unusable.to_string().starts_with("the JSON Schema is not valid: at `/type`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the JSON Schema is not valid: {}", self.0)
    }
}

impl std::error::Error for Unusable {}

/// Where and why a value does not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The path inside the value: `.count`, `.lines[2].text`, or nothing for the whole.
    path: String,
    reason: String,
}

impl Mismatch {
    /// Says it to whoever sent the value, which is called `name`. The value itself is not repeated.
    ///
    /// ```
    /// use mcpeer::schema::Validator;
    /// use serde_json::json;
    ///
    /// let validator = Validator::new(&json!({"items": {"maximum": 3}}))?;
    /// let mismatch = validator.check(&json!([1, 7])).unwrap_err();
    /// assert_eq!(mismatch.explain("content"), "`content[1]`: the value is greater than the maximum of 3");
    /// # Ok::<(), mcpeer::schema::Unusable>(())
    /// ```
    pub fn explain(&self, name: &str) -> String {
        format!("`{name}{}`: {}", self.path, self.reason)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain("value"))
    }
}

impl std::error::Error for Mismatch {}

/// How many characters a reason has at most: schemas may hold long lists of what is allowed.
const REASON: usize = 400;

fn reason(error: &ValidationError<'_>) -> String {
    shortened(&error.masked_with("the value").to_string())
}

fn unusable(error: &ValidationError<'_>) -> String {
    match error.instance_path().as_str() {
        "" => shortened(&error.to_string()),
        path => format!("at `{path}`, {}", shortened(&error.to_string())),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn path(error: &ValidationError<'_>) -> String {
    let mut path = String::new();
    for segment in error.instance_path().segments() {
        match segment {
            LocationSegment::Property(name) => {
                path.push('.');
                path.push_str(&name);
            }
            LocationSegment::Index(index) => write!(path, "[{index}]").expect("text can always be written"),
        }
    }
    shortened(&path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(schema: Value, value: Value) -> bool {
        Validator::new(&schema).unwrap().check(&value).is_ok()
    }

    #[test]
    fn the_dialect_is_2020_12_unless_the_schema_names_another() {
        // What `prefixItems` says since 2020-12, `items` said before.
        assert!(!fits(json!({"prefixItems": [{"type": "string"}]}), json!([1])));
        let schema = |dialect| json!({"$schema": dialect, "items": [{"type": "string"}], "additionalItems": false});
        assert!(!fits(schema("http://json-schema.org/draft-07/schema#"), json!(["a", 1])));
        assert!(fits(schema("http://json-schema.org/draft-07/schema#"), json!(["a"])));
        assert!(Validator::new(&schema("https://json-schema.org/draft/2020-12/schema")).is_err());
        assert!(Validator::new(&json!({"$schema": "https://example.com/own-dialect"})).is_err());
    }

    #[test]
    fn nothing_outside_the_schema_is_fetched() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let here = listener.local_addr().unwrap();
        let references = [format!("http://{here}/x"), "http://169.254.169.254/x".into(), "file:///etc/passwd".into()];
        for reference in references {
            for schema in [
                json!({"$ref": reference}),
                json!({"properties": {"a": {"$ref": reference}}}),
                json!({"$schema": reference}),
                json!({"$dynamicRef": reference}),
            ] {
                assert!(Validator::new(&schema).is_err(), "{schema}");
            }
        }
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }

    #[test]
    fn references_inside_the_schema_are_followed() {
        let schema = json!({
            "$id": "https://example.com/tree",
            "type": "object",
            "properties": {"next": {"$ref": "#"}, "size": {"$ref": "#/$defs/size"}},
            "$defs": {"size": {"type": "integer"}},
        });
        assert!(fits(schema.clone(), json!({"next": {"next": {"size": 1}}})));
        assert!(!fits(schema, json!({"next": {"next": {"size": "1"}}})));
    }

    #[test]
    fn schemas_that_lead_back_to_themselves_end() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        ] {
            if let Ok(validator) = Validator::new(&schema) {
                // That it comes back is what counts.
                let _ = validator.check(&json!({"a": [1]}));
            }
        }
    }

    #[test]
    fn schemas_that_double_at_every_step_end() {
        let doubled = |number: usize| json!({"allOf": [{"$ref": format!("#/$defs/{number}")}, {"$ref": format!("#/$defs/{number}")}]});
        let mut definitions: serde_json::Map<_, _> =
            (0..60).map(|number| (number.to_string(), doubled(number + 1))).collect();
        definitions.insert("60".into(), json!({"type": "integer"}));
        if let Ok(validator) = Validator::new(&json!({"$ref": "#/$defs/0", "$defs": definitions})) {
            assert!(validator.check(&json!("x")).is_err());
        }
    }

    #[test]
    fn what_is_too_deep_or_too_large_is_refused() {
        // `json!` would copy what it is given, by recursion.
        let around = |inner| Value::Object([("allOf".to_owned(), Value::Array(vec![inner]))].into_iter().collect());
        let nested = |levels| (0..levels).fold(json!({}), |inner, _| around(inner));
        assert!(Validator::new(&nested(20)).is_ok());
        for levels in [100, 10_000] {
            let schema = nested(levels);
            let error = Validator::new(&schema).unwrap_err();
            assert!(error.to_string().contains("nested deeper than 64 levels"), "{error}");
            // Dropping it would recurse.
            std::mem::forget(schema);
        }
        let wide: Vec<Value> = vec![json!({}); 60_000];
        let error = Validator::new(&json!({"anyOf": wide})).unwrap_err();
        assert!(error.to_string().contains("more than 50000 values"), "{error}");

        let validator = Validator::new(&json!({})).unwrap();
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(
            validator.check(&deep).unwrap_err().explain("arguments"),
            "`arguments`: it is nested deeper than 64 levels"
        );
    }

    #[test]
    fn patterns_that_would_backtrack_for_ever_do_not_match() {
        let validator = Validator::new(&json!({"pattern": "^(?=(a+)+$)(a|aa)+$"})).unwrap();
        assert!(validator.check(&json!(format!("{}b", "a".repeat(60)))).is_err());
    }

    #[test]
    fn reasons_are_short_and_repeat_no_value() {
        let validator = Validator::new(&json!({"enum": vec!["x".repeat(50); 100]})).unwrap();
        let reason = validator.check(&json!("the secret")).unwrap_err().to_string();
        assert!(reason.chars().count() < 500, "{reason}");
        assert!(!reason.contains("secret"), "{reason}");
    }

    #[test]
    fn paths_name_members_and_elements() {
        let validator = Validator::new(&json!({"properties": {"lines": {"items": {"required": ["text"]}}}})).unwrap();
        let mismatch = validator.check(&json!({"lines": [{"text": ""}, {}]})).unwrap_err();
        assert_eq!(mismatch.explain("arguments"), r#"`arguments.lines[1]`: "text" is a required property"#);
    }
}
