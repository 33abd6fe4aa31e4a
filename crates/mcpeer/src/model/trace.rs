//! Where a message stands in a trace: what W3C trace context carries in `_meta`.
//!
//! Specification: <https://www.w3.org/TR/trace-context/>, <https://www.w3.org/TR/baggage/>

use super::{Meta, RawJson, meta};

/// Where a message stands in a trace, as W3C trace context writes it. It is passed on as it came.
///
/// ```
/// use mcpeer::model::trace::TraceContext;
///
/// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").state("rojo=1");
/// assert_eq!(trace.state.as_deref(), Some("rojo=1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace and the span that the message belongs to: `traceparent`.
    pub parent: String,
    /// What vendors add: `tracestate`.
    pub state: Option<String>,
    /// What the application adds: `baggage`.
    pub baggage: Option<String>,
}

impl TraceContext {
    /// Makes one of a `traceparent`.
    ///
    /// ```
    /// # use mcpeer::model::trace::TraceContext;
    /// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    /// assert!(trace.baggage.is_none());
    /// ```
    pub fn new(parent: impl Into<String>) -> Self {
        Self { parent: parent.into(), state: None, baggage: None }
    }

    /// Sets the `tracestate`.
    ///
    /// ```
    /// # use mcpeer::model::trace::TraceContext;
    /// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").state("rojo=1");
    /// ```
    #[must_use]
    pub fn state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// Sets the `baggage`.
    ///
    /// ```
    /// # use mcpeer::model::trace::TraceContext;
    /// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").baggage("user=7");
    /// ```
    #[must_use]
    pub fn baggage(mut self, baggage: impl Into<String>) -> Self {
        self.baggage = Some(baggage.into());
        self
    }

    /// Reads it from the `_meta` of a message; `None` without a `traceparent`.
    ///
    /// ```
    /// use mcpeer::model::{Meta, trace::TraceContext};
    ///
    /// let carried: Meta = serde_json::from_str(r#"{"traceparent":"00-1-2-01","baggage":"user=7"}"#)?;
    /// let trace = TraceContext::from_meta(&carried).unwrap();
    /// assert_eq!((trace.parent.as_str(), trace.baggage.as_deref()), ("00-1-2-01", Some("user=7")));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn from_meta(carried: &Meta) -> Option<Self> {
        Some(Self {
            parent: carried.decode(meta::TRACE_PARENT)?,
            state: carried.decode(meta::TRACE_STATE),
            baggage: carried.decode(meta::BAGGAGE),
        })
    }

    /// Gives the members of a `_meta` that carry it.
    ///
    /// ```
    /// # use mcpeer::model::trace::TraceContext;
    /// let trace = TraceContext::new("00-1-2-01").baggage("user=7");
    /// let names: Vec<_> = trace.members().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["traceparent", "baggage"]);
    /// ```
    pub fn members(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let members = [
            (meta::TRACE_PARENT, Some(&self.parent)),
            (meta::TRACE_STATE, self.state.as_ref()),
            (meta::BAGGAGE, self.baggage.as_ref()),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name, value?.as_str())))
    }

    /// Puts it in the `_meta` of a message.
    ///
    /// ```
    /// use mcpeer::model::{Meta, trace::TraceContext};
    ///
    /// let mut carried = Meta::new();
    /// TraceContext::new("00-1-2-01").write_to(&mut carried);
    /// assert_eq!(serde_json::to_string(&carried)?, r#"{"traceparent":"00-1-2-01"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn write_to(&self, carried: &mut Meta) {
        for (name, value) in self.members() {
            carried.insert(name, RawJson::from_value(value).expect("text can always be written"));
        }
    }
}
