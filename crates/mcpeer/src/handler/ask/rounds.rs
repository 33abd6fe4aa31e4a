use std::{sync::Arc, time::Duration};

use super::{Keyring, SingleUse};
use crate::driver::LONGEST;

/// How a server asks its clients in the stateless era, where each question takes a round: with which keys, how often,
/// how much.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::{Server, handler::ask::{Keyring, Rounds}};
///
/// let rounds = Rounds::new().keyring(Keyring::random()).expiry(Duration::from_secs(60)).max_rounds(4);
/// let server = Server::builder("shop", "1.0.0").rounds(rounds).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rounds {
    pub(super) keyring: Keyring,
    pub(super) expiry: Duration,
    pub(super) max_rounds: u32,
    pub(super) max_state: usize,
    pub(super) max_questions: usize,
    pub(super) single_use: Option<Arc<dyn SingleUse>>,
}

impl Default for Rounds {
    fn default() -> Self {
        Self::new()
    }
}

impl Rounds {
    /// Takes the defaults, and a random key that no other process has.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Rounds;
    /// let rounds = Rounds::new();
    /// # drop(rounds);
    /// ```
    pub fn new() -> Self {
        Self {
            keyring: Keyring::random(),
            expiry: Duration::from_secs(15 * 60),
            max_rounds: 10,
            max_state: 64 << 10,
            max_questions: 16,
            single_use: None,
        }
    }

    /// Sets the keys that seal the state; all instances of a server need the same. A random one of the process unless
    /// set.
    ///
    /// ```
    /// # use mcpeer::handler::ask::{Keyring, Rounds};
    /// let rounds = Rounds::new().keyring(Keyring::new([7; 32]));
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn keyring(mut self, keyring: Keyring) -> Self {
        self.keyring = keyring;
        self
    }

    /// Sets how long the client may take for one round; 15 minutes unless set.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Rounds;
    /// let rounds = Rounds::new().expiry(std::time::Duration::from_secs(60));
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn expiry(mut self, expiry: Duration) -> Self {
        self.expiry = expiry.min(LONGEST);
        self
    }

    /// Sets how many rounds one call may take before it is answered with an error; 10 unless set. In the stateful era
    /// only results that ask by hand take rounds.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Rounds;
    /// let rounds = Rounds::new().max_rounds(3);
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Sets how many bytes the answers and values of one call may have before it is answered with an error; 64 KiB
    /// unless set.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Rounds;
    /// let rounds = Rounds::new().max_state(4 << 10);
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn max_state(mut self, bytes: usize) -> Self {
        self.max_state = bytes;
        self
    }

    /// Sets how many questions may go out in one round before the call is answered with an error; 16 unless set.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Rounds;
    /// let rounds = Rounds::new().max_questions(3);
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn max_questions(mut self, questions: usize) -> Self {
        self.max_questions = questions;
        self
    }

    /// Lets each state be used once. A client whose retry got lost must begin anew then. Unless set, a state may be
    /// used again until it expires.
    ///
    /// ```
    /// # use mcpeer::handler::ask::{MemorySingleUse, Rounds};
    /// let rounds = Rounds::new().single_use(MemorySingleUse::new(10_000));
    /// # drop(rounds);
    /// ```
    #[must_use]
    pub fn single_use(mut self, store: impl SingleUse) -> Self {
        self.single_use = Some(Arc::new(store));
        self
    }
}
