//! The state of a server's requests, for the code that knows no questions.

use super::{
    Context, Rounds,
    asked::{Asked, too_much},
};
use crate::{
    driver::{BoxFuture, Sealing, Ticket, io::Reply},
    rpc::{self, Raw},
};

impl Sealing for Rounds {
    fn open(&self, ticket: &Ticket) -> BoxFuture<Result<Option<Raw>, rpc::Error>> {
        let cx = Context::new(ticket.clone());
        Box::pin(async move {
            let asked = Asked::of(&cx);
            let known = asked.opened(&cx).await.as_ref().map_err(Clone::clone)?;
            Ok(known.by_hand.as_ref().map(|state| Raw::trusted(state.as_str())))
        })
    }

    fn seal(&self, ticket: &Ticket, raw: Raw) -> Result<Raw, Reply> {
        let asked = Asked::of(&Context::new(ticket.clone()));
        asked.by_hand(ticket, raw).map_err(|text| too_much(ticket, &text))
    }

    fn max_rounds(&self) -> u32 {
        self.max_rounds
    }

    fn max_questions(&self) -> usize {
        self.max_questions
    }
}
