//! What is asked of a driver never sleeps with it.

use std::task::Waker;

use crate::driver::{Options, Remote};

#[test]
fn a_driver_does_not_sleep_over_what_was_asked_meanwhile() {
    let remote = Remote::new(Options::default().into());
    assert!(remote.sleep(Waker::noop()));
    remote.with(|_, _| {});
    assert!(!remote.sleep(Waker::noop()));
    let mut commands = Vec::new();
    remote.collect(&mut commands);
    assert_eq!(commands.len(), 1);
    assert!(remote.sleep(Waker::noop()));
}
