//! What a client answers when the server asks: the user, a model, the roots. The same handlers serve both eras.

use std::{future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};

use super::form;
use crate::{
    handler::BoxFuture,
    model::{
        RawObject,
        capabilities::{ClientCapabilities, Elicitation, Roots, Sampling},
        elicitation::{self, Action, FormParams, UrlParams},
        roots::{self, Root},
        sampling,
    },
    peer::{self, Answering},
    rpc::{self, Raw},
    version::Revision,
};

/// What a handler of a client gives: an answer, or a `Result` of one. An error that is sent to the server carries what
/// the handler says; one of a question that came as a part of an answer ends the call that it came for.
///
/// ```
/// use mcpeer::{client::IntoAnswer, model::elicitation::CreateResult, rpc};
///
/// let refused: Result<CreateResult, rpc::Error> = Err(rpc::Error::new(-1, "the user refused"));
/// let refused: Result<CreateResult, rpc::Error> = refused.into_answer();
/// assert_eq!(refused.unwrap_err().code, -1);
/// let answer: Result<CreateResult, rpc::Error> = CreateResult::decline().into_answer();
/// assert!(answer.is_ok());
/// ```
pub trait IntoAnswer<T> {
    /// Gives the answer.
    ///
    /// # Errors
    ///
    /// There is none, and why.
    ///
    /// ```
    /// use mcpeer::{client::IntoAnswer, model::roots::Root};
    ///
    /// let roots = vec![Root::new("file:///home/me")];
    /// let answer: Vec<Root> = roots.into_answer().unwrap();
    /// assert_eq!(answer.len(), 1);
    /// ```
    fn into_answer(self) -> Result<T, rpc::Error>;
}

impl<T> IntoAnswer<T> for T {
    fn into_answer(self) -> Result<T, rpc::Error> {
        Ok(self)
    }
}

impl<T, E: Into<rpc::Error>> IntoAnswer<T> for Result<T, E> {
    fn into_answer(self) -> Result<T, rpc::Error> {
        self.map_err(Into::into)
    }
}

/// A handler, without its type.
type Ask<P, R> = Box<dyn Fn(P) -> BoxFuture<Result<R, rpc::Error>> + Send + Sync>;

#[derive(Default)]
pub(super) struct Answers {
    pub(super) elicit: Option<Ask<FormParams, elicitation::CreateResult>>,
    pub(super) elicit_url: Option<Ask<UrlParams, elicitation::CreateResult>>,
    pub(super) sample: Option<Ask<sampling::CreateParams, sampling::CreateResult>>,
    pub(super) roots: Option<Ask<(), Vec<Root>>>,
    /// Whether what samples takes tools.
    pub(super) takes_tools: bool,
    /// Whether the roots may change.
    pub(super) has_changing_roots: bool,
    /// How long a call may take in all.
    pub(super) max_total: Option<Duration>,
}

pub(super) fn erase<P: Send + 'static, R, F, Fut>(handler: F) -> Ask<P, R>
where
    F: Fn(P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<R>> + Send + 'static,
{
    let handler = Arc::new(handler);
    // Called within the future, so that a panic of its is one of the future.
    Box::new(move |params| {
        let handler = handler.clone();
        Box::pin(async move { handler(params).await.into_answer() })
    })
}

impl Answers {
    /// Declares what is answered here.
    pub(super) fn declare(&self, capabilities: &mut ClientCapabilities) {
        if self.elicit.is_some() || self.elicit_url.is_some() {
            let declared = capabilities.elicitation.get_or_insert_with(Elicitation::new);
            if self.elicit.is_some() {
                declared.form.get_or_insert_with(RawObject::default);
            }
            if self.elicit_url.is_some() {
                declared.url.get_or_insert_with(RawObject::default);
            }
        }
        if self.sample.is_some() {
            let declared = capabilities.sampling.get_or_insert_with(Sampling::new);
            if self.takes_tools {
                declared.tools.get_or_insert_with(RawObject::default);
            }
        }
        if self.roots.is_some() {
            let declared = capabilities.roots.get_or_insert_with(Roots::new);
            if self.has_changing_roots {
                declared.list_changed = Some(true);
            }
        }
    }

    /// Gives the methods that are answered here.
    pub(super) fn methods(&self) -> impl Iterator<Item = &'static str> {
        let methods = [
            (ELICIT, self.elicit.is_some() || self.elicit_url.is_some()),
            (SAMPLE, self.sample.is_some()),
            (ROOTS, self.roots.is_some()),
        ];
        methods.into_iter().filter_map(|(method, is_answered)| is_answered.then_some(method))
    }

    fn elicit(&self, params: Option<Raw>, revision: Revision) -> Answering {
        match decode(ELICIT, params) {
            Err(error) => refuse(error),
            Ok(elicitation::CreateParams::Form(form)) => match &self.elicit {
                Some(handler) => {
                    let schema = form.requested_schema.clone();
                    let answer = handler(form);
                    Box::pin(async move { encode(checked(&schema, answer.await?, revision)?) })
                }
                None => refuse(invalid("this client has no forms: ask by an address".into())),
            },
            Ok(elicitation::CreateParams::Url(address)) => match &self.elicit_url {
                Some(_) if !address.has_address() => {
                    refuse(invalid(format!("`params.url` is no address: `{}`", address.url)))
                }
                Some(handler) if revision.has_url_elicitation() => {
                    let answer = handler(address);
                    Box::pin(async move {
                        let mut result = answer.await?;
                        result.content = None;
                        encode(result)
                    })
                }
                _ => refuse(invalid("this client opens no addresses: ask by a form".into())),
            },
            Ok(elicitation::CreateParams::Unknown(_)) => {
                refuse(invalid("`params` is neither a form nor an address to open".into()))
            }
        }
    }

    fn sample(&self, params: Option<Raw>, ask: &Ask<sampling::CreateParams, sampling::CreateResult>) -> Answering {
        match decode::<sampling::CreateParams>(SAMPLE, params) {
            Err(error) => refuse(error),
            Ok(params) if !self.takes_tools && (params.tools.is_some() || params.tool_choice.is_some()) => {
                refuse(invalid("this client gives its model no tools: leave out `tools` and `toolChoice`".into()))
            }
            Ok(params) => {
                if let Err(reason) = params.check_tool_results() {
                    return refuse(invalid(reason));
                }
                let answer = ask(params);
                Box::pin(async move { encode(answer.await?) })
            }
        }
    }
}

impl peer::Answers for Answers {
    fn answer(&self, method: &str, params: Option<Raw>, revision: Revision) -> Option<Answering> {
        match method {
            ELICIT if self.elicit.is_some() || self.elicit_url.is_some() => Some(self.elicit(params, revision)),
            SAMPLE => Some(self.sample(params, self.sample.as_ref()?)),
            ROOTS => {
                let answer = self.roots.as_ref()?(());
                Some(Box::pin(async move {
                    let roots = answer.await?;
                    check_roots(&roots).map_err(|text| rpc::Error::new(rpc::Error::INTERNAL_ERROR, text))?;
                    encode(roots::ListResult::new(roots))
                }))
            }
            _ => None,
        }
    }

    fn max_total(&self) -> Option<Duration> {
        self.max_total
    }
}

/// Says what is wrong with roots: only files and folders can be roots.
pub(super) fn check_roots(roots: &[Root]) -> Result<(), String> {
    match roots.iter().find(|root| !root.uri.starts_with("file://")) {
        Some(root) => Err(format!("the root `{}` does not begin with `file://`", root.uri)),
        None => Ok(()),
    }
}

fn checked(
    schema: &elicitation::RequestedSchema,
    mut result: elicitation::CreateResult,
    revision: Revision,
) -> Result<elicitation::CreateResult, rpc::Error> {
    result.content = match result.action {
        Action::Accept => {
            let filled = form::fill(schema, result.content.as_ref(), revision.has_url_elicitation());
            Some(filled.map_err(|reason| invalid(format!("what was filled in does not fit the form: {reason}")))?)
        }
        _ => None,
    };
    Ok(result)
}

fn decode<P: DeserializeOwned>(method: &str, params: Option<Raw>) -> Result<P, rpc::Error> {
    let params = params.unwrap_or_else(|| Raw::trusted("{}"));
    params.decode().map_err(|source| {
        let explanation = rpc::explain::explain("params", params.as_str(), &source);
        invalid(format!("the params of `{method}` do not fit: {explanation}"))
    })
}

fn encode(result: impl Serialize) -> Result<Raw, rpc::Error> {
    Raw::from_value(&result).map_err(|source| {
        tracing::error!(%source, "an answer cannot be written as JSON");
        rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the answer cannot be written as JSON")
    })
}

fn refuse(error: rpc::Error) -> Answering {
    Box::pin(async { Err(error) })
}

fn invalid(text: String) -> rpc::Error {
    rpc::Error::new(rpc::Error::INVALID_PARAMS, text)
}

const ELICIT: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";
