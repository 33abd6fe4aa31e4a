//! The Model Context Protocol for Rust.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

// Test helpers that integration tests share name the crate from outside.
#[cfg(test)]
extern crate self as mcpeer;

pub mod model;
#[doc(hidden)]
pub mod proto;
pub mod rpc;
pub mod version;
#[doc(hidden)]
pub mod wire;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "runtime")]
pub mod driver;
#[cfg(feature = "runtime")]
pub mod error;
#[cfg(feature = "runtime")]
pub mod handler;
#[cfg(feature = "runtime")]
pub mod peer;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "runtime")]
pub mod transport;

#[cfg(all(doctest, feature = "client", feature = "server", feature = "stdio"))]
#[doc = include_str!("../../../README.md")]
mod readme {}
