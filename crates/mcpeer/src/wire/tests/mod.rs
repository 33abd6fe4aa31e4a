//! The wire as tables: what goes in, what comes out.

mod classify;
mod envelope;
mod errors;
mod headers;
mod legacy_results;
mod lift;
mod modern_results;
mod registry;
mod requests;
mod results_received;
mod schemas;

use serde_json::Value;

use super::{Encoding, Kind, Lift, Lookup, Outcome, Outline, Refusal, Registry, Stamp, codec};
use crate::{
    rpc::{Raw, RawRef},
    version::Revision,
};

/// Checks a text.
fn raw(text: &str) -> Raw {
    Raw::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Reads a text.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Lifts out of the params of a request, of which nothing else is known.
fn lift_request(params: Option<RawRef<'_>>, may_need_input: bool) -> Lift<'_> {
    super::lift(params, &Outline::default(), may_need_input, None)
}

/// Encodes a result that the codec has to look into.
fn encode(revision: Revision, method: &str, result: &str) -> Result<Value, Refusal> {
    let result = raw(result);
    encode_outcome(revision, method, complete(&result)).map(|text| json(&text))
}

fn complete(result: &Raw) -> Outcome<'_> {
    Outcome::Complete { raw: result.borrow(), is_plain: false, wraps_output: false }
}

fn plain(result: &Raw) -> Outcome<'_> {
    Outcome::Complete { raw: result.borrow(), is_plain: true, wraps_output: false }
}

/// Encodes an outcome after other text, which has to stay as it is.
fn encode_outcome(revision: Revision, method: &str, outcome: Outcome<'_>) -> Result<String, Refusal> {
    let registry = Registry::default();
    let row = [true, false].into_iter().find_map(|to_server| {
        match registry.find(method, Kind::Request, revision, to_server) {
            Lookup::Here(row) => Some(row),
            _ => None,
        }
    });
    let stamp = Stamp::new(&raw(INFO));
    let encoding = Encoding { revision, row, stamp: &stamp, cache: super::CacheHint::default() };
    let mut out = b"before".to_vec();
    let encoded = codec(revision).encode_result(&encoding, outcome, &mut out);
    let text = String::from_utf8(out).unwrap();
    let text = text.strip_prefix("before").unwrap().to_owned();
    if encoded.is_err() {
        assert_eq!(text, "", "a refusal writes nothing");
    }
    encoded.map(|()| text)
}

const INFO: &str = r#"{"name":"hello","version":"1"}"#;
const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];
