//! Requests that go on with a state which the client kept: it is opened before the handler runs.

use std::sync::Arc;

use super::{Context, Reply, Request, Run, Service, context::Answers};
use crate::{
    driver::{Sealing, Ticket},
    rpc::Raw,
};

/// Gives the state that came with a request.
pub(super) fn state(ticket: &Ticket) -> Option<&Raw> {
    ticket.request().lifted.as_deref()?.request_state.as_ref()
}

/// Runs a handler behind its state; a state that does not open is the end of the request.
pub(super) fn resume(service: &Arc<dyn Service>, sealing: &dyn Sealing, ticket: &Ticket, request: Request) -> Run {
    // The state is bound to them.
    if let Some(params) = request.params.clone() {
        ticket.keep_params(params);
    }
    let (service, ticket, opening) = (service.clone(), ticket.clone(), sealing.open(ticket));
    Run::Pending(Box::pin(async move {
        let state = match opening.await {
            Ok(state) => state,
            Err(error) => return Reply::Error(error),
        };
        let responses = ticket.request().lifted.as_deref().and_then(|lifted| lifted.input_responses.clone());
        let cx = Context::new(ticket).with_answers(Answers { responses, state });
        match service.call(request, cx) {
            Run::Ready(reply) => reply,
            Run::Pending(future) => future.await,
        }
    }))
}
