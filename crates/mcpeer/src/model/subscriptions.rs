//! Which changes a server is to tell; stateless era.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>

use super::{Meta, ResultType};

object! {
    /// Which changes a client wants to be told.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub struct ListenParams
    example ListenParams::new(Filter::new().tools_list_changed(true))
        => r#"{"notifications":{"toolsListChanged":true}}"#;
    required {
        /// Which changes.
        notifications: Filter as "notifications";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which changes are told; of what is not named, none.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter>
    pub struct Filter
    example Filter::new().resource_subscriptions(["file:///main.rs".to_owned()])
        => r#"{"resourceSubscriptions":["file:///main.rs"]}"#;
    required {}
    optional {
        /// Those of the list of tools.
        lenient tools_list_changed: bool as "toolsListChanged" => true;
        /// Those of the list of prompts.
        lenient prompts_list_changed: bool as "promptsListChanged" => true;
        /// Those of the list of resources.
        lenient resources_list_changed: bool as "resourcesListChanged" => true;
        /// Those of these resources, by their addresses.
        lenient resource_subscriptions: Vec<String> as "resourceSubscriptions" => ["file:///main.rs".to_owned()];
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// That a subscription has ended. Its `_meta` names the subscription.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub struct ListenResult
    example ListenResult::new([("io.modelcontextprotocol/subscriptionId", serde_json::json!(7))])
        => r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#;
    required {}
    defaulted {
        /// What is carried beside the message proper: the subscription's id above all.
        meta: Meta as "_meta";
    }
    optional {
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
    }
}

object! {
    /// Which changes a server will tell: those asked for that it can tell.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub struct AcknowledgedParams
    example AcknowledgedParams::new(Filter::new().tools_list_changed(true))
        => r#"{"notifications":{"toolsListChanged":true}}"#;
    required {
        /// Which changes.
        notifications: Filter as "notifications";
    }
    optional {
        /// What is carried beside the message proper: the subscription's id above all.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks to be told changes, until one of both ends it.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub enum Listen: "subscriptions/listen" (ListenParams) -> ListenResult;
}

notification! {
    /// Tells which changes will be told; the first message of a subscription.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub enum Acknowledged: "notifications/subscriptions/acknowledged" (AcknowledgedParams);
}
