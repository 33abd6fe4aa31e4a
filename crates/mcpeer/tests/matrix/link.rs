//! How client and server are linked.

use std::{
    io,
    task::{Context, Poll},
};

use mcpeer::{
    Client, Server,
    client::Builder,
    driver::io::{Link as Kind, Outbound},
    transport::{
        Connect, Received, Transport, TransportExt,
        child::{Child, Command},
        http, memory,
    },
    version::Revision,
};
use serde_json::Value;

use crate::{raw::Raw, raw_http::RawHttp, server};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Memory,
    /// The server is a process, and its standard input and output the link.
    Stdio,
    Http,
    /// A server over HTTP that keeps no sessions.
    Sessionless,
}

impl Link {
    pub(crate) fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Sessionless)
    }
}

/// A server in a cell of the matrix, and the way to it.
pub(crate) struct At {
    pub(crate) link: Link,
    pub(crate) revision: Revision,
    here: Server,
    /// Where it is, over HTTP.
    pub(crate) url: String,
}

impl At {
    pub(crate) async fn new(link: Link, revision: Revision) -> Self {
        let here = server::everything();
        let mut http = here.http();
        if link == Link::Sessionless {
            http = http.sessionless();
        }
        let mut url = String::new();
        if link.is_http() {
            let bound = http.bind("127.0.0.1:0").await.unwrap();
            url = format!("http://{}/mcp", bound.local_addr());
            tokio::spawn(bound.serve());
        }
        Self { link, revision, here, url }
    }

    /// Connects our client.
    pub(crate) async fn ours(&self, builder: Builder) -> Client {
        let builder = builder.revisions([self.revision]);
        let connected = match self.link {
            Link::Http | Link::Sessionless => builder.connect(http::client(&self.url)).await,
            Link::Memory | Link::Stdio => builder.connect_with(self.pipe().await).await,
        };
        let client = connected.unwrap();
        assert_eq!(client.revision(), self.revision);
        client
    }

    /// Connects a client that writes and reads raw JSON.
    pub(crate) async fn raw(&self, capabilities: Value) -> Raw {
        let mut raw = Raw::over(self.pipe().await, self.revision, capabilities);
        raw.initialize().await;
        raw
    }

    async fn pipe(&self) -> Pipe {
        match self.link {
            Link::Memory => {
                let (ours, theirs) = memory::pair();
                let server = self.here.clone();
                tokio::spawn(async move { server.serve(theirs).await });
                Pipe::Memory(ours)
            }
            Link::Stdio => {
                let mut command = Command::new(std::env::current_exe().unwrap())
                    .args(["server::a_process_that_is_started_as_the_server_serves", "--exact", "--nocapture"])
                    .env(server::ROLE, "server")
                    .message_limit(2 * server::HUGE);
                let mut child = command.connect().await.unwrap();
                // What the harness says first.
                while child.receive_text().await.unwrap().expect("the server ended at once") != server::READY {}
                Pipe::Child(Box::new(child))
            }
            Link::Http | Link::Sessionless => Pipe::Http(Box::new(RawHttp::new(&self.url, "ada"))),
        }
    }
}

/// The client's end of a link.
pub(crate) enum Pipe {
    Memory(memory::Memory),
    Child(Box<Child>),
    Http(Box<RawHttp>),
}

macro_rules! each {
    ($pipe:ident, $end:ident => $what:expr) => {
        match $pipe {
            Self::Memory($end) => $what,
            Self::Child($end) => $what,
            Self::Http($end) => $what,
        }
    };
}

impl Transport for Pipe {
    fn link(&self) -> Kind {
        match self {
            Self::Http(_) => Kind::Exchange,
            Self::Memory(_) | Self::Child(_) => Kind::Pipe,
        }
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        each!(self, end => end.poll_receive(cx))
    }

    fn send(&mut self, outbound: Outbound) {
        each!(self, end => end.send(outbound));
    }

    fn buffered(&self) -> usize {
        each!(self, end => end.buffered())
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, end => end.poll_flush(cx))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, end => end.poll_close(cx))
    }
}
