//! Ways to open a transport.

use std::{future::Future, io, sync::Arc};

use super::Transport;
use crate::proto::io::EraMemory;

/// Something that can open a transport, again if need be.
///
/// A client asks for a transport anew where a server ended on an unknown first message, and where a connection that
/// shall last has ended.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{Connect, lines::Lines};
/// use tokio::{io::{ReadHalf, WriteHalf}, net::TcpStream};
///
/// struct Tcp(&'static str);
///
/// impl Connect for Tcp {
///     type Transport = Lines<ReadHalf<TcpStream>, WriteHalf<TcpStream>>;
///
///     async fn connect(&mut self) -> std::io::Result<Self::Transport> {
///         Ok(Lines::from_stream(TcpStream::connect(self.0).await?))
///     }
/// }
/// ```
pub trait Connect: Send + 'static {
    /// What it opens.
    type Transport: Transport;

    /// Opens a transport.
    ///
    /// # Errors
    ///
    /// It cannot be opened; the error says what to do.
    fn connect(&mut self) -> impl Future<Output = io::Result<Self::Transport>> + Send;

    /// Gives where is remembered which era the server speaks; nowhere unless implemented.
    #[doc(hidden)]
    fn memory(&self) -> Option<Arc<dyn EraMemory>> {
        None
    }
}

/// A connector that gives out a transport which is open already, once.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{Connect, Once, memory};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (here, _there) = memory::pair();
/// let mut connector = Once::new(here);
/// assert!(connector.connect().await.is_ok());
/// assert!(connector.connect().await.is_err());
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Once<T>(Option<T>);

impl<T> Once<T> {
    /// Makes a connector of an open transport.
    ///
    /// # Examples
    ///
    /// ```
    /// let (here, _there) = mcpeer::transport::memory::pair();
    /// let connector = mcpeer::transport::Once::new(here);
    /// ```
    pub fn new(transport: T) -> Self {
        Self(Some(transport))
    }
}

impl<T: Transport> Connect for Once<T> {
    type Transport = T;

    async fn connect(&mut self) -> io::Result<T> {
        self.0.take().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotConnected, "the transport is used up: give a connector that can reopen it")
        })
    }
}

/// Makes a connector of a function that opens a transport.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{Connect, connect_with, lines::Lines};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut connector = connect_with(|| async { Ok(Lines::new(tokio::io::empty(), tokio::io::sink())) });
/// assert!(connector.connect().await.is_ok());
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn connect_with<F, Opening, T>(open: F) -> ConnectWith<F>
where
    F: FnMut() -> Opening + Send + 'static,
    Opening: Future<Output = io::Result<T>> + Send,
    T: Transport,
{
    ConnectWith(open)
}

/// What [`connect_with`] makes.
#[derive(Debug)]
pub struct ConnectWith<F>(F);

impl<F, Opening, T> Connect for ConnectWith<F>
where
    F: FnMut() -> Opening + Send + 'static,
    Opening: Future<Output = io::Result<T>> + Send,
    T: Transport,
{
    type Transport = T;

    fn connect(&mut self) -> impl Future<Output = io::Result<T>> + Send {
        (self.0)()
    }
}
