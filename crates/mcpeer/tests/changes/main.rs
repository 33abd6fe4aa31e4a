//! Watches, restarts and health, by the public API alone.

mod exchange;
mod life;
mod process;
mod scripted;
mod watch;
