//! The client's side of Streamable HTTP: each message is a request of HTTP, and what comes back for it a stream of its
//! own, so that nothing waits behind a slow answer. [`client()`] makes what `Builder::connect` wants.
//!
//! In the stateless era each request says in its headers what its body says, and to cancel it is to hang up. In the
//! stateful one a session that the server opens is named with each message and ended with the connection, the stream
//! of the server's own messages is held open where there is one, and a stream that breaks off is taken up again where
//! the server numbers its events.

mod answer;
mod by_reqwest;
mod collect;
mod connector;
mod deliver;
mod eras;
mod events;
mod exchange;
mod listen;
mod other;
mod outgoing;
mod refetch;
mod refusal;
mod send;
mod session;
mod shared;
#[cfg(feature = "http-sse")]
mod sse;
mod stack;
mod tools;
mod transport;

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

/// What sends the requests, unless another stack is given.
pub use reqwest;

#[cfg(feature = "http-sse")]
pub use self::sse::sse_client;
pub use self::{
    connector::{Connector, client},
    eras::Eras,
    stack::{HttpClient, ResponseBody},
    transport::HttpTransport,
};

/// Waits for something unless something else comes first.
async fn unless<T>(end: impl Future<Output = ()>, wanted: impl Future<Output = T>) -> Option<T> {
    let (mut end, mut wanted) = (pin!(end), pin!(wanted));
    poll_fn(|cx| match wanted.as_mut().poll(cx) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => end.as_mut().poll(cx).map(|()| None),
    })
    .await
}
