use crate::rpc::RawRef;

/// The trace that a request belongs to, in the words of the W3C: what stands in its `_meta`.
///
/// ```
/// # use mcpeer::handler::{Context, TraceContext};
/// fn headers(trace: &TraceContext) -> Vec<(&str, &str)> {
///     let state = trace.tracestate.as_deref().map(|state| ("tracestate", state));
///     [("traceparent", &*trace.traceparent)].into_iter().chain(state).collect()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace and the span that the request was made in.
    pub traceparent: String,
    /// What vendors add to it.
    pub tracestate: Option<String>,
    /// What the application carries along.
    pub baggage: Option<String>,
}

impl TraceContext {
    pub(super) fn read(meta: RawRef<'_>) -> Option<Self> {
        let text = |name: &str| meta.member(name).and_then(RawRef::as_string).map(|text| text.into_owned());
        Some(Self { traceparent: text("traceparent")?, tracestate: text("tracestate"), baggage: text("baggage") })
    }
}
