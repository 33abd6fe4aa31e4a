use std::sync::Arc;

use super::{Context, Notification, Request, Service, rerun};
use crate::{
    driver::{Application, Remote, Run, Ticket, io::Event},
    error::Error,
    peer::Peer,
    rpc::Raw,
};

/// A [`Service`] as a driver calls it.
pub struct Serving(Arc<dyn Service>);

impl Serving {
    /// Lets a driver call the service.
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self(service)
    }
}

impl Application for Serving {
    fn request(&mut self, ticket: &Ticket, params: Option<Raw>) -> Run {
        let request = Request { method: ticket.request().method.clone(), params };
        self.0.call(request, Context::new(ticket.clone()))
    }

    fn input_required(&mut self, ticket: &Ticket, raw: Raw) -> Run {
        rerun::ask(&self.0, ticket, raw)
    }

    fn event(&mut self, remote: &Remote, event: Event) {
        match event {
            Event::Notification { method, params, subscription } => {
                self.0.notify(Notification { method, params, subscription }, &Peer::new(remote.clone()));
            }
            Event::Connected(_) => self.0.connected(&Peer::new(remote.clone())),
            Event::Subscribed { filter, .. } => self.0.subscribed(&filter, &Peer::new(remote.clone())),
            Event::Misbehaved(report) => self.0.misbehaved(&report),
            Event::Closed(closed) => self.0.closed(&Error::ended(closed, remote.diagnosis())),
            _ => {}
        }
    }
}
