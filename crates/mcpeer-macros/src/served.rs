//! A method with one of the attributes.

use proc_macro2::{Span, TokenStream};
use syn::{Attribute, ImplItemFn, Path, spanned::Spanned};

use crate::{
    completion,
    method::{Kind, Method},
    options::{self, Setters},
    prompt, resource, tool,
};

/// What methods can be served as.
const KINDS: [&Kind; 4] = [&tool::KIND, &prompt::KIND, &resource::KIND, &completion::KIND];

/// A method, and what it is served as.
pub(crate) struct Served {
    method: Method,
    role: Role,
}

enum Role {
    Tool(Setters),
    Prompt(Setters),
    Resource(Box<resource::Options>),
    Completion(Box<completion::Options>),
}

impl Served {
    /// Takes the attributes off a method that has them. `None` where it is not served.
    pub(crate) fn take(method: &mut ImplItemFn) -> Option<syn::Result<Self>> {
        let attributes: Vec<(Attribute, &Kind)> = method
            .attrs
            .extract_if(.., |it| kind(it).is_some())
            .filter_map(|it| kind(&it).map(|kind| (it, kind)))
            .collect();
        let ((attribute, kind), others) = attributes.split_first()?;
        let read = Method::read(method, kind);
        if let Some((again, _)) = others.first() {
            let message = format!("the method is {} already", kind.noun);
            return Some(Err(syn::Error::new_spanned(again, message)));
        }
        Some(read.and_then(|method| Ok(Self { method, role: Role::read(attribute, kind)? })))
    }

    /// Gives what no two may have in common, where it is known here, and what it is.
    pub(crate) fn key(&self) -> Option<(String, &'static str)> {
        if !self.method.conditions.is_empty() {
            return None;
        }
        let named = |setters: &Setters, kind: &Kind| match setters.find("name") {
            None => Some(format!("{} {}", kind.attribute, options::plain_name(&self.method.ident).0)),
            Some(name) => Some(format!("{} {}", kind.attribute, options::literal(name)?.value())),
        };
        Some(match &self.role {
            Role::Tool(setters) => {
                let message = "two tools have this name: give one another by `#[tool(name = \"…\")]`";
                (named(setters, &tool::KIND)?, message)
            }
            Role::Prompt(setters) => {
                let message = "two prompts have this name: give one another by `#[prompt(name = \"…\")]`";
                (named(setters, &prompt::KIND)?, message)
            }
            Role::Resource(options) => {
                (format!("resource {}", options.uri.value()), "two resources have this address: give one another")
            }
            Role::Completion(options) => {
                (format!("completion {}", options.key()?), "two completions are for this argument: leave one out")
            }
        })
    }

    /// Where that stands.
    pub(crate) fn key_span(&self) -> Span {
        match &self.role {
            Role::Tool(setters) | Role::Prompt(setters) => {
                setters.find("name").map_or_else(|| self.method.ident.span(), Spanned::span)
            }
            Role::Resource(options) => options.uri.span(),
            Role::Completion(options) => options.span(),
        }
    }

    /// Writes what gives the method to the builder.
    pub(crate) fn declaration(&self, root: &Path) -> TokenStream {
        let method = &self.method;
        match &self.role {
            Role::Tool(setters) => {
                method.declaration(root, &tool::KIND, "tool", &tool::described(method, setters, root), None)
            }
            Role::Prompt(setters) => {
                method.declaration(root, &prompt::KIND, "prompt", &prompt::described(method, setters, root), None)
            }
            Role::Resource(options) => {
                let known = options.address.variables.as_deref().unwrap_or_default();
                let described = options.described(method, root);
                method.declaration(root, &resource::KIND, options.adds(), &described, Some(known))
            }
            Role::Completion(options) => {
                let known = options.variables.as_deref();
                method.declaration(root, &completion::KIND, "completion", &options.described(root), known)
            }
        }
    }
}

impl Role {
    fn read(attribute: &Attribute, kind: &Kind) -> syn::Result<Self> {
        Ok(match kind.attribute {
            "tool" => Self::Tool(tool::setters(attribute)?),
            "prompt" => Self::Prompt(prompt::setters(attribute)?),
            "resource" => Self::Resource(Box::new(resource::Options::read(attribute)?)),
            _ => Self::Completion(Box::new(completion::Options::read(attribute)?)),
        })
    }
}

fn kind(attribute: &Attribute) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| attribute.path().is_ident(kind.attribute))
}
