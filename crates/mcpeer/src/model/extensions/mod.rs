//! The vocabulary of extensions: types of messages that only peers exchange of which one or both declared the extension.

pub mod skills;
pub mod tasks;
