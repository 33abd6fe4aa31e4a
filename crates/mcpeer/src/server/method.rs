use std::{
    collections::{BTreeMap, btree_map::Entry},
    marker::PhantomData,
};

use super::{BuildError, Builder};
use crate::{
    extension::{self, Extension},
    handler::{Context, Run},
    model::Request,
    proto::io::Reply,
    rpc::{self, Raw, RawRef},
    version::{Era, Revision},
    wire::{
        codes,
        registry::{Kind, Lookup, Registry},
    },
};

impl Builder {
    /// Serves a method of your own, or of an [extension](Self::extension), in both eras: its name, and the types of its params and of its result. A name with a
    /// domain of yours in front meets no other.
    ///
    /// The handler is given the params and the [`Context`]. Params that do not fit their type are answered −32602 with
    /// the place. A client sends it by [`Client::request`](crate::client::Client::request).
    ///
    /// ```
    /// use mcpeer::{
    ///     handler::Context,
    ///     model::{EmptyParams, EmptyResult, Request},
    ///     server::Server,
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
    ///     .method::<Tidy, _>(async |_: EmptyParams, _: Context| Ok(EmptyResult::default()))
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn method<R: Request + 'static, Running>(
        mut self,
        handler: impl Fn(R::Params, Context) -> Running + Send + Sync + 'static,
    ) -> Self
    where
        Running: Future<Output = Result<R::Result, rpc::Error>> + Send + 'static,
    {
        self.methods.0.push((R::METHOD, Box::new(Own::<R, _>(handler, PhantomData))));
        self
    }
}

/// Methods as the builder was given them.
#[derive(Default)]
pub(super) struct Declared(Vec<(&'static str, Box<dyn Serve>)>);

/// Methods by their names.
#[derive(Default)]
pub(super) struct Methods(BTreeMap<&'static str, (Option<Gate>, Box<dyn Serve>)>);

/// What an extension asks of those who send a method of it.
struct Gate {
    method: extension::Method,
    identifier: String,
}

impl Gate {
    fn find(method: &str, extensions: &[Extension]) -> Option<Self> {
        extensions.iter().find_map(|extension| {
            let is_it = |known: &&extension::Method| known.is(method, Kind::Request) && known.is_to_server();
            let method = extension.methods().iter().find(is_it)?.clone();
            Some(Self { method, identifier: extension.identifier().to_owned() })
        })
    }

    fn check(&self, method: &str, cx: &Context) -> Result<(), rpc::Error> {
        if !self.method.admits(cx.revision()) {
            return Err(unknown(method));
        }
        if !self.method.demands() || cx.client_declares(&self.identifier) {
            return Ok(());
        }
        match cx.era() {
            Era::Modern => Err(codes::missing_extension(&self.identifier)),
            Era::Legacy => Err(unknown(method)),
        }
    }
}

impl Methods {
    pub(super) fn new(declared: Declared, extensions: &[Extension]) -> Result<Self, BuildError> {
        let registry = Registry::new(&[]);
        let mut methods = BTreeMap::new();
        for (method, handler) in declared.0 {
            let gate = Gate::find(method, extensions);
            let is_own = gate.is_some()
                || Revision::ALL
                    .into_iter()
                    .all(|revision| matches!(registry.find(method, Kind::Request, revision, true), Lookup::Custom));
            if !is_own {
                return Err(BuildError::ReservedMethod { method: method.to_owned() });
            }
            match methods.entry(method) {
                Entry::Vacant(free) => drop(free.insert((gate, handler))),
                Entry::Occupied(_) => return Err(BuildError::DuplicateMethod { method: method.to_owned() }),
            }
        }
        Ok(Self(methods))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// Answers one of them.
    pub(super) fn call(&self, method: &str, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        let Some((gate, handler)) = self.0.get(method) else { return Run::Ready(Reply::Error(unknown(method))) };
        match gate.as_ref().map_or(Ok(()), |gate| gate.check(method, cx)) {
            Ok(()) => handler.serve(params, cx),
            Err(error) => Run::Ready(Reply::Error(error)),
        }
    }
}

fn unknown(method: &str) -> rpc::Error {
    rpc::Error::new(rpc::Error::METHOD_NOT_FOUND, format!("unknown method `{method}`"))
}

/// A handler without its types.
trait Serve: Send + Sync {
    fn serve(&self, params: Option<RawRef<'_>>, cx: &Context) -> Run;
}

struct Own<R, F>(F, PhantomData<fn(R)>);

impl<R, F, Running> Serve for Own<R, F>
where
    R: Request,
    F: Fn(R::Params, Context) -> Running + Send + Sync,
    Running: Future<Output = Result<R::Result, rpc::Error>> + Send + 'static,
{
    fn serve(&self, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        let text = params.filter(|params| !params.is_null()).map_or("{}", RawRef::as_str);
        let params = match serde_json::from_str(text) {
            Ok(params) => params,
            Err(error) => {
                let reason = rpc::explain::explain("params", text, &error);
                return Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::INVALID_PARAMS, reason)));
            }
        };
        let running = (self.0)(params, cx.clone());
        Run::Pending(Box::pin(async move {
            match running.await.map(|result| Raw::from_value(&result)) {
                Ok(Ok(result)) => Reply::Complete(result.into()),
                Ok(Err(error)) => {
                    tracing::error!(%error, method = R::METHOD, "the result cannot be written as JSON");
                    let message = "the result cannot be written as JSON";
                    Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, message))
                }
                Err(error) => Reply::Error(error),
            }
        }))
    }
}
