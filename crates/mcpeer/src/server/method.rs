use std::collections::{BTreeMap, btree_map::Entry};

use super::{
    BuildError, Builder, MethodHandler,
    family::{Family, Handle, Methods, erase},
};
use crate::{
    extension::{self, Extension},
    handler::{Context, Needed, Run, States},
    model::Request,
    proto::io::Reply,
    rpc::{self, RawRef},
    version::{Era, Revision},
    wire::{
        codes,
        registry::{Kind, Lookup, Registry},
    },
};

impl Builder {
    /// Serves a method of your own, or of an [extension](Self::extension), in both eras: its name, and the types of its
    /// params and of its result. A name with a domain of yours in front meets no other.
    ///
    /// The handler asks for what it needs: the params as [`Params`](super::Params), and anything that is
    /// [`FromContext`](super::FromContext), in any order.
    /// Params that do not fit their type are answered −32602 with the place. A client sends it by
    /// [`Client::request`](crate::client::Client::request).
    ///
    /// ```
    /// use mcpeer::{
    ///     handler::Context,
    ///     model::{EmptyParams, EmptyResult, Request},
    ///     server::{Params, Server},
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
    ///     .method::<Tidy, _>(async |Params(_): Params<EmptyParams>, _: Context| Ok(EmptyResult::default()))
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn method<R: Request + 'static, Signature: 'static>(
        mut self,
        handler: impl MethodHandler<R, Signature>,
    ) -> Self {
        let (described, handler) = erase::<Methods<R>, Signature>(handler);
        self.methods.0.push((R::METHOD, described.needed, Box::new(Own::<R>(handler))));
        self
    }
}

/// Methods as the builder was given them.
#[derive(Default)]
pub(super) struct Declared(Vec<(&'static str, Vec<Needed>, Box<dyn Serve>)>);

/// Methods by their names.
#[derive(Default)]
pub(super) struct OwnMethods(BTreeMap<&'static str, (Option<Gate>, Box<dyn Serve>)>);

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

impl OwnMethods {
    pub(super) fn new(declared: Declared, extensions: &[Extension], states: &States) -> Result<Self, BuildError> {
        let registry = Registry::new(&[]);
        let mut methods = BTreeMap::new();
        for (method, needed, handler) in declared.0 {
            BuildError::check(states, &needed, "method", method)?;
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
    pub(super) fn has(&self, method: &str) -> bool {
        self.names().any(|name| name == method)
    }

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

/// The handler of a method.
struct Own<R>(Box<dyn Handle<Methods<R>>>)
where
    Methods<R>: Family;

impl<R: Request + 'static> Serve for Own<R> {
    fn serve(&self, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        self.0.run(&params, cx, ())
    }
}
