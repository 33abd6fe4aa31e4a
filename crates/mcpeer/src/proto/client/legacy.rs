//! The client's side in the stateful era.

use std::time::Instant;

use super::{Client, Phase, Reaction, modern, supported};
use crate::{
    proto::{
        capabilities,
        config::Policy,
        core::Core,
        inbound::{Admission, Incoming, Notice, method_not_found},
        io::{Connected, Failure, Link, Outbound, Route},
    },
    rpc::{self, Raw, RawRef, RequestId},
    version::{Era, Revision},
    wire::{self, Claim, Kind, Lookup, OutgoingRequest, codes},
};

impl Client {
    /// Begins the handshake.
    pub(super) fn initialize(&mut self, core: &mut Core, now: Instant) {
        let Some(newest) = core.prepared().legacy.first().copied() else {
            let reason = "no revision is left to try; name some in the configuration".to_owned();
            return self.fail(core, Failure::Invalid { reason, raw: None });
        };
        let id = core.pending.next_id();
        self.phase = Phase::Initializing { id };
        self.set_deadline(core, now.checked_add(core.config.deadlines.handshake));
        let params = Raw::trusted(format!(
            "{{\"protocolVersion\":\"{newest}\",\"capabilities\":{},\"clientInfo\":{}}}",
            core.config.capabilities.as_str(),
            core.config.implementation.as_str()
        ));
        let request = OutgoingRequest {
            revision: newest,
            method: "initialize",
            params: Some(&params),
            envelope: None,
            progress_token: None,
            log_level: None,
        };
        let mut text = Vec::with_capacity(128 + params.as_str().len());
        match wire::codec(newest).encode_request(&request) {
            Ok(params) => {
                rpc::write_request(&RequestId::Integer(id), "initialize", params.as_deref(), &mut text);
                core.send_request(id, Route::PIPE, text, None);
            }
            Err(reason) => self.fail(core, Failure::Invalid { reason, raw: Some(params) }),
        }
    }

    /// Judges what came back for `initialize`.
    pub(super) fn initialized(&mut self, core: &mut Core, now: Instant, reaction: Reaction<'_>) {
        let raw = match reaction {
            Reaction::Result(raw) => raw,
            Reaction::Invalid(failure) => return self.fail(core, failure),
            Reaction::Error(error) => {
                let searches = matches!(core.config.policy, Policy::Auto | Policy::Remembered(_));
                let mutual = supported(&error).and_then(|versions| modern::mutual(core, &versions));
                return match mutual.filter(|_| searches) {
                    Some(revision) => {
                        self.initialize_refused = true;
                        self.probe(core, now, revision, true);
                    }
                    None => self.fail(core, Failure::Rpc(error)),
                };
            }
        };
        match connected(core, raw) {
            Ok(connected) => {
                let connected = Connected { is_certain: self.is_certain, ..connected };
                core.revision = Some(connected.revision);
                let text = core.write_plain("notifications/initialized", None);
                core.send(Route::PIPE, text);
                self.settle(core, Phase::Legacy, connected);
            }
            Err(reason) => self.fail(core, Failure::Invalid { reason, raw: Some(raw.to_owned()) }),
        }
    }

    /// Takes a request of the server through the pipeline.
    pub(super) fn legacy_request(&mut self, core: &mut Core, incoming: Incoming<'_>) {
        let Incoming { to, method, params, outline, edge, text } = incoming;
        if core.in_flight.contains(&to.id) {
            core.report(format!("the id {} is used twice at once", to.id), text);
            let error = rpc::Error::new(rpc::Error::INVALID_REQUEST, "a request with this id is still open");
            return core.refuse(&to, &error);
        }
        let lift = wire::lift(params, outline, false, None);
        let revision = core.revision.unwrap_or(Revision::V2025_11_25);
        if let Err(error) = check_claim(core, &lift.claim) {
            return core.refuse(&to, &error);
        }
        if method == "ping" {
            return core.grant(&to, &method, revision, Raw::trusted("{}"));
        }
        if self.phase != Phase::Legacy {
            let message = "the client serves only `ping` until it is initialized";
            return core.refuse(&to, &rpc::Error::new(rpc::Error::INVALID_REQUEST, message));
        }
        let row = match core.find_inbound(&method, Kind::Request, revision) {
            Lookup::Here(row) => Some(row.clone()),
            Lookup::Custom => None,
            Lookup::Elsewhere => return core.refuse(&to, &method_not_found(&method)),
        };
        if !core.serves(&method) {
            return core.refuse(&to, &not_served(core, &method));
        }
        core.admit(Admission { to, method, row, revision, lift, log_rank: None, resource: None, edge });
    }

    pub(super) fn legacy_notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        let lift = wire::lift_notification(notice.params, notice.outline);
        if let Err(error) = check_claim(core, &lift.claim) {
            return core.report(error.message, notice.text);
        }
        match &*notice.method {
            "notifications/cancelled" => return core.cancelled_by_peer(notice.params, notice.text),
            "notifications/progress" => return core.progress_by_peer(notice.now, notice.params, notice.text),
            _ => {}
        }
        // A server may log before it is initialized.
        let newest = core.prepared().legacy.first().copied();
        let Some(revision) = core.revision.or(newest) else { return };
        core.deliver(&notice, revision, lift, None);
    }
}

/// Gives up a request on the wire. What would still come on its stream is not waited for.
pub(super) fn cancel(core: &mut Core, id: i64, reason: &str, route: Route) {
    core.send_cancelled(id, reason, route, None);
    if core.link == Link::Exchange {
        core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) });
    }
}

/// Says that a method is not served, and why, where the client has not declared that it would be.
fn not_served(core: &Core, method: &str) -> rpc::Error {
    let error = method_not_found(method);
    let is_lacking = |path: &&str| !capabilities::declares(core.config.capabilities.borrow(), path);
    match capabilities::of_request(method).filter(is_lacking) {
        Some(path) => {
            error.with_data(Raw::trusted(format!("{{\"reason\":\"the client has no capability `{path}`\"}}")))
        }
        None => error,
    }
}

fn check_claim(core: &Core, claim: &Claim) -> Result<(), rpc::Error> {
    match claim {
        Claim::None => Ok(()),
        Claim::NotAString => Err(codes::version_not_a_string()),
        Claim::Unserved { requested } => Err(codes::unsupported_version(core.revision, requested)),
        Claim::Modern(revision) => Err(codes::unsupported_version(core.revision, revision.as_str())),
    }
}

/// Reads the result of `initialize`: the revision has to be right, the rest is taken where it is well formed.
fn connected(core: &Core, raw: RawRef<'_>) -> Result<Connected, String> {
    let Some(version) = raw.member("protocolVersion").and_then(RawRef::as_string) else {
        return Err("the result of initialize has no `protocolVersion`".to_owned());
    };
    let revision = version.parse::<Revision>().ok().filter(|revision| revision.era() == Era::Legacy);
    let Some(revision) = revision.filter(|revision| core.prepared().legacy.contains(revision)) else {
        return Err(format!("the server chose protocol version {version:?}, which this client does not speak here"));
    };
    let object = |name: &str| raw.member(name).filter(|value| value.is_object()).map(RawRef::to_owned);
    Ok(Connected {
        revision,
        implementation: object("serverInfo"),
        capabilities: object("capabilities").unwrap_or_else(|| Raw::trusted("{}")),
        instructions: raw.member("instructions").and_then(RawRef::as_string).map(|text| text.into_owned()),
        raw: Some(raw.to_owned()),
        is_certain: true,
    })
}
