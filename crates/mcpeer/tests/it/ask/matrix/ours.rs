//! Our client, with its handlers.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, Instant},
};

use mcpeer::{
    Error,
    client::{Builder, Calling, Client},
    driver::{BoxFuture, Clock, Options},
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams, UrlParams},
        input::{InputRequired, InputResponses},
        roots::Root,
        sampling,
        tools::CallResult,
    },
    version::Revision,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::{Case, Link, Outcome};
use crate::peers::builder;

/// Calls the tool, and gives how that ended and how often the step ran.
pub(super) async fn call(case: Case, link: &impl Link, revision: Revision) -> (Outcome, usize) {
    let (asked, clock) = (Arc::new(Notify::new()), HandClock::new());
    let connect = async |who| {
        let builder = answering(case, asked.clone()).revisions([revision]);
        let builder = builder.options(Options::default().clock(clock.clone()));
        let client = builder.connect(link.connector(who).await).await.unwrap();
        assert_eq!(client.revision(), revision);
        client
    };
    let client = connect("ada").await;
    let limit = Duration::from_secs(60);
    let outcome = match case {
        Case::TimesOut => {
            let mut call = client.call("trip").max_total(limit).send();
            until_asked(&mut call, &asked).await;
            clock.turn(limit);
            call.await
        }
        Case::CancelsCall => {
            let mut call = client.call("trip").send();
            until_asked(&mut call, &asked).await;
            call.cancel("enough");
            call.await
        }
        Case::ReplaysAsSomebodyElse => replay(case, &client, &connect("eve").await).await,
        case if case.is_about_state() => replay(case, &client, &client).await,
        _ => client.call("trip").await,
    };
    let steps = client.call("steps").await.unwrap().as_text().parse().unwrap();
    client.close().await;
    (seen(outcome), steps)
}

/// Runs a call until a question has come: rounds run as the call is awaited.
async fn until_asked(call: &mut Calling, asked: &Notify) {
    tokio::select! {
        biased;
        outcome = call => panic!("not asked: {outcome:?}"),
        () = asked.notified() => {}
    }
}

/// Does the rounds by hand, and the second one of them wrong.
async fn replay(case: Case, first: &Client, second: &Client) -> Result<CallResult, Error> {
    let error = first.call("trip").manual_input().await.unwrap_err();
    assert!(error.is_input_required(), "{error}");
    let asked: InputRequired = error.raw().unwrap().decode().unwrap();
    let answers: InputResponses = [
        ("who", json!({"action": "accept", "content": {"name": "Ada"}})),
        ("where", json!({"action": "accept", "content": {"city": "Rome", "by": "train"}})),
    ]
    .into();
    let mut state = asked.request_state.unwrap();
    if case == Case::TampersWithState {
        state = super::raw::tampered(&state);
    }
    let tool = if case == Case::ReplaysOnOtherTool { "other" } else { "trip" };
    second.call(tool).answers(answers, Some(&state)).await
}

fn answering(case: Case, asked: Arc<Notify>) -> Builder {
    let mut builder = builder().roots([Root::new("file:///home/ada")]);
    if case == Case::LacksForms {
        builder = builder.on_elicit_url(async |_: UrlParams| CreateResult::decline());
    } else if case != Case::LacksElicitation {
        builder = builder.on_elicit(move |form: FormParams| {
            let asked = asked.clone();
            async move {
                match (case, &*form.message) {
                    (Case::TimesOut | Case::CancelsCall, _) => {
                        asked.notify_one();
                        pending().await
                    }
                    (Case::Declines, _) => CreateResult::decline(),
                    (Case::CancelsQuestion, _) => CreateResult::cancel(),
                    (_, "Who travels?") => CreateResult::accept([("name", "Ada")]),
                    _ => CreateResult::accept([("city", "Rome"), ("by", "train")]),
                }
            }
        });
    }
    if case == Case::LacksSampling {
        return builder;
    }
    builder.on_sample(async |params: sampling::CreateParams| {
        assert_eq!(params.messages[0].content, "Plan Rome".into());
        sampling::CreateResult::new(Role::Assistant, "go south", "small")
    })
}

fn seen(outcome: Result<CallResult, Error>) -> Outcome {
    match outcome {
        Ok(result) if result.is_failed() => Outcome::Failed(result.as_text().into_owned()),
        Ok(result) => Outcome::Said(result.as_text().into_owned()),
        Err(error) if error.is_timeout() => Outcome::GivenUp("out of time"),
        Err(error) if error.is_cancelled() => Outcome::GivenUp("cancelled"),
        Err(error) => {
            let error = error.rpc().unwrap_or_else(|| panic!("{error:?}"));
            let data = error.data.as_ref().map_or(Value::Null, |data| data.decode().unwrap());
            Outcome::Refused { code: error.code, message: error.message.to_string(), data }
        }
    }
}

/// A clock that stands still until it is turned, however long a process takes to start.
#[derive(Clone)]
struct HandClock(Instant, watch::Sender<Duration>);

impl HandClock {
    fn new() -> Self {
        Self(Instant::now(), watch::Sender::new(Duration::ZERO))
    }

    fn turn(&self, by: Duration) {
        self.1.send_modify(|turned| *turned += by);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Instant {
        self.0 + *self.1.borrow()
    }

    fn sleep_until(&self, deadline: Instant) -> BoxFuture<()> {
        let (clock, mut turned) = (self.clone(), self.1.subscribe());
        Box::pin(async move {
            let reached = turned.wait_for(|turned| clock.0 + *turned >= deadline).await;
            drop(reached.expect("the clock is held here"));
        })
    }
}
