use std::{
    any::Any,
    fmt,
    future::poll_fn,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    Tasks,
    drive::{Drive, get},
};
use crate::{
    client::{CallTool, Calling, Client, call::State, later::Ongoing},
    error::{Error, Result},
    model::{
        extensions::tasks::{self, Cancel, Status, TaskParams, Update, UpdateParams},
        input::InputResponses,
        tools::CallResult,
    },
    version::Era,
};

/// What a call of a tool has become: a task, or a result at once, which is the server's choice.
///
/// ```
/// use mcpeer::client::{Client, tasks::Begun};
///
/// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
/// match client.call("build").as_task().await? {
///     Begun::Task(task) => println!("{} goes on", task.id()),
///     Begun::Complete(result) => println!("{}", result.as_text()),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum Begun<O = CallResult> {
    /// A task, which goes on at the server.
    Task(Task),
    /// The result.
    Complete(O),
}

/// A task at a server: a call of a tool that goes on there, whoever waits for it. Dropping this ends nothing.
///
/// Its [`id`](Self::id) is all that has to be kept: [`Client::task`] makes the same task of it, on another connection too.
///
/// ```
/// use mcpeer::client::{Client, tasks::Begun};
///
/// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
/// let Begun::Task(task) = client.call("build").as_task().await? else { return Ok(()) };
/// let id = task.id().to_owned();
/// let result = client.task(id).wait().await?;
/// println!("{}", result.as_text());
/// # Ok(())
/// # }
/// ```
pub struct Task {
    client: Client,
    id: String,
    status: Mutex<Option<Status>>,
}

impl Task {
    fn new(client: Client, id: String, status: Option<Status>) -> Self {
        Self { client, id, status: Mutex::new(status) }
    }

    /// Gives the id, by which the server knows the task. Who knows it may ask for the result: keep it as a secret.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # fn example(client: &Client) {
    /// assert_eq!(client.task("786512e2").id(), "786512e2");
    /// # }
    /// ```
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Gives how the task stood when the server last said so; `None` before it did, where the task was made of its id.
    ///
    /// ```
    /// # use mcpeer::client::tasks::Task;
    /// fn is_over(task: &Task) -> bool {
    ///     task.status().is_some_and(|status| status.is_terminal())
    /// }
    /// ```
    pub fn status(&self) -> Option<Status> {
        self.lock().clone()
    }

    /// Asks how the task stands, and for what belongs to that: questions, a result, an error.
    ///
    /// # Errors
    ///
    /// The server does not know the task (any more), or did not answer; or it is one of the stateful era, which has no
    /// such tasks ([misuse](Error::is_misuse)).
    ///
    /// ```
    /// # use mcpeer::client::tasks::Task;
    /// # async fn example(task: Task) -> mcpeer::error::Result<()> {
    /// let state = task.get().await?;
    /// println!("{}: {}", state.status, state.status_message.unwrap_or_default());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(&self) -> Result<tasks::Task> {
        self.check()?;
        let task = get(self.client.peer(), &self.id).await?;
        *self.lock() = Some(task.status.clone());
        Ok(task)
    }

    /// Answers what the task asks, by the keys of its questions; some may be left for later.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    ///
    /// ```
    /// # use mcpeer::client::tasks::Task;
    /// use mcpeer::model::{RawJson, elicitation::CreateResult};
    ///
    /// # async fn example(task: Task) -> mcpeer::error::Result<()> {
    /// for (key, _) in task.get().await?.input_requests.iter().flat_map(|requests| requests.iter()) {
    ///     let decline = RawJson::from_value(&CreateResult::decline()).unwrap();
    ///     task.update([(key, decline)]).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update(&self, answers: impl Into<InputResponses>) -> Result<()> {
        self.check()?;
        let params = UpdateParams::new(&*self.id, answers);
        self.client.peer().request::<Update>(params).manual_input().await.map(drop)
    }

    /// Asks for the task to end early. It may end otherwise all the same: [`get`](Self::get) tells.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    ///
    /// ```
    /// # use mcpeer::client::tasks::Task;
    /// # async fn example(task: Task) -> mcpeer::error::Result<()> {
    /// task.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cancel(&self) -> Result<()> {
        self.check()?;
        self.client.peer().request::<Cancel>(TaskParams::new(&*self.id)).manual_input().await.map(drop)
    }

    /// Waits for the end of the task, and answers what it asks meanwhile by the client's handlers.
    ///
    /// # Errors
    ///
    /// The task failed, or [was cancelled](Error::is_cancelled); it asked [what nothing here can
    /// answer](Error::is_input_required); or the server no longer knows it or stays silent.
    ///
    /// # Cancel safety
    ///
    /// The task goes on when the future is dropped; its answers that are not sent yet are lost.
    ///
    /// ```
    /// # use mcpeer::client::tasks::Task;
    /// # async fn example(task: Task) -> mcpeer::error::Result<()> {
    /// println!("{}", task.wait().await?.as_text());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait(&self) -> Result<CallResult> {
        self.check()?;
        let mut drive = Drive::of(&self.client, self.id.clone(), usual(&self.client));
        let raw = poll_fn(|cx| drive.poll(cx)).await?;
        *self.lock() = Some(Status::Completed);
        raw.decode().map_err(|source| Error::decode("result", "tools/call", raw, &source))
    }

    fn check(&self) -> Result<()> {
        match self.client.era() {
            Era::Modern => Ok(()),
            Era::Legacy => {
                let text = "the server speaks the stateful era, which has no tasks like this one: call the tool";
                Err(Error::misuse(text))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Status>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl Client {
    /// Gives a task by its id, which was [kept](Task::id). Nothing is asked yet.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let result = client.task("786512e2").wait().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn task(&self, id: impl Into<String>) -> Task {
        Task::new(self.clone(), id.into(), None)
    }
}

impl<O> CallTool<O> {
    /// Sends the call and hands over the task, where the server makes one of it: nothing follows it then.
    ///
    /// # Errors
    ///
    /// As awaiting the call, where the server answers at once.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the call.
    ///
    /// ```
    /// use mcpeer::client::{Client, tasks::Begun};
    ///
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// if let Begun::Task(task) = client.call("build").as_task().await? {
    ///     println!("{} goes on", task.id());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn as_task(self) -> Result<Begun<O>> {
        self.send().into_task().await
    }
}

impl<O> Calling<O> {
    /// Hands over the task that the call has become, or waits until it has; from then on nothing here follows it. What
    /// the task asked and was not answered yet has to be answered anew.
    ///
    /// # Errors
    ///
    /// As awaiting the call, where the server answered at once or its task has ended already.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the call.
    ///
    /// ```
    /// use mcpeer::client::{Client, tasks::Begun};
    ///
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let call = client.call("build").send();
    /// if let Begun::Task(task) = call.into_task().await? {
    ///     println!("{} goes on", task.id());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn into_task(mut self) -> Result<Begun<O>> {
        poll_fn(|cx| self.poll_answered(cx)).await;
        match mem::replace(&mut self.state, State::Over) {
            State::Later(ongoing) => match (ongoing as Box<dyn Any>).downcast::<Drive>() {
                Ok(drive) => {
                    let (id, status) = drive.hand_over();
                    Ok(Begun::Task(Task::new(self.client.clone(), id, status)))
                }
                Err(_) => unreachable!("tasks alone are waited for"),
            },
            State::Settled(outcome) => outcome.and_then(|raw| self.decode(raw)).map(Begun::Complete),
            State::Sent(_) | State::Over => panic!("a call was polled after its outcome was given"),
        }
    }
}

/// How long to wait between two questions where the server does not say.
fn usual(client: &Client) -> Duration {
    let tasks = client.later().and_then(|later| (&**later as &dyn Any).downcast_ref::<Tasks>());
    tasks.cloned().unwrap_or_default().usual()
}
