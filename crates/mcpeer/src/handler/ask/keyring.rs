use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use orion::hazardous::aead::xchacha20poly1305::{Nonce, SecretKey, XChaCha20Poly1305};

use super::seal::{decode, encode};

/// The keys that seal what a server has a client keep. Clones share their keys.
///
/// The first key seals; each of them opens. Every instance of a server needs the same keys.
///
/// ```
/// use mcpeer::handler::ask::{Keyring, Rounds};
///
/// # let from_the_vault = [7; 32];
/// let keys = Keyring::new(from_the_vault);
/// let server = mcpeer::Server::builder("shop", "1.0.0").rounds(Rounds::new().keyring(keys.clone())).build()?;
/// // Later, on each instance:
/// # let next_from_the_vault = [8; 32];
/// keys.rotate(next_from_the_vault);
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Keyring(Arc<RwLock<VecDeque<Arc<SecretKey>>>>);

/// How many keys are kept: the one that seals, and those before it.
const KEPT: usize = 3;
/// The bytes of a nonce.
const NONCE: usize = 24;
/// The bytes of a tag.
const TAG: usize = 16;

impl Keyring {
    /// Makes a keyring of one key, 32 bytes that are random and secret.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Keyring;
    /// let keys = Keyring::new([7; 32]);
    /// # drop(keys);
    /// ```
    pub fn new(key: [u8; 32]) -> Self {
        let keys = Self(Arc::default());
        keys.rotate(key);
        keys
    }

    /// Makes a keyring of one new random key, which no other process has.
    ///
    /// # Panics
    ///
    /// The system gives no random numbers.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Keyring;
    /// let keys = Keyring::random();
    /// # drop(keys);
    /// ```
    pub fn random() -> Self {
        let mut key = [0; 32];
        random(&mut key);
        Self::new(key)
    }

    /// Adds a key, which seals from now on. The two before it still open; older ones go.
    ///
    /// Where instances change keys one after the other, states that a new key sealed do not open on those that do not
    /// have it yet: give it to them with [`expect`](Self::expect) first.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Keyring;
    /// Keyring::new([7; 32]).rotate([8; 32]);
    /// ```
    pub fn rotate(&self, key: [u8; 32]) {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        keys.push_front(Arc::new(secret(key)));
        keys.truncate(KEPT);
    }

    /// Adds a key that opens but does not seal: one that other instances begin to seal with.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Keyring;
    /// Keyring::new([7; 32]).expect([8; 32]);
    /// ```
    pub fn expect(&self, key: [u8; 32]) {
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let place = keys.len().min(1);
        keys.insert(place, Arc::new(secret(key)));
        keys.truncate(KEPT);
    }

    /// Seals a text for somebody who shall neither read nor change it, such as the `state` of an address that a user is
    /// sent to. It opens only with the same `bound`: say there what it is for, and for whom. How long it is good is for
    /// you to say in the text.
    ///
    /// What a server has its clients keep between rounds is sealed without that, bound to who asks, to the method and
    /// to the params, and expires by itself.
    ///
    /// # Panics
    ///
    /// The system gives no random numbers.
    ///
    /// ```
    /// use mcpeer::{Result, handler::{Context, ask::Keyring}};
    ///
    /// async fn sign_in(cx: Context, keys: &Keyring) -> Result<bool> {
    ///     let who = cx.principal().unwrap_or_default();
    ///     // Whoever comes back with it was sent by this server, for this user.
    ///     let state = cx.step("state", async { keys.seal_text("sign-in", who) }).await?;
    ///     let address = format!("https://example.com/login?state={state}");
    ///     Ok(cx.elicit_url("Sign in to the shop", address).await?.is_accepted())
    /// }
    /// ```
    pub fn seal_text(&self, bound: &str, text: &str) -> String {
        encode(&self.seal(&own(bound), text.as_bytes()))
    }

    /// Opens what [`seal_text`](Self::seal_text) sealed, with one of these keys and for the same `bound`.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Keyring;
    /// let keys = Keyring::new([7; 32]);
    /// let state = keys.seal_text("sign-in", "ada");
    /// assert_eq!(keys.open_text("sign-in", &state).as_deref(), Some("ada"));
    /// assert_eq!(keys.open_text("pay", &state), None);
    /// assert_eq!(Keyring::new([8; 32]).open_text("sign-in", &state), None);
    /// ```
    pub fn open_text(&self, bound: &str, sealed: &str) -> Option<String> {
        String::from_utf8(self.open(&own(bound), &decode(sealed)?)?).ok()
    }

    /// Encrypts a text. It opens only with the same `bound`.
    pub(super) fn seal(&self, bound: &[u8], text: &[u8]) -> Vec<u8> {
        let key = self.keys().swap_remove(0);
        let mut sealed = vec![0; NONCE + text.len() + TAG];
        random(&mut sealed[..NONCE]);
        let (nonce, rest) = sealed.split_at_mut(NONCE);
        let nonce = Nonce::try_from(&*nonce).expect("the length is that of a nonce");
        XChaCha20Poly1305::seal(&key, &nonce, text, Some(bound), rest).expect("the lengths fit");
        sealed
    }

    /// Decrypts what a key of this ring sealed.
    pub(super) fn open(&self, bound: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_at_checked(NONCE)?;
        let nonce = Nonce::try_from(nonce).ok()?;
        let mut text = vec![0; rest.len().checked_sub(TAG)?];
        let is_opened =
            |key: &Arc<SecretKey>| XChaCha20Poly1305::open(key, &nonce, rest, Some(bound), &mut text).is_ok();
        self.keys().iter().any(is_opened).then_some(text)
    }

    fn keys(&self) -> Vec<Arc<SecretKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").field("keys", &self.keys().len()).finish()
    }
}

/// What a user of the keys binds to is kept apart from what rounds are bound to.
fn own(bound: &str) -> Vec<u8> {
    [b"mcpeer text 1", bound.as_bytes()].concat()
}

fn secret(key: [u8; 32]) -> SecretKey {
    SecretKey::from(key)
}

/// Fills memory with random bytes that nobody can guess.
pub(crate) fn random(bytes: &mut [u8]) {
    orion::util::secure_rand_bytes(bytes).expect("the system must give random numbers");
}
