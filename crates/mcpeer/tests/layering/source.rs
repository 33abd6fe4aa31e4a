//! Reads Rust source just far enough for rules about its shape: which paths it names, how long its functions are,
//! where it asks for a feature. Comments, literals and test code are blanked first, so that only code counts.

/// The code of a file: comments and the contents of literals are spaces, lines stay where they are.
pub(crate) struct Source(Vec<char>);

/// A function and where it stands.
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The line it starts at, counted from 1.
    pub(crate) line: usize,
    /// How many lines it has, from its signature to its closing brace.
    pub(crate) lines: usize,
}

impl Source {
    /// Blanks comments and literals.
    pub(crate) fn new(text: &str) -> Self {
        let mut code: Vec<char> = text.chars().collect();
        let mut at = 0;
        while at < code.len() {
            match passive_end(&code, at) {
                Some(end) => {
                    blank(&mut code[at..end]);
                    at = end;
                }
                None => at += 1,
            }
        }
        Self(code)
    }

    /// Blanks every item that is only compiled for tests.
    pub(crate) fn without_tests(mut self) -> Self {
        for attribute in ["#[cfg(test)]", "#[cfg(all(test", "#[cfg(all(doctest"] {
            while let Some(start) = find(&self.0, attribute, 0) {
                let end = item_end(&self.0, start + attribute.len());
                blank(&mut self.0[start..end]);
            }
        }
        self
    }

    /// Gives every path that starts at the crate's root, in a `use` or in code, as its segments after `crate`.
    ///
    /// `depth` is how many modules lie around this file: as many `super` also lead to the root.
    pub(crate) fn root_paths(&self, depth: usize) -> Vec<Vec<String>> {
        let mut paths = Vec::new();
        for root in ["crate::".to_owned(), "super::".repeat(depth.max(1))] {
            let mut at = 0;
            while let Some(start) = find(&self.0, &root, at) {
                at = start + root.len();
                if start == 0 || !is_word(self.0[start - 1]) {
                    path_tree(&self.0, at, &mut Vec::new(), &mut paths);
                }
            }
        }
        paths
    }

    /// Gives the names of the modules that are declared here.
    pub(crate) fn modules(&self) -> Vec<String> {
        let mut modules = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&self.0, "mod ", at) {
            at = start + 4;
            if start == 0 || !is_word(self.0[start - 1]) {
                modules.push(word(&self.0, at));
            }
        }
        modules
    }

    /// Gives every function that has a body.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&self.0, "fn ", at) {
            at = start + 3;
            let name = word(&self.0, at);
            let is_keyword = start == 0 || !is_word(self.0[start - 1]);
            if let Some(open) = body(&self.0, at).filter(|_| is_keyword && !name.is_empty()) {
                let line = self.line(start);
                functions.push(Function { name, line, lines: self.line(closing(&self.0, open)) - line + 1 });
            }
        }
        functions
    }

    /// Gives the lines at which a feature is asked for by anything but a `mod` item or the re-export of one's contents.
    pub(crate) fn features_beside_modules(&self) -> Vec<usize> {
        let mut lines = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&self.0, "feature", at) {
            at = start + "feature".len();
            let asks = self.0[at..].iter().find(|c| !c.is_whitespace()) == Some(&'=');
            let attribute = self.0[..start].iter().rposition(|c| *c == '#');
            let is_attribute = attribute.is_some_and(|hash| !self.0[hash..start].contains(&']'));
            if asks && !(is_attribute && is_module_or_export(&self.0, at)) {
                lines.push(self.line(start));
            }
        }
        lines
    }

    /// Gives the lines on which this text stands in code.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<usize> {
        let mut lines = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&self.0, text, at) {
            at = start + text.len();
            lines.push(self.line(start));
        }
        lines
    }

    fn line(&self, at: usize) -> usize {
        self.0[..at].iter().filter(|c| **c == '\n').count() + 1
    }
}

/// Gives the end of the comment or literal that starts here.
fn passive_end(code: &[char], at: usize) -> Option<usize> {
    let next = code.get(at + 1).copied().unwrap_or(' ');
    match code[at] {
        '/' if next == '/' => Some(code[at..].iter().position(|c| *c == '\n').map_or(code.len(), |end| at + end)),
        '/' if next == '*' => Some(comment_end(code, at)),
        '"' => Some(string_end(code, at + 1)),
        'r' if !preceded_by_word(code, at) => raw_string_end(code, at + 1),
        '\'' if next == '\\' => {
            Some((at + 3..code.len()).find(|end| code[*end] == '\'').map_or(code.len(), |end| end + 1))
        }
        '\'' if code.get(at + 2) == Some(&'\'') => Some(at + 3),
        _ => None,
    }
}

fn comment_end(code: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at + 1 < code.len() {
        match (code[at], code[at + 1]) {
            ('/', '*') => (at, depth) = (at + 2, depth + 1),
            ('*', '/') => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

fn string_end(code: &[char], mut at: usize) -> usize {
    while at < code.len() && code[at] != '"' {
        at += if code[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(code.len())
}

fn raw_string_end(code: &[char], start: usize) -> Option<usize> {
    let hashes = code[start..].iter().take_while(|c| **c == '#').count();
    if code.get(start + hashes) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let text = start + hashes + 1;
    Some(code[text..].windows(end.len()).position(|part| part == end).map_or(code.len(), |at| text + at + end.len()))
}

/// Tells whether the `r` here ends a word, other than the prefix of a byte or C string.
fn preceded_by_word(code: &[char], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|before| code[before]);
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(is_word),
        Some(c) => is_word(c),
        None => false,
    }
}

fn blank(part: &mut [char]) {
    part.iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' ');
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(code: &[char], at: usize) -> String {
    code[at..].iter().take_while(|c| is_word(**c)).collect()
}

fn find(code: &[char], wanted: &str, from: usize) -> Option<usize> {
    let wanted: Vec<char> = wanted.chars().collect();
    code.get(from..)?.windows(wanted.len()).position(|part| part == wanted).map(|at| from + at)
}

fn skip_spaces(code: &[char], mut at: usize) -> usize {
    while code.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    at
}

/// Gives the end of the item that follows: its semicolon, or the brace that closes it.
fn item_end(code: &[char], from: usize) -> usize {
    match (from..code.len()).find(|at| matches!(code[*at], '{' | ';')) {
        Some(open) if code[open] == '{' => closing(code, open) + 1,
        Some(semicolon) => semicolon + 1,
        None => code.len(),
    }
}

/// Gives the brace that closes this one.
fn closing(code: &[char], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    code.len() - 1
}

/// Gives the brace that opens the body of the function whose name starts here.
fn body(code: &[char], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in code.iter().enumerate().skip(from) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Tells whether the attribute that this is inside of belongs to a `mod` item or to a re-export.
fn is_module_or_export(code: &[char], from: usize) -> bool {
    let Some(mut at) = find(code, "]", from).map(|end| skip_spaces(code, end + 1)) else { return false };
    while code.get(at) == Some(&'#') {
        let Some(end) = find(code, "]", at) else { return false };
        at = skip_spaces(code, end + 1);
    }
    if word(code, at) == "pub" {
        at = skip_spaces(code, at + 3);
        if code.get(at) == Some(&'(') {
            let Some(end) = find(code, ")", at) else { return false };
            at = skip_spaces(code, end + 1);
        }
    }
    matches!(word(code, at).as_str(), "mod" | "use")
}

/// Collects the paths of a use tree, and gives where it ends.
fn path_tree(code: &[char], from: usize, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let at = skip_spaces(code, from);
    if code.get(at) != Some(&'{') {
        let name = word(code, at);
        let end = at + name.chars().count();
        prefix.push(name);
        let next = skip_spaces(code, end);
        let goes_on = code.get(next) == Some(&':') && code.get(next + 1) == Some(&':');
        let after = skip_spaces(code, next + 2);
        let goes_on = goes_on && code.get(after).is_some_and(|c| is_word(*c) || *c == '{');
        let end = if goes_on { path_tree(code, after, prefix, paths) } else { end };
        if !goes_on {
            paths.push(prefix.clone());
        }
        prefix.pop();
        return end;
    }
    let mut at = at + 1;
    loop {
        at = skip_spaces(code, at);
        match code.get(at) {
            None | Some('}') => return at + 1,
            Some(c) if is_word(*c) || *c == '{' => at = path_tree(code, at, prefix, paths),
            Some(_) => at += 1,
        }
        // A rename is no path.
        if code[at.min(code.len())..].starts_with(&[' ', 'a', 's', ' ']) {
            at = skip_spaces(code, at + 4);
            at += word(code, at).chars().count();
        }
    }
}
