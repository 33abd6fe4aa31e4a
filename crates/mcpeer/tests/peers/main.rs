//! Peers written with the official SDKs of other languages, over stdin and stdout: their clients with our server, our
//! client with their servers, at every revision that both sides speak.
//!
//! `cargo xtask test` installs them. Where they are missing a test says `not run: …` and ends.

mod features;
mod foreign;
mod reference_servers;
#[cfg(feature = "skills")]
mod skills;
mod started;
mod their_clients;
mod their_servers;
