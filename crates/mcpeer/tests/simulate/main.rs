//! Two connections over a wire that delays, splits, drops the link and lets cancels and answers cross.
//!
//! Each schedule is a sequence of random steps out of one seed, so that a failure is replayed by its seed:
//!
//! ```text
//! cargo xtask simulate --schedules 1 --seed SEED
//! ```
//!
//! with `MCPEER_SIMULATE_TRACE=1` in the environment for what happened. What must hold, whatever happens: every
//! request settles exactly once; no message of a request leaves after its end; progress comes in order and never after
//! the answer; nothing happens after the end of a connection; and no table keeps anything.

mod judge;
mod random;
mod wire;
mod world;

use std::{
    env, panic,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use random::Random;
use world::World;

#[test]
fn every_schedule_keeps_the_guarantees() {
    let schedules = number("MCPEER_SIMULATE_SCHEDULES").unwrap_or(2_000);
    let seed = number("MCPEER_SIMULATE_SEED").unwrap_or(1);
    let next = AtomicU64::new(0);
    let totals = thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(|| work(&next, schedules, seed))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a schedule failed")).fold(Totals::default(), Totals::add)
    });
    println!(
        "{schedules} schedules from seed {seed}: {} requests, {} answered, {} messages crossed, {} links dropped",
        totals.requests, totals.answered, totals.messages, totals.drops
    );
    // A simulation in which nothing happens proves nothing.
    if schedules >= 1_000 {
        assert!(totals.answered > schedules && totals.drops > schedules / 50, "{totals:?}");
    }
}

/// What happened, over all schedules.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    requests: u64,
    answered: u64,
    messages: u64,
    drops: u64,
}

impl Totals {
    fn add(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            answered: self.answered + other.answered,
            messages: self.messages + other.messages,
            drops: self.drops + other.drops,
        }
    }
}

fn work(next: &AtomicU64, schedules: u64, seed: u64) -> Totals {
    let mut totals = Totals::default();
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= schedules {
            return totals;
        }
        // The first schedule's seed is the one that was given, so that one schedule can be replayed.
        let seed = seed.wrapping_add(index);
        match panic::catch_unwind(|| World::run(Random::new(seed))) {
            Ok(schedule) => totals = totals.add(schedule),
            Err(cause) => {
                eprintln!("schedule {seed} failed; replay: cargo xtask simulate --schedules 1 --seed {seed}");
                panic::resume_unwind(cause);
            }
        }
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}
