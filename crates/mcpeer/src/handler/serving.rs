use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde::Deserialize;

use super::{Context, Notification, Request, Service, rerun, resume};
use crate::{
    driver::{
        Application, Remote, Run, Ticket,
        io::{Event, Handle},
    },
    error::Error,
    peer::Peer,
    rpc::Raw,
};

/// A [`Service`] as a driver calls it.
pub struct Serving {
    service: Arc<dyn Service>,
    watched: Watched,
}

/// The resources that the peer watches.
#[derive(Default)]
struct Watched {
    /// By the `subscriptions/listen` that names them.
    subscriptions: HashMap<Handle, Vec<String>>,
    /// Those of the session.
    followed: HashSet<String>,
}

/// The resources of a filter.
#[derive(Deserialize)]
struct Filter {
    #[serde(default, rename = "resourceSubscriptions")]
    uris: HashSet<String>,
}

impl Serving {
    /// Lets a driver call the service.
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self { service, watched: Watched::default() }
    }
}

impl Application for Serving {
    fn request(&mut self, ticket: &Ticket, params: Option<Raw>) -> Run {
        let request = Request { method: ticket.request().method.clone(), params };
        if resume::state(ticket).is_some()
            && let Some(sealing) = &ticket.remote().options().sealing
        {
            return resume::resume(&self.service, &**sealing, ticket, request);
        }
        self.service.call(request, Context::new(ticket.clone()))
    }

    fn input_required(&mut self, ticket: &Ticket, raw: Raw) -> Run {
        rerun::ask(&self.service, ticket, raw)
    }

    fn event(&mut self, remote: &Remote, event: Event) {
        match event {
            Event::Notification { method, params, subscription } => {
                self.service.notify(Notification { method, params, subscription }, &Peer::new(remote.clone()));
            }
            Event::Connected(_) => self.service.connected(&Peer::new(remote.clone())),
            Event::Subscribed { handle, filter, request } => {
                self.service.listens(handle, &Context::new(Ticket::new(*request, remote.clone())));
                self.watched.subscribed(&*self.service, handle, &filter);
                self.service.subscribed(&filter, &Peer::new(remote.clone()));
            }
            Event::Unsubscribed { handle } => {
                self.watched.unsubscribed(&*self.service, handle);
                self.service.listens_no_more(handle, remote);
            }
            Event::Followed { uri } => {
                self.service.watched(&uri);
                self.watched.followed.insert(uri);
            }
            Event::Unfollowed { uri } if self.watched.followed.remove(&uri) => self.service.unwatched(&uri),
            Event::Misbehaved(report) => self.service.misbehaved(&report),
            Event::Closed(closed) => {
                self.watched.end(&*self.service);
                self.service.closed(&Error::ended(closed, remote.diagnosis()));
            }
            _ => {}
        }
    }
}

impl Watched {
    fn subscribed(&mut self, service: &dyn Service, handle: Handle, filter: &Raw) {
        let Ok(Filter { uris }) = filter.decode() else { return };
        if !uris.is_empty() {
            uris.iter().for_each(|uri| service.watched(uri));
            self.subscriptions.insert(handle, uris.into_iter().collect());
        }
    }

    fn unsubscribed(&mut self, service: &dyn Service, handle: Handle) {
        for uri in self.subscriptions.remove(&handle).unwrap_or_default() {
            service.unwatched(&uri);
        }
    }

    fn end(&mut self, service: &dyn Service) {
        let subscriptions = self.subscriptions.drain().flat_map(|(_, uris)| uris);
        for uri in subscriptions.chain(self.followed.drain()) {
            service.unwatched(&uri);
        }
    }
}
