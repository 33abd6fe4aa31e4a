use std::{
    borrow::Cow,
    fmt, mem,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Waker,
    time::Instant,
};

use tokio::sync::{Notify, oneshot};

use super::{Health, Options, Pending, health::State, slot::Slot};
use crate::{
    proto::{
        Connection,
        io::{Call, Closed, Connected, Failure, Handle, Misuse, Outgoing, Reply},
    },
    rpc::Raw,
};

/// The way to a driver from everywhere else: what is asked through it happens in the order of asking.
///
/// Clones are cheap. None of them keeps the connection open.
#[derive(Clone)]
pub struct Remote(Arc<Shared>);

/// What a driver and its remotes share.
pub(super) struct Shared {
    mail: Mutex<Mail>,
    /// The unwritten bytes of the transport when the driver last looked.
    buffered: AtomicUsize,
    /// Told when there is room for notifications again.
    room: Notify,
    /// Whether anybody waits for room.
    is_awaited: AtomicBool,
    /// What is known of the peer, and how the connection is.
    state: Mutex<State>,
    /// The one state that says whether the connection has ended; written under the lock of `mail`.
    closed: OnceLock<Closed>,
    is_finished: AtomicBool,
    diagnosis: OnceLock<String>,
    /// Told when any of the four above changes.
    changed: Notify,
    pub(super) options: Arc<Options>,
}

#[derive(Default)]
struct Mail {
    commands: Vec<Command>,
    /// The bytes of notifications among the commands.
    bytes: usize,
    /// Of a driver that sleeps.
    waker: Option<Waker>,
}

/// What somebody wants from a driver.
pub(super) enum Command {
    Request {
        call: Box<Call>,
        slot: Arc<Slot>,
    },
    Cancel {
        slot: Arc<Slot>,
        reason: Cow<'static, str>,
    },
    Notify {
        outgoing: Outgoing,
        answer: oneshot::Sender<Result<(), Misuse>>,
    },
    Progress {
        handle: Handle,
        params: Raw,
    },
    Log {
        handle: Option<Handle>,
        level: Cow<'static, str>,
        params: Raw,
    },
    /// A spawned handler has ended; without a reply where it was dropped after its request had been cancelled.
    Ended {
        handle: Handle,
        reply: Option<Reply>,
        panic: Option<String>,
    },
    With(Verb),
    Close,
}

/// Something to do with a connection.
type Verb = Box<dyn FnOnce(&mut Connection, Instant) + Send>;

impl Command {
    fn bytes(&self) -> usize {
        match self {
            Self::Notify { outgoing, .. } => outgoing.params.as_ref().map_or(0, |params| params.as_str().len()),
            Self::Progress { params, .. } | Self::Log { params, .. } => params.as_str().len(),
            _ => 0,
        }
    }
}

impl Remote {
    pub(super) fn new(options: Arc<Options>) -> Self {
        Self(Arc::new(Shared {
            mail: Mutex::default(),
            buffered: AtomicUsize::new(0),
            room: Notify::new(),
            state: Mutex::default(),
            is_awaited: AtomicBool::new(false),
            closed: OnceLock::new(),
            is_finished: AtomicBool::new(false),
            diagnosis: OnceLock::new(),
            changed: Notify::new(),
            options,
        }))
    }

    /// Gives a number that no other driver has while this remote is there.
    #[allow(dead_code, reason = "only servers tell connections apart")]
    pub(crate) fn key(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Sends a request, as soon as the driver comes to it.
    pub fn request(&self, call: Call) -> Pending {
        let slot = Arc::new(Slot::default());
        if let Err(closed) = self.post(Command::Request { call: Box::new(call), slot: slot.clone() }) {
            slot.settle(Err(closed));
        }
        Pending::new(slot, self.clone())
    }

    /// Sends a notification. Waits while too much waits to be written.
    ///
    /// # Errors
    ///
    /// It may not be sent at this revision, or the connection has ended.
    pub async fn notify(&self, outgoing: Outgoing) -> Result<(), Misuse> {
        self.room().await;
        let (answer, outcome) = oneshot::channel();
        self.post(Command::Notify { outgoing, answer }).map_err(|_| Misuse::Closed)?;
        outcome.await.unwrap_or(Err(Misuse::Closed))
    }

    /// Sends a log message where the rules of the era let it through. Waits while too much waits to be written.
    pub async fn log(&self, handle: Option<Handle>, level: Cow<'static, str>, params: Raw) {
        self.room().await;
        self.post_log(handle, level, params);
    }

    /// Has the driver do something with the connection, in order with all else that is asked of it. Nothing happens
    /// once the connection has ended.
    pub fn with(&self, verb: impl FnOnce(&mut Connection, Instant) + Send + 'static) {
        drop(self.post(Command::With(Box::new(verb))));
    }

    /// Ends the connection, once everything that was asked before is done, and waits until its transport has ended.
    pub async fn close(&self) {
        drop(self.post(Command::Close));
        self.finished().await;
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.0.closed.get().is_some()
    }

    /// Waits for the end of the connection and says why it ended.
    pub async fn closed(&self) -> Closed {
        self.until(|shared| shared.closed.get().cloned()).await
    }

    /// Waits until the transport has ended too.
    pub async fn finished(&self) {
        self.until(|shared| shared.is_finished.load(Ordering::Acquire).then_some(())).await;
    }

    /// Gives what is known of the peer, once the era is settled.
    pub fn peek_connected(&self) -> Option<Arc<Connected>> {
        self.state().connected.clone()
    }

    /// Waits until the era is settled.
    ///
    /// # Errors
    ///
    /// The connection ended before.
    pub async fn connected(&self) -> Result<Arc<Connected>, Closed> {
        self.until(|shared| match self.peek_connected() {
            Some(connected) => Some(Ok(connected)),
            None => shared.closed.get().cloned().map(Err),
        })
        .await
    }

    /// Gives how the connection is.
    pub fn health(&self) -> Health {
        self.peek_health().1
    }

    /// Gives how the connection is, and the number of changes up to that.
    pub fn peek_health(&self) -> (u64, Health) {
        if let Some(closed) = self.0.closed.get() {
            return (u64::MAX, Health::Closed { reason: self.explain(closed) });
        }
        let state = self.state();
        (state.version, state.health.clone())
    }

    /// Waits until there were more changes of the health than these.
    pub async fn health_after(&self, version: u64) -> (u64, Health) {
        self.until(|_| Some(self.peek_health()).filter(|(current, _)| *current > version)).await
    }

    /// Takes note of whether the peer answers; says nothing of a connection that is not up.
    pub fn set_responsive(&self, missed: u32) {
        let mut state = self.state();
        let health = if missed == 0 { Health::Up } else { Health::Unresponsive { missed } };
        let is_news = state.health.is_up() && state.set(health);
        drop(state);
        if is_news {
            self.0.changed.notify_waiters();
        }
    }

    /// Gives how often the connection was opened anew.
    pub fn generation(&self) -> u64 {
        self.state().generation
    }

    /// Waits until the connection was opened anew more often than this; `None` where it ends for good.
    pub async fn reopened_after(&self, generation: u64) -> Option<u64> {
        self.until(|shared| {
            if shared.closed.get().is_some() {
                return Some(None);
            }
            let state = self.state();
            Some(Some(state.generation)).filter(|_| state.generation > generation && state.health.is_up())
        })
        .await
    }

    /// Ends the connection, once everything that was asked before is done.
    pub fn shut(&self) {
        drop(self.post(Command::Close));
    }

    /// Gives what the transport knows about its end, once it has ended.
    pub fn diagnosis(&self) -> Option<&str> {
        self.0.diagnosis.get().map(String::as_str)
    }

    /// Gives the options of the driver: clock and spawner for all that belongs to the connection.
    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }

    async fn until<T>(&self, look: impl Fn(&Shared) -> Option<T>) -> T {
        loop {
            let mut changed = pin!(self.0.changed.notified());
            changed.as_mut().enable();
            if let Some(found) = look(&self.0) {
                return found;
            }
            changed.await;
        }
    }

    /// Waits until there is room for a notification.
    pub(super) async fn room(&self) {
        self.room_in(|| self.0.buffered.load(Ordering::SeqCst) > self.0.options.high_water).await;
    }

    /// Waits until there is room for a notification where that goes out.
    pub(super) async fn room_in(&self, is_full: impl Fn() -> bool) {
        let is_full = || {
            let is_full = is_full() || self.lock().bytes > self.0.options.high_water;
            is_full && !self.is_closed()
        };
        while is_full() {
            let mut room = pin!(self.0.room.notified());
            room.as_mut().enable();
            self.0.is_awaited.store(true, Ordering::SeqCst);
            if !is_full() {
                return;
            }
            room.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.0.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For the driver and what belongs to it.
impl Remote {
    pub(super) fn post_progress(&self, handle: Handle, params: Raw) {
        drop(self.post(Command::Progress { handle, params }));
    }

    pub(super) fn post_log(&self, handle: Option<Handle>, level: Cow<'static, str>, params: Raw) {
        drop(self.post(Command::Log { handle, level, params }));
    }

    pub(super) fn post(&self, command: Command) -> Result<(), Failure> {
        let mut mail = self.lock();
        if let Some(closed) = self.0.closed.get() {
            return Err(self.failure(closed));
        }
        mail.bytes += command.bytes();
        mail.commands.push(command);
        let waker = mail.waker.take();
        drop(mail);
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }

    /// Moves what was asked into `commands`, which is empty and gives its memory in exchange; whether there was anything.
    pub(super) fn collect(&self, commands: &mut Vec<Command>) -> bool {
        let mut mail = self.lock();
        if mail.commands.is_empty() {
            return false;
        }
        mail.bytes = 0;
        mem::swap(&mut mail.commands, commands);
        true
    }

    /// Lets the next command wake the driver; `false` where one is there already.
    pub(super) fn sleep(&self, waker: &Waker) -> bool {
        let mut mail = self.lock();
        if !mail.commands.is_empty() {
            return false;
        }
        match &mut mail.waker {
            Some(old) => old.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
        true
    }

    /// Notes how much the transport holds, and lets notifications go on where there is room.
    pub(super) fn buffered(&self, bytes: usize) {
        self.0.buffered.store(bytes, Ordering::SeqCst);
        // Where it is that there is room now, only those who wait can say.
        if self.0.is_awaited.swap(false, Ordering::SeqCst) {
            self.0.room.notify_waiters();
        }
    }

    pub(super) fn set_connected(&self, connected: Arc<Connected>) {
        let mut state = self.state();
        state.connected = Some(connected);
        state.set(Health::Up);
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Takes note that the connection has ended and is opened anew, for the so manieth time in a row.
    pub(super) fn set_restarting(&self, attempt: u32, reason: String) {
        let mut state = self.state();
        if state.health.is_up() {
            state.generation += 1;
        }
        state.set(Health::Restarting { attempt, reason });
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Ends the connection for everybody who asks from now on; what was asked and not done fails.
    pub(super) fn set_closed(&self, closed: Closed) {
        let mut mail = self.lock();
        if self.0.closed.set(closed.clone()).is_err() {
            return;
        }
        let commands = mem::take(&mut mail.commands);
        drop(mail);
        for command in commands {
            if let Command::Request { slot, .. } = command {
                slot.settle(Err(self.failure(&closed)));
            }
        }
        self.0.room.notify_waiters();
        self.0.changed.notify_waiters();
    }

    /// Says why a request fails once the connection has ended.
    pub(super) fn failure(&self, closed: &Closed) -> Failure {
        Failure::Closed { reason: self.explain(closed) }
    }

    fn explain(&self, closed: &Closed) -> String {
        let reason = closed.to_string();
        match self.diagnosis() {
            Some(diagnosis) if *closed != Closed::Local && !reason.contains(diagnosis) => {
                format!("{reason}; {diagnosis}")
            }
            _ => reason,
        }
    }

    /// Whether anybody but the driver holds one of these.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub(super) fn set_diagnosis(&self, diagnosis: Option<String>) {
        if let Some(diagnosis) = diagnosis {
            drop(self.0.diagnosis.set(diagnosis));
        }
    }

    pub(super) fn set_finished(&self, diagnosis: Option<String>) {
        self.set_diagnosis(diagnosis);
        self.0.is_finished.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("closed", &self.0.closed.get()).finish_non_exhaustive()
    }
}
