use std::{borrow::Cow, sync::Arc};

use super::{capabilities, config::Config, io::Connected};
use crate::{
    rpc::Raw,
    version::{Era, Revision},
    wire::{ClientEnvelope, Registry, Stamp},
};

/// What is worked out from a [configuration](Config) once.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) registry: Registry,
    /// Every revision, newest first.
    pub(super) revisions: Vec<Revision>,
    /// Those of the stateless era, newest first.
    pub(super) modern: Vec<Revision>,
    /// Those of the stateful era, newest first.
    pub(super) legacy: Vec<Revision>,
    /// The methods that have a handler and whose capability is declared, in order.
    servable: Vec<Cow<'static, str>>,
    pub(super) stamp: Stamp,
    /// The result of `server/discover`, without what the codec adds.
    pub(super) discovered: Raw,
    envelopes: Vec<(Revision, ClientEnvelope)>,
    /// What a server knows of its peer, per revision of the stateless era.
    connected: Vec<Arc<Connected>>,
    /// Whether anything can be listened to.
    pub(super) is_observable: bool,
}

impl Prepared {
    pub(super) fn new(config: &Config) -> Self {
        let is_spoken = |revision: &Revision| config.revisions.contains(revision);
        let revisions: Vec<Revision> = Revision::ALL.into_iter().filter(is_spoken).collect();
        let of_era = |era| revisions.iter().copied().filter(|revision| revision.era() == era).collect::<Vec<_>>();
        let (modern, legacy) = (of_era(Era::Modern), of_era(Era::Legacy));
        let offers = |path: &str| capabilities::declares(config.capabilities.borrow(), path);
        let is_servable = |method: &&Cow<'static, str>| capabilities::of_request(method).is_none_or(offers);
        let envelope = |revision: &Revision| {
            (*revision, ClientEnvelope::new(*revision, &config.implementation, &config.capabilities))
        };
        let observables = ["tools.listChanged", "prompts.listChanged", "resources.listChanged", "resources.subscribe"];
        let mut servable: Vec<_> = config.handlers.methods.iter().filter(is_servable).cloned().collect();
        servable.sort_unstable();
        Self {
            registry: Registry::new(&config.extensions),
            servable,
            stamp: Stamp::new(&config.implementation),
            discovered: discovered(config, &revisions),
            envelopes: modern.iter().map(envelope).collect(),
            connected: modern.iter().map(|revision| Arc::new(unknown(*revision))).collect(),
            is_observable: observables.into_iter().any(offers) || !config.filters.is_empty(),
            revisions,
            modern,
            legacy,
        }
    }

    /// Whether a request of this method has a handler of its own.
    pub(super) fn serves(&self, method: &str) -> bool {
        self.servable.binary_search_by(|known| known.as_ref().cmp(method)).is_ok()
    }

    /// Gives what a server knows of its peer at a revision of the stateless era.
    pub(super) fn connected(&self, revision: Revision) -> Arc<Connected> {
        let known = self.connected.iter().find(|connected| connected.revision == revision);
        known.cloned().unwrap_or_else(|| Arc::new(unknown(revision)))
    }

    /// Gives the envelope of a client's messages; the stateful era has none.
    pub(super) fn envelope(&self, revision: Revision) -> Option<&ClientEnvelope> {
        self.envelopes.iter().find(|(known, _)| *known == revision).map(|(_, envelope)| envelope)
    }
}

/// A peer that says with each request what it is and can do.
pub(super) fn unknown(revision: Revision) -> Connected {
    Connected {
        revision,
        implementation: None,
        capabilities: Raw::trusted("{}"),
        instructions: None,
        raw: None,
        is_certain: true,
    }
}

fn discovered(config: &Config, revisions: &[Revision]) -> Raw {
    let versions: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
    let versions = Raw::from_value(&versions).expect("strings can always be written");
    let mut text =
        format!("{{\"supportedVersions\":{},\"capabilities\":{}", versions.as_str(), config.capabilities.as_str());
    push_instructions(config, &mut text);
    text.push('}');
    Raw::trusted(text)
}

/// Writes the member `instructions`, with a comma before it, where there are any.
pub(super) fn push_instructions(config: &Config, text: &mut String) {
    if let Some(instructions) = &config.instructions {
        let instructions = Raw::from_value(instructions).expect("a string can always be written");
        text.push_str(",\"instructions\":");
        text.push_str(instructions.as_str());
    }
}
