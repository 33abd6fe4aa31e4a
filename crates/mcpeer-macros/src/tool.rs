//! `#[tool]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Path};

use crate::{
    method::{Kind, Method},
    options::{self, Setters},
};

pub(crate) const KIND: Kind = Kind { attribute: "tool", noun: "a tool", family: "Tools", result: "IntoToolResult" };

/// The options that take an expression.
const EXPRESSIONS: &[&str] =
    &["name", "title", "description", "icon", "destructive", "open_world", "annotations", "meta", "input_schema"];

/// The options that take nothing.
const FLAGS: &[&str] = &["read_only", "idempotent"];

/// The options that take a type.
const TYPES: &[&str] = &["output"];

/// Reads what stands in the parentheses.
pub(crate) fn setters(attribute: &Attribute) -> syn::Result<Setters> {
    Setters::read(attribute, [EXPRESSIONS, FLAGS, TYPES])
}

/// Writes what the tool tells about itself.
pub(crate) fn described(method: &Method, setters: &Setters, root: &Path) -> TokenStream {
    let name = setters.or("name", &options::plain_name(&method.ident).0);
    let description = setters.description(method.description.as_ref());
    let calls = setters.calls(&["name"]);
    quote!(#root::server::Tool::new(#name)#description #calls)
}
