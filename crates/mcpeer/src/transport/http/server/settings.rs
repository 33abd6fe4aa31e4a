use std::{sync::Arc, time::Duration};

use super::{
    policy::Policy,
    store::{EventStore, SessionStore},
};

/// How an endpoint treats what comes in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) policy: Policy,
    /// Whether pages of allowed origins may read responses.
    pub(super) cors: bool,
    pub(super) max_body: usize,
    pub(super) body_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) max_requests: usize,
    pub(super) max_streams: usize,
    pub(super) is_sessionless: bool,
    pub(super) session_timeout: Duration,
    pub(super) max_sessions: usize,
    pub(super) retry: Duration,
    pub(super) session_store: Option<Arc<dyn SessionStore>>,
    pub(super) event_store: Option<Arc<dyn EventStore>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            cors: false,
            max_body: 4 << 20,
            body_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            max_requests: 4096,
            max_streams: 16_384,
            is_sessionless: false,
            session_timeout: Duration::from_secs(30 * 60),
            max_sessions: 10_000,
            retry: Duration::from_secs(1),
            session_store: None,
            event_store: None,
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
}
