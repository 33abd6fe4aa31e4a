//! How far a request has come.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>

use super::{Meta, Number, Token};

object! {
    /// How far a request has come.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>
    pub struct ProgressParams
    example ProgressParams::new("token", 50) => r#"{"progressToken":"token","progress":50}"#;
    required {
        /// The token that came with the request.
        progress_token: Token as "progressToken";
        /// How far it has come: more each time, in a unit of the sender's.
        progress: Number as "progress";
    }
    optional {
        /// How far it will come, in the same unit.
        lenient total: Number as "total" => 100;
        /// What is being done, for people. Since 2025-03-26.
        lenient message: String as "message" => "Reticulating splines";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

notification! {
    /// Tells how far a request has come.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress>
    pub enum Progress: "notifications/progress" (ProgressParams);
}
