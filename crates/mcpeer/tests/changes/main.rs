//! Watches, restarts, health and answers that are kept, by the public API alone.

mod cache;
mod exchange;
mod forever;
mod life;
mod process;
mod scripted;
#[cfg(feature = "tasks")]
mod tasks;
mod watch;
