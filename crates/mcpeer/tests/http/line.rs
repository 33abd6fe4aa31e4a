//! A client that writes to a socket what a test wants, and reads what comes; and servers at an address.

use std::{fmt::Write as _, io, net::SocketAddr, time::Duration};

use http::{HeaderMap, HeaderName, Request};
use mcpeer::server::{Http, HttpService};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::web::Answer;

/// Far more than anything here takes, on a loaded machine too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server at an address, until this is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) service: HttpService,
    end: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

impl Served {
    pub(crate) async fn new(http: &Http) -> Self {
        let bound = http.bind("127.0.0.1:0").await.unwrap();
        let (address, service) = (bound.local_addr(), bound.service().clone());
        let (end, ending) = oneshot::channel::<()>();
        let serving = tokio::spawn(bound.serve_until(async move { drop(ending.await) }));
        Self { address, service, end: Some(end), serving }
    }

    pub(crate) async fn line(&self) -> Line {
        Line::new(self.address).await
    }

    /// Has the server end.
    pub(crate) fn end(&mut self) {
        drop(self.end.take());
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.serving.is_finished()
    }

    /// Waits until the server has ended.
    pub(crate) async fn ended(&mut self) {
        timeout(PATIENCE, &mut self.serving).await.expect("the server never ends").unwrap();
    }

    /// Drops the server as it is.
    pub(crate) fn cut(&self) {
        self.serving.abort();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A connection.
pub(crate) struct Line {
    socket: TcpStream,
    /// What was read and not used.
    read: Vec<u8>,
}

impl Line {
    pub(crate) async fn new(address: SocketAddr) -> Self {
        Self { socket: TcpStream::connect(address).await.unwrap(), read: Vec::new() }
    }

    /// Opens a connection for which the system keeps little that is not read.
    pub(crate) async fn narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(8 << 10).unwrap();
        Self { socket: socket.connect(address).await.unwrap(), read: Vec::new() }
    }

    pub(crate) async fn write(&mut self, text: impl AsRef<[u8]>) {
        self.try_write(text).await.unwrap();
    }

    pub(crate) async fn try_write(&mut self, text: impl AsRef<[u8]>) -> io::Result<()> {
        timeout(PATIENCE, self.socket.write_all(text.as_ref())).await.expect("nobody reads")
    }

    pub(crate) async fn send(&mut self, request: &Request<String>) {
        self.write(text_of(request)).await;
    }

    pub(crate) async fn call(&mut self, request: &Request<String>) -> Answer {
        self.send(request).await;
        self.answer().await
    }

    /// Reads a response to its end.
    pub(crate) async fn answer(&mut self) -> Answer {
        let (status, headers) = self.head().await;
        let field = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
        let text = match (field("content-length"), field("transfer-encoding")) {
            (Some(length), None) => self.take(length.parse().unwrap()).await,
            (None, Some("chunked")) => {
                let mut text = String::new();
                while let Some(piece) = self.chunk().await {
                    text.push_str(&piece);
                }
                text
            }
            _ => panic!("a body without an end: {headers:?}"),
        };
        Answer { status, headers, text }
    }

    /// Reads the head of a response.
    pub(crate) async fn head(&mut self) -> (u16, HeaderMap) {
        let head = self.until("\r\n\r\n").await;
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (HeaderName::try_from(name).unwrap(), value.parse().unwrap())
        });
        (status, headers.collect())
    }

    /// Reads a piece of a body, such as an event; `None` is its end.
    pub(crate) async fn chunk(&mut self) -> Option<String> {
        let length = self.until("\r\n").await;
        let length = usize::from_str_radix(length.trim_end(), 16).unwrap();
        let text = self.take(length).await;
        assert_eq!(self.take(2).await, "\r\n");
        Some(text).filter(|_| length > 0)
    }

    /// Reads until this came, and gives all up to there.
    pub(crate) async fn until(&mut self, wanted: &str) -> String {
        loop {
            if let Some(at) = String::from_utf8_lossy(&self.read).find(wanted) {
                return self.take(at + wanted.len()).await;
            }
            let length = self.fill().await.unwrap();
            assert_ne!(length, 0, "the connection ended; so far: {}", String::from_utf8_lossy(&self.read));
        }
    }

    /// Reads until the connection ends.
    pub(crate) async fn rest(&mut self) -> io::Result<String> {
        while self.fill().await? > 0 {}
        Ok(String::from_utf8(std::mem::take(&mut self.read)).unwrap())
    }

    /// Reads what is there, if anything; `None` where the connection has ended.
    pub(crate) fn peek(&mut self) -> Option<String> {
        let mut piece = [0; 4096];
        loop {
            match self.socket.try_read(&mut piece) {
                Ok(0) => return None,
                Ok(length) => self.read.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return None,
            }
        }
        Some(String::from_utf8_lossy(&self.read).into_owned())
    }

    async fn take(&mut self, length: usize) -> String {
        while self.read.len() < length {
            let more = self.fill().await.unwrap();
            assert_ne!(more, 0, "the connection ended; so far: {}", String::from_utf8_lossy(&self.read));
        }
        String::from_utf8(self.read.drain(..length).collect()).unwrap()
    }

    async fn fill(&mut self) -> io::Result<usize> {
        timeout(PATIENCE, self.socket.read_buf(&mut self.read)).await.expect("nothing comes")
    }
}

/// Writes a request as it crosses a socket.
pub(crate) fn text_of(request: &Request<String>) -> String {
    let length = request.body().len();
    format!("{}content-length: {length}\r\n\r\n{}", head_of(request), request.body())
}

/// Writes the head of a request, without what ends it, and without the length of its body.
pub(crate) fn head_of(request: &Request<String>) -> String {
    let mut text = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        write!(text, "{name}: {}\r\n", value.to_str().unwrap()).unwrap();
    }
    text
}

/// Waits until something holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("it never holds");
}
