use crate::rpc;

/// Makes the text that names where a page starts.
///
/// It holds for one list: the check covers the list's fingerprint, so that a cursor that was made for another list or
/// changed on its way is refused and not followed to some other place.
pub(crate) fn write(start: usize, fingerprint: u64) -> String {
    format!("{start:x}-{:016x}", check(start, fingerprint))
}

/// Reads where a page starts.
///
/// # Errors
///
/// The cursor is not one of this list: −32602.
pub(crate) fn read(cursor: &str, fingerprint: u64) -> Result<usize, rpc::Error> {
    cursor
        .split_once('-')
        .and_then(|(start, _)| usize::from_str_radix(start, 16).ok())
        .filter(|start| write(*start, fingerprint) == cursor)
        .ok_or_else(|| {
            let message = "`params.cursor` is not a cursor of this list: list again without one";
            rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
        })
}

/// Sums up a list, so that every instance of a server that has the same list comes to the same number.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    hash(bytes)
}

fn check(start: usize, fingerprint: u64) -> u64 {
    hash(fingerprint.to_be_bytes().into_iter().chain((start as u64).to_be_bytes()))
}

/// FNV-1a. A cursor guards no secret, every page may be asked for anyway; it need only be told from a mistaken one.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_names_where_a_page_starts() {
        for start in [0, 1, 50, usize::MAX] {
            assert_eq!(read(&write(start, 7), 7), Ok(start));
        }
    }

    #[test]
    fn a_changed_cursor_is_refused() {
        let cursor = write(50, 7);
        for at in 0..cursor.len() {
            let mut bytes = cursor.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(read(&changed, 7).unwrap_err().code, -32602, "{changed}");
        }
        for other in ["", "-", "50", "032-", &cursor.to_uppercase(), &format!("0{cursor}"), &format!("+{cursor}")] {
            assert_eq!(read(other, 7).unwrap_err().code, -32602, "{other}");
        }
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let [one, other] = [fingerprint(["a", "bc"]), fingerprint(["ab", "c"])];
        assert_ne!(one, other);
        assert_eq!(read(&write(50, one), other).unwrap_err().code, -32602);
    }
}
