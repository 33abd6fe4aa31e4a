/// How much an endpoint has to do at one moment.
///
/// ```
/// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build()?;
/// let load = server.http().service().load();
/// assert_eq!((load.requests, load.streams, load.sessions), (0, 0, 0));
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// How many requests are being served, those that only listen to changes aside.
    pub requests: usize,
    /// How many event streams are open.
    pub streams: usize,
    /// How many sessions of the stateful era there are.
    pub sessions: usize,
}
