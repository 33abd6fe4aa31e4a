use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use super::{Builder, Item, ResourceResult, visible::Visible};
use crate::{handler::Context, model::resources::Resource};

/// Resources that are found anew for each request: those of an [extension](crate::extension), or of something else that
/// has its own idea of what there is.
///
/// ```
/// use mcpeer::{
///     model::resources::Resource,
///     server::{ResourceResult, ResourceSource, Server},
/// };
///
/// struct Clock;
///
/// impl ResourceSource for Clock {
///     fn list(&self) -> Vec<Resource> {
///         vec![Resource::new("clock://now", "now")]
///     }
///
///     fn find(&self, uri: &str) -> Option<Resource> {
///         self.list().into_iter().find(|resource| resource.uri == uri)
///     }
///
///     fn read(&self, _uri: &str) -> Option<ResourceResult> {
///         Some(ResourceResult::text("12:00"))
///     }
/// }
///
/// let server = Server::builder("clock", "1.0.0").resource_source(Clock).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
pub trait ResourceSource: Send + Sync + 'static {
    /// Lists what there is now, in an order that stays.
    fn list(&self) -> Vec<Resource>;

    /// Describes the resource at an address; `None` where there is none.
    fn find(&self, uri: &str) -> Option<Resource>;

    /// Reads the resource at an address that was found; `None` where there is none any more.
    fn read(&self, uri: &str) -> Option<ResourceResult>;
}

impl<S: ResourceSource> ResourceSource for Arc<S> {
    fn list(&self) -> Vec<Resource> {
        (**self).list()
    }

    fn find(&self, uri: &str) -> Option<Resource> {
        (**self).find(uri)
    }

    fn read(&self, uri: &str) -> Option<ResourceResult> {
        (**self).read(uri)
    }
}

impl Builder {
    /// Adds a source of resources. What it lists stands after the resources that were added one by one, and is read
    /// where none of those has the address, before any template.
    ///
    /// ```
    /// use mcpeer::server::{Builder, ResourceSource};
    ///
    /// fn with(builder: Builder, files: impl ResourceSource) -> Builder {
    ///     builder.resource_source(files)
    /// }
    /// ```
    pub fn resource_source(mut self, source: impl ResourceSource) -> Self {
        self.offers.sources.push(Box::new(source));
        self
    }

    /// Gives the way to ask whether a request may see something, as the server's [filter](Self::visible) says, for
    /// methods that an [extension](crate::extension) adds.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let visibility = Server::builder("desk", "1.0.0").visibility();
    /// # let _ = visibility;
    /// ```
    pub fn visibility(&self) -> Visibility {
        self.offers.visibility.clone()
    }
}

/// Tells what a request may see of a server. [`Builder::visibility`] gives it.
///
/// ```
/// use mcpeer::{handler::Context, model::resources::Resource, server::{Item, Visibility}};
///
/// fn only_visible(all: Vec<Resource>, visibility: &Visibility, cx: &Context) -> Vec<Resource> {
///     all.into_iter().filter(|resource| visibility.allows(&Item::Resource(resource), cx)).collect()
/// }
/// ```
#[derive(Clone, Default)]
pub struct Visibility(Arc<RwLock<Option<Visible>>>);

impl Visibility {
    pub(super) fn set(&self, visible: Visible) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(visible);
    }

    /// Whether the request may see this; everything where the server has no [filter](Builder::visible).
    ///
    /// ```
    /// # use mcpeer::{handler::Context, model::resources::Resource, server::{Item, Visibility}};
    /// # fn is_visible(resource: &Resource, visibility: &Visibility, cx: &Context) -> bool {
    /// visibility.allows(&Item::Resource(resource), cx)
    /// # }
    /// ```
    pub fn allows(&self, item: &Item<'_>, cx: &Context) -> bool {
        let visible = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        visible.is_none_or(|visible| visible(item, cx))
    }
}

impl fmt::Debug for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visibility").finish_non_exhaustive()
    }
}
