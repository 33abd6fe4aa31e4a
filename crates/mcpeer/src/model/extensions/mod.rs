//! The vocabulary of extensions: types of messages that only peers exchange which both declared the extension.

pub mod tasks;
