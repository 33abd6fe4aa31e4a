//! What is done, in every cell of: what it is × the link × the revision.

use std::time::Duration;

use mcpeer::version::{Era, Revision};

use crate::{
    client,
    link::{At, Link},
};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Tools,
    Resources,
    Templates,
    Prompts,
    Completion,
    Progress,
    Cancellation,
    Logging,
    Changes,
    Pagination,
    Errors,
    OwnMethods,
    Questions,
    Roots,
    Tasks,
    Skills,
    Extensions,
    Middleware,
    Cache,
    Panics,
    Hangs,
    Floods,
    Huge,
}

const BODIES: [Body; 23] = [
    Body::Tools,
    Body::Resources,
    Body::Templates,
    Body::Prompts,
    Body::Completion,
    Body::Progress,
    Body::Cancellation,
    Body::Logging,
    Body::Changes,
    Body::Pagination,
    Body::Errors,
    Body::OwnMethods,
    Body::Questions,
    Body::Roots,
    Body::Tasks,
    Body::Skills,
    Body::Extensions,
    Body::Middleware,
    Body::Cache,
    Body::Panics,
    Body::Hangs,
    Body::Floods,
    Body::Huge,
];

/// Says why there is no such cell.
fn impossible(body: Body, link: Link, revision: Revision) -> Option<&'static str> {
    let stands_alone = link == Link::Sessionless && revision.era() == Era::Legacy;
    match body {
        Body::Questions if !revision.has_elicitation() => Some("this revision has no elicitation"),
        Body::Questions | Body::Roots if stands_alone => {
            Some("a server of the stateful era asks within a session, and there is none")
        }
        Body::Changes if stands_alone => Some("changes are told on the stream of a session, and there is none"),
        Body::Logging if stands_alone => Some("the log level is kept in a session, and there is none"),
        Body::Cancellation if stands_alone => Some("a cancel names a request of its session, and there is none"),
        Body::Huge if !link.is_http() => Some("over memory and pipes it takes its time in the tests of harm"),
        Body::Huge if !matches!(revision, Revision::V2025_11_25 | Revision::V2026_07_28) => {
            Some("100 MiB are the same at each revision of an era, and take their time")
        }
        _ => None,
    }
}

/// Goes through all cells of a link, and gives how many there are, and how many are impossible.
async fn run(link: Link) -> (usize, usize) {
    let (mut done, mut left_out) = (0, 0);
    for body in BODIES {
        for revision in Revision::ALL {
            if impossible(body, link, revision).is_some() {
                left_out += 1;
                continue;
            }
            let at = At::new(link, revision).await;
            let ended = tokio::time::timeout(PATIENCE, client::run(body, &at)).await;
            ended.unwrap_or_else(|_| panic!("{body:?} {link:?} {revision}: no end"));
            done += 1;
        }
    }
    (done, left_out)
}

/// Far more than a cell takes, on a loaded machine too.
const PATIENCE: Duration = Duration::from_secs(120);

const CELLS: usize = BODIES.len() * Revision::ALL.len();

#[tokio::test]
async fn every_cell_in_memory() {
    let (done, left_out) = run(Link::Memory).await;
    assert_eq!((done, done + left_out), (108, CELLS));
}

#[tokio::test]
async fn every_cell_with_a_child_process() {
    let (done, left_out) = run(Link::Stdio).await;
    assert_eq!((done, done + left_out), (108, CELLS));
}

#[tokio::test]
async fn every_cell_over_http() {
    let (done, left_out) = run(Link::Http).await;
    assert_eq!((done, done + left_out), (110, CELLS));
}

#[tokio::test]
async fn every_cell_over_http_without_sessions() {
    let (done, left_out) = run(Link::Sessionless).await;
    assert_eq!((done, done + left_out), (92, CELLS));
}
