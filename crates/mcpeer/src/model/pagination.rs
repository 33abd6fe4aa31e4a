//! Lists that come page by page.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>

use super::Meta;

object! {
    /// Params of a request for a page of a list.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>
    pub struct ListParams
    example ListParams::new() => "{}";
    required {}
    optional {
        /// Where the page starts: the `next_cursor` of the page before, unread and unchanged. The empty string is one.
        strict cursor: String as "cursor" => "eyJwYWdlIjogMn0=";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl Default for ListParams {
    fn default() -> Self {
        Self::new()
    }
}
