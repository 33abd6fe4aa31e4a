mod close;
mod handlers;
mod mail;
mod pressure;
mod reopen;
pub(crate) mod support;
