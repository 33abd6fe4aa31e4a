//! What stands in the parentheses of an attribute.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Type, ext::IdentExt, meta::ParseNestedMeta};

/// Errors, gathered so that the compiler tells of all of them at once.
#[derive(Default)]
pub(crate) struct Problems(Option<syn::Error>);

impl Problems {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(|error| error.to_compile_error()).unwrap_or_default()
    }
}

/// An option that becomes a call of a builder's method of its name.
pub(crate) struct Setter {
    name: Ident,
    value: Value,
}

enum Value {
    Nothing,
    Expression(Expr),
    Type(Type),
}

impl Setter {
    /// Reads an option, if its name is one of those that take an expression, nothing, or a type.
    pub(crate) fn read(
        meta: &ParseNestedMeta<'_>,
        [expressions, flags, types]: [&[&str]; 3],
    ) -> syn::Result<Option<Self>> {
        let Some(name) = meta.path.get_ident().cloned() else { return Ok(None) };
        let is_one_of = |names: &[&str]| names.iter().any(|known| name == known);
        let value = if is_one_of(expressions) {
            Value::Expression(meta.value()?.parse()?)
        } else if is_one_of(flags) {
            Value::Nothing
        } else if is_one_of(types) {
            Value::Type(meta.value()?.parse()?)
        } else {
            return Ok(None);
        };
        Ok(Some(Self { name, value }))
    }

    /// Gives the expression, where there is one.
    fn expression(&self) -> Option<&Expr> {
        match &self.value {
            Value::Expression(expression) => Some(expression),
            Value::Nothing | Value::Type(_) => None,
        }
    }

    /// Writes the call.
    fn call(&self) -> TokenStream {
        let name = &self.name;
        match &self.value {
            Value::Nothing => quote!(.#name()),
            Value::Expression(value) => quote!(.#name(#value)),
            Value::Type(value) => quote!(.#name::<#value>()),
        }
    }
}

/// The options of an attribute, each given once.
#[derive(Default)]
pub(crate) struct Setters(Vec<Setter>);

impl Setters {
    /// Reads what stands in the parentheses, if there are any: options whose names are among those that take an
    /// expression, nothing, or a type.
    pub(crate) fn read(attribute: &Attribute, known: [&[&str]; 3]) -> syn::Result<Self> {
        let mut setters = Self::default();
        if !matches!(attribute.meta, Meta::Path(_)) {
            attribute.parse_nested_meta(|meta| match Setter::read(&meta, known)? {
                Some(setter) => setters.add(setter),
                None => Err(unknown(&meta, &known)),
            })?;
        }
        Ok(setters)
    }

    /// Adds one, unless it was given before.
    pub(crate) fn add(&mut self, setter: Setter) -> syn::Result<()> {
        if self.0.iter().any(|other| other.name == setter.name) {
            return Err(syn::Error::new(setter.name.span(), format!("`{}` is given twice", setter.name)));
        }
        self.0.push(setter);
        Ok(())
    }

    /// Gives the expression of an option.
    pub(crate) fn find(&self, name: &str) -> Option<&Expr> {
        self.0.iter().find(|setter| setter.name == name)?.expression()
    }

    /// Gives what was said, or this.
    pub(crate) fn or(&self, name: &str, default: impl ToTokens) -> TokenStream {
        self.find(name).map_or_else(|| default.to_token_stream(), ToTokens::to_token_stream)
    }

    /// Writes the description that a doc comment gives, unless another was said.
    pub(crate) fn description(&self, text: Option<&TokenStream>) -> Option<TokenStream> {
        let text = text.filter(|_| self.find("description").is_none())?;
        Some(quote!(.description(#text)))
    }

    /// Writes the calls of all but these.
    pub(crate) fn calls(&self, but: &[&str]) -> TokenStream {
        self.0.iter().filter(|setter| !but.iter().any(|name| setter.name == name)).map(Setter::call).collect()
    }

    /// Writes the icon, where it is one of several.
    pub(crate) fn icon(&self) -> Option<TokenStream> {
        let icon = self.find("icon")?;
        Some(quote!(.icons([#icon])))
    }
}

/// Gives an expression that is a text.
pub(crate) fn literal(expression: &Expr) -> Option<&LitStr> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

/// Reads where the crate is: `crate = "path::to::it"`.
pub(crate) fn crate_path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let text: LitStr = meta.value()?.parse()?;
    text.parse_with(Path::parse_mod_style)
        .map_err(|_| syn::Error::new(text.span(), "expected the path of the crate, as in `crate = \"app::mcpeer\"`"))
}

/// Says that there is no such option, and which there are.
pub(crate) fn unknown(meta: &ParseNestedMeta<'_>, known: &[&[&str]]) -> syn::Error {
    let known: Vec<String> = known.concat().iter().map(|name| format!("`{name}`")).collect();
    meta.error(format!("unknown option: there are {}", known.join(", ")))
}

/// Gives the name that a method has outside of Rust.
pub(crate) fn plain_name(ident: &Ident) -> (String, Span) {
    (ident.unraw().to_string(), ident.span())
}

/// Moves what the macro writes to where the compiler shall tell of it.
pub(crate) fn told_at(place: Span, tokens: TokenStream) -> TokenStream {
    let place = place.resolved_at(Span::call_site());
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), told_at(place, group.stream())).into();
        }
        token.set_span(place);
        token
    });
    moved.collect()
}
