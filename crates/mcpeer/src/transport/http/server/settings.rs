use std::{sync::Arc, time::Duration};

use super::{
    policy::Policy,
    store::{EventStore, Guarded, SessionStore},
};
use crate::{
    driver::{LONGEST, Runtime},
    proto::Limits,
};

/// How an endpoint treats what comes in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) policy: Policy,
    /// Whether pages of allowed origins may read responses.
    pub(super) cors: bool,
    /// How many headers a request may have.
    pub(super) max_headers: usize,
    /// How many bytes these may have.
    pub(super) max_header_bytes: usize,
    pub(super) head_timeout: Duration,
    pub(super) max_body: usize,
    pub(super) body_timeout: Duration,
    /// How many bytes of bodies that have not come to their end may wait.
    pub(super) max_incoming: usize,
    max_depth: Option<usize>,
    pub(super) write_timeout: Duration,
    pub(super) grace: Duration,
    pub(super) max_connections: usize,
    pub(super) keep_alive: Duration,
    pub(super) max_requests: usize,
    pub(super) max_streams: usize,
    pub(super) is_sessionless: bool,
    pub(super) session_timeout: Duration,
    pub(super) max_sessions: usize,
    pub(super) retry: Duration,
    pub(super) session_store: Option<Arc<dyn SessionStore>>,
    pub(super) event_store: Option<Arc<dyn EventStore>>,
    store_timeout: Duration,
    max_session_requests: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            cors: false,
            max_headers: 80,
            max_header_bytes: 32 << 10,
            head_timeout: Duration::from_secs(30),
            max_body: 4 << 20,
            body_timeout: Duration::from_secs(30),
            max_incoming: 256 << 20,
            max_depth: None,
            write_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            max_connections: 20_000,
            keep_alive: Duration::from_secs(15),
            max_requests: 4096,
            max_streams: 16_384,
            is_sessionless: false,
            session_timeout: Duration::from_secs(30 * 60),
            max_sessions: 10_000,
            retry: Duration::from_secs(1),
            session_store: None,
            event_store: None,
            store_timeout: Duration::from_secs(5),
            max_session_requests: None,
        }
    }
}

impl Settings {
    pub(crate) fn allow_host(&mut self, host: String) {
        self.policy.hosts.push(host);
    }

    pub(crate) fn allow_any_host(&mut self) {
        self.policy.allows_any_host = true;
    }

    pub(crate) fn allow_origin(&mut self, origin: String) {
        self.policy.origins.push(origin.trim_end_matches('/').to_owned());
        self.cors = true;
    }

    pub(crate) fn allow_cors(&mut self) {
        self.cors = true;
    }

    pub(crate) fn set_max_headers(&mut self, headers: usize) {
        self.max_headers = headers;
    }

    pub(crate) fn set_max_header_bytes(&mut self, bytes: usize) {
        self.max_header_bytes = bytes;
    }

    pub(crate) fn set_head_timeout(&mut self, timeout: Duration) {
        // Who serves the connection adds it to the present.
        self.head_timeout = timeout.min(LONGEST);
    }

    pub(crate) fn set_max_body(&mut self, bytes: usize) {
        self.max_body = bytes;
    }

    pub(crate) fn set_body_timeout(&mut self, timeout: Duration) {
        self.body_timeout = timeout;
    }

    /// For how long nothing may be sent where something can be; `None` where that may last for ever.
    pub(super) fn quiet(&self) -> Option<Duration> {
        Some(self.keep_alive).filter(|keep_alive| !keep_alive.is_zero())
    }

    pub(crate) fn set_max_incoming(&mut self, bytes: usize) {
        self.max_incoming = bytes;
    }

    pub(crate) fn set_max_depth(&mut self, depth: usize) {
        self.max_depth = Some(depth);
    }

    /// Sets what a connection takes in by what the endpoint does.
    pub(crate) fn limit(&self, limits: &mut Limits) {
        limits.message.max_bytes = self.max_body;
        if let Some(depth) = self.max_depth {
            limits.message.max_depth = depth.min(limits.message.max_depth);
        }
        if let Some(requests) = self.max_session_requests {
            limits.concurrent = requests;
        }
    }

    pub(crate) fn set_max_session_requests(&mut self, requests: usize) {
        self.max_session_requests = Some(requests);
    }

    pub(crate) fn set_write_timeout(&mut self, timeout: Duration) {
        self.write_timeout = timeout;
    }

    pub(crate) fn set_grace(&mut self, grace: Duration) {
        self.grace = grace;
    }

    pub(crate) fn set_max_connections(&mut self, connections: usize) {
        self.max_connections = connections;
    }

    pub(crate) fn set_keep_alive(&mut self, interval: Duration) {
        self.keep_alive = interval;
    }

    pub(crate) fn set_max_requests(&mut self, requests: usize) {
        self.max_requests = requests;
    }

    pub(crate) fn set_max_streams(&mut self, streams: usize) {
        self.max_streams = streams;
    }

    pub(crate) fn set_sessionless(&mut self) {
        self.is_sessionless = true;
    }

    pub(crate) fn is_sessionless(&self) -> bool {
        self.is_sessionless
    }

    pub(crate) fn set_session_timeout(&mut self, timeout: Duration) {
        self.session_timeout = timeout;
    }

    pub(crate) fn set_max_sessions(&mut self, sessions: usize) {
        self.max_sessions = sessions;
    }

    pub(crate) fn set_retry(&mut self, retry: Duration) {
        self.retry = retry;
    }

    pub(crate) fn set_session_store(&mut self, store: Arc<dyn SessionStore>) {
        self.session_store = Some(store);
    }

    pub(crate) fn set_event_store(&mut self, store: Arc<dyn EventStore>) {
        self.event_store = Some(store);
    }

    pub(crate) fn set_store_timeout(&mut self, timeout: Duration) {
        self.store_timeout = timeout;
    }

    /// Has stores asked only in such a way that none of them can hold anybody up for long.
    pub(super) fn guard_stores(&mut self, runtime: &Runtime) {
        let patience = self.store_timeout;
        if let Some(store) = self.session_store.take() {
            self.session_store = Some(Arc::new(Guarded::new(store, patience, runtime.clone())));
        }
        if let Some(store) = self.event_store.take() {
            self.event_store = Some(Arc::new(Guarded::new(store, patience, runtime.clone())));
        }
    }
}
