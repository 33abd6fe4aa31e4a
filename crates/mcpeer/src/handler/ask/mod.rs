//! Asking the client, and what is remembered of it.
//!
//! A handler asks through its [`Context`]: [`elicit`](Context::elicit) has the user fill in a form,
//! [`elicit_url`](Context::elicit_url) sends him to an address, [`sample`](Context::sample) has a model answer,
//! [`roots`](Context::roots) asks for the client's folders. One `await` each, in both eras.
//!
//! # What happens at the `await`
//!
//! In the stateful era the question is a request to the client, and the handler waits for its answer.
//!
//! In the stateless era a server cannot ask. When the handler waits and a new question has been asked, the round ends:
//! the call is answered with `input_required`, and **the handler's future is dropped there**. The client asks its user
//! and calls again, and the handler runs again from its start; this time the question is answered at once, and the
//! handler goes on behind it. So what stands before an `await` runs once for each round, and what stands behind it only
//! when the answer is there. Guards that were held across the `await` are dropped when the round ends. What must happen
//! once, however many rounds there are, goes into a [`step`](Context::step). [The
//! guide](crate::guide::state_across_rounds) goes through it line by line.
//!
//! Questions that are awaited together, as with `tokio::join!`, go out in one round.
//!
//! # Which answer belongs to which question
//!
//! A question is known again by its words. One whose words change from run to run, such as one with the time in it,
//! needs a key: [`Ask::key`].
//!
//! # Where the state is between the rounds
//!
//! With the client: earlier answers and the values of steps travel in `requestState`, encrypted and authenticated
//! (XChaCha20-Poly1305) with a [`Keyring`], bound to who asks, to the method, to the params and to a time. Servers that
//! run as several instances share their keys through [`Rounds::keyring`]. A state that does not open ends the call with
//! −32602, before its handler runs, whether that asks or not. The state of a result that is made by hand, an
//! [`InputRequired`](crate::model::input::InputRequired), is sealed in the same way, and beside it what steps
//! remember.
//!
//! # A client that cannot answer
//!
//! A client says beforehand what it answers. A question that it cannot answer ends the call: in the stateless era with
//! −32021, which names what is missing; in the stateful one a tool call with a result that tells the model, anything
//! else with −32603. Where questions are awaited together, all that is missing for them is named. A handler that has
//! another way looks at [`Context::client_capabilities`] first.

mod asked;
mod decode;
mod elicited;
mod form;
mod keyring;
mod pending;
mod rounds;
mod seal;
mod sealing;
mod single_use;
mod step;
#[cfg(test)]
mod tests;

pub use elicited::Elicited;
pub use keyring::Keyring;
#[allow(unused_imports, reason = "tasks are a feature")]
pub(crate) use keyring::random;
pub use pending::Ask;
pub use rounds::Rounds;
pub use single_use::{MemorySingleUse, SingleUse};

use super::Context;
