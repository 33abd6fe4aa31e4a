//! What a client can be asked, by which revision, and what becomes of a request whose question it cannot answer.

use std::{
    borrow::Cow,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::json;

use super::{Context, Reply};
use crate::{
    model::{
        capabilities::{Elicitation, Sampling},
        elicitation::{CreateParams, FieldSchema, FormParams, NamedSelectSchema},
    },
    rpc::{self, Raw, RawRef},
    version::{Era, Revision},
};

pub(super) const ELICIT: &str = "elicitation/create";
pub(super) const SAMPLE: &str = "sampling/createMessage";
pub(super) const ROOTS: &str = "roots/list";

/// The client has not declared a capability that the request needs.
const MISSING_CLIENT_CAPABILITY: i64 = -32021;

/// What a client lacks to answer a question.
#[derive(Debug)]
pub(crate) struct Lack {
    /// The capabilities that are missing, as a client would declare them.
    capabilities: serde_json::Value,
    /// What is missing, for a person.
    text: Cow<'static, str>,
}

impl Lack {
    fn of(capabilities: serde_json::Value, text: impl Into<Cow<'static, str>>) -> Option<Self> {
        Some(Self { capabilities, text: text.into() })
    }

    /// Gives the answer to the request that the question belongs to.
    pub(crate) fn reply(self, cx: &Context) -> Reply {
        match cx.era() {
            Era::Legacy => failure(cx, &self.text),
            Era::Modern => {
                let data = json!({"requiredCapabilities": self.capabilities});
                let data = Raw::from_value(&data).expect("a JSON value can always be written");
                Reply::Error(rpc::Error::new(MISSING_CLIENT_CAPABILITY, self.text).with_data(data))
            }
        }
    }
}

/// Gives the answer to a request that cannot go on: one that the model sees where there is one.
pub(super) fn failure(cx: &Context, text: &str) -> Reply {
    if cx.method() != "tools/call" {
        return Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, text.to_owned()));
    }
    let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
    Reply::Complete(Raw::from_value(&result).expect("a JSON value can always be written").into())
}

/// Says what the client lacks to answer a question; `None` where it can.
pub(crate) fn lack(cx: &Context, method: &str, params: Option<RawRef<'_>>) -> Option<Lack> {
    let client = cx.client_capabilities().unwrap_or_default();
    match method {
        ELICIT => lack_of_elicitation(cx.revision(), client.elicitation.as_ref(), params),
        SAMPLE => lack_of_sampling(cx.revision(), client.sampling.as_ref(), params),
        ROOTS if client.roots.is_none() => Lack::of(json!({"roots": {}}), undeclared("roots")),
        _ => None,
    }
}

fn lack_of_elicitation(revision: Revision, declared: Option<&Elicitation>, params: Option<RawRef<'_>>) -> Option<Lack> {
    let mode = params.and_then(|params| params.member("mode")).and_then(RawRef::as_string);
    let is_url = mode.is_some_and(|mode| mode == "url");
    if !revision.has_elicitation() {
        return Lack::of(json!({"elicitation": {}}), not_in(revision, "elicitation"));
    }
    if is_url && !revision.has_url_elicitation() {
        return Lack::of(json!({"elicitation": {"url": {}}}), not_in(revision, "elicitation.url"));
    }
    match declared {
        None if !is_url => Lack::of(json!({"elicitation": {}}), undeclared("elicitation")),
        Some(declared) if !is_url && !declared.has_form() => {
            Lack::of(json!({"elicitation": {"form": {}}}), undeclared("elicitation.form"))
        }
        declared if is_url && !declared.is_some_and(Elicitation::has_url) => {
            Lack::of(json!({"elicitation": {"url": {}}}), undeclared("elicitation.url"))
        }
        _ => None,
    }
}

fn lack_of_sampling(revision: Revision, declared: Option<&Sampling>, params: Option<RawRef<'_>>) -> Option<Lack> {
    let member = |name: &str| params.and_then(|params| params.member(name)).filter(|value| !value.is_null());
    let has_tools = member("tools").is_some() || member("toolChoice").is_some();
    if has_tools && !revision.has_sampling_tools() {
        return Lack::of(json!({"sampling": {"tools": {}}}), not_in(revision, "sampling.tools"));
    }
    if declared.is_none() && !has_tools {
        return Lack::of(json!({"sampling": {}}), undeclared("sampling"));
    }
    let context = member("includeContext").and_then(RawRef::as_string);
    // Before there was a capability for it, each client that samples might be asked for it.
    let has_context = revision.has_sampling_tools() && context.is_some_and(|context| context != "none");
    let lacks_tools = has_tools && declared.is_none_or(|declared| declared.tools.is_none());
    let lacks_context = has_context && declared.is_none_or(|declared| declared.context.is_none());
    match (lacks_tools, lacks_context) {
        (true, true) => Lack::of(
            json!({"sampling": {"tools": {}, "context": {}}}),
            "this needs a client that declares the capabilities `sampling.tools` and `sampling.context`",
        ),
        (true, false) => Lack::of(json!({"sampling": {"tools": {}}}), undeclared("sampling.tools")),
        (false, true) => Lack::of(json!({"sampling": {"context": {}}}), undeclared("sampling.context")),
        (false, false) => None,
    }
}

fn undeclared(capability: &str) -> String {
    format!("this needs a client that declares the capability `{capability}`")
}

fn not_in(revision: Revision, capability: &str) -> String {
    format!("this needs a client with the capability `{capability}`, which protocol version {revision} does not have")
}

/// Gives the params of a question as they go out in a request of its own.
///
/// # Errors
///
/// The revision has no way to ask it.
pub(super) fn params_at(revision: Revision, method: &str, params: Option<Raw>) -> Result<Option<Raw>, String> {
    let Some(raw) = params.as_ref().filter(|_| method == ELICIT) else { return Ok(params) };
    let Ok(question) = raw.decode::<CreateParams>() else { return Ok(params) };
    let question = match question {
        CreateParams::Url(mut url) if url.elicitation_id.is_none() => {
            static COUNT: AtomicU64 = AtomicU64::new(1);
            url.elicitation_id = Some(format!("elicitation-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
            CreateParams::Url(url)
        }
        CreateParams::Form(form) if !revision.has_url_elicitation() => CreateParams::Form(old_form(revision, form)?),
        _ => return Ok(params),
    };
    Ok(Some(Raw::from_value(&question).expect("what was read as JSON can be written")))
}

/// Writes a form with what there was before 2025-11-25: choices with names, and defaults of yes-or-no fields alone.
fn old_form(revision: Revision, mut form: FormParams) -> Result<FormParams, String> {
    form.mode = None;
    let mut fields = crate::model::Entries::new();
    for (name, field) in form.requested_schema.properties.iter() {
        let field = match field.clone() {
            FieldSchema::String(mut text) => {
                text.default = None;
                text.into()
            }
            FieldSchema::Number(mut number) => {
                number.default = None;
                number.into()
            }
            FieldSchema::Select(mut select) => {
                select.default = None;
                select.into()
            }
            FieldSchema::TitledSelect(select) => {
                let (values, names): (Vec<_>, Vec<_>) =
                    select.choices.into_iter().map(|choice| (choice.value, choice.title)).unzip();
                let mut named = NamedSelectSchema::new(values, names);
                named.title = select.title;
                named.description = select.description;
                named.into()
            }
            FieldSchema::MultiSelect(_) | FieldSchema::TitledMultiSelect(_) => {
                return Err(format!(
                    "the form's field `{name}` takes several words, which protocol version {revision} does not have"
                ));
            }
            other => other,
        };
        fields.insert(name, field);
    }
    form.requested_schema.properties = fields;
    form.requested_schema.schema = None;
    Ok(form)
}
