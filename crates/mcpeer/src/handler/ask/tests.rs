use schemars::JsonSchema;
use serde_json::{Value, json};

use super::{Keyring, form};

#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only their schemas are looked at")]
enum Plain {
    Red,
    Green,
}

#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only their schemas are looked at")]
enum Titled {
    /// By bike
    Bike,
    /// By train
    Train,
}

fn written<T: JsonSchema>() -> Value {
    serde_json::to_value(form::of::<T>().unwrap()).unwrap()
}

#[test]
fn a_type_makes_a_flat_form_with_each_shape_of_choice() {
    #[derive(JsonSchema)]
    #[serde(default)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Form {
        /// Your name
        #[schemars(length(min = 2, max = 80))]
        name: String,
        #[schemars(extend("format" = "email"))]
        mail: Option<String>,
        #[schemars(range(min = 0, max = 150))]
        age: Option<u8>,
        weight: f64,
        agrees: bool,
        plain: Option<Plain>,
        titled: Option<Titled>,
        #[schemars(extend("enumNames" = ["Rouge", "Vert"]))]
        named: Option<Plain>,
        many: Vec<Plain>,
        many_titled: Vec<Titled>,
    }
    impl Default for Form {
        fn default() -> Self {
            Self {
                name: "Ada".to_owned(),
                mail: None,
                age: None,
                weight: 1.5,
                agrees: true,
                plain: None,
                titled: None,
                named: None,
                many: Vec::new(),
                many_titled: Vec::new(),
            }
        }
    }
    let bike = json!([{"const": "bike", "title": "By bike"}, {"const": "train", "title": "By train"}]);
    assert_eq!(
        written::<Form>(),
        json!({"type": "object", "properties": {
            "name": {"type": "string", "description": "Your name", "minLength": 2, "maxLength": 80, "default": "Ada"},
            "mail": {"type": "string", "format": "email"},
            "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "weight": {"type": "number", "default": 1.5},
            "agrees": {"type": "boolean", "default": true},
            "plain": {"type": "string", "enum": ["red", "green"]},
            "titled": {"type": "string", "oneOf": bike},
            "named": {"type": "string", "enum": ["red", "green"], "enumNames": ["Rouge", "Vert"]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}, "default": []},
            "many_titled": {"type": "array", "items": {"anyOf": bike}, "default": []},
        }})
    );
}

#[test]
fn fields_that_must_be_filled_in_are_named() {
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Form {
        name: String,
        nick: Option<String>,
    }
    assert_eq!(written::<Form>()["required"], json!(["name"]));
}

#[test]
fn what_forms_do_not_know_is_refused_by_name() {
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Form {
        names: Vec<String>,
    }
    let error = form::of::<Form>().unwrap_err();
    assert!(error.is_misuse());
    assert!(error.to_string().contains("the field `names`"), "{error}");
    assert!(form::of::<String>().unwrap_err().to_string().contains("give a struct"));
}

#[test]
fn a_seal_opens_only_with_its_key_its_binding_and_unchanged() {
    let keys = Keyring::new([1; 32]);
    let sealed = keys.seal(b"bound", b"secret");
    assert!(!sealed.windows(6).any(|window| window == b"secret"));
    assert_eq!(keys.open(b"bound", &sealed).as_deref(), Some(&b"secret"[..]));
    assert_ne!(keys.seal(b"bound", b"secret"), sealed);
    assert!(keys.open(b"other", &sealed).is_none());
    assert!(Keyring::new([2; 32]).open(b"bound", &sealed).is_none());
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(keys.open(b"bound", &changed).is_none(), "byte {at}");
        assert!(keys.open(b"bound", &sealed[..at]).is_none(), "{at} bytes");
    }
}

#[test]
fn the_newest_key_seals_and_the_two_before_it_open() {
    let keys = Keyring::new([1; 32]);
    let sealed = keys.seal(b"", b"text");
    keys.rotate([2; 32]);
    keys.rotate([3; 32]);
    assert!(keys.open(b"", &sealed).is_some());
    assert!(Keyring::new([3; 32]).open(b"", &keys.seal(b"", b"text")).is_some());
    keys.rotate([4; 32]);
    assert!(keys.open(b"", &sealed).is_none());
}

#[test]
fn an_expected_key_opens_before_it_seals() {
    let (early, late) = (Keyring::new([1; 32]), Keyring::new([1; 32]));
    late.expect([2; 32]);
    early.rotate([2; 32]);
    assert!(late.open(b"", &early.seal(b"", b"text")).is_some());
    assert!(Keyring::new([1; 32]).open(b"", &late.seal(b"", b"text")).is_some());
}
