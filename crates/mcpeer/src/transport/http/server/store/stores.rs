use std::{io, sync::Arc, time::SystemTime};

use super::{EventStore, SessionStore};

/// The stores of an endpoint, as far as there are any.
pub(in super::super) struct Stores {
    pub(in super::super) sessions: Option<Arc<dyn SessionStore>>,
    pub(in super::super) events: Option<Arc<dyn EventStore>>,
}

impl Stores {
    pub(in super::super) fn are_none(&self) -> bool {
        self.sessions.is_none() && self.events.is_none()
    }

    /// Removes a session that has ended, with all that was said in it.
    ///
    /// # Errors
    ///
    /// A store does not answer.
    pub(in super::super) async fn forget(&self, id: &str) -> io::Result<()> {
        if let Some(store) = &self.sessions {
            store.remove(id).await?;
        }
        match &self.events {
            Some(store) => store.remove(id).await,
            None => Ok(()),
        }
    }

    /// Removes what has expired.
    ///
    /// # Errors
    ///
    /// A store does not answer.
    pub(in super::super) async fn tidy(&self, now: SystemTime) -> io::Result<()> {
        if let Some(store) = &self.sessions {
            store.remove_expired(now).await?;
        }
        match &self.events {
            Some(store) => store.remove_expired(now).await,
            None => Ok(()),
        }
    }
}
