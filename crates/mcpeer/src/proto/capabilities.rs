//! Which capability a method needs.

use crate::rpc::RawRef;

/// The capability that whoever serves a request has to declare; `None` where it needs none.
pub(super) fn of_request(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" | "tools/list" => "tools",
        "prompts/get" | "prompts/list" => "prompts",
        "resources/read" | "resources/list" | "resources/templates/list" => "resources",
        "resources/subscribe" | "resources/unsubscribe" => "resources.subscribe",
        "completion/complete" => "completions",
        "logging/setLevel" => "logging",
        "sampling/createMessage" => "sampling",
        "elicitation/create" => "elicitation",
        "roots/list" => "roots",
        _ => return None,
    })
}

/// The capability that whoever sends a notification has to declare; `None` where it needs none.
pub(super) fn of_notification(method: &str) -> Option<&'static str> {
    Some(match method {
        "notifications/message" => "logging",
        "notifications/tools/list_changed" => "tools.listChanged",
        "notifications/prompts/list_changed" => "prompts.listChanged",
        "notifications/resources/list_changed" => "resources.listChanged",
        "notifications/resources/updated" => "resources.subscribe",
        "notifications/roots/list_changed" => "roots.listChanged",
        _ => return None,
    })
}

/// Whether capabilities declare one, as in `tools` or `tools.listChanged`. `false` and `null` declare nothing.
pub(super) fn declares(capabilities: RawRef<'_>, path: &str) -> bool {
    let found = path.split('.').try_fold(capabilities, RawRef::member);
    found.is_some_and(|value| !value.is_null() && value.as_str() != "false")
}
