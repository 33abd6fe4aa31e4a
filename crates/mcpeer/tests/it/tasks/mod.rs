//! Calls that go on as tasks, seen from the wire.

mod ends;
mod fixtures;
mod lab;
mod pair;
mod questions;
mod store;
