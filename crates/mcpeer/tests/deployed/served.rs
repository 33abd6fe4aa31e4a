//! Servers of ours at an address.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use mcpeer::{
    Client, Server,
    client::Builder,
    handler::Context,
    server::{self, Args, Http},
    version::Revision,
};
use tokio::sync::{Notify, oneshot};

/// Far more than anything here takes, on a loaded machine too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The newest revision of each era.
pub(crate) const ERAS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

pub(crate) fn at(revision: Revision) -> Builder {
    Client::builder("test", "1").revisions([revision])
}

/// Serves at a free port, until the test ends.
pub(crate) async fn serve(http: &Http) -> SocketAddr {
    let bound = http.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// A server that gives back what it is given.
pub(crate) fn echo() -> server::Builder {
    Server::builder("test", "1").tool("echo", async |Args(echo): Args<Echo>| echo.text)
}

/// Lets a tool `wait` go on.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<Notify>);

impl Gate {
    pub(crate) fn open(&self) {
        self.0.notify_one();
    }

    /// A server whose tool `wait` says that it has started, and ends when it is let.
    pub(crate) fn server(&self) -> server::Builder {
        let gate = self.0.clone();
        echo().tool("wait", move |cx: Context| {
            let gate = gate.clone();
            async move {
                cx.progress(1.0, None, Some("started")).await;
                gate.notified().await;
                "waited"
            }
        })
    }

    /// The same with a tool that says nothing until it ends.
    pub(crate) fn silent(&self) -> server::Builder {
        let gate = self.0.clone();
        echo().tool("wait", move || {
            let gate = gate.clone();
            async move {
                gate.notified().await;
                "waited"
            }
        })
    }
}

/// Tells when it is dropped.
struct Told(Option<oneshot::Sender<()>>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.take().map(|told| told.send(()));
    }
}

/// A server whose tool `wait` never ends by itself, with what tells that it has started and that it has ended.
pub(crate) fn endless() -> (server::Builder, Arc<Notify>, oneshot::Receiver<()>) {
    let (ended, ends) = oneshot::channel();
    let (told, started) = (Mutex::new(Some(Told(Some(ended)))), Arc::new(Notify::new()));
    let starts = started.clone();
    let server = echo().tool("wait", move |cx: Context| {
        let (told, starts) = (told.lock().unwrap().take(), starts.clone());
        async move {
            let _told = told;
            starts.notify_one();
            cx.cancelled().await;
            "never read"
        }
    });
    (server, started, ends)
}
