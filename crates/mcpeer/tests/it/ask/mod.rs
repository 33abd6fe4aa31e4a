//! Handlers that ask the client, in both eras.

mod answers;
mod by_hand;
mod families;
mod lacking;
mod matrix;
mod ours;
pub(crate) mod peer;
mod rounds;
mod state;
mod trip;
