//! A crate that knows mcpeer by another name only; its test shows that the macro can do with that.
