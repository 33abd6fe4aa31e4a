//! Servers: what they offer, and how they are run.
//!
//! A [`Server`] is made once, by its [builder](Server::builder), and serves any number of connections in both eras.
//! A tool is a name (or a [`Tool`], which tells more) and a handler: a closure or function, async or not, whose
//! parameters are [`Args`], [`Context`](crate::handler::Context), or types of your own, in any order.
//!
//! ```
//! use mcpeer::{
//!     client::Client,
//!     server::{Args, Server, Tool},
//!     transport::memory,
//! };
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Add {
//!     a: f64,
//!     b: f64,
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::builder("adder", "1.0.0")
//!     .tool(Tool::new("add").description("Adds two numbers"), async |Args(add): Args<Add>| {
//!         (add.a + add.b).to_string()
//!     })
//!     .build()?;
//!
//! let (ours, theirs) = memory::pair();
//! tokio::spawn(async move { server.serve(theirs).await });
//! let client = Client::builder("test", "1.0.0").connect_with(ours).await?;
//! let sum = client.call("add").arguments(&serde_json::json!({"a": 1, "b": 2})).await?;
//! assert_eq!(sum.as_text(), "3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What there is to read and to pick
//!
//! A [`Resource`] has one address, a [`ResourceTemplate`] a [pattern](UriTemplate) of them; a [`Prompt`] is what a person
//! picks. Their handlers take parameters in any order too: [`Uri`] and [`Variables`] of a resource, [`Args`] of a
//! prompt, [`Typed`] of a [completion](Builder::completion). What is registered is what the server declares.
//!
//! ```
//! use mcpeer::server::{Args, Completes, Prompt, Resource, ResourceTemplate, Server, Typed, Variables};
//!
//! #[derive(serde::Deserialize)]
//! struct Section {
//!     section: String,
//! }
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Review {
//!     language: String,
//! }
//!
//! let server = Server::builder("config", "1.0.0")
//!     .resource(Resource::new("config://version", "version"), async || "7")
//!     .resource_template(
//!         ResourceTemplate::new("config://section/{section}", "sections"),
//!         async |Variables(asked): Variables<Section>| (asked.section == "log").then_some("level = 3"),
//!     )
//!     .prompt(Prompt::new("review"), async |Args(asked): Args<Review>| format!("Review my {}", asked.language))
//!     .completion(Completes::prompt("review", "language"), async |typed: Typed| typed.among(["ruby", "rust"]))
//!     .build()?;
//! // While it runs, every connection sees what changes, and clients are told.
//! server.resources().disable("config://version")?;
//! # Ok::<(), mcpeer::server::BuildError>(())
//! ```
//!
//! # What goes wrong, and who sees it
//!
//! | what | becomes | seen by |
//! |---|---|---|
//! | a handler returns `Err(e)`, `e` any `Display` | a result with `isError` | the model |
//! | the arguments do not fit the handler's type | a result with `isError` that names the member | the model |
//! | a handler returns a [`ProtocolError`] | that error | the host |
//! | no tool of this name, `arguments` that are no object | −32602 | the host |
//! | a handler of a resource returns `None`, nothing has this address | resource not found: −32002, since 2026-07-28 −32602 | the host |
//! | a handler of a resource, prompt or completion returns `Err(e)`, `e` any `Display` | −32603 that says nothing of it, and a line in the log | whoever runs the server |
//! | a handler panics | −32603 | the host |

#[cfg(feature = "actix")]
mod actix;
mod arguments;
mod base64;
mod blocking;
mod builder;
mod call;
mod changes;
mod complete;
mod completions;
mod connections;
pub(crate) mod cursor;
mod extend;
pub mod family;
mod get;
mod handler;
mod handler_error;
mod handles;
#[cfg(feature = "http-server")]
mod http;
#[cfg(all(feature = "http-server", feature = "http-sse"))]
mod http_sse;
#[cfg(feature = "tower")]
pub mod layer;
mod listeners;
mod method;
mod named;
mod notified;
mod offers;
mod parameters;
mod params;
mod prompt_result;
mod prompts;
mod read;
mod registry;
mod resource_result;
mod resources;
mod result;
mod router;
mod schema;
mod serve;
mod source;
mod state;
#[cfg(feature = "stdio")]
mod stdio;
mod strings;
#[cfg(feature = "tasks")]
pub mod tasks;
mod tool;
mod tools;
mod uri_template;
#[cfg(feature = "schema")]
mod validated;
mod visible;
mod watchers;
mod wrap;

#[cfg(feature = "actix")]
pub use actix::ActixHandler;
pub use blocking::{Blocking, blocking};
pub use builder::{BuildError, Builder};
pub use call::{Args, FromCall, ToolCall};
pub use complete::{CompletionHandler, CompletionResult, FromTyped, IntoCompletion, Typed};
pub use completions::Completes;
pub use extend::Extend;
pub use get::{FromGet, PromptGet, PromptHandler};
pub use handler::ToolHandler;
pub use handler_error::IntoHandlerError;
pub use handles::{CompletionSet, PromptSet, ResourceSet, ToolSet};
#[cfg(feature = "http-server")]
pub use http::{BoundHttp, Http, HttpService};
pub use listeners::Listeners;
pub use named::{ByCall, ByName, FromNamed, Named, Parameter, named};
pub use parameters::{Claims, FromContext, Principal, Progress};
pub use params::{MethodHandler, Params};
pub use prompt_result::{IntoPromptResult, PromptResult};
pub use read::{FromRead, ResourceHandler, ResourceRead, Uri, Variables};
pub use resource_result::{IntoResourceResult, ResourceResult};
pub use result::{IntoToolError, IntoToolResult, Json, ProtocolError, ToolResult};
pub use serve::Server;
pub use source::{ResourceSource, Visibility};
pub use state::State;
pub use tool::{DisabledTool, Tool};
pub use uri_template::{UriTemplate, UriTemplateError};
pub use visible::Item;

pub use crate::model::{
    prompts::Prompt,
    resources::{Resource, ResourceTemplate},
};
#[cfg(feature = "http-server")]
pub use crate::transport::http::server::store as sessions;
