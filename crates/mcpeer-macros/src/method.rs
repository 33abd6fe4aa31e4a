//! A method that is served, whatever as.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, FnArg, ImplItemFn, Pat, PatType, Path, Receiver, ReceiverKind, ReturnType, Signature, Type,
    spanned::Spanned,
};

use crate::{documentation, options};

/// As many parameters as a handler with names can have.
const MOST_PARAMETERS: usize = 12;

/// What methods can be served as.
pub(crate) struct Kind {
    /// The attribute.
    pub(crate) attribute: &'static str,
    /// What a method with it is.
    pub(crate) noun: &'static str,
    /// The type that names the family of its handlers.
    pub(crate) family: &'static str,
    /// The trait of what they return.
    pub(crate) result: &'static str,
}

/// A method that is served.
pub(crate) struct Method {
    pub(crate) ident: Ident,
    pub(crate) description: Option<TokenStream>,
    /// What decides whether the method is there.
    pub(crate) conditions: Vec<Attribute>,
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

impl Method {
    /// Reads a method, and takes the doc comments off its parameters.
    pub(crate) fn read(method: &mut ImplItemFn, kind: &Kind) -> syn::Result<Self> {
        let descriptions = take_descriptions(&mut method.sig);
        let signature = &method.sig;
        check(signature, kind.noun)?;
        let mut parameters = Vec::new();
        for (input, attributes) in signature.inputs.iter().zip(descriptions) {
            if let FnArg::Typed(parameter) = input {
                parameters.push(Parameter::read(parameter, &attributes)?);
            }
        }
        if let Some(FnArg::Typed(first)) = signature.inputs.iter().filter(is_typed).nth(MOST_PARAMETERS) {
            let noun = kind.noun;
            let message = format!("{noun} has at most {MOST_PARAMETERS} parameters: take a type with all of them");
            return Err(syn::Error::new_spanned(&first.pat, message));
        }
        Ok(Self {
            ident: signature.ident.clone(),
            description: documentation::of(&method.attrs),
            conditions: method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect(),
            takes_self: signature.receiver().is_some(),
            is_async: signature.asyncness.is_some(),
            parameters,
            output: signature.output.clone(),
        })
    }

    /// Writes what gives the method to the builder. `known` are the names that can be asked for, where that is known here.
    pub(crate) fn declaration(
        &self,
        root: &Path,
        kind: &Kind,
        adds: &str,
        described: &TokenStream,
        known: Option<&[String]>,
    ) -> TokenStream {
        let conditions = &self.conditions;
        let count = self.parameters.len();
        let parameters = self.parameters.iter().map(|parameter| parameter.named(root));
        let checks = self.parameters.iter().map(|parameter| parameter.check(root, kind, known));
        let handler = self.handler();
        let this = self.takes_self.then(|| quote!(let this = ::std::sync::Arc::clone(&this);));
        let result = format_ident!("{}", kind.result);
        let adds = format_ident!("{adds}");
        let builder = options::told_at(self.ident.span(), quote!(builder.#adds(described, handler)));
        quote! {
            #(#conditions)*
            let builder = {
                #(#checks)*
                fn can_be_a_result<Value: #root::server::#result>(value: Value) -> Value {
                    value
                }
                #this
                let described = #described;
                let handler = #root::server::named::<_, #root::server::Parameter, #count>([#(#parameters),*], #handler);
                #builder
            };
        }
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
    fn check(&self, root: &Path, kind: &Kind, known: Option<&[String]>) -> TokenStream {
        let family = format_ident!("{}", kind.family);
        let family = quote!(#root::server::family::#family);
        let this = &self.kind;
        let check = options::told_at(this.span(), quote!(can_be_a_parameter::));
        let name = self.name.as_ref().map(|name| options::plain_name(name).0);
        if name.as_ref().is_some_and(|name| known.is_some_and(|known| !known.contains(name))) {
            return quote!({
                fn can_be_a_parameter<Kind: #root::server::family::FromRequest<#family>>() {}
                #check<#this>();
            });
        }
        // Without a name it can be no argument.
        let way = match name {
            Some(_) => quote!(_),
            None => quote!(#root::server::ByCall),
        };
        quote!({
            fn can_be_a_parameter<Kind: #root::server::FromNamed<#family, Way>, Way>() {}
            #check<#this, #way>();
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

/// Refuses what cannot be called as a handler.
fn check(signature: &Signature, noun: &str) -> syn::Result<()> {
    if let Some(parameter) = signature.generics.params.first() {
        return Err(syn::Error::new_spanned(parameter, format!("{noun} has one signature: name the types")));
    }
    if let Some(abi) = &signature.abi {
        return Err(syn::Error::new_spanned(abi, format!("{noun} is a function of Rust")));
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
