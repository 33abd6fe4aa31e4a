use crate::{
    version::Revision,
    wire::{Direction, Kind, Row},
};

/// A method that an extension adds: its name, who receives it, at which revisions.
///
/// ```
/// use mcpeer::extension::Method;
///
/// let close = Method::request("com.example/tickets/close");
/// let list = Method::request("com.example/tickets/list").cacheable().open();
/// # let _ = (close, list);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    pub(super) row: Row,
    pub(super) demands: bool,
}

impl Method {
    /// A request that a server receives, since 2026-07-28. Only peers that declared the extension may send it.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let close = Method::request("com.example/tickets/close");
    /// # let _ = close;
    /// ```
    pub const fn request(name: &'static str) -> Self {
        Self { row: Row::request(name, Direction::ToServer, Revision::V2026_07_28, None), demands: true }
    }

    /// A notification that a client receives, since 2026-07-28.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let closed = Method::notification("notifications/com.example/tickets/closed");
    /// # let _ = closed;
    /// ```
    pub const fn notification(name: &'static str) -> Self {
        Self { row: Row::notification(name, Direction::ToClient, Revision::V2026_07_28, None), demands: true }
    }

    /// Has servers receive it.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let seen = Method::notification("notifications/com.example/tickets/seen").to_server();
    /// # let _ = seen;
    /// ```
    #[must_use]
    pub const fn to_server(mut self) -> Self {
        self.row.direction = Direction::ToServer;
        self
    }

    /// Has clients receive it. Requests to clients exist in the stateful era alone.
    ///
    /// ```
    /// use mcpeer::{extension::Method, version::Revision};
    ///
    /// let ring = Method::request("com.example/tickets/ring").to_client().since(Revision::V2025_11_25);
    /// # let _ = ring;
    /// ```
    #[must_use]
    pub const fn to_client(mut self) -> Self {
        self.row.direction = Direction::ToClient;
        self
    }

    /// Has both sides receive it.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let seen = Method::notification("notifications/com.example/tickets/seen").to_both();
    /// # let _ = seen;
    /// ```
    #[must_use]
    pub const fn to_both(mut self) -> Self {
        self.row.direction = Direction::Both;
        self
    }

    /// Sets the first revision that has it, which may be one of the stateful era.
    ///
    /// ```
    /// use mcpeer::{extension::Method, version::Revision};
    ///
    /// let close = Method::request("com.example/tickets/close").since(Revision::V2025_06_18);
    /// # let _ = close;
    /// ```
    #[must_use]
    pub const fn since(mut self, first: Revision) -> Self {
        self.row.since = first;
        self
    }

    /// Sets the last revision that has it.
    ///
    /// ```
    /// use mcpeer::{extension::Method, version::Revision};
    ///
    /// let close = Method::request("com.example/close").since(Revision::V2025_06_18).until(Revision::V2025_11_25);
    /// # let _ = close;
    /// ```
    #[must_use]
    pub const fn until(mut self, last: Revision) -> Self {
        self.row.until = Some(last);
        self
    }

    /// Lets it be answered with questions to the client.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let close = Method::request("com.example/tickets/close").may_need_input();
    /// # let _ = close;
    /// ```
    #[must_use]
    pub const fn may_need_input(mut self) -> Self {
        self.row.may_need_input = true;
        self
    }

    /// Has its results say how long they may be kept: no time, unless they or
    /// `server::Builder::cache` say more.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let list = Method::request("com.example/tickets/list").cacheable();
    /// # let _ = list;
    /// ```
    #[must_use]
    pub const fn cacheable(mut self) -> Self {
        self.row.is_cacheable = true;
        self
    }

    /// Lets peers send it that did not declare the extension.
    ///
    /// ```
    /// # use mcpeer::extension::Method;
    /// let list = Method::request("com.example/tickets/list").open();
    /// # let _ = list;
    /// ```
    #[must_use]
    pub const fn open(mut self) -> Self {
        self.demands = false;
        self
    }

    pub(crate) fn is(&self, name: &str, kind: Kind) -> bool {
        self.row.method == name && self.row.kind == kind
    }

    /// Whether a revision has it.
    #[allow(dead_code, reason = "only servers ask")]
    pub(crate) fn admits(&self, revision: Revision) -> bool {
        self.row.admits(revision)
    }

    /// Whether only those may send it who declared the extension.
    #[allow(dead_code, reason = "only servers ask")]
    pub(crate) fn demands(&self) -> bool {
        self.demands
    }

    /// Whether a server receives it.
    #[allow(dead_code, reason = "only servers ask")]
    pub(crate) fn is_to_server(&self) -> bool {
        self.row.direction.admits(true)
    }
}
