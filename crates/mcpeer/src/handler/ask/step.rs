use std::{
    future::{Future, pending, poll_fn},
    pin::pin,
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Context, asked::Asked};
use crate::{
    error::{Error, Result},
    model::RawJson,
};

impl Context {
    /// Does something once for this call, however many rounds it takes, and gives its value; later runs of the handler
    /// get the value without doing it.
    ///
    /// The value travels in the sealed state: keep it small. A round does not end while a step runs, so none is
    /// dropped in its middle for a question that is asked beside it. A step whose value is an error is remembered as
    /// well; what shall be tried again returns its error behind the step.
    ///
    /// Once for a call means: a client that sends the call itself anew, with the same state, has the rest of it done
    /// anew, too, unless [`Rounds::single_use`](super::Rounds::single_use) forbids that.
    ///
    /// # Errors
    ///
    /// The key is taken, the value cannot be written as JSON or read back.
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context};
    /// # async fn reserve() -> u32 { 7 }
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Sure { sure: bool }
    ///
    /// async fn book(cx: Context) -> Result<String> {
    ///     let seat: u32 = cx.step("reserve", reserve()).await?;
    ///     let answer = cx.elicit::<Sure>(format!("Take seat {seat}?")).await?;
    ///     Ok(if answer.is_accepted() { format!("booked seat {seat}") } else { "not booked".to_owned() })
    /// }
    /// ```
    pub async fn step<T>(&self, key: impl Into<String>, work: impl Future<Output = T>) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
    {
        let key = key.into();
        let asked = Asked::of(self);
        // Held from the start, so that opening the state does not let the round end before the step has run.
        let hold = asked.hold(self);
        let Some(known) = asked.open(self).await else {
            drop(hold);
            return pending().await;
        };
        asked.claim(format!("step {key}"))?;
        if let Some(value) = asked.step_value(known, &key) {
            return value.decode().map_err(|source| {
                Error::misuse(format!("the value of the step `{key}` cannot be read back")).with_source(source)
            });
        }
        let mut work = pin!(work);
        let value = poll_fn(|cx| asked.stepping(|| work.as_mut().poll(cx))).await;
        let written = RawJson::from_value(&value).map_err(|source| {
            Error::misuse(format!("the value of the step `{key}` cannot be written as JSON")).with_source(source)
        })?;
        asked.note_step(&key, written);
        Ok(value)
    }
}
