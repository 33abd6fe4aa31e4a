//! Checks values against a JSON Schema.
//!
//! The dialect is 2020-12 unless `$schema` names another. Nothing is ever fetched: a `$ref` stays inside its schema.
//! How large and how deep schemas and values may be is bounded.

mod bounds;
mod validator;

pub use validator::{Mismatch, Unusable, Validator};
