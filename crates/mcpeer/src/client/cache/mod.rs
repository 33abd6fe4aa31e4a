//! Answers that are kept: lists and resources that a server said are fresh for a time are not asked for again.
//!
//! A server of the stateless era says with each list and each resource for how long it is fresh, `ttlMs`, and whether
//! anybody may be served it or only who asked, `cacheScope`. A client keeps such answers in memory unless it is told
//! [not to](super::Builder::no_cache):
//!
//! ```
//! use std::time::Duration;
//! use mcpeer::{client::Client, model::caching::Scope, server::Server, transport::memory};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::builder("clock", "1.0.0")
//!     .tool("now", async || "12:00")
//!     .cache("tools/list", Duration::from_secs(60), Scope::Public)
//!     .build()?;
//! # let (ours, theirs) = memory::pair();
//! # tokio::spawn(async move { server.serve(theirs).await });
//! let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
//! client.tools().all().await?;
//! client.tools().all().await?; // The server does not hear of this one.
//! client.tools().refresh().all().await?; // Of this one it does.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is kept
//!
//! Complete results of `tools/list`, `prompts/list`, `resources/list`, `resources/templates/list` and
//! `resources/read`, page by page, by method and params without `_meta`; `server/discover`, where it is asked as
//! [any request](super::Client::request_raw). Never kept are errors, what took rounds of input, and what the server
//! said nothing about or that is fresh for no time; [`Cache::default_ttl`] keeps what servers say nothing about, those
//! of the stateful era too. No answer is kept for longer than [a day](Cache::max_ttl). What is asked through
//! [`Client::peer`](super::Client::peer) passes the cache by.
//!
//! # What ends it
//!
//! Its time; a newer answer; and word of the server: `list_changed` of its kind, `resources/updated` of the resource, of
//! one under it or of one above it. Once a [watch](super::Client::watch) or a
//! [hook](super::Builder::on_notification) tells of a change, nothing from before it is served: an answer either that
//! was asked for before and arrived after. In the stateless era a server tells only who watches; without a watch the
//! time alone counts. A new first page of a list ends the later pages, and so does a cursor that the server refuses. A
//! server that was started again is asked for everything anew.
//!
//! # Sharing
//!
//! Clients can keep their answers in one [`Store`], and then:
//!
//! - One that is public is served to every client that gives the server the same [name](Cache::server). What a server
//!   says of itself counts for nothing: it could call itself like another one, to plant answers.
//! - One that is private is served only to clients that name the same server and the same
//!   [partition](Cache::partition). Name it after the authorization that they use: another token, another partition.
//!   A client that names none shares nothing private.
//! - Clients of different revisions or capabilities share nothing, since answers may depend on both.

mod canonical;
mod config;
mod floors;
mod keeper;
mod memory;
mod store;

pub use config::Cache;
pub(super) use keeper::Keeper;
pub use memory::Memory;
pub use store::{About, Entry, Key, Store};
