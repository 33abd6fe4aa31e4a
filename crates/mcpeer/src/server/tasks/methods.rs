use std::sync::Arc;

use super::engine::{Engine, Verdict, failed, unknown};
use crate::{
    extension::{Extension, Method},
    handler::Context,
    model::{
        EmptyResult, Notification, Request,
        extensions::tasks::{
            Cancel, Changed, FILTER, Get, IDENTIFIER, RESULT_TYPE, Task, TaskParams, Update, UpdateParams,
        },
    },
    rpc,
    server::Builder,
};

/// Serves the methods of the extension.
pub(super) fn serve(builder: Builder, engine: &Arc<Engine>) -> Builder {
    let (getting, updating, cancelling) = (engine.clone(), engine.clone(), engine.clone());
    builder
        .extension(
            Extension::new(IDENTIFIER)
                .method(Method::request(Get::METHOD))
                .method(Method::request(Update::METHOD))
                .method(Method::request(Cancel::METHOD))
                .result_type(RESULT_TYPE, &["tools/call"])
                .filter(FILTER, Changed::METHOD),
        )
        .method::<Get, _>(move |params: TaskParams, cx: Context| get(getting.clone(), params, cx))
        .method::<Update, _>(move |params: UpdateParams, cx: Context| update(updating.clone(), params, cx))
        .method::<Cancel, _>(move |params: TaskParams, cx: Context| cancel(cancelling.clone(), params, cx))
}

async fn get(engine: Arc<Engine>, params: TaskParams, cx: Context) -> Result<Task, rpc::Error> {
    let id = &params.task_id;
    let found = engine.change(cx.runtime(), id, |state| match state.owner.as_deref() == cx.principal() {
        true => Verdict::Same,
        false => Verdict::Unknown,
    });
    let state = found.await.map_err(|error| failed(&error))?.ok_or_else(unknown)?;
    Ok(state.told(id))
}

async fn update(engine: Arc<Engine>, params: UpdateParams, cx: Context) -> Result<EmptyResult, rpc::Error> {
    let id = &params.task_id;
    let updated = engine.change(cx.runtime(), id, |state| {
        if state.owner.as_deref() != cx.principal() {
            return Verdict::Unknown;
        }
        let mut verdict = Verdict::Same;
        for (key, answer) in params.input_responses.iter() {
            // What was not asked, or is answered already, counts for nothing.
            if state.questions.remove(key).is_some() {
                state.answers.insert(key, answer.clone());
                verdict = Verdict::Changed;
            }
        }
        if verdict == Verdict::Changed {
            state.settle();
        }
        verdict
    });
    updated.await.map_err(|error| failed(&error))?.ok_or_else(unknown)?;
    if let Some(live) = engine.live(id) {
        live.course.look();
    }
    Ok(EmptyResult::new())
}

async fn cancel(engine: Arc<Engine>, params: TaskParams, cx: Context) -> Result<EmptyResult, rpc::Error> {
    let id = &params.task_id;
    let cancelled = engine.change(cx.runtime(), id, |state| {
        if state.owner.as_deref() != cx.principal() {
            return Verdict::Unknown;
        }
        if state.is_over() {
            return Verdict::Same;
        }
        state.end(None);
        Verdict::Changed
    });
    cancelled.await.map_err(|error| failed(&error))?.ok_or_else(unknown)?;
    if let Some(live) = engine.live(id) {
        live.course.look();
    }
    Ok(EmptyResult::new())
}
