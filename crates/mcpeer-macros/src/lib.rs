//! Procedural macros of [mcpeer](https://docs.rs/mcpeer), which documents and re-exports them. They are sugar: what they
//! write is calls of its builder.

mod address;
mod completion;
mod documentation;
mod method;
mod options;
mod prompt;
mod resource;
mod served;
mod server;
mod tool;

/// Makes a server out of the methods of a type. `mcpeer::server` is this macro, with its documentation.
#[proc_macro_attribute]
pub fn server(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    server::expand(options.into(), item.into()).into()
}
