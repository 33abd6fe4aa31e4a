//! Calls of tools that servers make tasks of, by the extension `io.modelcontextprotocol/tasks`: followed to their end, or
//! handed over. Feature `tasks`.
//!
//! A client that is given [`Tasks`] says with every request of the stateless era that it takes tasks. A server may answer
//! a call of a tool with one then, and with the result later.
//!
//! [`Client::call`](crate::client::Client::call) follows such a task to its end in the same handle: it asks how the task
//! stands, no more often than the server wants, answers what the task asks by the client's own handlers, each question
//! once, and ends with the result, whoever served it and how. Dropping or cancelling the handle cancels the task. Its
//! [`timeout`](crate::client::CallTool::timeout) is that of each request, its
//! [`max_total`](crate::client::CallTool::max_total) that of the whole; beyond the time for which the server keeps the
//! task it does not wait. A task tells nothing of its progress.
//!
//! [`as_task`](crate::client::CallTool::as_task) hands over the [`Task`] instead.
//!
//! ```
//! use mcpeer::{client::{Client, tasks::Tasks}, server, transport::memory};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = server::Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
//! let (ours, theirs) = memory::pair();
//! tokio::spawn(async move { server.serve(theirs).await });
//! let client = Client::builder("me", "1.0.0").extension(Tasks::new()).connect_with(ours).await?;
//! assert_eq!(client.call("now").await?.as_text(), "12:00");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The server is asked, and not listened to: that works wherever a request does. Whoever wants to hear of changes between
//! two questions watches for them by [`Client::watch`](crate::client::Client::watch), with `taskIds` as the filter's
//! [`extra`](crate::model::subscriptions::Filter#structfield.extra).

mod drive;
mod handle;
mod offer;

pub use handle::{Begun, Task};
pub use offer::Tasks;
