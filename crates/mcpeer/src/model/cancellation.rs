//! Requests whose answer nobody waits for any more.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>

use super::{Meta, Token};

object! {
    /// Which request is cancelled, and why.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>
    pub struct CancelledParams
    example CancelledParams::new() => "{}";
    required {}
    optional {
        /// The id of the request. Only 2025-11-25 lets it be absent, and then the notification has no effect.
        lenient request_id: Token as "requestId" => 7;
        /// Why, for people.
        lenient reason: String as "reason" => "the user gave up";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl CancelledParams {
    /// Makes them for the request of this id.
    ///
    /// ```
    /// # use mcpeer::model::cancellation::CancelledParams;
    /// assert_eq!(serde_json::to_string(&CancelledParams::of(7)).unwrap(), r#"{"requestId":7}"#);
    /// ```
    pub fn of(request_id: impl Into<Token>) -> Self {
        Self::new().request_id(request_id)
    }
}

notification! {
    /// Tells that a request is cancelled.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation>
    pub enum Cancelled: "notifications/cancelled" (CancelledParams);
}
