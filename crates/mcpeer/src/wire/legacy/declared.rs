//! What a client declares when it offers a revision.

use std::borrow::Cow;

use crate::{
    rpc::{Raw, RawRef},
    version::Revision,
    wire::splice,
};

/// Gives the params of `initialize` without capabilities that the revision does not have: a server would use them.
pub(super) fn initialize(revision: Revision, params: &Raw) -> Cow<'_, Raw> {
    let Some(capabilities) = params.borrow().member("capabilities").filter(|capabilities| capabilities.is_object())
    else {
        return Cow::Borrowed(params);
    };
    let mut out = Vec::with_capacity(params.as_str().len());
    out.extend_from_slice(b"{\"capabilities\":{");
    let start = out.len();
    for member in splice::members(capabilities) {
        let before = out.len();
        if before > start {
            out.push(b',');
        }
        if !capability(revision, &member, &mut out) {
            out.truncate(before);
        }
    }
    out.push(b'}');
    splice::other_members(params.borrow(), |name| name == "capabilities", &mut out);
    out.push(b'}');
    Cow::Owned(splice::into_raw(out))
}

/// Writes a capability; false where the revision does not have it.
fn capability(revision: Revision, member: &splice::Member<'_>, out: &mut Vec<u8>) -> bool {
    let value = member.value;
    let newer: &[&str] = match &*member.name {
        "elicitation" if !revision.has_elicitation() || is_url_alone(revision, value) => return false,
        "elicitation" if !revision.has_url_elicitation() => &["form", "url"],
        "sampling" if !revision.has_sampling_tools() => &["tools", "context"],
        "tasks" if !revision.has_core_tasks() => return false,
        _ => &[],
    };
    if newer.is_empty() || !value.is_object() {
        out.extend_from_slice(member.text().as_bytes());
    } else {
        out.extend_from_slice(member.label().as_bytes());
        splice::filtered(value, |name| newer.contains(&name), out);
    }
    true
}

/// Whether only addresses are opened, which the revision does not have: without modes it would mean forms.
fn is_url_alone(revision: Revision, value: RawRef<'_>) -> bool {
    !revision.has_url_elicitation() && value.member("url").is_some() && value.member("form").is_none()
}
