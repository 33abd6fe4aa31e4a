//! One body for each thing that servers and clients do, run over every link at every revision.

#[path = "../support/raw_http.rs"]
mod raw_http;

mod client;
mod codes;
mod link;
mod raw;
mod server;
mod table;
