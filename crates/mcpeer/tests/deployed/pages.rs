//! A small server of files, and of what a page reports.

use std::{
    env, fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

/// What the pages of an origin are made of.
struct Site {
    /// Where packages of npm lie.
    packages: PathBuf,
    /// What a page is told.
    addresses: Value,
    reports: mpsc::UnboundedSender<Value>,
}

/// Gives where the packages of the peers lie, where they are installed.
pub(crate) fn packages() -> Option<PathBuf> {
    let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let peers = workspace.join(env::var_os("MCPEER_PEERS_DIR").unwrap_or_else(|| "target/peers".into()));
    Some(peers.join("node/node_modules")).filter(|folder| folder.join("@modelcontextprotocol/client").is_dir())
}

/// Serves a page on a listener; gives what it reports.
pub(crate) fn serve(listener: TcpListener, packages: PathBuf, addresses: Value) -> mpsc::UnboundedReceiver<Value> {
    let (reports, reported) = mpsc::unbounded_channel();
    let site = Arc::new(Site { packages, addresses, reports });
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let site = site.clone();
            tokio::spawn(async move {
                // The browser may have gone.
                let _ = site.answer(socket).await;
            });
        }
    });
    reported
}

impl Site {
    async fn answer(&self, socket: TcpStream) -> std::io::Result<()> {
        let mut socket = BufReader::new(socket);
        let mut first = String::new();
        socket.read_line(&mut first).await?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if socket.read_line(&mut line).await? <= 2 {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        socket.read_exact(&mut body).await?;
        let path = first.split(' ').nth(1).unwrap_or_default();
        let (status, kind, text) = match self.find(path, &body) {
            Some((kind, text)) => ("200 OK", kind, text),
            None => ("404 Not Found", "text/plain", Vec::new()),
        };
        let length = text.len();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await?;
        socket.write_all(&text).await?;
        socket.shutdown().await
    }

    /// Gives what is at a path, with its media type.
    fn find(&self, path: &str, body: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        match path {
            "/" => Some(("text/html", include_bytes!("page/index.html").to_vec())),
            "/page.mjs" => Some(("text/javascript", include_bytes!("page/page.mjs").to_vec())),
            "/addresses" => Some(("application/json", self.addresses.to_string().into_bytes())),
            "/report" => {
                let report = serde_json::from_slice(body).unwrap_or_default();
                self.reports.send(report).ok()?;
                Some(("text/plain", Vec::new()))
            }
            _ => {
                let path = path.strip_prefix("/node_modules/").filter(|path| !path.contains(".."))?;
                Some(("text/javascript", fs::read(self.packages.join(path)).ok()?))
            }
        }
    }
}

/// Takes hold of a port.
pub(crate) async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it has one");
    (listener, address)
}
