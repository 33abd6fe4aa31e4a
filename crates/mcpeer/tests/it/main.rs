//! Tests of the public API.

#[cfg(unix)]
mod child;
mod model;
mod schema;
mod spec;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod support;
