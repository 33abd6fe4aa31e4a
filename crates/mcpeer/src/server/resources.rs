use super::{
    BuildError, IntoHandlerError, Item, ProtocolError, ResourceHandler, ResourceRead, ResourceSource, UriTemplate,
    call,
    family::{self, Handle, erase},
    named::AskedFor,
    read,
    registry::{self, Registry},
    visible::Visible,
};
use crate::{
    driver::BoxFuture,
    handler::{Context, Needed, Run, States},
    model::{
        resources::{Resource, ResourceTemplate},
        uri::is_uri,
    },
    proto::io::Reply,
    rpc::{self, Raw, RawRef},
};

/// The resources of a server.
pub(super) struct Resources {
    pub(super) fixed: Registry<Entry>,
    pub(super) templates: Registry<TemplateEntry>,
    /// What lists more than those.
    pub(super) lists: Vec<Lister>,
    pub(super) sources: Vec<Box<dyn ResourceSource>>,
}

/// Lists resources anew for each request.
pub(super) type Lister = Box<dyn Fn(Context) -> BoxFuture<Result<Vec<Resource>, ProtocolError>> + Send + Sync>;

/// A resource with an address of its own.
pub(super) struct Entry {
    model: Resource,
    written: String,
    variables: AskedFor,
    needed: Vec<Needed>,
    handler: Box<dyn Handle<family::Resources>>,
}

impl Entry {
    pub(super) fn new<Signature: 'static>(model: Resource, handler: impl ResourceHandler<Signature>) -> Self {
        if !is_uri(&model.uri) {
            tracing::warn!(uri = model.uri, "some clients read no such address: give a whole one, with its scheme");
        }
        let (described, handler) = erase(handler);
        let (variables, needed) = (described.told, described.needed);
        Self { written: written(&model), model, variables, needed, handler }
    }

    /// Checks that everything is there that the handler asks for.
    pub(super) fn check(&self, states: &States) -> Result<(), BuildError> {
        BuildError::check(states, &self.needed, "resource", &self.model.uri)?;
        BuildError::check_names(&self.variables, |_| false, "resource", &self.model.uri)
    }
}

/// Resources with the addresses of a pattern.
pub(super) struct TemplateEntry {
    model: ResourceTemplate,
    written: String,
    template: UriTemplate,
    variables: AskedFor,
    needed: Vec<Needed>,
    handler: Box<dyn Handle<family::Resources>>,
}

impl TemplateEntry {
    pub(super) fn new<Signature: 'static>(
        model: ResourceTemplate,
        handler: impl ResourceHandler<Signature>,
    ) -> Result<Self, BuildError> {
        let template = UriTemplate::parse(&model.uri_template)
            .map_err(|error| BuildError::Template { template: model.uri_template.clone(), error })?;
        let written = serde_json::to_string(&model).expect("what a template consists of can always be written");
        let (described, handler) = erase(handler);
        let (variables, needed) = (described.told, described.needed);
        Ok(Self { model, written, template, variables, needed, handler })
    }

    /// Checks that everything is there that the handler asks for.
    pub(super) fn check(&self, states: &States) -> Result<(), BuildError> {
        let template = &self.model.uri_template;
        BuildError::check(states, &self.needed, "resource template", template)?;
        BuildError::check_names(&self.variables, |name| self.has(name), "resource template", template)
    }

    /// Whether it has such a variable.
    pub(super) fn has(&self, variable: &str) -> bool {
        self.template.names().any(|name| name == variable)
    }
}

impl registry::Entry for Entry {
    const MEMBER: &'static str = "resources";

    fn key(&self) -> &str {
        &self.model.uri
    }

    fn written(&self) -> &str {
        &self.written
    }

    fn is_plain(&self) -> bool {
        false
    }

    fn item(&self) -> Item<'_> {
        Item::Resource(&self.model)
    }
}

impl registry::Entry for TemplateEntry {
    const MEMBER: &'static str = "resourceTemplates";

    fn key(&self) -> &str {
        &self.model.uri_template
    }

    fn written(&self) -> &str {
        &self.written
    }

    fn is_plain(&self) -> bool {
        false
    }

    fn item(&self) -> Item<'_> {
        Item::ResourceTemplate(&self.model)
    }
}

impl Resources {
    pub(super) fn new(page_size: usize) -> Self {
        let (fixed, templates) = (Registry::new(page_size), Registry::new(page_size));
        Self { fixed, templates, lists: Vec::new(), sources: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fixed.snapshot().is_empty()
            && self.templates.snapshot().is_empty()
            && self.lists.is_empty()
            && self.sources.is_empty()
    }

    /// Answers `resources/list`.
    pub(super) fn list(&self, visible: Option<&Visible>, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        let snapshot = self.fixed.snapshot();
        if self.lists.is_empty() && self.sources.is_empty() {
            return Run::Ready(snapshot.list_for(visible, params, cx));
        }
        let mut added: Vec<Resource> = self.sources.iter().flat_map(|source| source.list()).collect();
        let listing: Vec<_> = self.lists.iter().map(|list| list(cx.clone())).collect();
        let (visible, params, cx) = (visible.cloned(), params.map(RawRef::to_owned), cx.clone());
        Run::Pending(Box::pin(async move {
            let is_visible = |item: &Item<'_>| visible.as_ref().is_none_or(|visible| visible(item, &cx));
            for listing in listing {
                match listing.await {
                    Ok(resources) => added.extend(resources),
                    Err(error) => return Reply::Error(error.into_handler_error()),
                }
            }
            // What has its own declaration is described by that.
            added.retain(|resource| snapshot.find(&resource.uri).is_none() && is_visible(&Item::Resource(resource)));
            let added: Vec<String> = added.iter().map(written).collect();
            snapshot.list_some(params.as_ref().map(Raw::borrow), is_visible, &added)
        }))
    }

    /// Whether a filter lets something pass that a resource of this address would be read from; where nothing is
    /// registered for it, a resource of that address and name.
    pub(super) fn is_visible(&self, uri: &str, is_visible: impl Fn(&Item<'_>) -> bool) -> bool {
        let (fixed, templates) = (self.fixed.snapshot(), self.templates.snapshot());
        let found = fixed.find(uri);
        let mut sourced = self.sources.iter().filter_map(|source| source.find(uri)).peekable();
        let mut matching = templates.iter().filter(|entry| entry.template.matches(uri).is_some()).peekable();
        if found.is_none() && sourced.peek().is_none() && matching.peek().is_none() {
            return is_visible(&Item::Resource(&Resource::new(uri, uri)));
        }
        found.is_some_and(|entry| is_visible(&Item::Resource(&entry.model)))
            || sourced.any(|found| is_visible(&Item::Resource(&found)))
            || matching.any(|entry| is_visible(&Item::ResourceTemplate(&entry.model)))
    }

    /// Answers `resources/read`: a resource of this very address goes before a source, that before a template, and of
    /// templates the first that fits.
    pub(super) fn read(&self, visible: Option<&Visible>, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        let uri = match text(params, "uri") {
            Ok(uri) => uri,
            Err(error) => return Run::Ready(Reply::Error(error)),
        };
        let is_visible = |item: &Item<'_>| visible.is_none_or(|visible| visible(item, cx));
        let fixed = self.fixed.snapshot();
        if let Some(entry) = fixed.find(&uri).filter(|entry| is_visible(&Item::Resource(&entry.model))) {
            let read = ResourceRead { uri, variables: Vec::new() };
            return run(&*entry.handler, read, entry.model.mime_type.clone(), cx);
        }
        for source in &self.sources {
            let Some(found) = source.find(&uri).filter(|found| is_visible(&Item::Resource(found))) else { continue };
            if let Some(result) = source.read(&uri) {
                return Run::Ready(result.into_reply(&uri, found.mime_type.as_deref()));
            }
        }
        for entry in self.templates.snapshot().iter() {
            let Some(variables) = entry.template.matches(&uri) else { continue };
            if is_visible(&Item::ResourceTemplate(&entry.model)) {
                let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
                return run(&*entry.handler, ResourceRead { uri, variables }, entry.model.mime_type.clone(), cx);
            }
        }
        Run::Ready(Reply::Error(ProtocolError::resource_not_found(&uri).0))
    }
}

fn written(resource: &Resource) -> String {
    serde_json::to_string(resource).expect("what a resource consists of can always be written")
}

fn run(handler: &dyn Handle<family::Resources>, read: ResourceRead, mime_type: Option<String>, cx: &Context) -> Run {
    let declared = read::Declared { uri: read.uri.clone(), mime_type };
    handler.run(&read, cx, declared)
}

/// Reads a text out of params.
pub(super) fn text(params: Option<RawRef<'_>>, member: &str) -> Result<String, rpc::Error> {
    let found = call::object(params)?.find(|(name, _)| name == member);
    let place = format!("params.{member}");
    match found {
        Some((_, value)) => Ok(call::string(&place, value)?.into_owned()),
        None => Err(rpc::Error::new(rpc::Error::INVALID_PARAMS, format!("`{place}` is missing"))),
    }
}
