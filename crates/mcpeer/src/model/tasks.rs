//! Requests that are answered later, as 2025-11-25 has them: an experiment that later revisions do not have.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks>

use super::{Items, Meta, RawMap, RawObject};

pub use super::pagination::ListParams;

object! {
    /// A task: a request that is answered later.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task>
    pub struct Task
    example Task::new("1", "working", "2025-11-25T10:00:00Z", "2025-11-25T10:00:00Z", None)
        => r#"{"taskId":"1","status":"working","createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z","ttl":null}"#;
    required {
        /// Its id, which the receiver of the request gives.
        task_id: String as "taskId";
        /// How it stands.
        status: Status as "status";
        /// When it began, in ISO 8601.
        created_at: String as "createdAt";
        /// When it last changed, in ISO 8601.
        last_updated_at: String as "lastUpdatedAt";
    }
    defaulted {
        /// For how many milliseconds from its beginning it is kept; `None`, for ever.
        ttl: Option<u64> as "ttl";
    }
    optional {
        /// How it stands, for people.
        lenient status_message: String as "statusMessage" => "Halfway";
        /// How many milliseconds to wait before asking again.
        number poll_interval: u64 as "pollInterval" => 5000;
        /// What is carried beside the task, where it is a whole message.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

words! {
    /// How a task stands.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-status>
    pub enum Status {
        /// It goes on.
        Working = "working",
        /// It waits to be told more.
        InputRequired = "input_required",
        /// It has ended well.
        Completed = "completed",
        /// It has failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

impl Status {
    /// Whether the task has ended.
    ///
    /// ```
    /// # use mcpeer::model::tasks::Status;
    /// assert!(Status::Failed.is_terminal());
    /// assert!(!Status::Working.is_terminal());
    /// ```
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

object! {
    /// That a request shall be a task.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#creating-tasks>
    pub struct TaskMetadata
    example TaskMetadata::new().ttl(60_000) => r#"{"ttl":60000}"#;
    required {}
    optional {
        /// For how many milliseconds it should be kept.
        number ttl: u64 as "ttl" => 60_000;
    }
}

impl Default for TaskMetadata {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// Which task a message belongs to; stands in its `_meta`.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#related-task-metadata>
    pub struct RelatedTask
    example RelatedTask::new("1") => r#"{"taskId":"1"}"#;
    required {
        /// The task's id.
        task_id: String as "taskId";
    }
    optional {}
}

object! {
    /// That a request has become a task.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#creating-tasks>
    pub struct CreateResult
    example CreateResult::new(Task::new("1", "working", "2025-11-25T10:00:00Z", "2025-11-25T10:00:00Z", 60_000))
        => r#"{"task":{"taskId":"1","status":"working","createdAt":"2025-11-25T10:00:00Z","lastUpdatedAt":"2025-11-25T10:00:00Z","ttl":60000}}"#;
    required {
        /// The task.
        task: Task as "task";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which task is meant.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks>
    pub struct TaskParams
    example TaskParams::new("1") => r#"{"taskId":"1"}"#;
    required {
        /// The task's id.
        task_id: String as "taskId";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A page of the list of tasks.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#listing-tasks>
    pub struct ListResult
    example ListResult::new([]) => r#"{"tasks":[]}"#;
    required {
        /// The tasks.
        tasks: Items<Task> as "tasks";
    }
    optional {
        /// Where the next page starts; absent on the last one. The empty string is a cursor.
        lenient next_cursor: String as "nextCursor" => "eyJwYWdlIjogMn0=";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What a peer does with tasks.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities>
    pub struct Capability
    example Capability::new().cancel(RawObject::default()) => r#"{"cancel":{}}"#;
    required {}
    optional {
        /// It lists them.
        lenient list: RawObject as "list" => RawObject::default();
        /// It cancels them.
        lenient cancel: RawObject as "cancel" => RawObject::default();
        /// The requests that it makes tasks of.
        lenient requests: Requests as "requests" => Requests::new();
    }
}

object! {
    /// The requests that a peer makes tasks of.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities>
    pub struct Requests
    example Requests::new().tools([("call", RawObject::default())]) => r#"{"tools":{"call":{}}}"#;
    required {}
    optional {
        /// Those for tools: `call`.
        lenient tools: RawMap as "tools" => [("call", RawObject::default())];
        /// Those for sampling: `createMessage`.
        lenient sampling: RawMap as "sampling" => [("createMessage", RawObject::default())];
        /// Those for elicitation: `create`.
        lenient elicitation: RawMap as "elicitation" => [("create", RawObject::default())];
    }
}

impl Default for Capability {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for Requests {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// How a tool is called.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation>
    pub struct ToolExecution
    example ToolExecution::new().task_support("optional") => r#"{"taskSupport":"optional"}"#;
    required {}
    optional {
        /// Whether as a task; absent, it must not.
        lenient task_support: TaskSupport as "taskSupport" => "optional";
    }
}

impl Default for ToolExecution {
    fn default() -> Self {
        Self::new()
    }
}

words! {
    /// Whether a tool is called as a task.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation>
    pub enum TaskSupport {
        /// It must not.
        Forbidden = "forbidden",
        /// It may.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}

request! {
    /// Asks how a task stands.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#getting-tasks>
    pub enum Get: "tasks/get" (TaskParams) -> Task;
}

request! {
    /// Waits for the end of a task and asks for its result, which is that of the request that it was made of.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#retrieving-task-results>
    pub enum GetResult: "tasks/result" (TaskParams) -> RawObject;
}

request! {
    /// Cancels a task.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#cancelling-tasks>
    pub enum Cancel: "tasks/cancel" (TaskParams) -> Task;
}

request! {
    /// Asks for a page of the list of tasks.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#listing-tasks>
    pub enum List: "tasks/list" (ListParams) -> ListResult;
}

notification! {
    /// Tells how a task stands.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-status-notification>
    pub enum StatusChanged: "notifications/tasks/status" (Task);
}
