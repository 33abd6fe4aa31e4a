use std::time::{Duration, Instant};

/// Lets a burst through, then one each second.
#[derive(Debug)]
pub(super) struct Bucket {
    burst: u32,
    left: u32,
    /// When the last one was put back.
    filled: Option<Instant>,
}

impl Bucket {
    pub(super) fn new(burst: u32) -> Self {
        Self { burst, left: burst, filled: None }
    }

    /// Whether one more may pass now.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let filled = *self.filled.get_or_insert(now);
        let seconds = now.saturating_duration_since(filled).as_secs();
        if seconds > 0 {
            self.left = self.burst.min(self.left.saturating_add(u32::try_from(seconds).unwrap_or(u32::MAX)));
            self.filled = Some(filled + Duration::from_secs(seconds));
        }
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}
