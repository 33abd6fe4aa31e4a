//! `#[resource]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, LitStr, Meta, Path, Token, parse::ParseStream};

use crate::{
    address::{self, Address},
    method::{Kind, Method},
    options::{self, Setters},
};

pub(crate) const KIND: Kind =
    Kind { attribute: "resource", noun: "a resource", family: "Resources", result: "IntoResourceResult" };

/// The options, which take an expression. A template has no size.
const OF_TEMPLATES: &[&str] = &["name", "title", "description", "mime_type", "icon", "annotations", "meta"];
const OF_RESOURCES: &[&str] = &["name", "title", "description", "mime_type", "size", "icon", "annotations", "meta"];

/// What stands in the parentheses.
pub(crate) struct Options {
    pub(crate) uri: LitStr,
    pub(crate) address: Address,
    setters: Setters,
}

impl Options {
    pub(crate) fn read(attribute: &Attribute) -> syn::Result<Self> {
        let message = "a resource has an address: `#[resource(\"config://version\")]`, or a pattern of them: \
                       `#[resource(\"config://{section}\")]`";
        if let Meta::Path(path) = &attribute.meta {
            return Err(syn::Error::new_spanned(path, message));
        }
        let (uri, others) = attribute.parse_args_with(|input: ParseStream<'_>| {
            let uri: LitStr = input.parse().map_err(|error| syn::Error::new(error.span(), message))?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
            Ok((uri, input.parse()?))
        })?;
        let address = address::read(&uri)?;
        let known = if address.variables.is_some() { OF_TEMPLATES } else { OF_RESOURCES };
        let mut rest = attribute.clone();
        if let Meta::List(list) = &mut rest.meta {
            list.tokens = others;
        }
        Ok(Self { setters: Setters::read(&rest, [known, &[], &[]])?, uri, address })
    }

    /// Gives the method of the builder that adds it.
    pub(crate) fn adds(&self) -> &'static str {
        if self.address.variables.is_some() { "resource_template" } else { "resource" }
    }

    /// Writes what the resource tells about itself.
    pub(crate) fn described(&self, method: &Method, root: &Path) -> TokenStream {
        let Self { uri, setters, .. } = self;
        let name = setters.or("name", &options::plain_name(&method.ident).0);
        let description = setters.description(method.description.as_ref());
        let (calls, icon) = (setters.calls(&["name", "icon"]), setters.icon());
        let kind = if self.address.variables.is_some() { quote!(ResourceTemplate) } else { quote!(Resource) };
        quote!(#root::server::#kind::new(#uri, #name)#description #calls #icon)
    }
}
