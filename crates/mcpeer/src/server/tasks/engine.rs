use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use super::{
    Record, Tasks,
    state::{Outcome, State},
};
use crate::{
    driver::Runtime,
    handler::{Context, Course, ask},
    model::extensions::tasks::Changed,
    rpc,
    server::Listeners,
};

/// What makes tasks, runs them and tells of them.
pub(super) struct Engine {
    pub(super) settings: Tasks,
    listeners: Listeners,
    /// Those that run in this process, by their ids.
    live: Mutex<HashMap<String, Arc<Live>>>,
    is_sweeping: AtomicBool,
}

/// A task that runs in this process.
pub(super) struct Live {
    pub(super) course: Arc<Course>,
    /// The version of what was last told to those who listen.
    told: Mutex<u64>,
}

/// The place of a task among those that run, until it is dropped.
pub(super) struct Slot {
    engine: Arc<Engine>,
    pub(super) id: String,
    pub(super) expires: SystemTime,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.engine.lock().remove(&self.id);
    }
}

/// What a look at a task comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is none for whoever looks.
    Unknown,
    /// It stays as it is.
    Same,
    /// It was changed.
    Changed,
}

impl Engine {
    pub(super) fn new(settings: Tasks, listeners: Listeners) -> Self {
        Self { settings, listeners, live: Mutex::default(), is_sweeping: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a task that runs in this process.
    pub(super) fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.lock().get(id).cloned()
    }

    /// Makes a task: it is kept when this is done.
    pub(super) async fn create(
        self: &Arc<Self>,
        course: &Arc<Course>,
        cx: &Context,
    ) -> Result<(Slot, State), rpc::Error> {
        let runtime = cx.runtime();
        let now = runtime.clock.time_of_day();
        let Tasks { store, ttl, poll_interval, .. } = &self.settings;
        let slot = self.enter(course, now + *ttl).ok_or_else(|| later("too many tasks run"))?;
        let state = State::new(cx.principal(), now, *ttl, *poll_interval);
        let record = Record { id: slot.id.clone(), version: 0, expires: slot.expires, text: state.write() };
        store.insert(record, now).await.map_err(|error| failed(&error))?;
        self.sweep(runtime);
        Ok((slot, state))
    }

    fn enter(self: &Arc<Self>, course: &Arc<Course>, expires: SystemTime) -> Option<Slot> {
        let mut live = self.lock();
        if live.len() >= self.settings.max_running {
            return None;
        }
        let id = new_id();
        live.insert(id.clone(), Arc::new(Live { course: course.clone(), told: Mutex::new(0) }));
        Some(Slot { engine: self.clone(), id, expires })
    }

    /// Looks at a task, and changes it: `change` may be called several times, until nobody came between. Gives how the
    /// task stands then; `None` where there is none.
    pub(super) async fn change(
        &self,
        runtime: &Runtime,
        id: &str,
        mut change: impl FnMut(&mut State) -> Verdict + Send,
    ) -> io::Result<Option<State>> {
        let live = self.live(id);
        for _ in 0..MAX_ATTEMPTS {
            let now = runtime.clock.time_of_day();
            let Some(record) = self.settings.store.get(id, now).await? else { return Ok(None) };
            let mut state = State::read(&record.text)?;
            match change(&mut state) {
                Verdict::Unknown => return Ok(None),
                Verdict::Same => return Ok(Some(state)),
                Verdict::Changed => {}
            }
            state.touch(now);
            let version = record.version + 1;
            let next = Record { version, text: state.write(), ..record };
            if self.settings.store.replace(next, now).await? {
                self.tell(live.as_deref(), id, version, &state);
                return Ok(Some(state));
            }
        }
        Err(io::Error::other("others change the task all the time"))
    }

    /// Ends a task, unless it has ended: with what became of the call, or cancelled.
    pub(super) async fn end(&self, runtime: &Runtime, id: &str, mut outcome: Option<Outcome>) {
        for _ in 0..MAX_ATTEMPTS {
            let ended = self.change(runtime, id, |state| {
                if state.is_over() {
                    return Verdict::Same;
                }
                state.end(outcome.as_ref());
                Verdict::Changed
            });
            let Err(error) = ended.await else { return };
            tracing::error!(%error, "the end of a task cannot be kept");
            if error.kind() == io::ErrorKind::StorageFull && matches!(outcome, Some(Outcome::Completed(_))) {
                outcome = Some(Outcome::failed(-32603, "there is no room to keep the result"));
                continue;
            }
            runtime.clock.sleep(PAUSE).await;
        }
    }

    /// Tells those who listen how a task stands; what is older than what was told is not.
    fn tell(&self, live: Option<&Live>, id: &str, version: u64, state: &State) {
        // Held over the telling, so that it happens in order.
        let mut told = live.map(|live| live.told.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(told) = told.as_deref_mut() {
            if version <= *told {
                return;
            }
            *told = version;
        }
        let listeners = match &state.owner {
            Some(owner) => self.listeners.of(owner),
            None => self.listeners.clone(),
        };
        if let Err(error) = listeners.tell::<Changed>(id, state.told(id)) {
            tracing::error!(%error, "nobody is told of a task");
        }
    }

    /// Has what has expired removed, for as long as anything is kept.
    fn sweep(self: &Arc<Self>, runtime: &Runtime) {
        if self.is_sweeping.swap(true, Ordering::AcqRel) {
            return;
        }
        let (engine, clock) = (Arc::downgrade(self), runtime.clock.clone());
        runtime.spawn.spawn(Box::pin(async move {
            loop {
                clock.sleep(SWEEP).await;
                let Some(engine) = engine.upgrade() else { return };
                // What is added from now on begins to sweep anew.
                engine.is_sweeping.store(false, Ordering::Release);
                let left = engine.settings.store.remove_expired(clock.time_of_day()).await;
                if let Err(error) = &left {
                    tracing::error!(%error, "expired tasks cannot be removed");
                }
                if !left.unwrap_or(true) || engine.is_sweeping.swap(true, Ordering::AcqRel) {
                    return;
                }
            }
        }));
    }
}

/// Says that there is no such task, or none for whoever asks.
pub(super) fn unknown() -> rpc::Error {
    rpc::Error::new(rpc::Error::INVALID_PARAMS, "there is no task of this `taskId`, or it has expired")
}

/// Says that the store failed, and the log why.
pub(super) fn failed(error: &io::Error) -> rpc::Error {
    tracing::error!(%error, "the store of tasks failed");
    match error.kind() {
        io::ErrorKind::StorageFull => later("too many tasks are kept"),
        _ => later("tasks cannot be kept"),
    }
}

fn later(what: &str) -> rpc::Error {
    rpc::Error::new(rpc::Error::INTERNAL_ERROR, format!("{what} now: try again later"))
}

/// Makes an id that nobody can guess.
fn new_id() -> String {
    let mut bytes = [0; 24];
    ask::random(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How often a change is tried that others come before.
const MAX_ATTEMPTS: usize = 100;
/// How long to wait before what the store could not keep is given to it again.
const PAUSE: Duration = Duration::from_secs(1);
/// How often what has expired is removed.
const SWEEP: Duration = Duration::from_secs(60);
