//! A transport that is opened anew.

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use serde_json::json;

use super::support::{Closures, Side, Wire, client_config};
use crate::{
    driver::{Driver, Options},
    handler::Serving,
    peer::Peer,
    proto::{Connection, Policy},
    transport::{
        Connect, Link,
        memory::{self, Memory},
    },
    version::{Era, Revision},
};

/// Gives out what was prepared, then fails.
struct Prepared(VecDeque<Memory>);

impl Connect for Prepared {
    type Transport = Memory;

    async fn connect(&mut self) -> io::Result<Memory> {
        tokio::task::yield_now().await;
        self.0.pop_front().ok_or_else(|| io::Error::other("the program is gone"))
    }
}

/// Never gets anywhere.
struct Stuck;

impl Connect for Stuck {
    type Transport = Memory;

    async fn connect(&mut self) -> io::Result<Memory> {
        std::future::pending().await
    }
}

/// A client that does not know the era of the server, and the server's ends of the transports.
fn client(transports: usize) -> (Side, VecDeque<Wire>) {
    let (mut here, there): (VecDeque<_>, VecDeque<_>) = (0..transports)
        .map(|_| {
            let (here, there) = memory::pair();
            (here, Wire(there))
        })
        .unzip();
    let first = here.pop_front().unwrap();
    (client_over(first, Prepared(here)), there)
}

fn client_over(first: Memory, connector: impl Connect<Transport = Memory>) -> Side {
    let mut config = client_config(Era::Legacy);
    config.policy = Policy::Auto;
    let now = tokio::time::Instant::now().into_std();
    let connection = Connection::client(Arc::new(config), Link::Pipe, now);
    let service = Closures::default();
    let heard = service.heard.clone();
    let driver = Driver::new(connection, first, Serving::new(Arc::new(service)), Options::default());
    let driver = driver.reopen_with(connector);
    let peer = Peer::new(driver.remote().clone());
    Side { peer, heard, task: tokio::spawn(driver) }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_on_the_probe_is_started_once_more_and_greeted_in_the_old_way() {
    let (side, mut wires) = client(2);
    let mut wire = wires.pop_front().unwrap();
    assert_eq!(wire.receive().await["method"], "server/discover");
    // Asked for before the era is settled: it waits, and goes out on the second transport.
    let call = side.peer.request_raw("test/early", None).send();
    drop(wire);
    let mut wire = wires.pop_front().unwrap();
    let result =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "w", "version": "1"}});
    wire.answer("initialize", result).await;
    assert_eq!(wire.receive().await["method"], "notifications/initialized");
    wire.answer("test/early", json!({"ok": 1})).await;
    assert!(call.await.is_ok());
    assert_eq!(side.peer.revision(), Some(Revision::V2025_06_18));
    assert!(!side.peer.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_cannot_be_opened_anew_ends_the_connection_with_the_reason() {
    let (side, wires) = client(1);
    let call = side.peer.request_raw("test/early", None).send();
    drop(wires);
    assert!(side.peer.remote().connected().await.is_err());
    let error = call.await.unwrap_err();
    assert!(error.is_closed(), "{error:?}");
    let closed = side.task.await.unwrap();
    assert!(closed.to_string().contains("the program is gone"), "{closed:?}");
    assert_eq!(side.heard.closed.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_is_never_opened_anew_ends_the_connection_in_time() {
    let (here, there) = memory::pair();
    let side = client_over(here, Stuck);
    let call = side.peer.request_raw("test/early", None).timeout(Duration::from_secs(600)).send();
    drop(there);
    let start = tokio::time::Instant::now();
    let closed = side.task.await.unwrap();
    assert!(closed.to_string().contains("could not be opened anew within 30s"), "{closed:?}");
    assert_eq!(start.elapsed().as_secs(), 30);
    assert!(call.await.unwrap_err().is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_notification_before_the_era_is_settled_goes_out_once_it_is() {
    let (side, mut wires) = client(1);
    let mut wire = wires.pop_front().unwrap();
    side.peer.notify_raw("test/early", None).await.unwrap();
    wire.answer("server/discover", json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})).await;
    assert_eq!(wire.receive().await["method"], "test/early");
}
