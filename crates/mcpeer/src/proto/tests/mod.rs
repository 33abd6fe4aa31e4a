//! One file per group of rules; every rule that holds in both eras or on both links runs over all of them.

mod answers;
mod batches;
mod ends;
mod in_flight;
mod negotiation;
mod notifications;
pub(super) mod pair;
mod pipeline;
mod requests;
mod server_era;
mod subscriptions;
mod unreadable;
