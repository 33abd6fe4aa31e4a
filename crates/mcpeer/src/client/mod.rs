//! Clients: how they find a server, and what they ask of it.
//!
//! A [`Client`] is a connection to one server. Its [builder](Client::builder) connects it over a child process, over
//! any transport, or over memory in a test; which era the server speaks it finds out by itself.
//!
//! ```
//! use mcpeer::{client::Client, server::Server, transport::memory};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
//! # let (ours, theirs) = memory::pair();
//! # tokio::spawn(async move { server.serve(theirs).await });
//! let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
//! for tool in client.tools().all().await? {
//!     println!("{}: {}", tool.name, tool.description.unwrap_or_default());
//! }
//! let now = client.call("now").await?;
//! assert_eq!(now.as_text(), "12:00");
//! client.close().await;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What ends what
//!
//! Dropping a call before its answer came cancels it at the server. The connection closes when the last clone of its
//! client is dropped and no call is on its way; [`Client::close`] closes it at once and waits until a child process has
//! ended too.

mod answers;
mod builder;
pub mod cache;
mod call;
mod connected;
mod extend;
mod form;
mod hooks;
mod keeping;
mod later;
mod lifecycle;
mod list;
#[cfg(feature = "schema")]
mod outputs;
#[cfg(not(feature = "schema"))]
#[path = "outputs_none.rs"]
mod outputs;
mod remember;
#[cfg(feature = "tasks")]
pub mod tasks;
mod verbs;
mod watch;

pub use answers::IntoAnswer;
pub use builder::Builder;
pub use call::{CallTool, Calling};
pub use connected::Client;
pub use extend::Extend;
pub use lifecycle::HealthChanges;
pub use list::{List, ListStream, ListTools, Listed, ToolStream};
pub use watch::{Change, Ended, Follow, FollowTools, OpenWatch, Watch};

pub use crate::driver::{Backoff, Health, Restart};
pub use crate::peer::Progress;
/// What [`Builder::policy`] takes.
///
/// ```
/// use mcpeer::client::{Client, Policy};
///
/// let builder = Client::builder("me", "1.0.0").policy(Policy::LegacyOnly);
/// # let _ = builder;
/// ```
pub use crate::proto::Policy;
/// What [`Client::verdict`] gives.
///
/// ```
/// use mcpeer::{
///     client::{Client, Policy, Verdict},
///     version::Revision,
/// };
///
/// let verdict = Verdict::Modern { revision: Revision::V2026_07_28, discovered: None };
/// let builder = Client::builder("me", "1.0.0").policy(Policy::Remembered(verdict));
/// # let _ = builder;
/// ```
pub use crate::proto::Verdict;
