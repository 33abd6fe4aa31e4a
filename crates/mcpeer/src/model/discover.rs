//! What a server speaks and can do, asked before anything else or never; stateless era.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/discover>

use super::{
    EmptyParams, Meta, ResultType,
    caching::{Scope, Ttl},
    capabilities::ServerCapabilities,
};

object! {
    /// What a server speaks and can do.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/discover>
    pub struct DiscoverResult
    example DiscoverResult::new(["2026-07-28".to_owned()], capabilities::ServerCapabilities::new())
        => r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    required {
        /// The revisions that it serves.
        supported_versions: Vec<String> as "supportedVersions";
        /// What it can do.
        capabilities: ServerCapabilities as "capabilities";
    }
    optional {
        /// How it wants to be used, for a model.
        lenient instructions: String as "instructions" => "Ask for the weather before you advise on clothes";
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks a server what it speaks and can do.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/discover>
    pub enum Discover: "server/discover" (EmptyParams) -> DiscoverResult;
}
