use std::collections::HashSet;

use super::{
    config::Filter,
    io::{Change, Handle, Principal, Route},
    waiting::Waiting,
};
use crate::rpc::{Raw, RawRef, RequestId};

/// What one `subscriptions/listen` of the peer follows.
#[derive(Debug, Default)]
pub(super) struct Selection {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: HashSet<Box<str>>,
    /// By the method of the notification.
    extensions: Vec<(Box<str>, HashSet<Box<str>>)>,
    /// Who listens.
    listener: Option<Principal>,
}

/// Gives the extension that a filter needs and that a client has not declared among its capabilities.
pub(super) fn undeclared<'a>(
    filter: RawRef<'_>,
    filters: &'a [Filter],
    capabilities: Option<RawRef<'_>>,
) -> Option<&'a str> {
    if filters.is_empty() {
        return None;
    }
    let declared = capabilities.and_then(|capabilities| capabilities.member("extensions"));
    let is_declared =
        |known: &Filter| declared.and_then(|all| all.member(&known.extension)).is_some_and(RawRef::is_object);
    let mut asked = filter.members().filter_map(|(name, _)| filters.iter().find(|known| known.member == name));
    asked.find(|known| !is_declared(known)).map(|known| &*known.extension)
}

impl Selection {
    /// Reads a filter, as far as it is honoured.
    ///
    /// `offers` says of a capability whether it is declared. The error says what is wrong with the filter.
    pub(super) fn read(
        filter: RawRef<'_>,
        offers: impl Fn(&str) -> bool,
        filters: &[Filter],
    ) -> Result<(Self, Raw), String> {
        let mut selection = Self::default();
        let mut honoured = Vec::from(*b"{");
        let mut names = HashSet::new();
        for (name, value) in filter.members() {
            if !names.insert(name.clone()) {
                return Err(format!("`notifications.{name}` stands there twice"));
            }
            let (flag, capability) = match &*name {
                "toolsListChanged" => (&mut selection.tools, "tools.listChanged"),
                "promptsListChanged" => (&mut selection.prompts, "prompts.listChanged"),
                "resourcesListChanged" => (&mut selection.resources, "resources.listChanged"),
                "resourceSubscriptions" => {
                    let uris = strings(&name, value)?;
                    if offers("resources.subscribe") {
                        write_member(&name, value, &mut honoured);
                        selection.uris = uris;
                    }
                    continue;
                }
                name => {
                    if let Some(known) = filters.iter().find(|known| known.member == name) {
                        let keys = strings(name, value)?;
                        write_member(name, value, &mut honoured);
                        selection.extensions.push((known.method.as_ref().into(), keys));
                    }
                    continue;
                }
            };
            *flag = match value.as_str() {
                "true" => offers(capability),
                "false" => false,
                _ => return Err(format!("`notifications.{name}` must be a boolean")),
            };
            if *flag {
                write_member(&name, value, &mut honoured);
            }
        }
        honoured.push(b'}');
        let honoured = Raw::trusted(String::from_utf8(honoured).expect("JSON is UTF-8"));
        Ok((selection, honoured))
    }

    /// Says who listens.
    pub(super) fn by(self, listener: Option<Principal>) -> Self {
        Self { listener, ..self }
    }

    /// How many single things it follows.
    pub(super) fn len(&self) -> usize {
        self.uris.len() + self.extensions.iter().map(|(_, keys)| keys.len()).sum::<usize>()
    }

    fn selects(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource { uri } => follows(&self.uris, uri),
            Change::Extension { method, key, only, .. } => {
                let is_meant = only.is_none() || *only == self.listener;
                let mut filters = self.extensions.iter();
                is_meant && filters.any(|(known, keys)| **known == **method && keys.contains(key.as_str()))
            }
        }
    }
}

/// The subscriptions of the peer, oldest first.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Vec<Subscription>);

/// A `subscriptions/listen` that the peer holds open.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) handle: Handle,
    pub(super) id: RequestId,
    pub(super) route: Route,
    pub(super) selection: Selection,
    /// What it was not told yet.
    pub(super) waiting: Waiting,
}

impl Subscriptions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, subscription: Subscription) {
        self.0.push(subscription);
    }

    pub(super) fn remove(&mut self, handle: Handle) {
        self.0.retain(|subscription| subscription.handle != handle);
    }

    pub(super) fn handles(&self) -> Vec<Handle> {
        self.0.iter().map(|subscription| subscription.handle).collect()
    }

    /// Has those that want to hear of a change wait for it; gives those that have no room for it.
    pub(super) fn keep(&mut self, change: &Change, limit: usize, may_hear: &dyn Fn(Handle) -> bool) -> Vec<Handle> {
        let selecting = self.0.iter_mut().filter(|known| known.selection.selects(change) && may_hear(known.handle));
        selecting.filter_map(|known| (!known.waiting.add(change, limit)).then_some(known.handle)).collect()
    }

    /// Takes a change that waits, and gives the subscription that waits for it.
    pub(super) fn pop_waiting(&mut self) -> Option<(&Subscription, Change)> {
        self.0.iter_mut().find_map(|subscription| {
            let change = subscription.waiting.pop()?;
            Some((&*subscription, change))
        })
    }

    pub(super) fn get(&self, handle: Handle) -> Option<&Subscription> {
        self.0.iter().find(|subscription| subscription.handle == handle)
    }

    /// Gives those that want to hear of a change.
    pub(super) fn selecting<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = &'a Subscription> {
        self.0.iter().filter(move |subscription| subscription.selection.selects(change))
    }
}

/// Whether one of these resources is meant by a URI: itself, or one that it lies under.
pub(super) fn follows(uris: &HashSet<Box<str>>, uri: &str) -> bool {
    followed(uris, uri).is_some()
}

/// Gives the one of these resources that is meant by a URI.
pub(super) fn followed<'a>(uris: &HashSet<Box<str>>, uri: &'a str) -> Option<&'a str> {
    let above = uri.rmatch_indices('/').flat_map(|(at, _)| [&uri[..=at], &uri[..at]]);
    std::iter::once(uri).chain(above).find(|uri| uris.contains(*uri))
}

/// The notification that a list has changed; `None` for other changes.
pub(super) fn list_method(change: &Change) -> Option<&'static str> {
    match change {
        Change::Tools => Some("notifications/tools/list_changed"),
        Change::Prompts => Some("notifications/prompts/list_changed"),
        Change::Resources => Some("notifications/resources/list_changed"),
        Change::Resource { .. } | Change::Extension { .. } => None,
    }
}

/// The change of a list that a notification tells of.
pub(super) fn list_change(method: &str) -> Option<Change> {
    [Change::Tools, Change::Prompts, Change::Resources].into_iter().find(|change| list_method(change) == Some(method))
}

/// Gives the notification of a change: its method and its params, where it has any.
pub(super) fn notification(change: &Change) -> (&str, Option<Raw>) {
    match change {
        Change::Resource { uri } => {
            let uri = serde_json::to_string(uri).expect("a string can always be written");
            ("notifications/resources/updated", Some(Raw::trusted(format!("{{\"uri\":{uri}}}"))))
        }
        Change::Extension { method, params, .. } => (method, Some(params.clone())),
        list => (list_method(list).unwrap_or_default(), None),
    }
}

fn strings(name: &str, value: RawRef<'_>) -> Result<HashSet<Box<str>>, String> {
    let strings: HashSet<Box<str>> =
        value.decode().map_err(|_| format!("`notifications.{name}` must be an array of strings"))?;
    match strings.iter().all(|text| text.len() <= LONGEST_URI) {
        true => Ok(strings),
        false => Err(format!("`notifications.{name}` has a string of more than {LONGEST_URI} bytes")),
    }
}

/// The longest URI that may be followed, in bytes: the number of them alone would be no bound.
pub(super) const LONGEST_URI: usize = 64 << 10;

fn write_member(name: &str, value: RawRef<'_>, out: &mut Vec<u8>) {
    if out.len() > 1 {
        out.push(b',');
    }
    serde_json::to_writer(&mut *out, name).expect("a string can always be written to memory");
    out.push(b':');
    out.extend_from_slice(value.as_str().as_bytes());
}
