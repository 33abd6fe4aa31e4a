use ct_codecs::{Encoder, Hex};
use orion::hazardous::hash::sha2::sha256::Sha256;

/// Sums up bytes as an entry has it: `sha256:`, and 64 lower-case hexadecimal digits.
pub(super) fn of(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes).expect("a hasher takes what is given to it once");
    let digits = Hex::encode_to_string(&sum).expect("32 bytes have room in a text");
    format!("{ALGORITHM}{digits}")
}

/// Whether this can be a digest.
pub(super) fn is_well_formed(digest: &str) -> bool {
    digest.strip_prefix(ALGORITHM).is_some_and(|digits| {
        digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

const ALGORITHM: &str = "sha256:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_summed_up_as_the_standard_has_it() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((of(b""), of(b"abc")), (empty.to_owned(), abc.to_owned()));
        assert!(is_well_formed(abc));
    }

    #[test]
    fn what_is_no_digest_is_told_from_one() {
        let digest = of(b"");
        for other in ["", "sha256:", "sha256:00", &digest.to_uppercase(), &digest.replace("256", "512"), &digest[7..]] {
            assert!(!is_well_formed(other), "{other}");
        }
    }
}
