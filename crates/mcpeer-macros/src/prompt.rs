//! `#[prompt]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Path};

use crate::{
    method::{Kind, Method},
    options::{self, Setters},
};

pub(crate) const KIND: Kind =
    Kind { attribute: "prompt", noun: "a prompt", family: "Prompts", result: "IntoPromptResult" };

/// The options, which take an expression.
const EXPRESSIONS: &[&str] = &["name", "title", "description", "icon", "meta"];

/// Reads what stands in the parentheses.
pub(crate) fn setters(attribute: &Attribute) -> syn::Result<Setters> {
    Setters::read(attribute, [EXPRESSIONS, &[], &[]])
}

/// Writes what the prompt tells about itself.
pub(crate) fn described(method: &Method, setters: &Setters, root: &Path) -> TokenStream {
    let name = setters.or("name", &options::plain_name(&method.ident).0);
    let description = setters.description(method.description.as_ref());
    let (calls, icon) = (setters.calls(&["name", "icon"]), setters.icon());
    quote!(#root::server::Prompt::new(#name)#description #calls #icon)
}
