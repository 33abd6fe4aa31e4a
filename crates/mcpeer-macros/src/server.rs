//! `#[server]`: the whole.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ImplItem, ItemImpl, Path, parse::Parser, parse_quote, spanned::Spanned};

use crate::{
    documentation,
    options::{self, Problems, Setter},
    tool::Tool,
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
    let tools = take_tools(&mut block, &mut problems);
    let method = method(&block, &options, &tools);
    let problems = problems.into_tokens();
    quote!(#block #method #problems)
}

/// What stands in the parentheses of `#[server(…)]`.
struct Options {
    /// Where the crate is.
    root: Path,
    setters: Vec<Setter>,
}

impl Options {
    fn read(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut options = Self { root: parse_quote!(::mcpeer), setters: Vec::new() };
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("crate") {
                options.root = options::crate_path(&meta)?;
                return Ok(());
            }
            match Setter::read(&meta, [EXPRESSIONS, &[], &[]])? {
                Some(setter) => options::add(&mut options.setters, setter),
                None => Err(options::unknown(&meta, &[EXPRESSIONS, &["crate"]])),
            }
        });
        if let Err(error) = parser.parse2(tokens) {
            problems.push(error);
        }
        options
    }

    /// Gives what was said, or this.
    fn or(&self, name: &str, default: TokenStream) -> TokenStream {
        let said = self.setters.iter().find(|setter| setter.name() == name).and_then(Setter::expression);
        said.map_or(default, ToTokens::to_token_stream)
    }
}

/// Takes the tools out of a block, and their attributes off its methods.
fn take_tools(block: &mut ItemImpl, problems: &mut Problems) -> Vec<Tool> {
    let mut tools = Vec::new();
    let mut names = HashSet::new();
    let mut is_marked = false;
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(tool) = Tool::take(method) else { continue };
        is_marked = true;
        match tool {
            Ok(tool) => {
                if !tool.literal_name().is_none_or(|name| names.insert(name)) {
                    let message = "two tools have this name: give one another by `#[tool(name = \"…\")]`";
                    problems.push(syn::Error::new(tool.name_span(), message));
                }
                tools.push(tool);
            }
            Err(error) => problems.push(error),
        }
    }
    if !is_marked && block.trait_.is_none() {
        let message = "nothing is served: mark a method with `#[tool]`";
        problems.push(syn::Error::new(block.self_ty.span(), message));
    }
    tools
}

/// Writes the method that makes the builder.
fn method(block: &ItemImpl, options: &Options, tools: &[Tool]) -> TokenStream {
    let root = &options.root;
    let name = options.or("name", quote!(::core::env!("CARGO_PKG_NAME")));
    let version = options.or("version", quote!(::core::env!("CARGO_PKG_VERSION")));
    let is_said = |name| options.setters.iter().any(|setter| setter.name() == name);
    let description =
        documentation::of(&block.attrs).filter(|_| !is_said("description")).map(|text| quote!(.description(#text)));
    let setters = options.setters.iter().filter(|setter| setter.name() != "name" && setter.name() != "version");
    let setters = setters.map(Setter::call);
    let tools = tools.iter().map(|tool| tool.declaration(root));
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
                let builder = #root::server::Server::builder(#name, #version)#description #(#setters)*;
                #(#tools)*
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
