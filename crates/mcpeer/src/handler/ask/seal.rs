//! The sealed state: what a client keeps between two rounds.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use ct_codecs::{Base64UrlSafeNoPadding, Decoder, Encoder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Context, Keyring, keyring::random};
use crate::model::RawJson;

/// What is known of a call from its earlier rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Known {
    /// How many rounds there were.
    pub(super) round: u32,
    /// The answers, by key of their question.
    pub(super) answers: BTreeMap<String, RawJson>,
    /// The values of steps, by key.
    pub(super) steps: BTreeMap<String, RawJson>,
    /// What a result that was made by hand remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) by_hand: Option<RawJson>,
    /// Names the state, for whoever counts its uses.
    pub(super) id: String,
    /// From when on the state is not taken any more, in seconds since 1970.
    pub(super) expires: u64,
}

impl Known {
    /// Gives the state a new name and a new end.
    pub(super) fn renew(&mut self, now: SystemTime, expiry: Duration) {
        let mut id = [0; 16];
        random(&mut id);
        self.id = encode(&id);
        self.expires = seconds(now).saturating_add(expiry.as_secs());
    }

    pub(super) fn seal(text: &[u8], keyring: &Keyring, cx: &Context) -> String {
        encode(&keyring.seal(&bound(cx), text))
    }

    /// Opens a state; `None` where it is not one that these keys sealed for this request, or has expired.
    pub(super) fn open(sealed: &str, keyring: &Keyring, cx: &Context, now: SystemTime) -> Option<Self> {
        let known: Self = serde_json::from_slice(&keyring.open(&bound(cx), &decode(sealed)?)?).ok()?;
        (seconds(now) < known.expires).then_some(known)
    }

    pub(super) fn until(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.expires)
    }
}

/// Writes what a state is bound to: who asks, the method, and the params. The tag of the seal covers it.
fn bound(cx: &Context) -> Vec<u8> {
    let mut bound = b"mcpeer requestState 1".to_vec();
    let principal = cx.principal().map(|principal| format!("+{principal}")).unwrap_or_default();
    // A client may write its params anew for each round, and its `_meta` differs from one to the next.
    let params = cx.ticket().params().and_then(|params| params.decode::<Value>().ok()).map(|mut params| {
        if let Value::Object(members) = &mut params {
            members.remove("_meta");
        }
        sorted(params).to_string()
    });
    for part in [&*principal, cx.method(), &params.unwrap_or_default()] {
        bound.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bound.extend_from_slice(part.as_bytes());
    }
    bound
}

/// Brings the members of objects in one order, also where another crate has serde_json keep that of the text.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().map(sorted).collect(),
        Value::Object(members) => {
            let members: BTreeMap<String, Value> =
                members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.into_iter().collect()
        }
        other => other,
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

pub(super) fn encode(bytes: &[u8]) -> String {
    Base64UrlSafeNoPadding::encode_to_string(bytes).expect("the text fits into memory")
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    Base64UrlSafeNoPadding::decode_to_vec(text, None).ok()
}
