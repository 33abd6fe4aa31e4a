//! Procedural macros of [mcpeer](https://docs.rs/mcpeer). Macros are sugar over the builder; this version has none yet.
