use super::scan;

/// Writes the numbers of checked JSON that have a fraction of zeros without it, `1.0` as `1`; `None` where there is none.
pub(crate) fn without_zero_fractions(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut written = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = scan::skip_value(bytes, at),
            // Outside strings it stands in numbers alone.
            b'.' => {
                let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let end = at + 1 + digits;
                let has_exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
                if !has_exponent && bytes[at + 1..end].iter().all(|digit| *digit == b'0') {
                    written.push_str(&text[copied..at]);
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    (copied > 0).then(|| written + &text[copied..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fractions_of_zeros_are_left_out() {
        for (text, expected) in [
            ("{\"a\":1.0,\"b\":[-2.000, 3.5,4.0]}", Some("{\"a\":1,\"b\":[-2, 3.5,4]}")),
            ("1.0", Some("1")),
            ("{\"1.0\":\"2.0\\\" 3.0\"}", None),
            ("[1.05, 1.0e3, 10, 0.1]", None),
            ("{}", None),
        ] {
            assert_eq!(without_zero_fractions(text).as_deref(), expected, "{text}");
        }
    }
}
