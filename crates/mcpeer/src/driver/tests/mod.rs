mod close;
mod handlers;
mod pressure;
pub(crate) mod support;
