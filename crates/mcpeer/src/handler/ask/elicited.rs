/// What a user did who was asked.
///
/// ```
/// use mcpeer::handler::ask::Elicited;
///
/// let answer = Elicited::Accept("Ada");
/// assert_eq!(answer.accepted(), Some("Ada"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// He filled in the form, or agreed to open the address.
    Accept(T),
    /// He said no.
    Decline,
    /// He said neither yes nor no.
    Cancel,
}

impl<T> Elicited<T> {
    /// Gives what he filled in, if he did.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Elicited;
    /// assert_eq!(Elicited::<u8>::Decline.accepted(), None);
    /// ```
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accept(value) => Some(value),
            Self::Decline | Self::Cancel => None,
        }
    }

    /// Whether he said yes.
    ///
    /// ```
    /// # use mcpeer::handler::ask::Elicited;
    /// assert!(Elicited::Accept(()).is_accepted());
    /// ```
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accept(_))
    }
}
