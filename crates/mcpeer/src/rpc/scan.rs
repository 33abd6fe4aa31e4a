//! The one pass over a message: a strict JSON scanner that allocates nothing and remembers where the parts stand.
//!
//! It accepts exactly what RFC 8259 calls JSON text, up to a depth, and is iterative: a hostile text costs no stack.

use std::borrow::Cow;

use super::{Fault, Limits, Message, Place, RawRef, RequestId, Survey, Unreadable};

/// Checks that a text is one JSON value.
pub(super) fn value(text: &str, limits: &Limits) -> Result<(), Unreadable> {
    if text.len() > limits.max_bytes {
        return Err(Unreadable::new(Fault::TooLong));
    }
    let mut scanner = Scanner::new(text, limits);
    scanner.blank();
    scanner.value().and_then(|_| scanner.end()).map_err(|stop| Unreadable::new(scanner.fault(stop)))
}

/// Tells of the members of params that were checked already.
pub(crate) fn survey(params: RawRef<'_>, survey: &mut impl Survey) {
    // It stands as deep as it did in the message that it was checked in.
    let read = Scanner::new(params.as_str(), &Limits::default()).params(survey);
    debug_assert!(read.is_ok(), "what was checked is JSON");
}

/// Checks a text and finds the parts of the message, or the elements of the batch, in it.
pub(super) fn message<'a>(
    text: &'a [u8],
    limits: &Limits,
    survey: &mut impl Survey,
) -> Result<Message<'a>, Unreadable> {
    if text.len() > limits.max_bytes {
        return Err(Unreadable::new(Fault::TooLong));
    }
    let text =
        std::str::from_utf8(text).map_err(|error| Unreadable::new(Fault::NotJson { at: error.valid_up_to() }))?;
    let mut scanner = Scanner::new(text, limits);
    scanner.blank();
    match scanner.peek() {
        Some(b'{') => Parts::read(&mut scanner, survey)?.into_message(),
        Some(b'[') => batch(&mut scanner, limits.max_batch)
            .map(Message::Batch)
            .map_err(|stop| Unreadable::new(scanner.fault(stop))),
        _ => {
            let stop = scanner.value().and_then(|_| scanner.end()).err();
            let fault = stop.map_or(Fault::NotAnObject, |stop| scanner.fault(stop));
            Err(Unreadable::new(fault))
        }
    }
}

/// Finds the parts of one element of a batch.
pub(super) fn element(value: RawRef<'_>) -> Result<Message<'_>, Unreadable> {
    if !value.is_object() {
        return Err(Unreadable::new(Fault::NotAnObject));
    }
    Parts::read(&mut Scanner::new(value.as_str(), &Limits::default()), &mut ())?.into_message()
}

/// Gives the first place at or after `at` that is no white space.
#[inline]
pub(super) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| *byte <= b' ' && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// Gives the end of the value that starts at `at`, trusting that the text is JSON.
pub(super) fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => return skip_string(bytes, at),
        Some(b'{' | b'[') => {}
        _ => {
            while bytes.get(at).is_some_and(|byte| !is_delimiter(*byte)) {
                at += 1;
            }
            return at;
        }
    }
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn skip_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        at = plain_run(bytes, at);
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t')
}

/// Gives the first place at or after `at` where a quote, a backslash or a control character stands, eight bytes at
/// a time.
pub(super) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
        let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
        let control = word.wrapping_sub(ONES * 0x20);
        // The lowest flag is exact: a borrow runs only upwards, out of a byte that is flagged itself.
        let flags = (quote | backslash | control) & !word & HIGH;
        if flags != 0 {
            return at + (flags.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

/// Why a scanner stops: one byte, so that the usual way out of each step is a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    NotJson,
    TooDeep,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: u32,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, limits: &Limits) -> Self {
        let max_depth = limits.max_depth.min(STACK_DEPTH as usize) as u32;
        Self { text, bytes: text.as_bytes(), at: 0, max_depth }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Says what made the scanner stop where it stands.
    fn fault(&self, stop: Stop) -> Fault {
        match stop {
            Stop::NotJson => Fault::NotJson { at: self.at },
            Stop::TooDeep => Fault::TooDeep,
        }
    }

    #[inline]
    fn blank(&mut self) {
        self.at = skip_blank(self.bytes, self.at);
    }

    fn end(&mut self) -> Result<(), Stop> {
        self.blank();
        if self.at == self.bytes.len() { Ok(()) } else { Err(Stop::NotJson) }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(Stop::NotJson)
        }
    }

    /// Reads one value of a message.
    fn value(&mut self) -> Result<RawRef<'a>, Stop> {
        // The message itself is one level.
        self.value_under(1)
    }

    /// Reads one value under so many levels. On `TooDeep` the scanner stands behind the value all the same.
    fn value_under(&mut self, depth: u32) -> Result<RawRef<'a>, Stop> {
        let start = self.at;
        match self.peek() {
            Some(b'{' | b'[') => {
                let nested = self.nested(depth);
                if nested == Err(Stop::TooDeep) {
                    self.at = skip_value(self.bytes, start);
                }
                nested?;
            }
            Some(b'"') => drop(self.string()?),
            Some(_) => self.scalar()?,
            None => return Err(Stop::NotJson),
        }
        Ok(RawRef::trusted(&self.text[start..self.at]))
    }

    /// Reads an array or an object. A bit for each open one says which it is.
    fn nested(&mut self, above: u32) -> Result<(), Stop> {
        let mut depth = above;
        let mut objects = 0_u128;
        loop {
            // A value is due here.
            match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    if depth >= self.max_depth {
                        return Err(Stop::TooDeep);
                    }
                    depth += 1;
                    objects = objects << 1 | u128::from(open == b'{');
                    self.at += 1;
                    self.blank();
                    let close = if open == b'{' { b'}' } else { b']' };
                    if self.peek() != Some(close) {
                        if open == b'{' {
                            self.string()?;
                            self.colon()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(_) => self.scalar()?,
                None => return Err(Stop::NotJson),
            }
            // A value is complete, or an empty array or object stands at its closing bracket.
            loop {
                self.blank();
                let is_object = objects & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.blank();
                        if is_object {
                            self.string()?;
                            self.colon()?;
                        }
                        break;
                    }
                    Some(close @ (b'}' | b']')) if (close == b'}') == is_object => {
                        self.at += 1;
                        objects >>= 1;
                        depth -= 1;
                        if depth == above {
                            return Ok(());
                        }
                    }
                    _ => return Err(Stop::NotJson),
                }
            }
        }
    }

    /// Reads the params of a message, and tells of their members where they are an object. On `TooDeep` the scanner
    /// stands behind the params all the same.
    fn params(&mut self, survey: &mut impl Survey) -> Result<RawRef<'a>, Stop> {
        let start = self.at;
        if self.peek() != Some(b'{') || self.max_depth <= 1 {
            return self.value();
        }
        survey.begin();
        let read = self.surveyed(start, PARAMS_DEPTH, survey);
        if read == Err(Stop::TooDeep) {
            self.at = skip_value(self.bytes, start);
        }
        read?;
        Ok(RawRef::trusted(&self.text[start..self.at]))
    }

    /// Reads an object under so many levels, the params or one in them, and tells of its members.
    fn surveyed(&mut self, params: usize, depth: u32, survey: &mut impl Survey) -> Result<(), Stop> {
        let Some(mut before) = self.open_object()? else { return Ok(()) };
        let is_outer = depth == PARAMS_DEPTH;
        loop {
            let name = self.name()?.read();
            let value = self.at - params;
            let may_enter = is_outer && self.peek() == Some(b'{') && self.max_depth > depth;
            if may_enter && survey.enters(&name, value) {
                self.surveyed(params, depth + 1, survey)?;
            } else {
                self.value_under(depth)?;
            }
            let place = Place { start: before - params, value, end: self.at - params };
            match is_outer {
                true => survey.member(&name, place),
                false => survey.inner(&name, place),
            }
            before = self.at;
            if !self.has_another_member()? {
                return Ok(());
            }
        }
    }

    /// Reads the brace that opens an object and gives the place behind it; `None` where that is closed at once.
    #[inline]
    fn open_object(&mut self) -> Result<Option<usize>, Stop> {
        self.expect(b'{')?;
        let inside = self.at;
        self.blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(None);
        }
        Ok(Some(inside))
    }

    /// Reads the comma or the brace behind a member; whether another one follows.
    #[inline]
    fn has_another_member(&mut self) -> Result<bool, Stop> {
        self.blank();
        let follows = match self.peek() {
            Some(b',') => true,
            Some(b'}') => false,
            _ => return Err(Stop::NotJson),
        };
        self.at += 1;
        if follows {
            self.blank();
        }
        Ok(follows)
    }

    /// Reads the name of a member and its colon, up to where the value starts.
    fn name(&mut self) -> Result<Name<'a>, Stop> {
        let start = self.at;
        let is_plain = self.string()?;
        let end = self.at;
        self.colon()?;
        Ok(if is_plain {
            Name::Plain(&self.text[start + 1..end - 1])
        } else {
            Name::Escaped(RawRef::trusted(&self.text[start..end]))
        })
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Stop> {
        self.blank();
        self.expect(b':')?;
        self.blank();
        Ok(())
    }

    /// Reads a value that is neither an object nor an array nor a string.
    fn scalar(&mut self) -> Result<(), Stop> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => Err(Stop::NotJson),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Stop> {
        if self.bytes[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(Stop::NotJson)
        }
    }

    /// Reads a string and says whether it has no escapes.
    fn string(&mut self) -> Result<bool, Stop> {
        self.expect(b'"')?;
        let mut is_plain = true;
        loop {
            self.at = plain_run(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(is_plain);
                }
                Some(b'\\') => {
                    is_plain = false;
                    self.escape()?;
                }
                _ => return Err(Stop::NotJson),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Stop> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 1..self.at + 5);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(Stop::NotJson);
                }
                self.at += 5;
            }
            _ => return Err(Stop::NotJson),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Stop> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Stop::NotJson) }
    }
}

/// The name of a member, as it stands in the text.
#[derive(Clone, Copy)]
enum Name<'a> {
    /// Without its quotes.
    Plain(&'a str),
    /// With its quotes.
    Escaped(RawRef<'a>),
}

impl<'a> Name<'a> {
    /// Gives the name without its escapes.
    fn read(self) -> Cow<'a, str> {
        match self {
            Self::Plain(name) => Cow::Borrowed(name),
            Self::Escaped(name) => name.as_name(),
        }
    }
}

/// Under how many levels the members of params stand: those of the message and of the params.
const PARAMS_DEPTH: u32 = 2;

/// How many levels the bits of [`Scanner::nested`] can hold.
const STACK_DEPTH: u32 = 128;

fn batch<'a>(scanner: &mut Scanner<'a>, max: usize) -> Result<Vec<RawRef<'a>>, Stop> {
    let mut elements = Vec::new();
    scanner.expect(b'[')?;
    scanner.blank();
    if scanner.peek() == Some(b']') {
        scanner.at += 1;
        return scanner.end().map(|()| elements);
    }
    loop {
        let element = scanner.value()?;
        // One more than the limit is kept, so that the caller sees that there were too many.
        if elements.len() <= max {
            elements.push(element);
        }
        scanner.blank();
        match scanner.peek() {
            Some(b',') => scanner.at += 1,
            Some(b']') => {
                scanner.at += 1;
                return scanner.end().map(|()| elements);
            }
            _ => return Err(Stop::NotJson),
        }
        scanner.blank();
    }
}

/// The members of a message that matter, as they stand there.
#[derive(Default)]
struct Parts<'a> {
    version: Option<RawRef<'a>>,
    id: Option<RawRef<'a>>,
    method: Option<RawRef<'a>>,
    params: Option<RawRef<'a>>,
    result: Option<RawRef<'a>>,
    error: Option<RawRef<'a>>,
    fault: Option<Fault>,
}

impl<'a> Parts<'a> {
    fn read(scanner: &mut Scanner<'a>, survey: &mut impl Survey) -> Result<Self, Unreadable> {
        let mut parts = Self::default();
        if let Err(stop) = parts.members(scanner, survey) {
            return Err(parts.unreadable(scanner.fault(stop)));
        }
        Ok(parts)
    }

    fn members(&mut self, scanner: &mut Scanner<'a>, survey: &mut impl Survey) -> Result<(), Stop> {
        if scanner.open_object()?.is_none() {
            return scanner.end();
        }
        loop {
            let name = scanner.name()?;
            let start = scanner.at;
            let value = match name {
                Name::Plain("params") => scanner.params(survey),
                _ => scanner.value(),
            };
            match value {
                Ok(value) => self.take(name, value),
                Err(Stop::TooDeep) => {
                    // The rest is still worth reading: it may hold the id.
                    self.fault.get_or_insert(Fault::TooDeep);
                    self.take(name, RawRef::trusted(&scanner.text[start..scanner.at]));
                }
                Err(stop) => {
                    // What it was meant for is known all the same.
                    self.take(name, RawRef::trusted(""));
                    return Err(stop);
                }
            }
            if !scanner.has_another_member()? {
                return scanner.end();
            }
        }
    }

    fn take(&mut self, name: Name<'a>, value: RawRef<'a>) {
        match name {
            Name::Plain(name) => self.take_named(name, value),
            Name::Escaped(name) => {
                if let Some(name) = name.as_string() {
                    self.take_named(&name, value);
                }
            }
        }
    }

    fn take_named(&mut self, name: &str, value: RawRef<'a>) {
        let (slot, name) = match name {
            "jsonrpc" => {
                self.version = Some(value);
                return;
            }
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            _ => return,
        };
        if slot.replace(value).is_some() {
            self.fault.get_or_insert(Fault::Duplicate(name));
        }
    }

    fn unreadable(&self, fault: Fault) -> Unreadable {
        let id = if self.fault == Some(Fault::Duplicate("id")) { None } else { self.id.and_then(read_id) };
        Unreadable { fault, id, is_answer: self.result.is_some() || self.error.is_some() }
    }

    fn into_message(self) -> Result<Message<'a>, Unreadable> {
        if let Some(fault) = self.fault.clone() {
            return Err(self.unreadable(fault));
        }
        let is_two =
            |version: RawRef<'_>| version.as_str() == "\"2.0\"" || version.as_string().as_deref() == Some("2.0");
        if !self.version.is_some_and(is_two) {
            return Err(self.unreadable(Fault::Version));
        }
        match self.method {
            Some(method) => self.with_method(method),
            None => self.without_method(),
        }
    }

    fn with_method(&self, method: RawRef<'a>) -> Result<Message<'a>, Unreadable> {
        if self.result.is_some() || self.error.is_some() {
            return Err(self.unreadable(Fault::Mixed));
        }
        let Some(method) = method.as_string() else { return Err(self.unreadable(Fault::Method)) };
        let params = self.params;
        match self.id {
            None => Ok(Message::Notification { method, params }),
            Some(id) => match read_id(id) {
                Some(id) => Ok(Message::Request { id, method, params }),
                None => Err(self.unreadable(Fault::Id)),
            },
        }
    }

    fn without_method(&self) -> Result<Message<'a>, Unreadable> {
        let id = match self.id.filter(|id| !id.is_null()) {
            None if self.result.is_none() && self.error.is_none() => return Err(self.unreadable(Fault::Empty)),
            None => None,
            Some(id) => Some(read_id(id).ok_or_else(|| self.unreadable(Fault::Id))?),
        };
        Ok(Message::Response { id, result: self.result, error: self.error })
    }
}

fn read_id(value: RawRef<'_>) -> Option<RequestId> {
    match value.as_str().as_bytes().first()? {
        b'"' => value.as_string().map(Cow::into_owned).map(|text| RequestId::String(text.into())),
        // Only digits and a sign parse: no fraction, no exponent, nothing outside of i64.
        _ => value.as_str().parse().ok().map(RequestId::Integer),
    }
}
