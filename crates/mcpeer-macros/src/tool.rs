//! `#[tool]`: one method.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Expr, ExprLit, FnArg, Ident, ImplItemFn, Lit, Meta, Pat, PatType, Path, Receiver, ReceiverKind,
    ReturnType, Signature, Type, spanned::Spanned,
};

use crate::{
    documentation,
    options::{self, Setter},
};

/// The options that take an expression.
const EXPRESSIONS: &[&str] =
    &["name", "title", "description", "icon", "destructive", "open_world", "annotations", "meta", "input_schema"];

/// The options that take nothing.
const FLAGS: &[&str] = &["read_only", "idempotent"];

/// The options that take a type.
const TYPES: &[&str] = &["output"];

/// As many parameters as a handler with names can have.
const MOST_PARAMETERS: usize = 12;

/// A method that is a tool.
pub(crate) struct Tool {
    ident: Ident,
    description: Option<TokenStream>,
    setters: Vec<Setter>,
    /// What decides whether the method is there.
    conditions: Vec<Attribute>,
    takes_self: bool,
    is_async: bool,
    parameters: Vec<Parameter>,
    output: ReturnType,
}

/// A parameter of such a method.
struct Parameter {
    /// Its name, if it has one; only an argument needs it.
    name: Option<Ident>,
    description: Option<TokenStream>,
    kind: Type,
}

impl Tool {
    /// Takes the attributes off a method that has them. `None` where it is no tool.
    pub(crate) fn take(method: &mut ImplItemFn) -> Option<syn::Result<Self>> {
        let place = method.attrs.iter().position(|attribute| attribute.path().is_ident("tool"))?;
        let attribute = method.attrs.remove(place);
        let descriptions = take_descriptions(&mut method.sig);
        Some(Self::read(&attribute, method, descriptions))
    }

    fn read(attribute: &Attribute, method: &ImplItemFn, descriptions: Vec<Vec<Attribute>>) -> syn::Result<Self> {
        if let Some(again) = method.attrs.iter().find(|attribute| attribute.path().is_ident("tool")) {
            return Err(syn::Error::new_spanned(again, "the method is a tool already"));
        }
        let signature = &method.sig;
        check(signature)?;
        let mut parameters = Vec::new();
        for (input, attributes) in signature.inputs.iter().zip(descriptions) {
            if let FnArg::Typed(parameter) = input {
                parameters.push(Parameter::read(parameter, &attributes)?);
            }
        }
        if let Some(FnArg::Typed(first)) = signature.inputs.iter().filter(is_typed).nth(MOST_PARAMETERS) {
            let message =
                format!("a tool has at most {MOST_PARAMETERS} parameters: take `Args<T>` with a type for them");
            return Err(syn::Error::new_spanned(&first.pat, message));
        }
        Ok(Self {
            ident: signature.ident.clone(),
            description: documentation::of(&method.attrs),
            setters: setters(attribute)?,
            conditions: method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect(),
            takes_self: signature.receiver().is_some(),
            is_async: signature.asyncness.is_some(),
            parameters,
            output: signature.output.clone(),
        })
    }

    /// Gives the name of the tool, where it is known here, and no condition may take the tool away.
    pub(crate) fn literal_name(&self) -> Option<String> {
        match self.name() {
            _ if !self.conditions.is_empty() => None,
            None => Some(options::plain_name(&self.ident).0),
            Some(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })) => Some(name.value()),
            Some(_) => None,
        }
    }

    pub(crate) fn name_span(&self) -> Span {
        self.name().map_or_else(|| self.ident.span(), Spanned::span)
    }

    fn name(&self) -> Option<&Expr> {
        self.setters.iter().find(|setter| setter.name() == "name").and_then(Setter::expression)
    }

    /// Writes what gives the tool to the builder.
    pub(crate) fn declaration(&self, root: &Path) -> TokenStream {
        let (ident, conditions) = (&self.ident, &self.conditions);
        let described = self.described(root);
        let count = self.parameters.len();
        let parameters = self.parameters.iter().map(|parameter| parameter.named(root));
        let checks = self.parameters.iter().map(|parameter| parameter.check(root));
        let handler = self.handler();
        let adds = format_ident!("tool");
        let this = self.takes_self.then(|| quote!(let this = ::std::sync::Arc::clone(&this);));
        let builder = options::told_at(ident.span(), quote!(builder.#adds(tool, handler)));
        quote! {
            #(#conditions)*
            let builder = {
                #(#checks)*
                fn can_be_a_result<Value: #root::server::IntoToolResult>(value: Value) -> Value {
                    value
                }
                #this
                let tool = #described;
                let handler = #root::server::named::<_, #root::server::Parameter, #count>([#(#parameters),*], #handler);
                #builder
            };
        }
    }

    /// Writes what the tool tells about itself.
    fn described(&self, root: &Path) -> TokenStream {
        let name = self.name().map_or_else(
            || {
                let name = options::plain_name(&self.ident).0;
                quote!(#name)
            },
            |name| quote!(#name),
        );
        let is_said = self.setters.iter().any(|setter| setter.name() == "description");
        let description = self.description.as_ref().filter(|_| !is_said).map(|text| quote!(.description(#text)));
        let setters = self.setters.iter().filter(|setter| setter.name() != "name").map(Setter::call);
        quote!(#root::server::Tool::new(#name)#description #(#setters)*)
    }

    /// Writes the closure that calls the method.
    fn handler(&self) -> TokenStream {
        let ident = &self.ident;
        let names: Vec<Ident> = (0..self.parameters.len()).map(|index| format_ident!("argument_{index}")).collect();
        let types = self.parameters.iter().map(|parameter| &parameter.kind);
        let this = if self.takes_self { quote!(this.) } else { quote!(Self::) };
        let wait = self.is_async.then(|| quote!(.await));
        let result = quote!(can_be_a_result(#this #ident(#(#names),*)#wait));
        // What cannot be a result is told of at its type.
        let result = match &self.output {
            ReturnType::Default => result,
            ReturnType::Type(_, output) => options::told_at(output.span(), result),
        };
        let copy = self.takes_self.then(|| quote!(let this = ::std::sync::Arc::clone(&this);));
        match self.is_async {
            true => quote!(move |#(#names: #types),*| { #copy async move { #result } }),
            false => quote!(move |#(#names: #types),*| #result),
        }
    }
}

impl Parameter {
    fn read(parameter: &PatType, attributes: &[Attribute]) -> syn::Result<Self> {
        let name = match &*parameter.pat {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(pattern.ident.clone()),
            _ => None,
        };
        match &*parameter.ty {
            Type::Reference(reference) => {
                let message =
                    "a parameter owns what it holds: `String` in place of `&str`, `Vec<T>` in place of `&[T]`";
                Err(syn::Error::new_spanned(reference.and_token, message))
            }
            Type::ImplTrait(kind) => {
                Err(syn::Error::new_spanned(kind, "the type of a parameter says what is read: name it"))
            }
            kind => Ok(Self { name, description: documentation::of(attributes), kind: kind.clone() }),
        }
    }

    /// Writes the name, and what is said about the parameter.
    fn named(&self, root: &Path) -> TokenStream {
        let name = self.name.as_ref().map(|name| options::plain_name(name).0).unwrap_or_default();
        let description = self.description.as_ref().map(|text| quote!(.description(#text)));
        quote!(#root::server::Parameter::new(#name)#description)
    }

    /// Writes what makes the compiler tell at the type that it cannot be a parameter.
    fn check(&self, root: &Path) -> TokenStream {
        let kind = &self.kind;
        // Without a name it can be no argument.
        let way = match self.name {
            Some(_) => quote!(_),
            None => quote!(#root::server::ByCall),
        };
        let check = options::told_at(kind.span(), quote!(can_be_a_parameter::));
        quote!({
            fn can_be_a_parameter<Kind: #root::server::FromNamed<#root::server::family::Tools, Way>, Way>() {}
            #check<#kind, #way>();
        })
    }
}

/// Takes the doc comments off parameters, where the language has no place for them.
fn take_descriptions(signature: &mut Signature) -> Vec<Vec<Attribute>> {
    let take = |input: &mut FnArg| match input {
        FnArg::Typed(parameter) => {
            parameter.attrs.extract_if(.., |attribute| attribute.path().is_ident("doc")).collect()
        }
        FnArg::Receiver(_) => Vec::new(),
    };
    signature.inputs.iter_mut().map(take).collect()
}

/// Reads what stands in the parentheses of `#[tool(…)]`.
fn setters(attribute: &Attribute) -> syn::Result<Vec<Setter>> {
    let mut setters = Vec::new();
    if matches!(attribute.meta, Meta::Path(_)) {
        return Ok(setters);
    }
    attribute.parse_nested_meta(|meta| match Setter::read(&meta, [EXPRESSIONS, FLAGS, TYPES])? {
        Some(setter) => options::add(&mut setters, setter),
        None => Err(options::unknown(&meta, &[EXPRESSIONS, FLAGS, TYPES])),
    })?;
    Ok(setters)
}

/// Refuses what cannot be called as a tool.
fn check(signature: &Signature) -> syn::Result<()> {
    if let Some(parameter) = signature.generics.params.first() {
        return Err(syn::Error::new_spanned(parameter, "a tool has one signature: name the types"));
    }
    if let Some(unsafety) = &signature.abi {
        return Err(syn::Error::new_spanned(unsafety, "a tool is a function of Rust"));
    }
    match signature.receiver() {
        Some(Receiver { kind: ReceiverKind::Reference(_, None, None), .. }) | None => Ok(()),
        Some(receiver) => {
            let message = "many calls run at once: take `&self`, and keep what changes behind a lock";
            Err(syn::Error::new_spanned(receiver, message))
        }
    }
}

fn is_typed(input: &&FnArg) -> bool {
    matches!(input, FnArg::Typed(_))
}
