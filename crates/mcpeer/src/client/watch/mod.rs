//! What the server says has changed, in both eras.

mod change;
mod feed;
mod follow;
mod life;
mod open;
mod registry;
mod stream;

pub use change::Change;
pub use follow::{Follow, FollowTools};
pub use open::OpenWatch;
pub use stream::{Ended, Watch};

pub(super) use registry::Watches;
