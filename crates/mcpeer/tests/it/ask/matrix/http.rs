//! The server of a cell over HTTP.

use std::{
    future::{IntoFuture, ready},
    net::SocketAddr,
};

use axum::{Router, extract::Request, middleware};
use mcpeer::{
    Server,
    transport::{Connect, Principal, Transport, http},
};
use tokio::net::TcpListener;

use super::{
    CELLS, Case, Who,
    link::{Link, Setup},
    raw_http::RawHttp,
    run,
};

/// Where the server is.
struct Http(String);

impl Link for Http {
    const NAMES_USERS: bool = true;

    async fn start(case: Case, who: Who) -> Self {
        let server = Setup::of(case, who).server();
        let address = if case == Case::ReplaysAsSomebodyElse { known(&server).await } else { bare(&server).await };
        Self(format!("http://{address}/mcp"))
    }

    async fn open(&self, who: &'static str) -> impl Transport + use<> {
        RawHttp::new(&self.0, who)
    }

    async fn connector(&self, who: &'static str) -> impl Connect {
        http::client(&self.0).header(WHO, who)
    }
}

/// Serves whoever comes.
async fn bare(server: &Server) -> SocketAddr {
    let bound = server.http().bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

/// Serves behind a layer that says who comes, by a header that only tests may trust.
async fn known(server: &Server) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let layer = middleware::map_request(|mut request: Request| {
        let who = request.headers()[WHO].to_str().unwrap().into();
        request.extensions_mut().insert(Principal(who));
        ready(request)
    });
    let app = Router::new().route_service("/mcp", server.http().service()).layer(layer);
    tokio::spawn(axum::serve(listener, app).into_future());
    address
}

/// The header that says who sends.
const WHO: &str = "x-who";

#[tokio::test]
async fn every_cell_over_http() {
    let (done, left_out) = run::<Http>().await;
    assert_eq!((done, done + left_out), (71, CELLS));
}
