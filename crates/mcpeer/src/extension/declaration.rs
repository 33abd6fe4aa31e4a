use std::borrow::Cow;

use super::Method;
use crate::{
    model::{RawMap, RawObject},
    proto::Filter,
    wire::{ExtensionRows, Kind, ResultType},
};

/// What an extension adds to the protocol. It does nothing by itself: see [the module](crate::extension).
///
/// ```
/// use mcpeer::extension::{Extension, Method};
///
/// let tickets = Extension::new("com.example/tickets").method(Method::request("com.example/tickets/close"));
/// assert_eq!(tickets.identifier(), "com.example/tickets");
/// ```
#[derive(Clone, Debug)]
pub struct Extension {
    identifier: Cow<'static, str>,
    settings: RawObject,
    pub(super) methods: Vec<Method>,
    result_types: Vec<ResultType>,
    pub(super) filters: Vec<(&'static str, &'static str)>,
}

impl Extension {
    /// Names an extension: a domain of yours, a slash, a name.
    ///
    /// ```
    /// # use mcpeer::extension::Extension;
    /// let tickets = Extension::new("com.example/tickets");
    /// # let _ = tickets;
    /// ```
    pub fn new(identifier: impl Into<Cow<'static, str>>) -> Self {
        Self {
            identifier: identifier.into(),
            settings: RawObject::default(),
            methods: Vec::new(),
            result_types: Vec::new(),
            filters: Vec::new(),
        }
    }

    /// Sets what is declared under the identifier; an empty object unless set.
    ///
    /// ```
    /// use mcpeer::extension::Extension;
    /// use serde_json::json;
    ///
    /// let tickets = Extension::new("com.example/tickets").settings([("max", json!(10))]);
    /// # let _ = tickets;
    /// ```
    #[must_use]
    pub fn settings(mut self, settings: impl Into<RawObject>) -> Self {
        self.settings = settings.into();
        self
    }

    /// Adds a method. It may have the name of one of the protocol's, but not at the same revision.
    ///
    /// ```
    /// use mcpeer::extension::{Extension, Method};
    ///
    /// let tickets = Extension::new("com.example/tickets").method(Method::request("com.example/tickets/close"));
    /// # let _ = tickets;
    /// ```
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.methods.push(method);
        self
    }

    /// Adds a type of result that some methods, of the protocol's or of the extension's own, may be answered with in
    /// the stateless era. Only a client that declared the extension may be given it.
    ///
    /// ```
    /// # use mcpeer::extension::Extension;
    /// let tickets = Extension::new("com.example/tickets").result_type("com.example/ticket", &["tools/call"]);
    /// # let _ = tickets;
    /// ```
    #[must_use]
    pub fn result_type(mut self, value: &'static str, methods: &'static [&'static str]) -> Self {
        self.result_types.push(ResultType { value, methods });
        self
    }

    /// Adds a member of the filter of `subscriptions/listen`, a list of strings, and the notification that it selects,
    /// which need not be added as a [method](Self::method). Only clients that declared the extension may ask for it.
    ///
    /// ```
    /// # use mcpeer::extension::Extension;
    /// let tickets = Extension::new("com.example/tickets")
    ///     .filter("com.example/ticketIds", "notifications/com.example/tickets/closed");
    /// # let _ = tickets;
    /// ```
    #[must_use]
    pub fn filter(mut self, member: &'static str, notification: &'static str) -> Self {
        if !self.methods.iter().any(|method| method.is(notification, Kind::Notification)) {
            self.methods.push(Method::notification(notification));
        }
        self.filters.push((member, notification));
        self
    }

    /// Gives the identifier.
    ///
    /// ```
    /// # use mcpeer::extension::Extension;
    /// assert_eq!(Extension::new("com.example/tickets").identifier(), "com.example/tickets");
    /// ```
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Gives the methods.
    #[allow(dead_code, reason = "only servers ask")]
    pub(crate) fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// Gives the rows that it adds to the table of methods.
    pub(crate) fn rows(&self) -> ExtensionRows {
        ExtensionRows {
            identifier: self.identifier.clone(),
            rows: self.methods.iter().map(|method| method.row.clone()).collect(),
            result_types: self.result_types.clone().into(),
        }
    }

    /// Gives the members that it adds to the filter of `subscriptions/listen`.
    pub(crate) fn listen_filters(&self) -> impl Iterator<Item = Filter> {
        self.filters.iter().map(|(member, method)| Filter {
            member: (*member).into(),
            method: (*method).into(),
            extension: self.identifier.clone(),
        })
    }

    /// Writes what it declares next to what others do.
    pub(crate) fn declare(&self, declared: &mut RawMap) {
        declared.insert(&*self.identifier, self.settings.clone());
    }
}
