//! Media types of files.

use mime_guess::{Mime, from_path, mime};

/// What a folder is.
pub(super) const DIRECTORY: &str = "inode/directory";

/// Says what a file is, by its name and by whether it is text.
pub(super) fn of(name: &str, is_text: bool) -> String {
    let guessed = from_path(name).first();
    match guessed {
        Some(found) if !is_text || is_written(&found) => found.essence_str().to_owned(),
        // The endings of some programming languages are those of films, too.
        _ if is_text => mime::TEXT_PLAIN.essence_str().to_owned(),
        _ => mime::APPLICATION_OCTET_STREAM.essence_str().to_owned(),
    }
}

/// Whether something of this type can be text.
fn is_written(found: &Mime) -> bool {
    match found.type_() {
        mime::IMAGE => found.suffix() == Some(mime::XML),
        mime::AUDIO | mime::VIDEO | mime::FONT => false,
        _ => *found != mime::APPLICATION_OCTET_STREAM,
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_ending_says_what_a_file_is_and_text_is_never_a_film() {
        for (name, is_text, expected) in [
            ("SKILL.md", true, "text/markdown"),
            ("page.html", true, "text/html"),
            ("data.json", true, "application/json"),
            ("logo.svg", true, "image/svg+xml"),
            ("logo.png", false, "image/png"),
            ("main.ts", true, "text/plain"),
            ("film.ts", false, "video/vnd.dlna.mpeg-tts"),
            ("LICENSE", true, "text/plain"),
            ("LICENSE", false, "application/octet-stream"),
        ] {
            assert_eq!(of(name, is_text), expected, "{name}");
        }
    }
}
