//! The families of handlers, as names of types: those of tools, resources, prompts, completions and methods of one's own.
//!
//! A family says what is asked of a handler and what becomes of what it returns. All else is the same in each: which
//! functions are handlers, whether they wait, run at once or [elsewhere](super::blocking), and what every handler can ask
//! for ([`FromContext`](super::FromContext)). Only what stands in bounds needs these names, as in
//! `FromNamed<family::Tools, Way>`.

use std::{future::Future, marker::PhantomData};

use schemars::Schema;

use super::blocking::{Blocking, elsewhere};
use crate::handler::{Context, Needed, Reply, Run};

/// What all families have.
#[doc(hidden)]
pub trait Family: Sized + 'static {
    /// What is asked of a handler.
    type Asked<'a>;
    /// What a parameter comes to that cannot be made.
    type Refusal;
    /// What a handler comes to.
    type Outcome: From<Self::Refusal>;
    /// What the reply needs beside that.
    type Ending: Send + 'static;
    /// What parameters tell of themselves.
    type Told: Default;

    /// Makes the reply.
    fn reply(outcome: Self::Outcome, ending: Self::Ending) -> Reply;
}

/// Handlers of tools.
#[derive(Clone, Copy, Debug)]
pub enum Tools {}

/// Handlers of resources and of their templates.
#[derive(Clone, Copy, Debug)]
pub enum Resources {}

/// Handlers of prompts.
#[derive(Clone, Copy, Debug)]
pub enum Prompts {}

/// Handlers of completions.
#[derive(Clone, Copy, Debug)]
pub enum Completions {}

/// Handlers of a method of one's own.
#[derive(Clone, Copy, Debug)]
pub struct Methods<R>(PhantomData<fn(R)>);

/// What can be a parameter of the handlers of a family, whatever the parameter is called.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of this handler",
    label = "not made from the request, and nothing of this name is known",
    note = "`Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress` are made from every request"
)]
pub trait FromRequest<K: Family>: Sized + Send + 'static {
    /// Makes the parameter.
    fn from_request(asked: &K::Asked<'_>, cx: &Context) -> Result<Self, K::Refusal>;

    /// Tells what the parameter reads.
    fn tell(_: &mut K::Told) {}

    /// Gives the state that the parameter is made of.
    fn needed_state() -> Option<Needed> {
        None
    }
}

/// What a handler of a family can return.
#[doc(hidden)]
pub trait IntoOutcome<K: Family> {
    /// Makes the outcome.
    fn into_outcome(self) -> K::Outcome;

    /// Gives the schema of the structured content, where it always has one.
    fn output_schema() -> Option<Schema> {
        None
    }
}

/// A function whose parameters are made from what is asked.
#[doc(hidden)]
pub trait Function<K: Family, Signature>: Send + Sync + 'static {
    /// Its parameters.
    type Parameters: Send + 'static;
    /// What it returns.
    type Returned;

    /// Makes the parameters.
    fn parameters(&self, asked: &K::Asked<'_>, cx: &Context) -> Result<Self::Parameters, K::Refusal>;

    /// Calls the function.
    fn apply(&self, parameters: Self::Parameters) -> Self::Returned;

    /// Tells what the parameters read.
    fn tell(&self, told: &mut K::Told);

    /// Gives the states that the parameters are made of.
    fn needed_states(&self) -> Vec<Needed>;
}

/// Implements the trait for functions of some number of parameters.
macro_rules! functions {
    ($($parameter:ident)*) => {
        impl<K: Family, F, Returned, $($parameter),*> Function<K, ($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Returned + Send + Sync + 'static,
            $($parameter: FromRequest<K>,)*
        {
            type Parameters = ($($parameter,)*);
            type Returned = Returned;

            #[inline]
            #[allow(unused_variables, clippy::unused_unit, reason = "there may be no parameter")]
            fn parameters(&self, asked: &K::Asked<'_>, cx: &Context) -> Result<Self::Parameters, K::Refusal> {
                Ok(($($parameter::from_request(asked, cx)?,)*))
            }

            #[inline]
            #[allow(non_snake_case, reason = "the macro takes the names of types for values")]
            fn apply(&self, ($($parameter,)*): Self::Parameters) -> Returned {
                self($($parameter),*)
            }

            #[allow(unused_variables, reason = "there may be no parameter")]
            fn tell(&self, told: &mut K::Told) {
                $($parameter::tell(told);)*
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E G);

/// What can handle what is asked of a family: a function that waits, that is done at once, or that runs elsewhere.
#[doc(hidden)]
pub trait Handler<K: Family, Signature>: Send + Sync + 'static {
    /// Tells what it reads and needs.
    fn described(&self) -> Described<K>;

    /// Answers what is asked.
    fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run;
}

/// What a handler tells of itself.
#[doc(hidden)]
pub struct Described<K: Family> {
    pub(super) told: K::Told,
    pub(super) needed: Vec<Needed>,
    pub(super) output: Option<Schema>,
}

impl<K: Family> Described<K> {
    fn of<Signature, F: Function<K, Signature>, Returned: IntoOutcome<K>>(function: &F) -> Self {
        let mut told = K::Told::default();
        function.tell(&mut told);
        Self { told, needed: function.needed_states(), output: Returned::output_schema() }
    }

    pub(super) fn nothing() -> Self {
        Self { told: K::Told::default(), needed: Vec::new(), output: None }
    }
}

/// The signature of a function that waits.
#[doc(hidden)]
#[derive(Debug)]
pub struct Waiting<Signature, Running>(PhantomData<fn(Signature, Running)>);

/// The signature of a function that is done at once.
#[doc(hidden)]
#[derive(Debug)]
pub struct Immediate<Signature, Returned>(PhantomData<fn(Signature, Returned)>);

/// The signature of a function that runs elsewhere.
#[doc(hidden)]
#[derive(Debug)]
pub struct Elsewhere<Signature, Returned>(PhantomData<fn(Signature, Returned)>);

#[diagnostic::do_not_recommend]
impl<K, Signature, F, Running, Returned> Handler<K, Waiting<Signature, Running>> for F
where
    K: Family,
    F: Function<K, Signature, Returned = Running>,
    Running: Future<Output = Returned> + Send + 'static,
    Returned: IntoOutcome<K>,
{
    fn described(&self) -> Described<K> {
        Described::of::<_, _, Returned>(self)
    }

    #[inline]
    fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run {
        match self.parameters(asked, cx) {
            Ok(parameters) => {
                let running = self.apply(parameters);
                Run::Pending(Box::pin(async move { K::reply(running.await.into_outcome(), ending) }))
            }
            Err(refusal) => Run::Ready(K::reply(refusal.into(), ending)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<K, Signature, F, Returned> Handler<K, Immediate<Signature, Returned>> for F
where
    K: Family,
    F: Function<K, Signature, Returned = Returned>,
    Returned: IntoOutcome<K>,
{
    fn described(&self) -> Described<K> {
        Described::of::<_, _, Returned>(self)
    }

    #[inline]
    fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run {
        let outcome = match self.parameters(asked, cx) {
            Ok(parameters) => self.apply(parameters).into_outcome(),
            Err(refusal) => refusal.into(),
        };
        Run::Ready(K::reply(outcome, ending))
    }
}

#[diagnostic::do_not_recommend]
impl<K, Signature, F, Returned> Handler<K, Elsewhere<Signature, Returned>> for Blocking<F>
where
    K: Family,
    F: Function<K, Signature, Returned = Returned>,
    Returned: IntoOutcome<K>,
{
    fn described(&self) -> Described<K> {
        Described::of::<_, _, Returned>(&*self.0)
    }

    fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run {
        match self.0.parameters(asked, cx) {
            Ok(parameters) => {
                let function = self.0.clone();
                let work = move || K::reply(function.apply(parameters).into_outcome(), ending);
                Run::Pending(Box::pin(elsewhere(cx.clone(), work)))
            }
            Err(refusal) => Run::Ready(K::reply(refusal.into(), ending)),
        }
    }
}

/// A handler without its type.
pub(super) trait Handle<K: Family = Tools>: Send + Sync {
    fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run;
}

/// Hides the type of a handler; gives what it tells of itself.
pub(super) fn erase<K: Family, Signature: 'static>(
    handler: impl Handler<K, Signature>,
) -> (Described<K>, Box<dyn Handle<K>>) {
    struct Erased<H, Signature>(H, PhantomData<fn(Signature)>);

    impl<K: Family, Signature, H: Handler<K, Signature>> Handle<K> for Erased<H, Signature> {
        fn run(&self, asked: &K::Asked<'_>, cx: &Context, ending: K::Ending) -> Run {
            self.0.run(asked, cx, ending)
        }
    }

    (handler.described(), Box::new(Erased(handler, PhantomData)))
}
