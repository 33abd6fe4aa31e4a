//! What each era looks like on the wire: pure functions.

/// What was lifted out of a request's params.
#[derive(Debug)]
pub struct Lifted {}
