//! Log messages of a server.
//!
//! Deprecated since 2026-07-28, which still has it.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>

use super::{Meta, RawJson};

words! {
    /// How grave a log message is, as in RFC 5424.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>
    pub enum Level {
        /// Of use when looking for a fault.
        Debug = "debug",
        /// What goes on.
        Info = "info",
        /// What goes on and matters.
        Notice = "notice",
        /// What may go wrong.
        Warning = "warning",
        /// What went wrong.
        Error = "error",
        /// A part failed.
        Critical = "critical",
        /// Somebody must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl Level {
    /// Every level, the least grave first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// Gives how grave the level is, from 0 for [`Debug`](Self::Debug) up to 7; `None` for a word that is no level.
    ///
    /// ```
    /// # use mcpeer::model::logging::Level;
    /// assert!(Level::Error.severity() > Level::Info.severity());
    /// assert_eq!(Level::from("loud").severity(), None);
    /// ```
    pub fn severity(&self) -> Option<u8> {
        (0..).zip(&Self::ALL).find(|(_, level)| *level == self).map(|(severity, _)| severity)
    }
}

object! {
    /// A log message.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>
    pub struct MessageParams
    example MessageParams::new("info", serde_json::json!("ready")) => r#"{"level":"info","data":"ready"}"#;
    required {
        /// How grave it is.
        level: Level as "level";
        /// What is said: any JSON. No secrets.
        data: RawJson as "data";
    }
    optional {
        /// Who says it.
        lenient logger: String as "logger" => "database";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

notification! {
    /// Gives the client a log message.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>
    pub enum Message: "notifications/message" (MessageParams);
}
