use crate::{
    handler::Context,
    model::{
        prompts::Prompt,
        resources::{Resource, ResourceTemplate},
        tools::Tool,
    },
};

/// Something that a server lists, as a [filter](super::Builder::visible) sees it.
///
/// ```
/// use mcpeer::{model::prompts::Prompt, server::Item};
///
/// let prompt = Prompt::new("review");
/// assert_eq!(Item::Prompt(&prompt).name(), "review");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Item<'a> {
    /// A tool.
    Tool(&'a Tool),
    /// A resource.
    Resource(&'a Resource),
    /// A template of resources.
    ResourceTemplate(&'a ResourceTemplate),
    /// A prompt.
    Prompt(&'a Prompt),
}

impl<'a> Item<'a> {
    /// Gives the name.
    ///
    /// ```
    /// use mcpeer::{model::resources::Resource, server::Item};
    ///
    /// let resource = Resource::new("file:///a", "a");
    /// assert_eq!(Item::Resource(&resource).name(), "a");
    /// ```
    pub fn name(&self) -> &'a str {
        match self {
            Self::Tool(tool) => &tool.name,
            Self::Resource(resource) => &resource.name,
            Self::ResourceTemplate(template) => &template.name,
            Self::Prompt(prompt) => &prompt.name,
        }
    }
}

/// Says whether whoever asks may see something.
pub(super) type Visible = std::sync::Arc<dyn Fn(&Item<'_>, &Context) -> bool + Send + Sync>;
