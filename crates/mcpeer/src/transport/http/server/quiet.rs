use std::{
    task::{Context, Poll},
    time::Duration,
};

use crate::driver::{BoxFuture, Runtime};

/// How long a client waits for an answer of which it has seen nothing. Then the answer is a stream to come, and what
/// keeps that alive keeps the client waiting, and everyone in between.
pub(super) struct Quiet {
    /// `None` where the answer can be no stream.
    patience: Option<Duration>,
    timer: Option<BoxFuture<()>>,
}

impl Quiet {
    pub(super) fn new(patience: Option<Duration>) -> Self {
        Self { patience, timer: None }
    }

    /// Ready once it was quiet for so long, which is told once.
    pub(super) fn poll(&mut self, runtime: &Runtime, cx: &mut Context<'_>) -> Poll<()> {
        let Some(patience) = self.patience else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| runtime.clock.sleep(patience));
        let fired = timer.as_mut().poll(cx);
        if fired.is_ready() {
            *self = Self::new(None);
        }
        fired
    }
}
