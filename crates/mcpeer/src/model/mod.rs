//! The vocabulary of the protocol, one file per page of the specification.
