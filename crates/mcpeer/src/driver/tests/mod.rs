mod close;
mod handlers;
mod listeners;
mod mail;
mod pressure;
mod reopen;
pub(crate) mod support;
