//! Watches, restarts and health, by the public API alone.

mod life;
mod scripted;
mod watch;
