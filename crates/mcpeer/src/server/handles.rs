use super::{
    BuildError, Completes, CompletionHandler, Prompt, PromptHandler, Resource, ResourceHandler, ResourceTemplate,
    Server, Tool, ToolHandler, completions, prompts,
    registry::{Entry, Registry},
    resources, tools,
};
use crate::proto::io::Change;

impl Server {
    /// Gives the tools, to change them while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.tools().replace("now", async || "13:00")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn tools(&self) -> ToolSet<'_> {
        ToolSet(self)
    }

    /// Gives the resources and their templates, to change them while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// server.resources().add(Resource::new("notes://today", "today"), async || "Buy milk")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn resources(&self) -> ResourceSet<'_> {
        ResourceSet(self)
    }

    /// Gives the prompts, to change them while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").dynamic_prompts().build()?;
    /// server.prompts().add(Prompt::new("greet"), async || "Say hello")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn prompts(&self) -> PromptSet<'_> {
        PromptSet(self)
    }

    /// Gives the completions, to change them while the server runs.
    ///
    /// ```
    /// # use mcpeer::server::{Completes, ResourceTemplate, Server, Uri};
    /// let server = Server::builder("docs", "1.0.0")
    ///     .resource_template(ResourceTemplate::new("docs://{page}", "docs"), async |Uri(uri): Uri| uri)
    ///     .dynamic_completions()
    ///     .build()?;
    /// server.completions().add(Completes::template("docs://{page}", "page"), || ["index", "guide"])?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn completions(&self) -> CompletionSet<'_> {
        CompletionSet(self)
    }
}

/// The tools of a server that runs. A change holds for every request that begins after it, on every connection, and
/// is told to clients; calls that run go on.
///
/// ```
/// # use mcpeer::server::Server;
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// server.tools().disable("now")?;
/// server.tools().enable("now")?;
/// assert!(server.tools().remove("now"));
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToolSet<'a>(&'a Server);

impl ToolSet<'_> {
    /// Adds a tool to the end of the list.
    ///
    /// # Errors
    ///
    /// There is one of this name; its arguments are no object, or a schema cannot be used; its handler asks for state
    /// that is not there; the server did not
    /// [declare tools](super::Builder::dynamic_tools).
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// let error = server.tools().add("now", async || "12:00").unwrap_err();
    /// let message = "the server did not declare tools: add one before `build`, or call `dynamic_tools` there";
    /// assert_eq!(error.to_string(), message);
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn add<Signature: 'static>(
        self,
        tool: impl Into<Tool>,
        handler: impl ToolHandler<Signature>,
    ) -> Result<(), BuildError> {
        let router = &self.0.router;
        declared(router.declared.tools, "tools")?;
        router.add_tool(tools::Entry::new(tools::Declared::new(tool.into(), handler), &self.0.router.states)?)?;
        self.0.tools_changed();
        Ok(())
    }

    /// Puts a tool in the place of the one that has its name.
    ///
    /// # Errors
    ///
    /// There is none of this name; its arguments are no object.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.tools().replace("now", async || "13:00")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn replace<Signature: 'static>(
        self,
        tool: impl Into<Tool>,
        handler: impl ToolHandler<Signature>,
    ) -> Result<(), BuildError> {
        let entry = tools::Entry::new(tools::Declared::new(tool.into(), handler), &self.0.router.states)?;
        replace(self.0, &self.0.router.tools, "tool", entry, &Change::Tools)
    }

    /// Takes a tool away; `false` where there is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// assert!(server.tools().remove("now") && !server.tools().remove("now"));
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn remove(self, name: &str) -> bool {
        remove(self.0, &self.0.router.tools, name, &Change::Tools)
    }

    /// Lists a tool again that was disabled.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.tools().enable("now")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn enable(self, name: &str) -> Result<(), BuildError> {
        set_enabled(self.0, &self.0.router.tools, "tool", name, true, &Change::Tools)
    }

    /// Hides a tool, as if there were none, until it is enabled.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.tools().disable("now")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn disable(self, name: &str) -> Result<(), BuildError> {
        set_enabled(self.0, &self.0.router.tools, "tool", name, false, &Change::Tools)
    }
}

/// The resources and templates of a server that runs, as [`ToolSet`].
///
/// ```
/// # use mcpeer::server::{Resource, Server};
/// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
/// server.resources().add(Resource::new("notes://today", "today"), async || "Buy milk")?;
/// assert!(server.resources().remove("notes://today"));
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ResourceSet<'a>(&'a Server);

impl ResourceSet<'_> {
    /// Adds a resource to the end of the list.
    ///
    /// # Errors
    ///
    /// There is one of this address; the server did not [declare resources](super::Builder::dynamic_resources).
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// server.resources().add(Resource::new("notes://today", "today"), async || "Buy milk")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn add<Signature: 'static>(
        self,
        resource: Resource,
        handler: impl ResourceHandler<Signature>,
    ) -> Result<(), BuildError> {
        declared(self.0.router.declared.resources, "resources")?;
        self.0.router.add_resource(resources::Entry::new(resource, handler))?;
        self.0.resources_changed();
        Ok(())
    }

    /// Puts a resource in the place of the one that has its address.
    ///
    /// # Errors
    ///
    /// There is none of this address.
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// assert!(server.resources().replace(Resource::new("notes://today", "today"), async || "Buy milk").is_err());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn replace<Signature: 'static>(
        self,
        resource: Resource,
        handler: impl ResourceHandler<Signature>,
    ) -> Result<(), BuildError> {
        let entry = resources::Entry::new(resource, handler);
        entry.check(&self.0.router.states)?;
        replace(self.0, &self.0.router.resources.fixed, "resource", entry, &Change::Resources)
    }

    /// Takes a resource or a template away, by its address or pattern; `false` where there is none.
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// assert!(!server.resources().remove("notes://today"));
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn remove(self, uri: &str) -> bool {
        let resources = &self.0.router.resources;
        remove(self.0, &resources.fixed, uri, &Change::Resources)
            || remove(self.0, &resources.templates, uri, &Change::Resources)
    }

    /// Lists a resource or a template again that was disabled, by its address or pattern.
    ///
    /// # Errors
    ///
    /// There is none.
    ///
    /// ```
    /// # use mcpeer::server::{Resource, Server};
    /// let server = Server::builder("notes", "1.0.0")
    ///     .resource(Resource::new("notes://today", "today"), async || "Buy milk")
    ///     .build()?;
    /// server.resources().disable("notes://today")?;
    /// server.resources().enable("notes://today")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn enable(self, uri: &str) -> Result<(), BuildError> {
        self.set_enabled(uri, true)
    }

    /// Hides a resource or a template, by its address or pattern, until it is enabled.
    ///
    /// # Errors
    ///
    /// There is none.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// assert!(server.resources().disable("notes://today").is_err());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn disable(self, uri: &str) -> Result<(), BuildError> {
        self.set_enabled(uri, false)
    }

    /// Adds a template to the end of their list.
    ///
    /// # Errors
    ///
    /// There is one of this pattern; it is none that can be served; the server did not
    /// [declare resources](super::Builder::dynamic_resources).
    ///
    /// ```
    /// # use mcpeer::server::{ResourceTemplate, Server, Uri};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// let template = ResourceTemplate::new("notes://{day}", "notes");
    /// server.resources().add_template(template, async |Uri(uri): Uri| uri)?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn add_template<Signature: 'static>(
        self,
        template: ResourceTemplate,
        handler: impl ResourceHandler<Signature>,
    ) -> Result<(), BuildError> {
        declared(self.0.router.declared.resources, "resources")?;
        self.0.router.add_template(resources::TemplateEntry::new(template, handler)?)?;
        self.0.resources_changed();
        Ok(())
    }

    /// Puts a template in the place of the one that has its pattern.
    ///
    /// # Errors
    ///
    /// There is none of this pattern.
    ///
    /// ```
    /// # use mcpeer::server::{ResourceTemplate, Server, Uri};
    /// let server = Server::builder("notes", "1.0.0").dynamic_resources().build()?;
    /// let template = ResourceTemplate::new("notes://{day}", "notes");
    /// assert!(server.resources().replace_template(template, async |Uri(uri): Uri| uri).is_err());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn replace_template<Signature: 'static>(
        self,
        template: ResourceTemplate,
        handler: impl ResourceHandler<Signature>,
    ) -> Result<(), BuildError> {
        let entry = resources::TemplateEntry::new(template, handler)?;
        entry.check(&self.0.router.states)?;
        replace(self.0, &self.0.router.resources.templates, "resource template", entry, &Change::Resources)
    }

    fn set_enabled(self, uri: &str, is_enabled: bool) -> Result<(), BuildError> {
        let resources = &self.0.router.resources;
        set_enabled(self.0, &resources.fixed, "resource", uri, is_enabled, &Change::Resources).or_else(|missing| {
            set_enabled(self.0, &resources.templates, "", uri, is_enabled, &Change::Resources).map_err(|_| missing)
        })
    }
}

/// The prompts of a server that runs, as [`ToolSet`].
///
/// ```
/// # use mcpeer::server::{Prompt, Server};
/// let server = Server::builder("greeter", "1.0.0").dynamic_prompts().build()?;
/// server.prompts().add(Prompt::new("greet"), async || "Say hello")?;
/// assert!(server.prompts().remove("greet"));
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PromptSet<'a>(&'a Server);

impl PromptSet<'_> {
    /// Adds a prompt to the end of the list.
    ///
    /// # Errors
    ///
    /// There is one of this name; the server did not [declare prompts](super::Builder::dynamic_prompts).
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").dynamic_prompts().build()?;
    /// server.prompts().add(Prompt::new("greet"), async || "Say hello")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn add<Signature: 'static>(
        self,
        prompt: Prompt,
        handler: impl PromptHandler<Signature>,
    ) -> Result<(), BuildError> {
        declared(self.0.router.declared.prompts, "prompts")?;
        self.0.router.add_prompt(prompts::Entry::new(prompt, handler))?;
        self.0.prompts_changed();
        Ok(())
    }

    /// Puts a prompt in the place of the one that has its name.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").prompt(Prompt::new("greet"), async || "Say hello").build()?;
    /// server.prompts().replace(Prompt::new("greet"), async || "Say good morning")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn replace<Signature: 'static>(
        self,
        prompt: Prompt,
        handler: impl PromptHandler<Signature>,
    ) -> Result<(), BuildError> {
        let entry = prompts::Entry::new(prompt, handler);
        entry.check(&self.0.router.states)?;
        replace(self.0, &self.0.router.prompts, "prompt", entry, &Change::Prompts)
    }

    /// Takes a prompt away; `false` where there is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").prompt(Prompt::new("greet"), async || "Say hello").build()?;
    /// assert!(server.prompts().remove("greet"));
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn remove(self, name: &str) -> bool {
        remove(self.0, &self.0.router.prompts, name, &Change::Prompts)
    }

    /// Lists a prompt again that was disabled.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").prompt(Prompt::new("greet"), async || "Say hello").build()?;
    /// server.prompts().enable("greet")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn enable(self, name: &str) -> Result<(), BuildError> {
        set_enabled(self.0, &self.0.router.prompts, "prompt", name, true, &Change::Prompts)
    }

    /// Hides a prompt, as if there were none, until it is enabled.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    ///
    /// ```
    /// # use mcpeer::server::{Prompt, Server};
    /// let server = Server::builder("greeter", "1.0.0").prompt(Prompt::new("greet"), async || "Say hello").build()?;
    /// server.prompts().disable("greet")?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn disable(self, name: &str) -> Result<(), BuildError> {
        set_enabled(self.0, &self.0.router.prompts, "prompt", name, false, &Change::Prompts)
    }
}

/// The completions of a server that runs. A change holds for every request that begins after it. No list has them, so
/// clients need not be told.
///
/// ```
/// # use mcpeer::server::{Completes, ResourceTemplate, Server, Uri};
/// let page = Completes::template("docs://{page}", "page");
/// let server = Server::builder("docs", "1.0.0")
///     .resource_template(ResourceTemplate::new("docs://{page}", "docs"), async |Uri(uri): Uri| uri)
///     .completion(page.clone(), || ["index"])
///     .build()?;
/// server.completions().replace(page.clone(), || ["index", "guide"])?;
/// assert!(server.completions().remove(&page));
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CompletionSet<'a>(&'a Server);

impl CompletionSet<'_> {
    /// Adds what completes an argument.
    ///
    /// # Errors
    ///
    /// There is one for this argument; there is no such argument; the handler asks for something that is not there; the
    /// server did not [declare completions](super::Builder::dynamic_completions).
    ///
    /// ```
    /// # use mcpeer::server::{Completes, Server};
    /// let server = Server::builder("docs", "1.0.0").dynamic_completions().build()?;
    /// assert!(server.completions().add(Completes::prompt("greet", "name"), || ["Ada"]).is_err());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn add<Signature: 'static>(
        self,
        completes: Completes,
        handler: impl CompletionHandler<Signature>,
    ) -> Result<(), BuildError> {
        declared(self.0.router.declared.completions, "completions")?;
        self.0.router.add_completion(completions::Entry::new(completes, handler))
    }

    /// Puts a completion in the place of the one that is for the same argument.
    ///
    /// # Errors
    ///
    /// There is none for this argument; the handler asks for something that is not there.
    ///
    /// ```
    /// # use mcpeer::server::{Completes, Server};
    /// let server = Server::builder("docs", "1.0.0").dynamic_completions().build()?;
    /// assert!(server.completions().replace(Completes::prompt("greet", "name"), || ["Ada"]).is_err());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn replace<Signature: 'static>(
        self,
        completes: Completes,
        handler: impl CompletionHandler<Signature>,
    ) -> Result<(), BuildError> {
        let entry = completions::Entry::new(completes, handler);
        entry.check(&self.0.router)?;
        self.0.router.completions.replace(entry)
    }

    /// Takes a completion away; `false` where there is none for this argument. Nothing is proposed for it then.
    ///
    /// ```
    /// # use mcpeer::server::{Completes, Server};
    /// let server = Server::builder("docs", "1.0.0").dynamic_completions().build()?;
    /// assert!(!server.completions().remove(&Completes::prompt("greet", "name")));
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn remove(self, completes: &Completes) -> bool {
        self.0.router.completions.remove(completes)
    }
}

fn declared(is_declared: bool, kind: &'static str) -> Result<(), BuildError> {
    if is_declared { Ok(()) } else { Err(BuildError::NotDeclared { kind }) }
}

fn replace<E: Entry>(
    server: &Server,
    registry: &Registry<E>,
    kind: &'static str,
    entry: E,
    change: &Change,
) -> Result<(), BuildError> {
    let key = entry.key().to_owned();
    registry.replace(entry).map_err(|conflict| conflict.explain(kind, &key))?;
    server.publish(change);
    Ok(())
}

fn remove<E: Entry>(server: &Server, registry: &Registry<E>, key: &str, change: &Change) -> bool {
    let was_there = registry.remove(key);
    if was_there {
        server.publish(change);
    }
    was_there
}

fn set_enabled<E: Entry>(
    server: &Server,
    registry: &Registry<E>,
    kind: &'static str,
    key: &str,
    is_enabled: bool,
    change: &Change,
) -> Result<(), BuildError> {
    if registry.set_enabled(key, is_enabled).map_err(|conflict| conflict.explain(kind, key))? {
        server.publish(change);
    }
    Ok(())
}
