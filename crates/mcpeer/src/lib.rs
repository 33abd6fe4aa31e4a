//! The [Model Context Protocol](https://modelcontextprotocol.io) for Rust: clients and servers that speak both eras of
//! the protocol, 2024-11-05 to 2026-07-28, with one handler code.

// The guide shows clients and servers, so it stands only where both are.
#![cfg_attr(all(feature = "client", feature = "server", feature = "stdio"), doc = include_str!("../docs/guide/README.md"))]
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
pub mod extension;
#[cfg(all(feature = "client", feature = "server", feature = "stdio", feature = "macros"))]
pub mod guide;
#[cfg(feature = "runtime")]
pub mod handler;
#[cfg(feature = "runtime")]
pub mod peer;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "runtime")]
pub mod transport;

#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "runtime")]
pub use error::{Error, Result};
#[cfg(feature = "macros")]
#[doc = include_str!("macros.md")]
pub use mcpeer_macros::server;
/// What derives the schemas of arguments, at the version that this crate takes. With
/// `#[schemars(crate = "mcpeer::schemars")]` a crate needs no dependency of its own on it.
#[cfg(feature = "server")]
pub use schemars;
#[cfg(feature = "server")]
pub use server::Server;

#[cfg(all(doctest, feature = "stdio", feature = "macros", feature = "http-client", feature = "http-server"))]
#[doc = include_str!("../../../README.md")]
mod readme {}
