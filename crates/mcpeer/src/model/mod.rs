//! The vocabulary of the protocol, one file per page of the specification.
//!
//! The types follow 2026-07-28. What only the stateful era has is in [`initialize`], [`ping`], [`tasks`] and
//! [`legacy`].
//!
//! Nothing that a peer adds is lost: members that a type does not know are in its `extra`, words that a set does not
//! know in its `Other`, contents that a union does not know in its `Unknown`, items that a list could not read in
//! [`Items::skipped`]; written again, they are what they were. A required member that is missing fails its object, an
//! optional one that does not fit is kept in `extra` and counts as absent, and so does one that is `null`.
//!
//! Types are made by `new` with what they must have, and then by one setter for each optional member:
//!
//! ```
//! use mcpeer::model::{RawObject, tools::Tool};
//! use serde_json::json;
//!
//! let tool = Tool::new("add", RawObject::from([("type", json!("object"))])).title("Add").description("Adds two numbers");
//! assert_eq!(tool.title.as_deref(), Some("Add"));
//! ```
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema>

#[macro_use]
mod macros;

mod entries;
mod items;
mod method;
mod number;
mod raw;

pub mod caching;
pub mod cancellation;
pub mod capabilities;
pub mod completion;
pub mod content;
pub mod discover;
pub mod elicitation;
pub mod errors;
pub mod extensions;
pub mod icons;
pub mod implementation;
pub mod initialize;
pub mod input;
pub mod legacy;
pub mod logging;
pub mod meta;
pub mod pagination;
pub mod ping;
pub mod progress;
pub mod prompts;
pub mod resources;
pub mod roots;
pub mod sampling;
pub mod subscriptions;
pub mod tasks;
pub mod tools;
pub mod trace;
pub(crate) mod uri;

pub use content::Content;
pub use entries::{Entries, RawMap};
pub use icons::Icon;
pub use implementation::Implementation;
pub use items::{Items, Skipped};
pub use meta::{EmptyParams, EmptyResult, Meta, ResultType, Token};
pub use method::{Notification, Request};
pub use number::Number;
pub use raw::{RawJson, RawObject};
