//! The folders and files that a client lets a server work on. They inform and do not guard.
//!
//! Deprecated since 2026-07-28, which still has it.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots>

use super::{EmptyParams, Items, Meta};

object! {
    /// A folder or a file that the server may work on.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots#root>
    pub struct Root
    example Root::new("file:///home/me/project").name("Project")
        => r#"{"uri":"file:///home/me/project","name":"Project"}"#;
    required {
        /// Its address, which starts with `file://`.
        uri: String as "uri";
    }
    optional {
        /// Its name, for people.
        lenient name: String as "name" => "Project";
        /// What is carried beside the root proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// The roots, all of them.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots#listing-roots>
    pub struct ListResult
    example ListResult::new([Root::new("file:///home/me/project")])
        => r#"{"roots":[{"uri":"file:///home/me/project"}]}"#;
    required {
        /// The roots.
        roots: Items<Root> as "roots";
    }
    optional {
        /// What is carried beside the message proper. In the stateful era only.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks a client for its roots. In the stateless era only inside
    /// [`InputRequests`](super::input::InputRequests).
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots#listing-roots>
    pub enum List: "roots/list" (EmptyParams) -> ListResult;
}
