//! Values that a header cannot hold as they are: `=?base64?…?=`.

use std::borrow::Cow;

const START: &str = "=?base64?";
const END: &str = "?=";
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes a value as it stands in a header: as it is where every recipient reads the same in it, else in base64.
pub fn encode(value: &str) -> Cow<'_, str> {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim_matches(' ').len() == value.len()
        && !is_encoded(value);
    if is_plain {
        return Cow::Borrowed(value);
    }
    let mut text = String::with_capacity(START.len() + END.len() + value.len().div_ceil(3) * 4);
    text.push_str(START);
    for chunk in value.as_bytes().chunks(3) {
        let bits = chunk.iter().fold(0, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * position)) as usize & 63];
            text.push(if position <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text.push_str(END);
    Cow::Owned(text)
}

/// Whether a value begins as base64 does, so that it does not stand in a header as it is.
pub fn is_encoded(value: &str) -> bool {
    value.starts_with(START)
}

/// Reads a value as it stands in a header; `None` where it begins and ends as base64 and is none, or no UTF-8.
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    let Some(inner) = value.strip_prefix(START).and_then(|rest| rest.strip_suffix(END)) else {
        return Some(Cow::Borrowed(value));
    };
    String::from_utf8(decode_base64(inner.as_bytes())?).ok().map(Cow::Owned)
}

/// Reads base64 with its padding.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let digits = &text[..text.len() - padding];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.chunks(4) {
        let mut bits = 0;
        for digit in chunk {
            bits = (bits << 6) | u32::try_from(DIGITS.iter().position(|known| known == digit)?).ok()?;
        }
        bits <<= 6 * (4 - chunk.len());
        let whole = chunk.len() * 6 / 8;
        // What is left over in the last digit must say nothing.
        if whole < 3 && bits & (0xff_ffff >> (8 * whole)) != 0 {
            return None;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=whole]);
    }
    Some(bytes)
}
