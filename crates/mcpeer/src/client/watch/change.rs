use serde::Deserialize;

use crate::{handler::Notification, model::subscriptions::Filter, rpc::Raw};

/// Something that a server offers has changed: ask for it anew.
///
/// ```
/// use mcpeer::client::Change;
///
/// fn tell(change: &Change) -> String {
///     match change {
///         Change::Tools => "there are other tools".into(),
///         Change::Resource { uri } => format!("{uri} has changed"),
///         other => format!("{other:?}"),
///     }
/// }
/// assert_eq!(tell(&Change::Resource { uri: "file:///a".into() }), "file:///a has changed");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources or of resource templates.
    Resources,
    /// The contents of a resource, or of one that lies under it.
    Resource {
        /// The one that has changed.
        uri: String,
    },
    /// What an extension of the protocol tells of.
    Extension {
        /// The notification's method.
        method: String,
        /// The notification's params.
        params: Option<Raw>,
    },
}

#[derive(Deserialize)]
struct Updated {
    uri: String,
}

impl Change {
    /// Reads a notification; `None` where it tells of no change or is not understood.
    pub(in crate::client) fn read(notification: &Notification) -> Option<Self> {
        Some(match &*notification.method {
            "notifications/tools/list_changed" => Self::Tools,
            "notifications/prompts/list_changed" => Self::Prompts,
            "notifications/resources/list_changed" => Self::Resources,
            "notifications/resources/updated" => {
                let updated: Updated = notification.params.as_ref()?.decode().ok()?;
                Self::Resource { uri: updated.uri }
            }
            // Outside a subscription a notification of an unknown kind is nobody's change.
            _ if notification.subscription.is_none() => return None,
            method => Self::Extension { method: method.to_owned(), params: notification.params.clone() },
        })
    }

    /// Whether a filter asks for it. What came on a subscription of its own needs no look at the URI: what counts as
    /// lying under a resource is the server's to say.
    pub(super) fn is_asked_for(&self, filter: &Filter, is_tagged: bool) -> bool {
        let uris = filter.resource_subscriptions.as_deref().unwrap_or_default();
        match self {
            Self::Tools => filter.tools_list_changed == Some(true),
            Self::Prompts => filter.prompts_list_changed == Some(true),
            Self::Resources => filter.resources_list_changed == Some(true),
            Self::Resource { .. } if is_tagged => !uris.is_empty(),
            Self::Resource { uri } => uris.iter().any(|above| lies_under(uri, above)),
            Self::Extension { .. } => true,
        }
    }

    /// Gives all that a filter asks for.
    pub(super) fn all(filter: &Filter) -> Vec<Self> {
        let mut all = vec![Self::Tools, Self::Prompts, Self::Resources];
        all.retain(|change| change.is_asked_for(filter, true));
        let uris = filter.resource_subscriptions.iter().flatten();
        all.extend(uris.map(|uri| Self::Resource { uri: uri.clone() }));
        all
    }
}

fn lies_under(uri: &str, above: &str) -> bool {
    uri.strip_prefix(above).is_some_and(|rest| rest.is_empty() || above.ends_with('/') || rest.starts_with('/'))
}
