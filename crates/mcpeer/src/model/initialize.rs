//! How a connection opens in the stateful era.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>

use super::{
    EmptyParams, Implementation, Meta,
    capabilities::{ClientCapabilities, ServerCapabilities},
};

object! {
    /// What the client speaks, can do and is.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>
    pub struct InitializeParams
    example InitializeParams::new("2025-11-25", capabilities::ClientCapabilities::new(), Implementation::new("me", "1.0.0"))
        => r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1.0.0"}}"#;
    required {
        /// The revision that the client would like best.
        protocol_version: String as "protocolVersion";
        /// What the client can do.
        capabilities: ClientCapabilities as "capabilities";
        /// What the client is.
        client_info: Implementation as "clientInfo";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What the server speaks from now on, can do and is.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>
    pub struct InitializeResult
    example InitializeResult::new("2025-11-25", capabilities::ServerCapabilities::new(), Implementation::new("hello", "1.0.0"))
        => r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"hello","version":"1.0.0"}}"#;
    required {
        /// The revision that the connection speaks.
        protocol_version: String as "protocolVersion";
        /// What the server can do.
        capabilities: ServerCapabilities as "capabilities";
        /// What the server is.
        server_info: Implementation as "serverInfo";
    }
    optional {
        /// How it wants to be used, for a model.
        lenient instructions: String as "instructions" => "Ask for the weather before you advise on clothes";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Opens a connection.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>
    pub enum Initialize: "initialize" (InitializeParams) -> InitializeResult;
}

notification! {
    /// Tells the server that the connection is open.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>
    pub enum Initialized: "notifications/initialized" (EmptyParams);
}
