//! Doc comments as texts that a program can say.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Makes an expression out of the doc comments among these attributes, if there are any.
pub(crate) fn of(attributes: &[Attribute]) -> Option<TokenStream> {
    let values: Vec<&Expr> = attributes.iter().filter_map(value).collect();
    let lines: Option<Vec<String>> = values.iter().map(|value| literal(value)).collect();
    match lines {
        Some(lines) if lines.iter().all(|line| line.trim().is_empty()) => None,
        Some(lines) => {
            let text = without_margin(&lines);
            Some(quote!(#text))
        }
        // Such as `#[doc = include_str!("add.md")]`.
        None => Some(quote!(::core::concat!(#(#values, "\n"),*).trim())),
    }
}

/// Gives the text of a doc comment.
fn value(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Joins lines without the space that follows `///` on each.
fn without_margin(lines: &[String]) -> String {
    let lines = lines.iter().flat_map(|text| text.split('\n'));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n").trim().to_owned()
}
