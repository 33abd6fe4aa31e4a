//! What a client can be asked, by which revision, and what becomes of a request whose question it cannot answer.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};

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

/// What a client lacks to answer questions: capabilities, by their names with dots between the levels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lack {
    /// What it does not declare.
    undeclared: BTreeSet<&'static str>,
    /// What the revision does not have.
    unknown: BTreeSet<&'static str>,
}

impl Lack {
    fn undeclared(names: impl IntoIterator<Item = &'static str>) -> Option<Self> {
        let lack = Self { undeclared: names.into_iter().collect(), ..Self::default() };
        (!lack.undeclared.is_empty()).then_some(lack)
    }

    fn unknown(name: &'static str) -> Option<Self> {
        Some(Self { unknown: [name].into(), ..Self::default() })
    }

    /// Gives what is lacking for the questions of both.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.undeclared.extend(other.undeclared);
        self.unknown.extend(other.unknown);
        // Alone it means forms. Beside addresses it must say so, as a client that declares addresses alone has no forms.
        if self.undeclared.contains("elicitation.url") && self.undeclared.remove("elicitation") {
            self.undeclared.insert("elicitation.form");
        }
        if self.undeclared.iter().any(|name| name.starts_with("sampling.")) {
            self.undeclared.remove("sampling");
        }
        self
    }

    /// Gives the answer to the request that the questions belong to.
    pub(crate) fn reply(&self, cx: &Context) -> Reply {
        let text = self.text(cx.revision());
        match cx.era() {
            Era::Legacy => failure(cx, &text),
            Era::Modern => {
                let data = json!({"requiredCapabilities": self.capabilities()});
                let data = Raw::from_value(&data).expect("a JSON value can always be written");
                Reply::Error(rpc::Error::new(MISSING_CLIENT_CAPABILITY, text).with_data(data))
            }
        }
    }

    /// Writes what is not declared as a client would declare it.
    fn capabilities(&self) -> Value {
        let mut capabilities = json!({});
        for name in &self.undeclared {
            match name.split_once('.') {
                Some((name, part)) => capabilities[name][part] = json!({}),
                None => capabilities[*name] = json!({}),
            }
        }
        capabilities
    }

    /// Says what is missing, for a person.
    fn text(&self, revision: Revision) -> String {
        let undeclared = (!self.undeclared.is_empty()).then(|| format!("that declares {}", listed(&self.undeclared)));
        let unknown = (!self.unknown.is_empty())
            .then(|| format!("with {}, which protocol version {revision} does not have", listed(&self.unknown)));
        let parts: Vec<_> = undeclared.into_iter().chain(unknown).collect();
        format!("this needs a client {}", parts.join(", and one "))
    }
}

fn listed(names: &BTreeSet<&str>) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => format!("the capability {last}"),
        Some((last, others)) => format!("the capabilities {} and {last}", others.join(", ")),
        None => String::new(),
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
        ROOTS if client.roots.is_none() => Lack::undeclared(["roots"]),
        _ => None,
    }
}

fn lack_of_elicitation(revision: Revision, declared: Option<&Elicitation>, params: Option<RawRef<'_>>) -> Option<Lack> {
    let mode = params.and_then(|params| params.member("mode")).and_then(RawRef::as_string);
    let is_url = mode.is_some_and(|mode| mode == "url");
    if !revision.has_elicitation() {
        return Lack::unknown("elicitation");
    }
    if is_url && !revision.has_url_elicitation() {
        return Lack::unknown("elicitation.url");
    }
    match declared {
        None if !is_url => Lack::undeclared(["elicitation"]),
        Some(declared) if !is_url && !declared.has_form() => Lack::undeclared(["elicitation.form"]),
        declared if is_url && !declared.is_some_and(Elicitation::has_url) => Lack::undeclared(["elicitation.url"]),
        _ => None,
    }
}

fn lack_of_sampling(revision: Revision, declared: Option<&Sampling>, params: Option<RawRef<'_>>) -> Option<Lack> {
    let member = |name: &str| params.and_then(|params| params.member(name)).filter(|value| !value.is_null());
    let has_tools = member("tools").is_some() || member("toolChoice").is_some();
    if has_tools && !revision.has_sampling_tools() {
        return Lack::unknown("sampling.tools");
    }
    let context = member("includeContext").and_then(RawRef::as_string);
    // Before there was a capability for it, each client that samples might be asked for it.
    let has_context = revision.has_sampling_tools() && context.is_some_and(|context| context != "none");
    let lacks_tools = has_tools && declared.is_none_or(|declared| declared.tools.is_none());
    let lacks_context = has_context && declared.is_none_or(|declared| declared.context.is_none());
    let lacks_all = declared.is_none() && !lacks_tools && !lacks_context;
    let names = [(lacks_all, "sampling"), (lacks_tools, "sampling.tools"), (lacks_context, "sampling.context")];
    Lack::undeclared(names.into_iter().filter_map(|(is_lacking, name)| is_lacking.then_some(name)))
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
