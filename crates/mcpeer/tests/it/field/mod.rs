//! What goes wrong with peers in the field, from end to end.

mod bridge;
mod cancellation;
#[cfg(unix)]
mod ending;
#[cfg(unix)]
mod framing;
mod handshake;
mod offered;
#[cfg(unix)]
mod process;
mod progress;
mod served;
mod shape;
