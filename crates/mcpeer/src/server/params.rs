use std::{future::Future, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    FromContext,
    family::{Described, Family, FromRequest, Handler, IntoOutcome, Methods},
};
use crate::{
    handler::{Context, Needed, Reply, Run},
    model::Request,
    rpc::{self, Raw, RawRef},
};

/// The params of a method of one's own, as the type that the method names.
///
/// ```
/// use mcpeer::{
///     model::{EmptyParams, EmptyResult, Request},
///     server::{Params, Principal, Server},
/// };
///
/// enum Tidy {}
///
/// impl Request for Tidy {
///     const METHOD: &'static str = "com.example/tidy";
///     type Params = EmptyParams;
///     type Result = EmptyResult;
/// }
///
/// let server = Server::builder("tidy", "1.0.0")
///     .method::<Tidy, _>(|Principal(_): Principal, Params(_): Params<EmptyParams>| Ok(EmptyResult::default()))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Params<T>(pub T);

/// What can serve a method of one's own: a closure or function of up to six parameters, async or not, whose result is a
/// `Result` of the method's result or an [`rpc::Error`]. A parameter is [`Params`], or anything that is
/// [`FromContext`]. One that is not async is short, or [`blocking`](super::blocking). An async function of the bare params
/// and the [`Context`] will do, too.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     model::{EmptyParams, EmptyResult},
///     rpc,
///     server::Params,
/// };
///
/// async fn tidy(cx: Context, Params(_): Params<EmptyParams>) -> Result<EmptyResult, rpc::Error> {
///     cx.progress(1.0, Some(1.0), Some("tidy")).await;
///     Ok(EmptyResult::default())
/// }
/// # let _ = tidy;
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot serve the method `{R}`",
    label = "not a function of up to six parameters that returns a `Result` of the method's result",
    note = "parameters are `Params<T>` (where `T` is what the method names), `Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress`, each given with its type",
    note = "the result is `Result<T, rpc::Error>`, where `T` is what the method names"
)]
pub trait MethodHandler<R: Request + 'static, Signature>: Handler<Methods<R>, Signature> {}

#[diagnostic::do_not_recommend]
impl<R: Request + 'static, Signature, H: Handler<Methods<R>, Signature>> MethodHandler<R, Signature> for H {}

/// The signature of a function of the params and the context alone.
#[doc(hidden)]
#[derive(Debug)]
pub struct Plain<Running>(PhantomData<fn(Running)>);

#[diagnostic::do_not_recommend]
impl<R, F, Running> Handler<Methods<R>, Plain<Running>> for F
where
    R: Request + 'static,
    R::Params: DeserializeOwned,
    F: Fn(R::Params, Context) -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<R::Result, rpc::Error>> + Send + 'static,
    R::Result: Serialize,
{
    fn described(&self) -> Described<Methods<R>> {
        Described::nothing()
    }

    fn run(&self, params: &Option<RawRef<'_>>, cx: &Context, (): ()) -> Run {
        match decode(*params) {
            Ok(params) => {
                let running = self(params, cx.clone());
                Run::Pending(Box::pin(async move { Methods::<R>::reply(finish::<R>(running.await), ()) }))
            }
            Err(error) => Run::Ready(Reply::Error(error)),
        }
    }
}

fn decode<T: DeserializeOwned>(params: Option<RawRef<'_>>) -> Result<T, rpc::Error> {
    let text = params.filter(|params| !params.is_null()).map_or("{}", RawRef::as_str);
    serde_json::from_str(text)
        .map_err(|error| rpc::Error::new(rpc::Error::INVALID_PARAMS, rpc::explain::explain("params", text, &error)))
}

fn finish<R: Request>(result: Result<R::Result, rpc::Error>) -> MethodResult {
    MethodResult(result.and_then(|result| {
        Raw::from_value(&result).map_err(|error| {
            tracing::error!(%error, method = R::METHOD, "the result cannot be written as JSON");
            rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the result cannot be written as JSON")
        })
    }))
}

/// What a method of one's own came to.
#[doc(hidden)]
#[derive(Debug)]
pub struct MethodResult(Result<Raw, rpc::Error>);

impl From<rpc::Error> for MethodResult {
    fn from(error: rpc::Error) -> Self {
        Self(Err(error))
    }
}

impl<R: Request + 'static> Family for Methods<R> {
    type Asked<'a> = Option<RawRef<'a>>;
    type Refusal = rpc::Error;
    type Outcome = MethodResult;
    type Ending = ();
    type Told = ();

    fn reply(MethodResult(result): MethodResult, (): ()) -> Reply {
        match result {
            Ok(result) => Reply::Complete(result.into()),
            Err(error) => Reply::Error(error),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<R: Request<Params = T> + 'static, T: DeserializeOwned + Send + 'static> FromRequest<Methods<R>> for Params<T> {
    fn from_request(params: &Option<RawRef<'_>>, _: &Context) -> Result<Self, rpc::Error> {
        decode(*params).map(Self)
    }
}

#[diagnostic::do_not_recommend]
impl<R: Request + 'static, T: FromContext> FromRequest<Methods<R>> for T {
    fn from_request(_: &Option<RawRef<'_>>, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_context(cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromContext>::needed_state()
    }
}

impl<R: Request<Result = T> + 'static, T: Serialize> IntoOutcome<Methods<R>> for Result<T, rpc::Error> {
    fn into_outcome(self) -> MethodResult {
        finish::<R>(self)
    }
}
