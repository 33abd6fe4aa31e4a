use super::{LEGACY, lift_request, raw};
use crate::{
    rpc,
    version::Revision,
    wire::{codec, meta},
};

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

/// Checks params against the stateless era: the error's message, if there is one.
fn check(params: &str) -> Result<(), String> {
    let params = raw(params);
    let lift = lift_request(Some(params.borrow()), true);
    codec(Revision::V2026_07_28).check_envelope(lift.lifted.as_deref()).map_err(|error| {
        assert_eq!(error.code, rpc::Error::INVALID_PARAMS);
        error.message.into_owned()
    })
}

fn with(more: &str) -> String {
    format!(r#"{{"_meta":{{{VERSION},{CAPABILITIES}{more}}}}}"#)
}

#[test]
fn version_and_capabilities_are_enough() {
    assert_eq!(check(&with("")), Ok(()));
    assert_eq!(check(&with(r#","progressToken":1,"x":{}"#)), Ok(()));
}

#[test]
fn what_is_required_is_named_when_it_is_missing_or_ill_typed() {
    let key = |key: &str, value: &str| format!(r#""io.modelcontextprotocol/{key}":{value}"#);
    let cases = [
        ("{}".to_owned(), meta::PROTOCOL_VERSION),
        (r#"{"_meta":{}}"#.to_owned(), meta::PROTOCOL_VERSION),
        (r#"{"_meta":null}"#.to_owned(), meta::PROTOCOL_VERSION),
        (format!(r#"{{"_meta":{{{CAPABILITIES}}}}}"#), meta::PROTOCOL_VERSION),
        (format!(r#"{{"_meta":{{{CAPABILITIES},{}}}}}"#, key("protocolVersion", "7")), meta::PROTOCOL_VERSION),
        (format!(r#"{{"_meta":{{{VERSION}}}}}"#), meta::CLIENT_CAPABILITIES),
        (format!(r#"{{"_meta":{{{VERSION},{}}}}}"#, key("clientCapabilities", "null")), meta::CLIENT_CAPABILITIES),
        (format!(r#"{{"_meta":{{{VERSION},{}}}}}"#, key("clientCapabilities", "[]")), meta::CLIENT_CAPABILITIES),
    ];
    for (params, key) in cases {
        let message = check(&params).unwrap_err();
        assert!(message.contains(key), "{params}: {message}");
    }
    let nothing = codec(Revision::V2026_07_28).check_envelope(None).unwrap_err();
    assert!(nothing.message.contains(meta::PROTOCOL_VERSION));
}

#[test]
fn client_info_is_optional_but_must_be_well_formed() {
    let info = |value: &str| with(&format!(r#","io.modelcontextprotocol/clientInfo":{value}"#));
    for good in [r#"{"name":"c","version":"1"}"#, r#"{"version":"","title":"C","name":"","icons":[],"x":1}"#] {
        assert_eq!(check(&info(good)), Ok(()), "{good}");
    }
    let cases = [
        ("null", "must be an object"),
        ("\"c\"", "must be an object"),
        ("[]", "must be an object"),
        ("{}", "name` must be a string"),
        (r#"{"version":"1"}"#, "name` must be a string"),
        (r#"{"name":7,"version":"1"}"#, "name` must be a string"),
        (r#"{"name":"c"}"#, "version` must be a string"),
        (r#"{"name":"c","version":1}"#, "version` must be a string"),
    ];
    for (bad, expected) in cases {
        let message = check(&info(bad)).unwrap_err();
        assert!(message.contains(meta::CLIENT_INFO) && message.contains(expected), "{bad}: {message}");
    }
}

#[test]
fn a_log_level_is_one_of_eight() {
    let level = |value: &str| with(&format!(r#","io.modelcontextprotocol/logLevel":{value}"#));
    for (rank, good) in meta::LOG_LEVELS.into_iter().enumerate() {
        assert_eq!(check(&level(&format!("{good:?}"))), Ok(()));
        assert_eq!(meta::log_rank(good), Some(rank));
    }
    for bad in ["\"\"", "\"INFO\"", "\"warn\"", "\"trace\"", "3", "null", "{}"] {
        let message = check(&level(bad)).unwrap_err();
        assert!(message.contains(meta::LOG_LEVEL), "{bad}: {message}");
    }
}

#[test]
fn answers_and_state_that_came_back_must_be_well_formed() {
    let params = |more: &str| format!(r#"{{"_meta":{{{VERSION},{CAPABILITIES}}}{more}}}"#);
    assert_eq!(check(&params(r#","inputResponses":{"k":{}},"requestState":"""#)), Ok(()));
    for (more, name) in [
        (r#","inputResponses":[]"#, "inputResponses"),
        (r#","inputResponses":null"#, "inputResponses"),
        (r#","requestState":null"#, "requestState"),
        (r#","requestState":{}"#, "requestState"),
    ] {
        assert!(check(&params(more)).unwrap_err().contains(name), "{more}");
    }
}

#[test]
fn the_stateful_era_asks_for_nothing() {
    for revision in LEGACY {
        assert_eq!(codec(revision).check_envelope(None), Ok(()));
    }
}
