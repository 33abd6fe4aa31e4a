//! Tests of the public API.

mod answers;
mod ask;
mod audience;
#[cfg(unix)]
mod child;
mod client;
mod dynamic;
mod expected;
mod extensions;
mod extractors;
mod field;
mod forms;
mod handlers;
mod harm;
mod headers;
mod input_schemas;
mod known;
#[cfg(feature = "tower")]
mod layers;
#[cfg(feature = "macros")]
mod macros;
#[cfg(feature = "macros")]
mod methods;
mod model;
mod order;
#[cfg(feature = "schema")]
mod outputs;
mod peers;
mod prompts;
#[cfg(feature = "schema")]
mod raw_schemas;
#[cfg(feature = "tower")]
mod ready_layers;
mod rejection;
mod resources;
mod rules;
mod sampled;
mod schema;
mod server;
mod spec;
#[cfg(unix)]
mod stdio;
mod strict;
#[cfg(unix)]
mod support;
#[cfg(feature = "tasks")]
mod task_client;
#[cfg(feature = "tasks")]
mod tasks;
mod tools;
mod transcripts;
mod verbs;
mod warnings;
