//! `#[completion]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, Path, spanned::Spanned};

use crate::{
    address,
    method::Kind,
    options::{Setters, literal},
};

pub(crate) const KIND: Kind =
    Kind { attribute: "completion", noun: "a completion", family: "Completions", result: "IntoCompletion" };

/// The options, which take an expression.
const EXPRESSIONS: &[&str] = &["prompt", "resource", "argument"];

/// What stands in the parentheses.
pub(crate) struct Options {
    of: Of,
    argument: Expr,
    /// The variables of the pattern, where that is known here.
    pub(crate) variables: Option<Vec<String>>,
}

enum Of {
    Prompt(Expr),
    Resource(Expr),
}

impl Options {
    pub(crate) fn read(attribute: &Attribute) -> syn::Result<Self> {
        let missing = |message| syn::Error::new_spanned(attribute.path(), message);
        let what = "say what is completed: `#[completion(prompt = \"…\", argument = \"…\")]`, or `resource = \"…\"` in \
                    place of the prompt";
        let setters = Setters::read(attribute, [EXPRESSIONS, &[], &[]])?;
        let said = |name| setters.find(name).cloned();
        let of = match (said("prompt"), said("resource")) {
            (Some(prompt), None) => Of::Prompt(prompt),
            (None, Some(resource)) => Of::Resource(resource),
            (None, None) => return Err(missing(what)),
            (Some(_), Some(resource)) => {
                let message = "a completion is for a prompt or for a resource, not for both";
                return Err(syn::Error::new_spanned(resource, message));
            }
        };
        let argument =
            said("argument").ok_or_else(|| missing("say which argument is completed: `argument = \"…\"`"))?;
        let variables = of.variables(&argument)?;
        Ok(Self { of, argument, variables })
    }

    /// What it is for, where that is known here.
    pub(crate) fn key(&self) -> Option<String> {
        let (kind, of) = match &self.of {
            Of::Prompt(name) => ("prompt", name),
            Of::Resource(uri) => ("resource", uri),
        };
        Some(format!("{kind} {} {}", literal(of)?.value(), literal(&self.argument)?.value()))
    }

    pub(crate) fn span(&self) -> Span {
        self.argument.span()
    }

    /// Writes what it is for.
    pub(crate) fn described(&self, root: &Path) -> TokenStream {
        let argument = self.argument.to_token_stream();
        match &self.of {
            Of::Prompt(name) => quote!(#root::server::Completes::prompt(#name, #argument)),
            Of::Resource(uri) => quote!(#root::server::Completes::template(#uri, #argument)),
        }
    }
}

impl Of {
    /// Gives the variables of a pattern that is known here, of which the argument must be one.
    fn variables(&self, argument: &Expr) -> syn::Result<Option<Vec<String>>> {
        let Of::Resource(uri) = self else { return Ok(None) };
        let Some(uri) = literal(uri) else { return Ok(None) };
        let Some(variables) = address::read(uri)?.variables else {
            let message = "an address without variables has nothing to complete";
            return Err(syn::Error::new(uri.span(), message));
        };
        match literal(argument) {
            Some(argument) if !variables.contains(&argument.value()) => {
                let known: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
                let message = format!("the pattern has no such variable: there are {}", known.join(", "));
                Err(syn::Error::new(argument.span(), message))
            }
            _ => Ok(Some(variables)),
        }
    }
}
