//! Standard input and output where nothing is known about them but that they block.

use std::io;

use super::blocking::{Reader, Writer};

pub(super) type Input = Reader;
pub(super) type Output = Writer;

/// Nothing has to be set back here.
#[derive(Debug)]
pub(super) struct Modes;

pub(super) fn open() -> io::Result<(Input, Output, Modes)> {
    Ok((Reader::new(io::stdin())?, Writer::new(io::stdout())?, Modes))
}
