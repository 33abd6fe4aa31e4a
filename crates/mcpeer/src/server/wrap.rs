use schemars::Schema;

use super::{Tool, family::Handle};
use crate::handler::States;

/// Puts something around the handler of a tool when the tool is registered.
pub(super) trait Wrap: Send + Sync {
    /// Gives the handler that is called in place of `inner`.
    ///
    /// # Errors
    ///
    /// Why the tool cannot be served.
    fn wrap(&self, subject: &Subject<'_>, inner: Box<dyn Handle>) -> Result<Box<dyn Handle>, String>;

    /// Names the extension that the server must have for it.
    fn extension(&self) -> Option<&'static str> {
        None
    }
}

/// The tool whose handler is wrapped.
#[allow(dead_code, reason = "the wrappers that look at it are features")]
pub(super) struct Subject<'a> {
    pub(super) tool: &'a Tool,
    /// The schema of what the handler's parameters read.
    pub(super) arguments: Option<&'a Schema>,
    /// What the handlers share.
    pub(super) states: &'a States,
    /// That revisions which know only objects get the structured content inside one.
    pub(super) wraps_output: bool,
}

/// Puts around a handler what its tool was given: the check next to it, the layers around that.
pub(super) fn wrap(subject: &Subject<'_>, mut handler: Box<dyn Handle>) -> Result<Box<dyn Handle>, String> {
    let tool = subject.tool;
    for wrap in tool.check.iter().chain(tool.layers.iter().rev()) {
        handler = wrap.wrap(subject, handler)?;
    }
    Ok(handler)
}
