//! `cargo xtask parity`: the lists in docs/ may only name tests that exist.

use std::{fs, path::Path};

use crate::{Outcome, workspace::Workspace};

type Read = for<'a> fn(&'a str) -> Option<Row<'a>>;

/// The lists, and how their lines are read.
const LISTS: [(&str, Read); 3] = [
    ("docs/parity.md", |line| Row::read(line)),
    ("docs/field-cases.md", |line| Row::read_point(line)),
    ("docs/decisions.md", |line| Row::read_point(line)),
];

/// Checks every line of the lists, and says how many there are.
pub(crate) fn check(workspace: &Workspace) -> Outcome<String> {
    let mut said = Vec::new();
    for (list, read) in LISTS {
        let path = workspace.root.join(list);
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let rows: Vec<Row<'_>> = text.lines().filter_map(read).collect();
        let broken: Vec<String> = rows.iter().flat_map(|row| row.faults(&workspace.root)).collect();
        match (rows.len(), broken.is_empty()) {
            (0, _) => return Err(format!("{list} has no rows")),
            (lines, true) => said.push(format!("{lines} lines of {list}")),
            (_, false) => return Err(format!("{list} is not true:\n{}", broken.join("\n"))),
        }
    }
    Ok(format!("{} name tests that exist", said.join(", ")))
}

/// A row of a list: its number or what it says, its state, what shows it.
struct Row<'a> {
    number: &'a str,
    state: &'a str,
    shown_by: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let cells: Vec<&str> = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [number, _, state, shown_by] = cells[..] else { return None };
        number.parse::<u32>().is_ok().then_some(Self { number, state, shown_by })
    }

    /// Reads a point of a list: what is true, a colon, and the tests that show it.
    fn read_point(line: &'a str) -> Option<Self> {
        let point = line.strip_prefix("- ")?;
        let (number, shown_by) = point.rsplit_once(": ").unwrap_or((point, ""));
        Some(Self { number, state: "built", shown_by })
    }

    fn faults(&self, root: &Path) -> Vec<String> {
        let tests: Vec<(&str, &str)> =
            self.shown_by.split('`').skip(1).step_by(2).filter_map(|code| code.split_once("::")).collect();
        let mut faults: Vec<String> =
            tests.iter().filter_map(|(file, test)| missing(root, file, test)).map(|fault| self.fault(&fault)).collect();
        match self.state {
            "built" | "different on purpose" if tests.is_empty() => faults.push(self.fault("names no test")),
            "not built" if self.shown_by.is_empty() => faults.push(self.fault("gives no reason")),
            "built" | "different on purpose" | "not built" => {}
            other => faults.push(self.fault(&format!("has the unknown state {other}"))),
        }
        faults
    }

    fn fault(&self, what: &str) -> String {
        format!("{}: {what}", self.number)
    }
}

/// Says what is wrong where a file has no such test.
fn missing(root: &Path, file: &str, test: &str) -> Option<String> {
    let Ok(text) = fs::read_to_string(root.join(file)) else { return Some(format!("there is no file {file}")) };
    let name = test.rsplit("::").next().unwrap_or(test);
    (!is_test(&text, name)).then(|| format!("{file} has no test {name}"))
}

/// Tells whether a text has this function, and a test attribute shortly before it.
fn is_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let signature = format!("fn {name}(");
    let function = lines.iter().position(|line| line.trim_start_matches("async ").starts_with(&signature));
    let attributes = |at: usize| lines[..at].iter().rev().take_while(|line| line.starts_with(['#', '/'])).copied();
    function.is_some_and(|at| attributes(at).any(|line| line.contains("test]") || line.contains("test(")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/// Why.\n#[tokio::test(start_paused = true)]\nasync fn lines_end() {\n}\nfn helper() {}\n";

    #[test]
    fn only_functions_with_a_test_attribute_are_tests() {
        assert!(is_test(FILE, "lines_end"));
        assert!(!is_test(FILE, "helper"));
        assert!(!is_test(FILE, "lines"));
    }

    #[test]
    fn a_row_without_proof_is_refused() {
        let faults = |line| Row::read(line).expect("a row").faults(Path::new("."));
        assert_eq!(faults("| 73 | Line framing | built | |"), ["73: names no test"]);
        assert_eq!(
            faults("| 73 | Line framing | built | `src/none.rs::lines_end` |"),
            ["73: there is no file src/none.rs"]
        );
        assert_eq!(faults("| 74 | Buffer | not built | |"), ["74: gives no reason"]);
        let point = |line| Row::read_point(line).expect("a point").faults(Path::new("."));
        assert_eq!(point("- Lines end"), ["Lines end: names no test"]);
        assert_eq!(point("- Lines end: `src/none.rs::lines_end`"), ["Lines end: there is no file src/none.rs"]);
        assert!(faults("| 74 | Buffer | not built | there is no use for it |").is_empty());
        assert_eq!(faults("| 75 | Eras | perhaps | `x` |"), ["75: has the unknown state perhaps"]);
    }
}
