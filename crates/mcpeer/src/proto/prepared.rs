/// What is worked out from a [configuration](super::Config) once.
#[derive(Debug)]
pub(super) struct Prepared {}
