//! One handler that does a step, asks two questions together and then the model, in every cell of: what the client
//! does × whose client it is × how it is linked × the revision.

#[cfg(all(feature = "http-client", feature = "http-server"))]
mod http;
mod link;
mod ours;
mod raw;
#[cfg(all(feature = "http-client", feature = "http-server"))]
#[path = "../../../support/raw_http.rs"]
mod raw_http;

use std::time::Duration;

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use link::{Link, Memory, Stdio};

/// What the client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// It answers everything.
    Answers,
    LacksElicitation,
    /// It opens addresses and has no forms.
    LacksForms,
    LacksSampling,
    Declines,
    /// It cancels the question.
    CancelsQuestion,
    /// It gives up the call.
    CancelsCall,
    /// It does not answer.
    TimesOut,
    TampersWithState,
    ReplaysOnOtherTool,
    ReplaysAsSomebodyElse,
    ReplaysAfterExpiry,
}

const CASES: [Case; 12] = [
    Case::Answers,
    Case::LacksElicitation,
    Case::LacksForms,
    Case::LacksSampling,
    Case::Declines,
    Case::CancelsQuestion,
    Case::CancelsCall,
    Case::TimesOut,
    Case::TampersWithState,
    Case::ReplaysOnOtherTool,
    Case::ReplaysAsSomebodyElse,
    Case::ReplaysAfterExpiry,
];

impl Case {
    /// Whether it is about the state that a client keeps.
    fn is_about_state(self) -> bool {
        use Case::{ReplaysAfterExpiry, ReplaysAsSomebodyElse, ReplaysOnOtherTool, TampersWithState};
        matches!(self, TampersWithState | ReplaysOnOtherTool | ReplaysAsSomebodyElse | ReplaysAfterExpiry)
    }

    /// Whether the client says what it can do, and no more happens before that is looked at.
    fn is_about_capabilities(self) -> bool {
        matches!(self, Self::Answers | Self::LacksElicitation | Self::LacksForms | Self::LacksSampling)
    }
}

/// Whose client it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// Ours, with its handlers.
    Ours,
    /// A script that writes raw JSON.
    Raw,
}

/// How a call ended, as its client sees it.
#[derive(Debug)]
enum Outcome {
    /// With a result.
    Said(String),
    /// With a result that tells of a failure.
    Failed(String),
    /// With an error of the server.
    Refused { code: i64, message: String, data: Value },
    /// Without the server, and why.
    GivenUp(&'static str),
}

/// Says why there is no such cell.
fn impossible<L: Link>(case: Case, who: Who, revision: Revision) -> Option<&'static str> {
    if !revision.has_elicitation() && !case.is_about_capabilities() {
        return Some("this revision has no elicitation: no question goes out, and the call ends before");
    }
    match (case, revision.era()) {
        (case, Era::Legacy) if case.is_about_state() => Some("no state leaves a server of the stateful era"),
        (Case::ReplaysAsSomebodyElse, _) if !L::NAMES_USERS => Some("a pipe has one user, and names nobody"),
        (Case::TimesOut, Era::Modern) if who == Who::Raw => {
            Some("nobody waits between two rounds: who comes too late comes after expiry")
        }
        _ => None,
    }
}

/// Checks how a call ended.
fn check(case: Case, who: Who, revision: Revision, outcome: &Outcome) -> bool {
    let failed =
        |parts: &[&str]| matches!(outcome, Outcome::Failed(text) if parts.iter().all(|part| text.contains(part)));
    let said = |expected: &str| matches!(outcome, Outcome::Said(text) if text == expected);
    let lacks = |name: &str, missing: Value| match revision.era() {
        Era::Legacy => failed(&[name]),
        Era::Modern => matches!(outcome, Outcome::Refused { code: -32021, message, data }
            if message.contains(name) && *data == json!({"requiredCapabilities": missing})),
    };
    if !revision.has_elicitation() {
        return failed(&["`elicitation`", revision.as_str()]);
    }
    match case {
        Case::Answers => said("41: Ada to Rome by Some(Train): go south"),
        Case::LacksElicitation => lacks("`elicitation`", json!({"elicitation": {}})),
        // Our client declares nothing of which the revision has no more than it lacks.
        Case::LacksForms if who == Who::Ours && !revision.has_url_elicitation() => failed(&["`elicitation`"]),
        Case::LacksForms => lacks("`elicitation.form`", json!({"elicitation": {"form": {}}})),
        Case::LacksSampling => lacks("`sampling`", json!({"sampling": {}})),
        Case::Declines => said("declined"),
        Case::CancelsQuestion => said("cancelled"),
        Case::CancelsCall => matches!(outcome, Outcome::GivenUp("cancelled")),
        Case::TimesOut if who == Who::Raw => failed(&["`elicitation/create`", "no answer"]),
        Case::TimesOut => matches!(outcome, Outcome::GivenUp("out of time")),
        Case::TampersWithState | Case::ReplaysOnOtherTool | Case::ReplaysAsSomebodyElse | Case::ReplaysAfterExpiry => {
            matches!(outcome, Outcome::Refused { code: -32602, message, .. } if message.contains("`requestState`"))
        }
    }
}

/// Goes through all cells of a link, and gives how many there are, and how many are impossible.
async fn run<L: Link>() -> (usize, usize) {
    let (mut done, mut left_out) = (0, 0);
    for case in CASES {
        for who in [Who::Ours, Who::Raw] {
            for revision in Revision::ALL {
                let cell = format!("{case:?} {who:?} {revision}");
                if impossible::<L>(case, who, revision).is_some() {
                    left_out += 1;
                    continue;
                }
                let call = async {
                    let link = L::start(case, who).await;
                    match who {
                        Who::Ours => ours::call(case, &link, revision).await,
                        Who::Raw => raw::call(case, &link, revision).await,
                    }
                };
                let ended = tokio::time::timeout(PATIENCE, call).await;
                let (outcome, steps) = ended.unwrap_or_else(|_| panic!("{cell}: no end"));
                assert!(check(case, who, revision, &outcome), "{cell}: {outcome:?}");
                assert_eq!(steps, 1, "{cell}: the step ran so often");
                done += 1;
            }
        }
    }
    (done, left_out)
}

/// Far more than a cell takes, on a loaded machine too.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many cells a link has.
const CELLS: usize = CASES.len() * 2 * Revision::ALL.len();

#[tokio::test]
async fn every_cell_in_memory() {
    let (done, left_out) = run::<Memory>().await;
    assert_eq!((done, done + left_out), (71, CELLS));
}

#[test]
fn every_cell_with_a_child_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(setup) = link::role() {
        runtime.block_on(link::serve(&setup));
        // The harness has nothing more to say to a client.
        std::process::exit(0);
    }
    let (done, left_out) = runtime.block_on(run::<Stdio>());
    assert_eq!((done, done + left_out), (69, CELLS));
}
