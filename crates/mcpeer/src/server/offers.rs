use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    BuildError, Builder, Completes, CompletionHandler, Item, Prompt, PromptHandler, ProtocolError, Resource,
    ResourceHandler, ResourceSource, ResourceTemplate, Visibility, completions, prompts,
    resources::{self, Lister},
    router::{Declared, Router},
    visible::Visible,
};
use crate::{
    handler::Context,
    model::caching::{Scope, Ttl},
    wire::{CacheHint, CacheScope},
};

/// What a server will offer beside its tools.
#[derive(Default)]
pub(super) struct Offers {
    resources: Vec<resources::Entry>,
    templates: Vec<Result<resources::TemplateEntry, BuildError>>,
    lists: Vec<Lister>,
    pub(super) sources: Vec<Box<dyn ResourceSource>>,
    prompts: Vec<prompts::Entry>,
    completions: Vec<completions::Entry>,
    visible: Option<Visible>,
    /// The same, for whoever asks besides.
    pub(super) visibility: Visibility,
    pub(super) cache: Vec<(&'static str, CacheHint)>,
    /// What is declared though there is none yet.
    dynamic: Declared,
}

impl Builder {
    /// Adds a resource and what reads it. Resources are listed in the order in which they were added.
    ///
    /// ```
    /// use mcpeer::server::{Resource, Server};
    ///
    /// let server = Server::builder("notes", "1.0.0")
    ///     .resource(Resource::new("notes://today", "today").mime_type("text/plain"), async || "Buy milk")
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn resource<Signature: 'static>(
        mut self,
        resource: Resource,
        handler: impl ResourceHandler<Signature>,
    ) -> Self {
        self.offers.resources.push(resources::Entry::new(resource, handler));
        self
    }

    /// Adds resources with the addresses of a [pattern](super::UriTemplate), and what reads them. A resource with the
    /// very address that is asked for goes before a template; of templates that fit the first one added reads.
    ///
    /// ```
    /// use mcpeer::server::{ResourceTemplate, Server, Variables};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Section {
    ///     section: String,
    /// }
    ///
    /// let server = Server::builder("config", "1.0.0")
    ///     .resource_template(
    ///         ResourceTemplate::new("config://{section}", "config"),
    ///         async |Variables(wanted): Variables<Section>| match &*wanted.section {
    ///             "log" => Some("level = 3"),
    ///             _ => None,
    ///         },
    ///     )
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn resource_template<Signature: 'static>(
        mut self,
        template: ResourceTemplate,
        handler: impl ResourceHandler<Signature>,
    ) -> Self {
        self.offers.templates.push(resources::TemplateEntry::new(template, handler));
        self
    }

    /// Lists more resources, found anew for each request: those that a template reads and that are there right now.
    /// They stand after those that were added one by one. Where they change between two pages, the client is told to
    /// begin again.
    ///
    /// ```
    /// use mcpeer::server::{Resource, ResourceTemplate, Server, Uri};
    ///
    /// let server = Server::builder("files", "1.0.0")
    ///     .resource_template(ResourceTemplate::new("file:///{+path}", "files"), async |Uri(uri): Uri| uri)
    ///     .list_resources(async |_cx| Ok(vec![Resource::new("file:///a.txt", "a.txt")]))
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn list_resources<F, Listing>(mut self, list: F) -> Self
    where
        F: Fn(Context) -> Listing + Send + Sync + 'static,
        Listing: Future<Output = Result<Vec<Resource>, ProtocolError>> + Send + 'static,
    {
        self.offers.lists.push(Box::new(move |cx| Box::pin(list(cx))));
        self
    }

    /// Adds a prompt and what writes it. Prompts are listed in the order in which they were added; the arguments come
    /// from the handler's [`Args`](super::Args), unless the prompt names its own.
    ///
    /// ```
    /// use mcpeer::server::{Args, Prompt, Server};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Review {
    ///     /// The code to review.
    ///     code: String,
    /// }
    ///
    /// let server = Server::builder("reviewer", "1.0.0")
    ///     .prompt(Prompt::new("review").title("Review"), async |Args(review): Args<Review>| {
    ///         format!("Review this:\n{}", review.code)
    ///     })
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn prompt<Signature: 'static>(mut self, prompt: Prompt, handler: impl PromptHandler<Signature>) -> Self {
        self.offers.prompts.push(prompts::Entry::new(prompt, handler));
        self
    }

    /// Adds what completes an argument of a prompt or a variable of a template while somebody types it.
    ///
    /// ```
    /// use mcpeer::server::{Completes, ResourceTemplate, Server, Typed, Uri};
    ///
    /// let server = Server::builder("config", "1.0.0")
    ///     .resource_template(ResourceTemplate::new("config://{section}", "config"), async |Uri(uri): Uri| uri)
    ///     .completion(Completes::template("config://{section}", "section"), async |typed: Typed| {
    ///         typed.among(["log", "net"])
    ///     })
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn completion<Signature: 'static>(
        mut self,
        completes: Completes,
        handler: impl CompletionHandler<Signature>,
    ) -> Self {
        self.offers.completions.push(completions::Entry::new(completes, handler));
        self
    }

    /// Lets each request see only some of the tools, resources, templates and prompts: what it may not see is neither
    /// listed nor found, and of a resource that it may not see no subscription tells. Of a resource that is not
    /// registered, only listed anew for each request, changes are told where the filter lets one pass whose address
    /// and name are the resource's address.
    ///
    /// Go by who asks, as [`principal`](Context::principal) says it, and never by the connection: a client may use many
    /// at once, and in the stateless era each request stands alone. Where what somebody may see changes, say so by
    /// [`Server::tools_changed`](super::Server::tools_changed) and its like.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("vault", "1.0.0")
    ///     .tool("look", async || "gold")
    ///     .tool("empty", async || "done")
    ///     .visible(|item, cx| item.name() != "empty" || cx.principal() == Some("admin"))
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn visible(mut self, filter: impl Fn(&Item<'_>, &Context) -> bool + Send + Sync + 'static) -> Self {
        let visible: Visible = std::sync::Arc::new(filter);
        self.offers.visibility.set(visible.clone());
        self.offers.visible = Some(visible);
        self
    }

    /// Says for how long clients may keep the results of a method, and who may be served a kept copy: of a list, or of
    /// `resources/read` where the handler says nothing itself. Unless set, for no time at all. Stateless era.
    ///
    /// What depends on who asks, as by a [filter](Self::visible), must not be [public](Scope::Public).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcpeer::{model::caching::Scope, server::Server};
    ///
    /// let server = Server::builder("clock", "1.0.0")
    ///     .tool("now", async || "12:00")
    ///     .cache("tools/list", Duration::from_secs(60), Scope::Public)
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn cache(mut self, method: &'static str, fresh: Duration, scope: Scope) -> Self {
        let scope = if scope == Scope::Public { CacheScope::Public } else { CacheScope::Private };
        self.offers.cache.push((method, CacheHint { ttl_ms: Ttl::from(fresh).as_millis(), scope }));
        self
    }

    /// Declares tools, though the first may be [added](super::Server::tools) only while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("plugins", "1.0.0").dynamic_tools().build()?;
    /// server.tools().add("now", async || "12:00")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn dynamic_tools(mut self) -> Self {
        self.offers.dynamic.tools = true;
        self
    }

    /// Declares resources, though the first may be [added](super::Server::resources) only while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("plugins", "1.0.0").dynamic_resources().build()?;
    /// server.resources().add(Resource::new("a://b", "b"), async || "text")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn dynamic_resources(mut self) -> Self {
        self.offers.dynamic.resources = true;
        self
    }

    /// Declares prompts, though the first may be [added](super::Server::prompts) only while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("plugins", "1.0.0").dynamic_prompts().build()?;
    /// server.prompts().add(Prompt::new("greet"), async || "Say hello")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn dynamic_prompts(mut self) -> Self {
        self.offers.dynamic.prompts = true;
        self
    }

    /// Declares completions, though the first may be [added](super::Server::completions) only while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("plugins", "1.0.0").dynamic_completions().build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn dynamic_completions(mut self) -> Self {
        self.offers.dynamic.completions = true;
        self
    }
}

impl Offers {
    /// Moves everything into the router, and gives the methods that it serves then; says in `capabilities` what there
    /// is.
    pub(super) fn offer(
        self,
        router: &mut Router,
        capabilities: &mut Map<String, Value>,
    ) -> Result<Vec<&'static str>, BuildError> {
        self.resources.into_iter().try_for_each(|entry| router.add_resource(entry))?;
        self.templates.into_iter().try_for_each(|entry| router.add_template(entry?))?;
        self.prompts.into_iter().try_for_each(|entry| router.add_prompt(entry))?;
        self.completions.into_iter().try_for_each(|entry| router.add_completion(entry))?;
        router.resources.lists = self.lists;
        router.resources.sources = self.sources;
        router.visible = self.visible;
        router.declared = Declared {
            tools: self.dynamic.tools || !router.tools.snapshot().is_empty() || !router.disabled.is_empty(),
            resources: self.dynamic.resources || !router.resources.is_empty(),
            prompts: self.dynamic.prompts || !router.prompts.snapshot().is_empty(),
            completions: self.dynamic.completions || !router.completions.is_empty(),
        };
        let mut methods = Vec::new();
        let mut declare = |is_there: bool, name: &str, value: Value, served: &[&'static str]| {
            if is_there {
                capabilities.insert(name.to_owned(), value);
                methods.extend(served);
            }
        };
        let list_changed = || json!({"listChanged": true});
        declare(router.declared.tools, "tools", list_changed(), &["tools/list", "tools/call"]);
        // Where not everybody may see everything, who follows a resource is looked at.
        let reading = ["resources/list", "resources/templates/list", "resources/read", "resources/subscribe"];
        let resources = json!({"listChanged": true, "subscribe": true});
        let served = if router.visible.is_some() { &reading[..] } else { &reading[..3] };
        declare(router.declared.resources, "resources", resources, served);
        declare(router.declared.prompts, "prompts", list_changed(), &["prompts/list", "prompts/get"]);
        declare(router.declared.completions, "completions", json!({}), &["completion/complete"]);
        Ok(methods)
    }
}
