use std::{sync::Arc, time::Duration};

use super::{MemoryTaskStore, TaskStore, engine::Engine, methods};
use crate::server::{Builder, Extend};

/// Makes tasks of calls: the extension `io.modelcontextprotocol/tasks` of a server. See [the module](super).
///
/// ```
/// use std::time::Duration;
/// use mcpeer::server::{Server, Tool, tasks::Tasks};
///
/// let server = Server::builder("lab", "1.0.0")
///     .extension(Tasks::new().ttl(Duration::from_secs(600)).max_running(100))
///     .tool(Tool::new("measure").task(), async || "7 °C")
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tasks {
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) ttl: Duration,
    pub(super) poll_interval: Duration,
    pub(super) max_running: usize,
}

impl Default for Tasks {
    fn default() -> Self {
        Self::new()
    }
}

impl Tasks {
    /// Takes the defaults, and a store in memory of 10,000 tasks.
    ///
    /// ```
    /// # use mcpeer::server::tasks::Tasks;
    /// let tasks = Tasks::new();
    /// # drop(tasks);
    /// ```
    pub fn new() -> Self {
        Self {
            store: Arc::new(MemoryTaskStore::new(10_000)),
            ttl: Duration::from_secs(3600),
            poll_interval: Duration::from_secs(1),
            max_running: 1_000,
        }
    }

    /// Sets where tasks are kept.
    ///
    /// ```
    /// # use mcpeer::server::tasks::{MemoryTaskStore, Tasks};
    /// let tasks = Tasks::new().store(MemoryTaskStore::new(100));
    /// # drop(tasks);
    /// ```
    #[must_use]
    pub fn store(mut self, store: impl TaskStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets for how long from its beginning a task is kept, with its result; one that still runs then is cancelled. An
    /// hour unless set, and at least a millisecond.
    ///
    /// ```
    /// # use mcpeer::server::tasks::Tasks;
    /// let tasks = Tasks::new().ttl(std::time::Duration::from_secs(24 * 3600));
    /// # drop(tasks);
    /// ```
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl.clamp(Duration::from_millis(1), LONGEST);
        self
    }

    /// Sets how long clients are told to wait before they ask again how a task stands; a second unless set.
    ///
    /// ```
    /// # use mcpeer::server::tasks::Tasks;
    /// let tasks = Tasks::new().poll_interval(std::time::Duration::from_secs(10));
    /// # drop(tasks);
    /// ```
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval.clamp(Duration::from_millis(1), LONGEST);
        self
    }

    /// Sets how many tasks may run at once in this process, those included that wait for an answer; 1,000 unless set.
    /// A call beyond is answered with an error.
    ///
    /// ```
    /// # use mcpeer::server::tasks::Tasks;
    /// let tasks = Tasks::new().max_running(100);
    /// # drop(tasks);
    /// ```
    #[must_use]
    pub fn max_running(mut self, tasks: usize) -> Self {
        self.max_running = tasks;
        self
    }
}

impl Extend for Tasks {
    fn extend(self, builder: Builder) -> Builder {
        let engine = Arc::new(Engine::new(self, builder.listeners()));
        methods::serve(builder, &engine).state(engine)
    }
}

const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
