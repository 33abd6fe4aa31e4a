//! A plain HTTP server around an endpoint.

use std::{
    future::{Future, poll_fn},
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{rt::TokioIo, server::graceful::GracefulConnection};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tracing::{debug, warn};

use super::{Endpoint, Host, Settings, patience::Patience, socket::Socket};
use crate::driver::Runtime;

/// How many headers hyper reads without memory of its own for them.
const HEADERS: usize = 100;
/// How much a client may still send once it was refused, beyond a body that is not too long.
const LINGER: usize = 64 << 10;
/// After how long the system asks a client of which nothing is heard whether it is there.
const QUIET: Duration = Duration::from_secs(60);

/// An address that is listened at.
#[derive(Debug)]
pub(crate) struct Bound {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
}

impl Bound {
    pub(crate) async fn new(address: impl tokio::net::ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }
}

/// Serves until `end` completes and what runs then has answered. Dropped, it ends every connection at once.
pub(crate) async fn serve<H: Host>(
    bound: Bound,
    endpoint: Endpoint<H>,
    path: Arc<str>,
    runtime: Runtime,
    end: impl Future<Output = ()>,
) {
    // Whoever serves a connection hears through this that it is to end, and then that nobody waits any more.
    let (serving, connected) = watch::channel(());
    let places = Arc::new(Semaphore::new(endpoint.settings().max_connections.min(Semaphore::MAX_PERMITS)));
    let mut end = pin!(end);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
            (bound.listener.accept().await, place)
        };
        match unless(end.as_mut(), accepted).await {
            Err(()) => break,
            Ok((Ok((socket, _)), place)) => start(socket, (place, connected.clone()), &endpoint, &path, &runtime),
            Ok((Err(error), _)) => {
                // Out of sockets, or the client has left again: others may still come.
                warn!(%error, "a connection could not be accepted");
                runtime.clock.sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop((bound, connected));
    let grace = runtime.clock.sleep(endpoint.settings().grace);
    endpoint.shut();
    serving.send_replace(());
    if unless(grace, serving.closed()).await.is_err() {
        debug!("some requests were not answered in time");
    }
}

/// Waits for something unless something else comes first.
async fn unless<T, E>(mut end: impl Future<Output = E> + Unpin, wanted: impl Future<Output = T>) -> Result<T, E> {
    let mut wanted = pin!(wanted);
    poll_fn(|cx| match wanted.as_mut().poll(cx) {
        Poll::Ready(value) => Poll::Ready(Ok(value)),
        Poll::Pending => Pin::new(&mut end).poll(cx).map(Err),
    })
    .await
}

fn start<H: Host>(
    socket: TcpStream,
    (place, connected): (OwnedSemaphorePermit, watch::Receiver<()>),
    endpoint: &Endpoint<H>,
    path: &Arc<str>,
    runtime: &Runtime,
) {
    let settings = endpoint.settings();
    if let Err(error) = prepare(&socket) {
        debug!(%error, "a connection is served as the system set it up");
    }
    let socket = Socket::new(socket, runtime.clone(), settings.write_timeout, settings.max_body.saturating_add(LINGER));
    let http = http(settings, runtime);
    let (endpoint, path) = (endpoint.clone(), path.clone());
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| endpoint.handle_at(&path, request));
    // On the heap, so that it takes its room only once.
    let connection = Box::pin(http.serve_connection(TokioIo::new(socket), service));
    runtime.spawn.spawn(Box::pin(async move {
        if let Err(error) = run(connection, connected).await {
            debug!(%error, "a connection broke");
        }
        drop(place);
    }));
}

fn prepare(socket: &TcpStream) -> io::Result<()> {
    // An answer is small and must not wait for more to be sent with it.
    socket.set_nodelay(true)?;
    // Else nobody would notice that a client is gone, as long as there is nothing to tell it.
    let asking = TcpKeepalive::new().with_time(QUIET).with_interval(QUIET / 4);
    SockRef::from(socket).set_tcp_keepalive(&asking)
}

/// Runs a connection to its end, or until nobody waits for that any more.
async fn run<C>(mut connection: Pin<Box<C>>, mut connected: watch::Receiver<()>) -> hyper::Result<()>
where
    C: GracefulConnection<Error = hyper::Error>,
{
    match unless(pin!(connected.changed()), connection.as_mut()).await {
        Ok(ended) => return ended,
        Err(Err(_)) => return Ok(()),
        Err(Ok(())) => connection.as_mut().graceful_shutdown(),
    }
    unless(pin!(connected.changed()), connection).await.unwrap_or(Ok(()))
}

/// How HTTP is read. What is a little beyond the limits is read, so that the endpoint can refuse it in its words.
fn http(settings: &Settings, runtime: &Runtime) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(Patience::new(runtime.clone()))
        .header_read_timeout(settings.head_timeout)
        .max_buf_size(settings.max_header_bytes.saturating_mul(2).max(64 << 10));
    let headers = settings.max_headers.saturating_add(settings.max_headers / 4);
    if headers > HEADERS {
        http.max_headers(headers);
    }
    http
}
