//! Calls of tools that are answered later: the extension `io.modelcontextprotocol/tasks`. Stateless era.
//!
//! What 2025-11-25 calls tasks is another thing with like names: see [`tasks`](crate::model::tasks).
//!
//! Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>

pub use crate::model::tasks::Status;
use crate::model::{EmptyResult, Meta, RawJson, RawObject, input::InputRequests, input::InputResponses};

/// The identifier of the extension.
pub const IDENTIFIER: &str = "io.modelcontextprotocol/tasks";
/// The `resultType` of a [`CreateResult`].
pub const RESULT_TYPE: &str = "task";
/// The member of the filter of `subscriptions/listen` that names the tasks to be told of: a list of their ids.
pub const FILTER: &str = "taskIds";

object! {
    /// That a call has become a task: it goes on, and its result is asked for later.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub struct CreateResult("resultType" = "task")
    example CreateResult::new("786512e2", "working", "2026-07-28T10:00:00Z", "2026-07-28T10:00:00Z", Some(60_000))
        => r#"{"resultType":"task","taskId":"786512e2","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":60000}"#;
    required {
        /// Its id, which the server gives.
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
        ttl_ms: Option<u64> as "ttlMs";
    }
    optional {
        /// How it stands, for people.
        lenient status_message: String as "statusMessage" => "Halfway";
        /// How many milliseconds to wait before asking again.
        number poll_interval_ms: u64 as "pollIntervalMs" => 5000;
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A task and what belongs to its state: questions where it waits to be told more, a result where it is completed,
    /// an error where it has failed.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub struct Task
    example Task::new("786512e2", "working", "2026-07-28T10:00:00Z", "2026-07-28T10:00:00Z", None)
        => r#"{"taskId":"786512e2","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":null}"#;
    required {
        /// Its id, which the server gives.
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
        ttl_ms: Option<u64> as "ttlMs";
    }
    optional {
        /// How it stands, for people.
        lenient status_message: String as "statusMessage" => "Halfway";
        /// How many milliseconds to wait before asking again.
        number poll_interval_ms: u64 as "pollIntervalMs" => 5000;
        /// What it waits to be told, by keys that are never used again; where the status is `input_required`.
        strict input_requests: InputRequests as "inputRequests" => input::InputRequests::new();
        /// The result of the call; where the status is `completed`.
        strict result: RawObject as "result" => RawObject::default();
        /// The error that the call ended with; where the status is `failed`.
        strict error: Failure as "error" => Failure::new(-32603, "internal error");
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// The error that a call ended with.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub struct Failure
    example Failure::new(-32603, "internal error") => r#"{"code":-32603,"message":"internal error"}"#;
    required {
        /// Its kind.
        code: i64 as "code";
        /// What happened, in a sentence.
        message: String as "message";
    }
    optional {
        /// What else there is to know.
        raw data: RawJson as "data" => serde_json::json!(7);
    }
}

object! {
    /// Which task is meant.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub struct TaskParams
    example TaskParams::new("786512e2") => r#"{"taskId":"786512e2"}"#;
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
    /// Answers to what a task waits to be told.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub struct UpdateParams
    example UpdateParams::new("786512e2", input::InputResponses::new()) => r#"{"taskId":"786512e2","inputResponses":{}}"#;
    required {
        /// The task's id.
        task_id: String as "taskId";
        /// The answers, by the keys of the questions; some may be left for later.
        input_responses: InputResponses as "inputResponses";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks how a task stands, and for what belongs to that.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub enum Get: "tasks/get" (TaskParams) -> Task;
}

request! {
    /// Tells a task what it waits for.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub enum Update: "tasks/update" (UpdateParams) -> EmptyResult;
}

request! {
    /// Asks for a task to end early. It may end otherwise all the same.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub enum Cancel: "tasks/cancel" (TaskParams) -> EmptyResult;
}

notification! {
    /// Tells how a task stands, to whoever listens for it.
    ///
    /// Specification: <https://modelcontextprotocol.io/extensions/tasks/overview>
    pub enum Changed: "notifications/tasks" (Task);
}
