//! The guide: one page for each thing that one wants to do. Every program in it is tested.

pub mod first_server {
    #![doc = include_str!("../docs/guide/first_server.md")]
}

pub mod first_client {
    #![doc = include_str!("../docs/guide/first_client.md")]
}

#[cfg(all(feature = "http-client", feature = "http-server"))]
pub mod over_http {
    #![doc = include_str!("../docs/guide/over_http.md")]
}

pub mod caching {
    #![doc = include_str!("../docs/guide/caching.md")]
}

pub mod both_eras {
    #![doc = include_str!("../docs/guide/both_eras.md")]
}

pub mod asking_the_user {
    #![doc = include_str!("../docs/guide/asking_the_user.md")]
}

pub mod state_across_rounds {
    #![doc = include_str!("../docs/guide/state_across_rounds.md")]
}

pub mod errors {
    #![doc = include_str!("../docs/guide/errors.md")]
}

#[cfg(feature = "skills")]
pub mod skills {
    #![doc = include_str!("../docs/guide/skills.md")]
}

#[cfg(feature = "testing")]
pub mod testing {
    #![doc = include_str!("../docs/guide/testing.md")]
}

#[cfg(feature = "tasks")]
pub mod tasks {
    #![doc = include_str!("../docs/guide/tasks.md")]
}

pub mod migrating_from_rmcp {
    #![doc = include_str!("../docs/guide/migrating_from_rmcp.md")]
}
