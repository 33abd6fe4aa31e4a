//! Tests of the wire.
