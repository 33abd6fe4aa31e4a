use std::borrow::Cow;

/// Writes a value so that only unreserved characters stand as they are.
pub(super) fn value(value: &str, out: &mut String) {
    value.bytes().for_each(|byte| if is_unreserved(byte) { out.push(byte.into()) } else { escape(byte, out) });
}

/// Writes text so that reserved characters stand as they are too, and what is percent-encoded stays so.
pub(super) fn reserved(text: &str, out: &mut String) {
    for (at, byte) in text.bytes().enumerate() {
        let stays = match byte {
            b'%' => triplet(&text.as_bytes()[at..]).is_some(),
            byte => is_unreserved(byte) || is_reserved(byte),
        };
        if stays { out.push(byte.into()) } else { escape(byte, out) }
    }
}

/// Gives an address in the one form that is compared: what no address may hold is percent-encoded, in capitals.
pub(super) fn normal(uri: &str) -> Cow<'_, str> {
    let is_normal = |byte: u8| is_unreserved(byte) || is_reserved(byte);
    if uri.bytes().all(is_normal) {
        return Cow::Borrowed(uri);
    }
    let mut out = String::with_capacity(uri.len() + 16);
    let mut bytes = uri.as_bytes();
    while let [byte, rest @ ..] = bytes {
        bytes = rest;
        if is_normal(*byte) {
            out.push((*byte).into());
        } else if *byte == b'%'
            && let Some(decoded) = digits(rest)
        {
            escape(decoded, &mut out);
            bytes = &rest[2..];
        } else {
            escape(*byte, &mut out);
        }
    }
    Cow::Owned(out)
}

/// Reads a value; `None` where it is no UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        match triplet(bytes) {
            Some(decoded) => {
                out.push(decoded);
                bytes = &rest[2..];
            }
            None => {
                out.push(*byte);
                bytes = rest;
            }
        }
    }
    String::from_utf8(out).ok()
}

fn triplet(bytes: &[u8]) -> Option<u8> {
    bytes.strip_prefix(b"%").and_then(digits)
}

fn digits(bytes: &[u8]) -> Option<u8> {
    let [high, low, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

fn escape(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend(['%', DIGITS[usize::from(byte >> 4)].into(), DIGITS[usize::from(byte & 15)].into()]);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}
