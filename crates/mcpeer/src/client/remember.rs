//! What was found out about a server's era, for the next connection to it.

use std::sync::Arc;

use super::{Builder, Policy, Verdict};
use crate::{
    proto::io::{Connected, EraMemory},
    version::Era,
};

/// Where it is remembered.
pub(super) type Memory = Arc<dyn EraMemory>;

impl Builder {
    /// Goes by what is remembered, where the client would ask else. Gives where what it finds out is to be remembered:
    /// nowhere where it does not ask, since then it finds out nothing.
    pub(super) fn recall(&mut self, memory: Option<Memory>) -> Option<Memory> {
        let speaks = |era: Era| self.revisions.iter().any(|revision| revision.era() == era);
        let asks = matches!(self.policy, Policy::Auto) && speaks(Era::Legacy) && speaks(Era::Modern);
        let memory = memory.filter(|_| asks)?;
        if let Some(verdict) = memory.recall() {
            self.policy = Policy::Remembered(verdict);
        }
        Some(memory)
    }
}

/// Reads what was found out; `None` where it is not sure enough to be kept.
pub(super) fn verdict(connected: &Connected) -> Option<Verdict> {
    let verdict = match connected.revision.era() {
        Era::Legacy => Verdict::Legacy,
        Era::Modern => Verdict::Modern { revision: connected.revision, discovered: connected.raw.clone() },
    };
    connected.is_certain.then_some(verdict)
}
