use super::{Limits, Message, RawRef, Unreadable};
pub(super) fn value(_text: &str, _limits: &Limits) -> Result<(), Unreadable> {
    unreachable!()
}
pub(super) fn message<'a>(_text: &'a [u8], _limits: &Limits) -> Result<Message<'a>, Unreadable> {
    unreachable!()
}
pub(super) fn element(_value: RawRef<'_>) -> Result<Message<'_>, Unreadable> {
    unreachable!()
}
pub(super) fn skip_blank(_bytes: &[u8], _at: usize) -> usize {
    unreachable!()
}
pub(super) fn skip_value(_bytes: &[u8], _at: usize) -> usize {
    unreachable!()
}
