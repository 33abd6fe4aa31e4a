//! What stands between servers and clients where they are deployed: nginx in front of a server, a browser around a
//! client.
//!
//! `cargo xtask test` finds both on PATH, or unpacks them. Where one is missing, its tests say `not run: …` and end.

#[cfg(unix)]
mod behind_nginx;
mod browser;
#[cfg(unix)]
mod nginx;
mod pages;
mod programs;
mod raw;
mod served;
