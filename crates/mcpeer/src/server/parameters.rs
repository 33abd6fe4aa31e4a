use super::{FromCall, ToolCall, ToolResult};
use crate::handler::Context;

/// Who calls: the name that authorization gave, where the transport authenticated the caller.
///
/// ```
/// use mcpeer::server::{Principal, Server};
///
/// let server = Server::builder("who", "1.0.0")
///     .tool("who", async |Principal(name): Principal| name.unwrap_or_else(|| "somebody".to_owned()))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal(pub Option<String>);

impl FromCall for Principal {
    fn from_call(_: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult> {
        Ok(Self(cx.principal().map(str::to_owned)))
    }
}

/// The way to tell the caller how far the work is: [`Context::progress`] alone, for handlers that need no more.
///
/// ```
/// use mcpeer::server::{Progress, Server};
///
/// async fn copy(progress: Progress) -> &'static str {
///     for step in 1..=3 {
///         progress.tell(f64::from(step), Some(3.0), Some("copying")).await;
///     }
///     "copied"
/// }
///
/// let server = Server::builder("copier", "1.0.0").tool("copy", copy).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Progress(Context);

impl Progress {
    /// Tells how far the work is, as [`Context::progress`] does.
    ///
    /// ```
    /// # use mcpeer::server::Progress;
    /// async fn half(progress: Progress) {
    ///     progress.tell(1.0, Some(2.0), None).await;
    /// }
    /// ```
    pub async fn tell(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.0.progress(progress, total, message).await;
    }

    /// Whether the caller asked to hear of progress and still waits.
    ///
    /// ```
    /// # use mcpeer::server::Progress;
    /// async fn half(progress: Progress) {
    ///     if progress.is_wanted() {
    ///         progress.tell(1.0, Some(2.0), Some(&"=".repeat(10))).await;
    ///     }
    /// }
    /// ```
    pub fn is_wanted(&self) -> bool {
        self.0.wants_progress()
    }
}

impl FromCall for Progress {
    fn from_call(_: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult> {
        Ok(Self(cx.clone()))
    }
}
