mod close;
mod handlers;
mod pressure;
mod reopen;
pub(crate) mod support;
