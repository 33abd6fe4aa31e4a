//! Extensions: what two peers may agree on beyond the protocol itself.
//!
//! An [`Extension`] says what it adds: an identifier and settings among the capabilities, methods, types of results,
//! members of the filter of `subscriptions/listen`. It is off unless a peer is given it, by
//! `server::Builder::extension` or `client::Builder::extension`; then the peer declares it: a server in
//! `server/discover` and in the result of `initialize`, a client with every request of the stateless era, and in
//! `initialize` of the stateful one.
//!
//! A method of an extension is for peers that declared the extension: to others a server of the stateless era answers
//! −32021, which names the extension, and one of the stateful era that there is no such method. What answers the
//! methods is added next to it, as for [methods of one's own](crate::server::Builder::method); a bundle of both
//! implements `server::Extend` or `client::Extend`, and looks like one extension to who uses it.
//!
//! ```
//! # #[cfg(all(feature = "server", feature = "client", feature = "testing"))] {
//! use mcpeer::{
//!     client::{self, Client},
//!     extension::{Extension, Method},
//!     handler::Context,
//!     model::{EmptyParams, EmptyResult, Notification, RawObject, Request},
//!     server::{self, Server, ToolResult},
//!     testing::Pair,
//! };
//! use serde_json::json;
//!
//! const ID: &str = "com.example/tickets";
//!
//! enum Close {}
//!
//! impl Request for Close {
//!     const METHOD: &'static str = "com.example/tickets/close";
//!     type Params = EmptyParams;
//!     type Result = EmptyResult;
//! }
//!
//! enum Closed {}
//!
//! impl Notification for Closed {
//!     const METHOD: &'static str = "notifications/com.example/tickets/closed";
//!     type Params = EmptyParams;
//! }
//!
//! /// What both sides must know.
//! fn tickets() -> Extension {
//!     Extension::new(ID)
//!         .method(Method::request(Close::METHOD))
//!         .result_type("com.example/ticket", &["tools/call"])
//!         .filter("com.example/ticketIds", Closed::METHOD)
//! }
//!
//! /// What a server does with it.
//! struct Tickets;
//!
//! impl server::Extend for Tickets {
//!     fn extend(self, builder: server::Builder) -> server::Builder {
//!         let listeners = builder.listeners();
//!         builder.extension(tickets().settings([("max", json!(10))])).method::<Close, _>(
//!             move |_: EmptyParams, _: Context| {
//!                 let told = listeners.tell::<Closed>("7", EmptyParams::new());
//!                 async { told.map(|()| EmptyResult::new()).map_err(|_| unreachable!()) }
//!             },
//!         )
//!     }
//! }
//!
//! # #[cfg(feature = "testing")]
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::builder("desk", "1.0.0")
//!     .extension(Tickets)
//!     .tool("report", async |cx: Context| match cx.client_declares(ID) {
//!         true => ToolResult::extension("com.example/ticket", RawObject::from([("ticket", json!("7"))])),
//!         false => ToolResult::text("somebody will call you back"),
//!     })
//!     .build()?;
//!
//! let pair = Pair::of(&server).client(Client::builder("host", "1.0.0").extension(tickets())).connect().await?;
//! let client = pair.client();
//! assert_eq!(client.server_extension(ID), Some(RawObject::from([("max", json!(10))])));
//! client.peer().request::<Close>(EmptyParams::new()).await?;
//!
//! let stranger = Pair::of(&server).connect().await?;
//! assert_eq!(stranger.client().call("report").await?.as_text(), "somebody will call you back");
//! let refused = stranger.client().peer().request::<Close>(EmptyParams::new()).await.unwrap_err();
//! assert_eq!(refused.rpc().unwrap().code, -32021);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A client takes results of a type that an extension defines by [`Call::extended`](crate::peer::Call::extended), and
//! hears of changes by `Client::watch` with the filter's member in
//! [`Filter::extra`](crate::model::subscriptions::Filter#structfield.extra), or by `client::Builder::on_notification`.

mod check;
mod declaration;
mod method;

#[allow(unused_imports, reason = "only clients and servers declare extensions")]
pub(crate) use check::check;
pub use declaration::Extension;
pub use method::Method;
