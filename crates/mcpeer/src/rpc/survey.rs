/// Hears of the members of a message's params while the message is read. Names are told without escapes.
pub(crate) trait Survey {
    /// Hears that the params are an object.
    fn begin(&mut self);

    /// Says whether the members of the object that is the value of this member shall be told of as well, before it.
    /// Its brace stands at `value`, in bytes from the start of the params.
    fn enters(&mut self, name: &str, value: usize) -> bool;

    /// Hears of a member of the object that was entered last.
    fn inner(&mut self, name: &str, place: Place);

    /// Hears of a member of the params.
    fn member(&mut self, name: &str, place: Place);
}

/// Where a member stands, in bytes from the start of the params.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the member before it ends.
    pub(crate) start: usize,
    /// Where its value starts.
    pub(crate) value: usize,
    /// Where it ends.
    pub(crate) end: usize,
}

/// Nobody who wants to hear.
impl Survey for () {
    fn begin(&mut self) {}

    fn enters(&mut self, _: &str, _: usize) -> bool {
        false
    }

    fn inner(&mut self, _: &str, _: Place) {}

    fn member(&mut self, _: &str, _: Place) {}
}
