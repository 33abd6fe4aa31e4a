//! What stands between a client and a server over HTTP: it passes everything on as it is, remembers what was asked, and
//! may break one stream off.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinHandle,
};

/// A relay at an address of its own. It ends when it is dropped.
pub(crate) struct Relay {
    address: SocketAddr,
    seen: Arc<Seen>,
    accepting: JoinHandle<()>,
}

/// The head of a request.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) method: String,
    headers: Vec<(String, String)>,
}

struct Seen {
    heads: Mutex<Vec<Head>>,
    /// After which notification of progress the stream breaks off, where one still is to.
    cut_after: Mutex<Option<usize>>,
}

impl Relay {
    /// Stands before a server. The first stream with so many notifications of progress breaks off behind them.
    pub(crate) async fn start(server: SocketAddr, cut_after: Option<usize>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let seen = Arc::new(Seen { heads: Mutex::default(), cut_after: Mutex::new(cut_after) });
        let sees = seen.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let sees = sees.clone();
                connections.spawn(async move {
                    // That one side hangs up is no fault.
                    let _ = pass(client, server, &sees).await;
                });
            }
        });
        Self { address, seen, accepting }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Gives the heads of all requests so far, in the order in which they began.
    pub(crate) fn heads(&self) -> Vec<Head> {
        self.seen.heads.lock().expect("no test failed").clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Head {
    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let method = lines.next().and_then(|line| line.split(' ').next()).unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
        Self { method, headers }
    }

    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| &**value)
    }
}

/// Passes on until either side hangs up.
async fn pass(client: TcpStream, server: SocketAddr, seen: &Seen) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        ended = pass_requests(from_client, to_server, seen) => ended,
        ended = pass_responses(from_server, to_client, seen) => ended,
    }
}

async fn pass_requests(mut client: OwnedReadHalf, mut server: OwnedWriteHalf, seen: &Seen) -> io::Result<()> {
    let mut requests = Requests::default();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = client.read(&mut chunk).await?;
        if read == 0 {
            return Ok(());
        }
        let heads = requests.read(&chunk[..read]);
        seen.heads.lock().expect("no test failed").extend(heads);
        server.write_all(&chunk[..read]).await?;
    }
}

async fn pass_responses(mut server: OwnedReadHalf, mut client: OwnedWriteHalf, seen: &Seen) -> io::Result<()> {
    let mut so_far = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let read = server.read(&mut chunk).await?;
        if read == 0 {
            return Ok(());
        }
        let cut_after = *seen.cut_after.lock().expect("no test failed");
        if let Some(steps) = cut_after {
            let passed = so_far.len();
            so_far.extend_from_slice(&chunk[..read]);
            if let Some(end) = end_of(&so_far, steps) {
                *seen.cut_after.lock().expect("no test failed") = None;
                client.write_all(&so_far[passed..end.max(passed)]).await?;
                return client.shutdown().await;
            }
        }
        client.write_all(&chunk[..read]).await?;
    }
}

/// Finds the end of the event with the last of so many notifications of progress.
fn end_of(stream: &[u8], steps: usize) -> Option<usize> {
    let text = String::from_utf8_lossy(stream);
    let (last, _) = text.match_indices("notifications/progress").nth(steps - 1)?;
    let ends = ["\n\n", "\r\n\r\n"].map(|end| text[last..].find(end).map(|at| last + at + end.len()));
    ends.into_iter().flatten().min()
}

/// The requests of one connection.
#[derive(Default)]
struct Requests {
    /// What of a head is there.
    head: Vec<u8>,
    /// How much of a body is to come.
    body: usize,
}

impl Requests {
    fn read(&mut self, mut bytes: &[u8]) -> Vec<Head> {
        let mut heads = Vec::new();
        loop {
            let skipped = self.body.min(bytes.len());
            self.body -= skipped;
            bytes = &bytes[skipped..];
            if bytes.is_empty() {
                return heads;
            }
            let before = self.head.len();
            self.head.extend_from_slice(bytes);
            let Some(end) = self.head.windows(4).position(|window| window == b"\r\n\r\n") else { return heads };
            bytes = &bytes[end + 4 - before..];
            let head = Head::parse(&String::from_utf8_lossy(&self.head[..end]));
            self.head.clear();
            // None of these clients sends a body whose length it does not know.
            self.body = head.header("content-length").map_or(0, |length| length.parse().expect("a length"));
            heads.push(head);
        }
    }
}
