use super::Context;

impl Context {
    /// Has the call go on as a task, where its client takes tasks and the tool was
    /// [marked](crate::server::Tool::task_on_demand) for it: the client is told so at once, and asks for the result
    /// later. Tells whether it is one. Elsewhere the call goes on as it is.
    ///
    /// What is asked of the client before this takes rounds of the call, what is asked behind it questions of the
    /// task; either way one `await`. The handler's future is not dropped any more when it asks.
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context, server::{Server, Tool, tasks::Tasks}};
    /// # async fn print(pages: u32) {}
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Pages { pages: u32 }
    ///
    /// async fn print_all(cx: Context) -> Result<&'static str> {
    ///     let Some(Pages { pages }) = cx.elicit::<Pages>("How many pages?").await?.accepted() else {
    ///         return Ok("nothing was printed");
    ///     };
    ///     if pages > 10 {
    ///         cx.become_task().await;
    ///     }
    ///     print(pages).await;
    ///     Ok("printed")
    /// }
    ///
    /// let server = Server::builder("printer", "1.0.0")
    ///     .extension(Tasks::new())
    ///     .tool(Tool::new("print").task_on_demand(), print_all)
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub async fn become_task(&self) -> bool {
        let Some(course) = self.course() else { return false };
        course.become_task().await;
        true
    }

    /// Whether the call goes on as a task: whoever called was answered already.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn may_take_long(cx: &Context) -> bool {
    ///     cx.is_task()
    /// }
    /// ```
    pub fn is_task(&self) -> bool {
        self.task().is_some()
    }
}
