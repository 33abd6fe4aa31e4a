//! A plain HTTP server around an endpoint.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tracing::{debug, warn};

use super::{Endpoint, Host};
use crate::driver::Runtime;

/// How many connections are open at once; more wait to be accepted.
const CONNECTIONS: usize = 20_000;
/// How long a client may take for the head of a request.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long what runs may take to answer once the server is to end.
const GRACE: Duration = Duration::from_secs(10);

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

/// Serves until `end` completes and what runs then has answered.
pub(crate) async fn serve<H: Host>(
    bound: Bound,
    endpoint: Endpoint<H>,
    path: Arc<str>,
    runtime: Runtime,
    end: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut end = pin!(end);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await.expect("the semaphore is never closed");
            (bound.listener.accept().await, place)
        };
        match unless(end.as_mut(), accepted).await {
            None => break,
            Some((Ok((socket, _)), place)) => start(socket, place, &endpoint, &path, &connections, &runtime),
            Some((Err(error), _)) => {
                // Out of sockets, or the client has left again: others may still come.
                warn!(%error, "a connection could not be accepted");
                runtime.clock.sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(bound);
    endpoint.shut();
    let grace = runtime.clock.sleep(GRACE);
    if unless(grace, connections.shutdown()).await.is_none() {
        debug!("some requests were not answered in time");
    }
}

/// Waits for something unless something else comes first.
async fn unless<T>(mut end: impl Future<Output = ()> + Unpin, wanted: impl Future<Output = T>) -> Option<T> {
    let mut wanted = pin!(wanted);
    poll_fn(|cx| match wanted.as_mut().poll(cx) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Pin::new(&mut end).poll(cx).map(|()| None),
    })
    .await
}

fn start<H: Host>(
    socket: TcpStream,
    place: OwnedSemaphorePermit,
    endpoint: &Endpoint<H>,
    path: &Arc<str>,
    connections: &GracefulShutdown,
    runtime: &Runtime,
) {
    // An answer is small and must not wait for more to be sent with it.
    if let Err(error) = socket.set_nodelay(true) {
        debug!(%error, "a connection delays what it sends");
    }
    let (endpoint, path) = (endpoint.clone(), path.clone());
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let (endpoint, is_here) = (endpoint.clone(), *request.uri().path() == *path);
        let path = path.clone();
        async move {
            Ok::<_, Infallible>(match is_here {
                true => endpoint.handle(request).await,
                false => super::refuse::elsewhere(&path),
            })
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(socket), service);
    let connection = connections.watch(connection);
    runtime.spawn.spawn(Box::pin(async move {
        if let Err(error) = connection.await {
            debug!(%error, "a connection broke");
        }
        drop(place);
    }));
}
