//! Extensions, by the public API alone.

mod outside;
#[cfg(feature = "skills")]
mod skills;
