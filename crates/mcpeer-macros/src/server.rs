//! `#[server]`: the whole.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ImplItem, ItemImpl, Path, parse::Parser, parse_quote, spanned::Spanned};

use crate::{
    documentation,
    options::{self, Problems, Setter, Setters},
    served::Served,
};

/// The options that take an expression.
const EXPRESSIONS: &[&str] = &["name", "version", "title", "description", "website_url", "instructions"];

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let options = Options::read(options, &mut problems);
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) if starts_with_impl(&item) => return error.to_compile_error(),
        Err(_) => {
            let message = "`#[server]` stands on the `impl` block whose methods are served: `impl MyServer { … }`";
            let error = syn::Error::new_spanned(item.clone().into_iter().next(), message).to_compile_error();
            return quote!(#error #item);
        }
    };
    if let Some((path, _)) = &block.trait_ {
        let message = "`#[server]` stands on the methods of the type itself, not on those of a trait";
        problems.push(syn::Error::new_spanned(path, message));
    }
    let served = take_served(&mut block, &mut problems);
    let method = method(&block, &options, &served);
    let problems = problems.into_tokens();
    quote!(#block #method #problems)
}

/// What stands in the parentheses of `#[server(…)]`.
struct Options {
    /// Where the crate is.
    root: Path,
    setters: Setters,
}

impl Options {
    fn read(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut options = Self { root: parse_quote!(::mcpeer), setters: Setters::default() };
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("crate") {
                options.root = options::crate_path(&meta)?;
                return Ok(());
            }
            match Setter::read(&meta, [EXPRESSIONS, &[], &[]])? {
                Some(setter) => options.setters.add(setter),
                None => Err(options::unknown(&meta, &[EXPRESSIONS, &["crate"]])),
            }
        });
        if let Err(error) = parser.parse2(tokens) {
            problems.push(error);
        }
        options
    }
}

/// Takes what is served out of a block, and the attributes off its methods.
fn take_served(block: &mut ItemImpl, problems: &mut Problems) -> Vec<Served> {
    let mut all = Vec::new();
    let mut keys = HashSet::new();
    let mut is_marked = false;
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(served) = Served::take(method) else { continue };
        is_marked = true;
        match served {
            Ok(served) => {
                if let Some((key, message)) = served.key()
                    && !keys.insert(key)
                {
                    problems.push(syn::Error::new(served.key_span(), message));
                }
                all.push(served);
            }
            Err(error) => problems.push(error),
        }
    }
    if !is_marked && block.trait_.is_none() {
        let message =
            "nothing is served: mark a method with `#[tool]`, `#[prompt]`, `#[resource(\"…\")]` or `#[completion(…)]`";
        problems.push(syn::Error::new(block.self_ty.span(), message));
    }
    all
}

/// Writes the method that makes the builder.
fn method(block: &ItemImpl, options: &Options, served: &[Served]) -> TokenStream {
    let root = &options.root;
    let setters = &options.setters;
    let name = setters.or("name", quote!(::core::env!("CARGO_PKG_NAME")));
    let version = setters.or("version", quote!(::core::env!("CARGO_PKG_VERSION")));
    let description = setters.description(documentation::of(&block.attrs).as_ref());
    let calls = setters.calls(&["name", "version"]);
    let declarations = served.iter().map(|served| served.declaration(root));
    let (generics, _, bounds) = block.generics.split_for_impl();
    let this = &block.self_ty;
    let conditions: Vec<&syn::Attribute> =
        block.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    // Requests are served at once by several threads: what is missing for that is told of at the type.
    let check = options::told_at(this.span(), quote!(can_be_shared::));
    let shared = quote!({
        fn can_be_shared<T: ::core::marker::Send + ::core::marker::Sync + 'static>(_: &T) {}
        #check<#this>(&self);
    });
    quote! {
        #(#conditions)*
        #[automatically_derived]
        impl #generics #this #bounds {
            /// Makes the builder of a server that offers the methods of this type.
            #[allow(unreachable_pub, dead_code, reason = "whether others see it is up to the type")]
            pub fn server(self) -> #root::server::Builder {
                #shared
                let this = ::std::sync::Arc::new(self);
                let builder = #root::server::Server::builder(#name, #version)#description #calls;
                #(#declarations)*
                builder
            }
        }
    }
}

/// Tells whether this was meant to be an `impl` block.
fn starts_with_impl(item: &TokenStream) -> bool {
    let words = item.clone().into_iter().map(|token| token.to_string());
    let first = words.into_iter().find(|word| matches!(word.as_str(), "impl" | "fn" | "struct" | "trait" | "mod"));
    first.as_deref() == Some("impl")
}
