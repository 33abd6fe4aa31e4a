use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
};

use super::{
    engine::Engine,
    run::{Job, Rerun},
};
use crate::{
    driver::BoxFuture,
    handler::{Context, Course, Reply, Run},
    model::extensions::tasks::IDENTIFIER,
    server::{
        Tool, ToolCall,
        family::Handle,
        wrap::{Subject, Wrap},
    },
    version::Era,
    wire::codes,
};

impl Tool {
    /// Has each call go on as a task, where its client takes tasks; to others the tool is as any other. The server
    /// must be given [`Tasks`](super::Tasks).
    ///
    /// A [layer](crate::server::layer) that was added to the tool before this one is around the making of the task, one
    /// that is added behind it around the work. A handler that is done at once is answered at once.
    ///
    /// ```
    /// use mcpeer::server::{Server, Tool, tasks::Tasks};
    ///
    /// let server = Server::builder("lab", "1.0.0")
    ///     .extension(Tasks::new())
    ///     .tool(Tool::new("measure").task(), async || "7 °C")
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn task(self) -> Self {
        self.marked(Mark::Always)
    }

    /// Does the same, and refuses clients that take no tasks with −32021. In the stateful era, which has none, it is a
    /// tool as any other.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("measure").task_only();
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn task_only(self) -> Self {
        self.marked(Mark::Only)
    }

    /// Lets the handler say when a call goes on as a task, by
    /// [`Context::become_task`](crate::handler::Context::become_task).
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("measure").task_on_demand();
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn task_on_demand(self) -> Self {
        self.marked(Mark::OnDemand)
    }

    fn marked(mut self, mark: Mark) -> Self {
        self.layers.push(Arc::new(mark));
        self
    }
}

/// When a call of a tool becomes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Always,
    Only,
    OnDemand,
}

impl Wrap for Mark {
    fn wrap(&self, subject: &Subject<'_>, inner: Box<dyn Handle>) -> Result<Box<dyn Handle>, String> {
        let Some(engine) = subject.states.get::<Arc<Engine>>() else {
            return Err("it becomes a task, and the server was not given `Tasks`".to_owned());
        };
        let wraps_output = subject.wraps_output;
        let inner: Arc<dyn Handle> = Arc::from(inner);
        let handle = inner.clone();
        let rerun: Rerun = Arc::new(move |cx| match ToolCall::read(cx.params()) {
            Ok(call) => handle.run(&call, cx, wraps_output),
            Err(error) => Run::Ready(Reply::Error(error)),
        });
        Ok(Box::new(TaskTool { mark: *self, inner, engine, rerun }))
    }

    fn extension(&self) -> Option<&'static str> {
        Some(IDENTIFIER)
    }
}

/// A tool whose calls may become tasks.
struct TaskTool {
    mark: Mark,
    inner: Arc<dyn Handle>,
    engine: Arc<Engine>,
    rerun: Rerun,
}

impl Handle for TaskTool {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
        if cx.era() == Era::Legacy || !cx.client_declares(IDENTIFIER) {
            return match (self.mark, cx.era()) {
                (Mark::Only, Era::Modern) => Run::Ready(Reply::Error(codes::missing_extension(IDENTIFIER))),
                _ => self.inner.run(call, cx, wraps_output),
            };
        }
        let course = Arc::new(Course::default());
        let cx = cx.on_course(course.clone());
        match self.inner.run(call, &cx, wraps_output) {
            Run::Ready(reply) => Run::Ready(reply),
            Run::Pending(running) => {
                let job = Job { engine: self.engine.clone(), course, cx, running, rerun: self.rerun.clone() };
                Run::Pending(match self.mark {
                    Mark::OnDemand => Box::pin(Undecided::Call(Some(job))),
                    _ => Box::pin(job.begin()),
                })
            }
        }
    }
}

/// A call that may become a task.
enum Undecided {
    Call(Option<Job>),
    Beginning(BoxFuture<Reply>),
}

impl Future for Undecided {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Reply> {
        if let Self::Call(call) = &mut *self {
            let job = call.as_mut().expect("a call that has become a task is none");
            job.course.poll_dirty(cx.waker());
            if let Poll::Ready(reply) = job.running.as_mut().poll(cx) {
                return Poll::Ready(reply);
            }
            if !job.course.wants_task() {
                return Poll::Pending;
            }
            // What was asked beside it is asked first: then the handler runs anew.
            if let Some(reply) = job.cx.interrupted() {
                return Poll::Ready(reply);
            }
            let job = call.take().expect("just looked at");
            *self = Self::Beginning(Box::pin(job.begin()));
        }
        match &mut *self {
            Self::Beginning(beginning) => beginning.as_mut().poll(cx),
            Self::Call(_) => Poll::Pending,
        }
    }
}
