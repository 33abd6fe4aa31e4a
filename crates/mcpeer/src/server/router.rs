use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{
    BuildError, DisabledTool,
    completions::{self, Completions},
    connections::Connections,
    method::OwnMethods,
    notified::Notified,
    prompts,
    registry::{Entry as _, Registry},
    resources::{self, Resources},
    tools,
    visible::Visible,
    watchers::Watchers,
};
use crate::{
    driver::Remote,
    handler::{Context, Notification, Reply, Request, Run, Service, States},
    peer::Peer,
    proto::io::Handle,
    rpc::Raw,
};

/// What a server offers: it finds what answers a method.
pub(super) struct Router {
    pub(super) tools: Registry<tools::Entry>,
    /// The tools that cannot be served.
    pub(super) disabled: Vec<DisabledTool>,
    /// What the handlers share.
    pub(super) states: States,
    pub(super) resources: Resources,
    pub(super) prompts: Registry<prompts::Entry>,
    pub(super) completions: Completions,
    pub(super) visible: Option<Visible>,
    pub(super) declared: Declared,
    pub(super) connections: Arc<Connections>,
    pub(super) watchers: Watchers,
    pub(super) methods: OwnMethods,
    pub(super) notified: Notified,
}

/// The kinds of things that a server says it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Declared {
    pub(super) tools: bool,
    pub(super) resources: bool,
    pub(super) prompts: bool,
    pub(super) completions: bool,
}

impl Router {
    pub(super) fn new(page_size: usize, states: States) -> Self {
        Self {
            tools: Registry::new(page_size),
            disabled: Vec::new(),
            states,
            resources: Resources::new(page_size),
            prompts: Registry::new(page_size),
            completions: Completions::default(),
            visible: None,
            declared: Declared::default(),
            connections: Arc::default(),
            watchers: Watchers::default(),
            methods: OwnMethods::default(),
            notified: Notified::default(),
        }
    }

    /// Whether a listener may hear that a resource has changed: where it may see it.
    pub(super) fn may_hear(&self, uri: &str, cx: &Context) -> bool {
        let Some(visible) = &self.visible else { return true };
        // It runs on the task of the connection, which must not end by it.
        let judge = || self.resources.is_visible(uri, |item| visible(item, cx));
        catch_unwind(AssertUnwindSafe(judge)).unwrap_or(false)
    }

    pub(super) fn add_tool(&self, entry: tools::Entry) -> Result<(), BuildError> {
        let name = entry.key().to_owned();
        self.tools.add(entry).map_err(|_| BuildError::DuplicateTool { name })
    }

    pub(super) fn add_resource(&self, entry: resources::Entry) -> Result<(), BuildError> {
        entry.check(&self.states)?;
        let name = entry.key().to_owned();
        self.resources.fixed.add(entry).map_err(|conflict| conflict.explain("resource", &name))
    }

    pub(super) fn add_template(&self, entry: resources::TemplateEntry) -> Result<(), BuildError> {
        entry.check(&self.states)?;
        let name = entry.key().to_owned();
        self.resources.templates.add(entry).map_err(|conflict| conflict.explain("resource template", &name))
    }

    pub(super) fn add_prompt(&self, entry: prompts::Entry) -> Result<(), BuildError> {
        entry.check(&self.states)?;
        let name = entry.key().to_owned();
        self.prompts.add(entry).map_err(|conflict| conflict.explain("prompt", &name))
    }

    pub(super) fn add_completion(&self, entry: completions::Entry) -> Result<(), BuildError> {
        entry.check(self)?;
        self.completions.add(entry)
    }
}

impl Service for Router {
    fn call(&self, request: Request, cx: Context) -> Run {
        // A question seals them, and a client of the stateful era has the handler run anew with them.
        let params = cx.keep_params(request.params);
        let visible = self.visible.as_ref();
        match &*request.method {
            "tools/call" => tools::call(&self.tools, visible, params, &cx),
            "tools/list" => Run::Ready(self.tools.snapshot().list_for(visible, params, &cx)),
            "resources/read" => self.resources.read(visible, params, &cx),
            "resources/list" => self.resources.list(visible, params, &cx),
            "resources/templates/list" => {
                Run::Ready(self.resources.templates.snapshot().list_for(visible, params, &cx))
            }
            "prompts/get" => prompts::get(&self.prompts, visible, params, &cx),
            "prompts/list" => Run::Ready(self.prompts.snapshot().list_for(visible, params, &cx)),
            "completion/complete" => self.completions.complete(&self.prompts, &self.resources, visible, params, &cx),
            // Who follows a resource has to be known where not everybody may see it.
            method @ "resources/subscribe" if visible.is_some() => {
                self.connections.listens(None, &cx);
                match self.methods.has(method) {
                    true => self.methods.call(method, params, &cx),
                    false => Run::Ready(Reply::Complete(Raw::trusted("{}").into())),
                }
            }
            method => self.methods.call(method, params, &cx),
        }
    }

    fn listens(&self, listener: Handle, cx: &Context) {
        if self.visible.is_some() {
            self.connections.listens(Some(listener), cx);
        }
    }

    fn listens_no_more(&self, listener: Handle, remote: &Remote) {
        if self.visible.is_some() {
            self.connections.listens_no_more(listener, remote);
        }
    }

    fn notify(&self, notification: Notification, peer: &Peer) {
        self.notified.take(&notification, peer);
    }

    fn watched(&self, uri: &str) {
        self.watchers.watched(uri);
    }

    fn unwatched(&self, uri: &str) {
        self.watchers.unwatched(uri);
    }
}
