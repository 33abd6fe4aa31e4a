use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    About, Cache, Entry, Key, Store, canonical,
    floors::{Floors, lists_of},
    store::{Name, Owner, What, stamp},
};
use crate::{
    client::{Change, outputs::Outputs},
    driver::{Remote, after, io::Failure},
    model::caching::{Scope, Ttl},
    peer::{Begun, Freshness, Note, Recall},
    rpc::{self, Raw},
    version::Revision,
    wire::registry,
};

/// What a client knows from earlier answers.
pub(in crate::client) struct Keeper {
    /// Nowhere, where no answers are kept.
    store: Option<Arc<dyn Store>>,
    server: Name,
    partition: Mutex<Name>,
    capabilities: Arc<str>,
    default_ttl: Option<Duration>,
    max_ttl: Duration,
    floors: Mutex<Floors>,
    outputs: Outputs,
    has_connected: AtomicBool,
}

impl Keeper {
    pub(in crate::client) fn new(cache: Option<Cache>, capabilities: &Raw, outputs: Outputs) -> Arc<Self> {
        let (store, cache) = match cache {
            Some(cache) => (Some(cache.store.clone()), cache),
            None => (None, Cache::new()),
        };
        let name = |given: Option<Arc<str>>| given.map_or_else(Name::own, Name::Given);
        Arc::new(Self {
            store,
            server: name(cache.server),
            partition: Mutex::new(name(cache.partition)),
            capabilities: capabilities.as_str().into(),
            default_ttl: cache.default_ttl,
            max_ttl: cache.max_ttl,
            floors: Mutex::default(),
            outputs,
            has_connected: AtomicBool::new(false),
        })
    }

    pub(in crate::client) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    pub(in crate::client) fn set_partition(&self, name: Arc<str>) {
        *self.partition.lock().unwrap_or_else(PoisonError::into_inner) = Name::Given(name);
    }

    /// Takes in that something has changed, so that nothing from before is served.
    pub(in crate::client) fn heard(&self, change: &Change) {
        match change {
            Change::Resource { uri } => {
                self.floors().raise_resource(uri);
                self.forget(What::Resource(uri.as_str().into()));
            }
            change => {
                for method in lists_of(change) {
                    self.floors().raise_list(method);
                    self.forget(What::List(method));
                }
            }
        }
        if *change == Change::Tools {
            self.outputs.forget();
        }
    }

    /// Takes in that the connection is there. Where it was there before, nobody told what happened meanwhile.
    pub(in crate::client) fn connected(&self) {
        if self.has_connected.swap(true, Ordering::Relaxed) {
            self.clear();
        }
    }

    /// Takes in that anything may have changed.
    pub(in crate::client) fn clear(&self) {
        self.floors().raise_everything();
        self.forget(What::Everything);
        self.outputs.forget();
    }

    fn floors(&self) -> MutexGuard<'_, Floors> {
        self.floors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, what: What) {
        if let Some(store) = &self.store {
            store.forget(&About { server: self.server.clone(), what });
        }
    }

    /// Gives the keys of an answer for this client alone and for anybody.
    fn keys(&self, method: &str, params: &str, revision: Revision) -> Keys {
        let partition = self.partition.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let owner = Owner {
            server: self.server.clone(),
            partition: Some(partition),
            revision,
            capabilities: self.capabilities.clone(),
        };
        let private = Key { owner, method: method.into(), params: params.into() };
        let mut public = private.clone();
        public.owner.partition = None;
        Keys { private, public }
    }

    /// Gives the newest answer that is kept and holds.
    fn find(&self, keys: &Keys, now: Instant) -> Option<Entry> {
        let store = self.store.as_ref()?;
        let holds = |entry: &Entry| entry.fresh_until > now && self.floors().admit(&keys.public, entry.asked);
        let found = [&keys.private, &keys.public].into_iter().filter_map(|key| store.get(key));
        found.filter(holds).max_by_key(|entry| entry.asked)
    }
}

impl Recall for Arc<Keeper> {
    fn begin(&self, remote: &Remote, method: &str, params: Option<&Raw>, freshness: Freshness) -> Begun {
        if !registry::is_cacheable(method) || remote.is_closed() {
            return Begun::Asked(None);
        }
        let Some(connected) = remote.peek_connected() else { return Begun::Asked(None) };
        let Some(params) = canonical::params(params) else { return Begun::Asked(None) };
        let revision = connected.revision;
        let keys = self.keys(method, &params, revision);
        if freshness == Freshness::Kept
            && let Some(entry) = self.find(&keys, remote.options().runtime.clock.now())
        {
            self.outputs.learn(method, &entry.result, entry.asked, revision);
            return Begun::Kept(entry.result);
        }
        let is_kept = freshness != Freshness::Apart;
        Begun::Asked(Some(Box::new(Asked { keeper: self.clone(), keys, is_kept, asked: stamp(), revision })))
    }
}

struct Keys {
    private: Key,
    public: Key,
}

/// An answer that was asked for.
struct Asked {
    keeper: Arc<Keeper>,
    keys: Keys,
    /// Whether the answer may be kept.
    is_kept: bool,
    asked: u64,
    revision: Revision,
}

impl Note for Asked {
    fn answered(self: Box<Self>, result: &Raw, received: Option<Instant>) {
        let Self { keeper, keys, is_kept, asked, revision } = *self;
        // Held until it is kept: what is heard meanwhile has to find it.
        let mut floors = keeper.floors();
        if !floors.admit(&keys.public, asked) {
            return;
        }
        keeper.outputs.learn(&keys.public.method, result, asked, revision);
        if !is_kept {
            return;
        }
        let (Some(store), Some(received)) = (&keeper.store, received) else { return };
        if is_list(&keys.public.method) && !keys.public.is_later_page() {
            floors.raise_later_pages(&keys.public.method, asked);
            for first in [&keys.private, &keys.public] {
                keeper.forget(What::LaterPages(first.clone()));
            }
        }
        // What is newer says whether and by whom it may be kept.
        for key in [&keys.private, &keys.public] {
            keeper.forget(What::One(key.clone()));
        }
        let hints = Hints::read(result, revision);
        let ttl = hints.ttl.or(keeper.default_ttl).unwrap_or_default().min(keeper.max_ttl);
        if !ttl.is_zero() {
            let fresh_until = after(received, ttl);
            let key = if hints.is_public { keys.public } else { keys.private };
            store.put(key, Entry { result: result.clone(), fresh_until, asked });
        }
    }

    fn failed(self: Box<Self>, failure: &Failure) {
        let Failure::Rpc(error) = failure else { return };
        let Self { keeper, keys, is_kept, asked, .. } = *self;
        if !is_kept {
            return;
        }
        if error.code == rpc::Error::INVALID_PARAMS && keys.public.is_later_page() {
            // The cursor is of a list that is no more.
            keeper.floors().raise_later_pages(&keys.public.method, asked);
            for key in [keys.private, keys.public] {
                keeper.forget(What::LaterPages(key.clone()));
                keeper.forget(What::One(Key { params: "{}".into(), ..key }));
            }
        } else {
            for key in [keys.private, keys.public] {
                keeper.forget(What::One(key));
            }
        }
    }
}

/// What a server says about keeping an answer.
struct Hints {
    ttl: Option<Duration>,
    is_public: bool,
}

impl Hints {
    fn read(result: &Raw, revision: Revision) -> Self {
        let mut hints = Self { ttl: None, is_public: false };
        if !revision.has_cache_hints() {
            return hints;
        }
        for (name, value) in result.borrow().members() {
            match &*name {
                // What cannot be read is no leave to keep it.
                "ttlMs" => hints.ttl = Some(value.decode::<Ttl>().unwrap_or_default().into()),
                "cacheScope" => hints.is_public = value.decode::<Scope>().is_ok_and(|scope| scope == Scope::Public),
                _ => {}
            }
        }
        hints
    }
}

fn is_list(method: &str) -> bool {
    method.ends_with("/list")
}
