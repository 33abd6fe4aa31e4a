//! What only the stateful era has and no page of its own: log levels and subscriptions that last as long as the
//! connection, notifications and errors that the stateless era does without.

use super::{EmptyParams, EmptyResult, Items, Meta, elicitation::UrlParams, logging::Level};

/// A resource does not exist. The stateless era says `-32602`.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user must open an address first, see [`UrlElicitationRequiredData`]. 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

object! {
    /// The least level at which a client wants log messages.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging>
    pub struct SetLevelParams
    example SetLevelParams::new("info") => r#"{"level":"info"}"#;
    required {
        /// The level.
        level: Level as "level";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Of which resource a client wants to be told changes, or no longer.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions>
    pub struct SubscribeParams
    example SubscribeParams::new("file:///main.rs") => r#"{"uri":"file:///main.rs"}"#;
    required {
        /// Its address.
        uri: String as "uri";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which address the user is done with.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>
    pub struct ElicitationCompleteParams
    example ElicitationCompleteParams::new("login-1") => r#"{"elicitationId":"login-1"}"#;
    required {
        /// The id that came with the address.
        elicitation_id: String as "elicitationId";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// The data of [`URL_ELICITATION_REQUIRED`].
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>
    pub struct UrlElicitationRequiredData
    example UrlElicitationRequiredData::new([]) => r#"{"elicitations":[]}"#;
    required {
        /// The addresses to open.
        elicitations: Items<UrlParams> as "elicitations";
    }
    optional {}
}

request! {
    /// Sets the least level at which a server sends log messages.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging>
    pub enum SetLevel: "logging/setLevel" (SetLevelParams) -> EmptyResult;
}

request! {
    /// Asks to be told changes of a resource.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions>
    pub enum Subscribe: "resources/subscribe" (SubscribeParams) -> EmptyResult;
}

request! {
    /// Asks to be told no more changes of a resource.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions>
    pub enum Unsubscribe: "resources/unsubscribe" (SubscribeParams) -> EmptyResult;
}

notification! {
    /// Tells that the user is done with an address that he was asked to open. 2025-11-25 only.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>
    pub enum ElicitationComplete: "notifications/elicitation/complete" (ElicitationCompleteParams);
}

notification! {
    /// Tells that a client's roots have changed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root-list-changes>
    pub enum RootsListChanged: "notifications/roots/list_changed" (EmptyParams);
}
