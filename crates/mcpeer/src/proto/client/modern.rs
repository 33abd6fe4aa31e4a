//! The client's side in the stateless era.

use std::time::Instant;

use super::{Client, Phase, Reaction, supported};
use crate::{
    proto::{
        core::Core,
        inbound::Notice,
        io::{Connected, Failure, Link, Outbound, Route},
    },
    rpc::{self, Raw, RawRef, RequestId},
    version::{self, Era, Revision},
    wire::{self, Kind, Lookup, OutgoingRequest, codes, meta},
};

impl Client {
    /// Asks the server what it speaks.
    pub(super) fn probe(&mut self, core: &mut Core, now: Instant, revision: Revision, is_second: bool) {
        let id = core.pending.next_id();
        self.phase = Phase::Probing { id, is_second };
        self.probed_here = true;
        self.set_deadline(core, now.checked_add(self.probe_limit(core)));
        let request = OutgoingRequest {
            revision,
            method: "server/discover",
            params: None,
            envelope: core.prepared().envelope(revision),
            progress_token: None,
            log_level: None,
        };
        let mut text = Vec::with_capacity(512);
        let params = wire::codec(revision).encode_request(&request).unwrap_or_default();
        rpc::write_request(&RequestId::Integer(id), "server/discover", params.as_deref(), &mut text);
        core.send_request(id, Route::PIPE, text, None);
    }

    /// Judges what came back for the probe.
    pub(super) fn probed(&mut self, core: &mut Core, now: Instant, is_second: bool, reaction: Reaction<'_>) {
        let error = match reaction {
            Reaction::Result(raw) => return self.discovered(core, now, raw),
            Reaction::Invalid(failure) => return self.fall_back(core, now, failure),
            Reaction::Error(error) => error,
        };
        let failure = Failure::Rpc(error.clone());
        let Some(supported) = supported(&error) else {
            return match error.code {
                // The server knows the era: it misses a header, a capability or the right version.
                codes::UNSUPPORTED_VERSION | codes::MISSING_CLIENT_CAPABILITY | codes::HEADER_MISMATCH => {
                    self.fail(core, failure);
                }
                _ => self.fall_back(core, now, failure),
            };
        };
        match mutual(core, &supported).filter(|_| !is_second) {
            Some(revision) => self.probe(core, now, revision, true),
            None if is_legacy_server(core, &supported) => self.fall_back(core, now, failure),
            None => self.fail(core, failure),
        }
    }

    /// Reads what the server says about itself.
    fn discovered(&mut self, core: &mut Core, now: Instant, raw: RawRef<'_>) {
        let is_complete = raw.member("resultType").is_none_or(|value| value.as_string().as_deref() == Some("complete"));
        let versions = raw.member("supportedVersions").and_then(|list| list.decode::<Vec<String>>().ok());
        let Some(versions) = versions.filter(|_| is_complete) else {
            let reason = "the result of server/discover names no supported versions".to_owned();
            return self.fall_back(core, now, Failure::Invalid { reason, raw: Some(raw.to_owned()) });
        };
        let Some(revision) = mutual(core, &versions) else {
            let reason = format!("the server speaks none of our revisions but {}", versions.join(", "));
            return self.fall_back(core, now, Failure::Invalid { reason, raw: Some(raw.to_owned()) });
        };
        let connected = connected(revision, raw);
        self.settle(core, Phase::Modern { is_verified: true }, connected);
    }

    pub(super) fn modern_notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        let Some(revision) = core.revision else { return };
        match &*notice.method {
            "notifications/cancelled" => return ended_by_server(core, notice.params),
            "notifications/progress" => return core.progress_by_peer(notice.now, notice.params, notice.text),
            _ => {}
        }
        let lift = wire::lift_notification(notice.params, notice.outline);
        let tag = notice.params.and_then(|params| params.member("_meta")?.member(meta::SUBSCRIPTION_ID));
        let Some(tag) = tag else {
            if needs_subscription(&notice.method) {
                return core.report(format!("{:?} names no subscription", notice.method), notice.text);
            }
            return core.deliver(&notice, revision, lift, None);
        };
        let Ok(tag) = tag.decode::<RequestId>() else {
            return core.report("a subscription id that is none", notice.text);
        };
        let Some((id, pending)) = core.pending.get(&tag).filter(|(_, pending)| pending.listen.is_some()) else {
            if !core.pending.was_issued(&tag) {
                let reason = format!("a notification for the subscription {tag}, which was never asked for");
                core.report(reason, notice.text);
            }
            return;
        };
        let (public, is_acknowledged) = (RequestId::Integer(pending.public), pending.listen == Some(true));
        let is_known = matches!(core.find_inbound(&notice.method, Kind::Notification, revision), Lookup::Here(_));
        if is_known && notice.method == "notifications/subscriptions/acknowledged" {
            core.pending.set_deadline(id, None, &mut core.timers);
            if let Some(pending) = core.pending.get_mut(id) {
                pending.listen = Some(true);
            }
        } else if !is_acknowledged {
            return core.report("a notification before its subscription was acknowledged", notice.text);
        }
        core.deliver(&notice, revision, lift, Some(public));
    }
}

/// Takes a server's word that a subscription of ours has ended; it may end nothing else.
fn ended_by_server(core: &mut Core, params: Option<RawRef<'_>>) {
    let id = params.and_then(|params| params.member("requestId")).and_then(|id| id.decode::<RequestId>().ok());
    let listening = id.as_ref().and_then(|id| core.pending.get(id)).filter(|(_, known)| known.listen.is_some());
    if let Some((id, _)) = listening {
        core.settle(id, Err(Failure::Closed { reason: "the server ended the subscription".into() }));
    }
}

/// Whether a notification comes only on a subscription.
fn needs_subscription(method: &str) -> bool {
    matches!(
        method,
        "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
            | "notifications/subscriptions/acknowledged"
    )
}

/// Gives up a request on the wire.
pub(super) fn cancel(core: &mut Core, id: i64, reason: &str, sent: Revision, route: Route) {
    match core.link {
        Link::Pipe => core.send_cancelled(id, reason, route, Some(sent)),
        Link::Exchange => core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) }),
    }
}

/// Reads the result of `server/discover`: what is optional is taken where it is well formed.
pub(super) fn connected(revision: Revision, raw: RawRef<'_>) -> Connected {
    let object = |value: Option<RawRef<'_>>| value.filter(|value| value.is_object()).map(RawRef::to_owned);
    let info = raw.member("_meta").and_then(|meta| meta.member(meta::SERVER_INFO));
    Connected {
        revision,
        implementation: object(info),
        capabilities: object(raw.member("capabilities")).unwrap_or_else(|| Raw::trusted("{}")),
        instructions: raw.member("instructions").and_then(RawRef::as_string).map(|text| text.into_owned()),
        raw: Some(raw.to_owned()),
        is_certain: true,
    }
}

/// The newest revision of the stateless era that both speak.
pub(super) fn mutual(core: &Core, versions: &[String]) -> Option<Revision> {
    let is_theirs = |revision: &Revision| versions.iter().any(|name| name == revision.as_str());
    core.prepared().modern.iter().copied().find(is_theirs)
}

/// Whether these are all of the stateful era, and one is ours.
fn is_legacy_server(core: &Core, versions: &[String]) -> bool {
    let is_ours = |name: &String| {
        name.parse::<Revision>()
            .is_ok_and(|known| known.era() == Era::Legacy && core.prepared().legacy.contains(&known))
    };
    versions.iter().all(|name| !version::is_modern_date(name)) && versions.iter().any(is_ours)
}
