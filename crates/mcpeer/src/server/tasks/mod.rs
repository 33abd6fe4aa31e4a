//! Tools that take long: calls that are answered at once and go on as tasks, the extension
//! `io.modelcontextprotocol/tasks`. Feature `tasks`.
//!
//! A server that is given [`Tasks`] makes tasks of the calls of tools that are [marked](super::Tool::task). A client
//! that declares the extension gets a task at once, asks how it stands, answers its questions, and may cancel it. To
//! any other client, and in the stateful era, the same tool is an ordinary one; unless it is
//! [marked](super::Tool::task_only) to be a task or nothing.
//!
//! The handler is an ordinary one, too. Its questions ([`elicit`](crate::handler::Context::elicit) and its like) are
//! asked through the task, several at once where they are awaited together, and the handler goes on where it waited:
//! it is not run anew. [`cancelled`](crate::handler::Context::cancelled) tells when the task is cancelled; what is
//! still running after the [grace](crate::driver::Options::cancel_grace) is dropped. Nothing is told of progress or
//! logged to the client, because nobody listens.
//!
//! ```
//! use mcpeer::{
//!     handler::Context,
//!     server::{Server, Tool, tasks::Tasks},
//! };
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Sure { sure: bool }
//!
//! let server = Server::builder("lab", "1.0.0")
//!     .extension(Tasks::new())
//!     .tool(Tool::new("purge").task(), async |cx: Context| -> mcpeer::Result<&str> {
//!         let answer = cx.elicit::<Sure>("Purge everything?").await?;
//!         Ok(if answer.accepted().is_some_and(|answer| answer.sure) { "purged" } else { "kept" })
//!     })
//!     .build()?;
//! # Ok::<(), mcpeer::server::BuildError>(())
//! ```
//!
//! # Who may see a task
//!
//! Its id has 192 random bits, and where the transport authenticates who calls, a task is only there for the
//! principal that made it: to others it is unknown.
//!
//! # Where tasks are kept
//!
//! In a [`TaskStore`]: in memory unless set, in a database of yours for servers that run as several instances. Any
//! instance then answers for any task; its handler runs where the call came in. A task is kept, and may run, for its
//! [time to live](Tasks::ttl). One whose instance died stays as it was until then.

mod engine;
mod mark;
mod memory;
mod methods;
mod run;
mod settings;
mod state;
mod store;

pub use memory::MemoryTaskStore;
pub use settings::Tasks;
pub use store::{Record, TaskStore};
