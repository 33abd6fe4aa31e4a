//! Peers written with the official SDKs, over stdin and stdout and over Streamable HTTP: their clients with our server, our
//! client with their servers, at every revision that both sides speak.
//!
//! `cargo xtask test` installs them. Where they are missing a test says `not run: …` and ends.

mod features;
mod foreign;
#[cfg(all(feature = "http-client", feature = "http-server", feature = "http-sse"))]
mod http_sse;
mod inspector;
mod reference_servers;
mod relay;
mod resumption;
mod served;
#[cfg(feature = "skills")]
mod skills;
mod started;
mod their_clients;
mod their_servers;
