//! Tests of the public API.

#[cfg(unix)]
mod child;
#[cfg(unix)]
mod stdio;
#[cfg(unix)]
mod support;
