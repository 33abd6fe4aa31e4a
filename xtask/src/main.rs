//! Helper tasks: `cargo xtask test`, `budget`, `parity`, `simulate`, `conformance`, `bench`.

#![allow(clippy::print_stdout, reason = "a command-line tool talks to its user")]

mod bench;
mod budget;
mod command;
mod conformance;
mod debian;
#[path = "../../crates/mcpeer/tests/layering/imports.rs"]
mod imports;
mod packages;
mod parity;
mod policy;
#[path = "../../crates/mcpeer/tests/readme/servers.rs"]
mod servers;
mod simulate;
#[allow(dead_code, reason = "the layering test includes this file, too, and uses the rest of it")]
#[path = "../../crates/mcpeer/tests/layering/source.rs"]
mod source;
mod test;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const USAGE: &str = "\
cargo xtask COMMAND

  test [--require-all] [--verbose]     run every check of the project, stopping at the first failure
  budget [--json]                      measure what the project keeps within limits
  dependencies                         check licences, bans, versions and sources of dependencies
  parity                               check that the lists in docs/ name tests that exist
  simulate [--schedules N] [--seed S]  run random schedules of two connections
  conformance [--side server|client] [--legs NAME,...]
                                       run the official conformance suites against our server and our client
  bench [--callgrind | --memory] [--over stdio|http] [--all] [--peers NAME,...] [--rounds N] [--json]
                                       measure a small tools/call, or the memory of an idle client, against other
                                       servers";

/// What went wrong, for a person.
type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let Some((command, options)) = arguments.split_first() else { return Err(USAGE.into()) };
    let mut options = Options(options.to_vec());
    let workspace = Workspace::find()?;
    match command.as_str() {
        "test" => {
            let (require_all, verbose) = (options.flag("--require-all"), options.flag("--verbose"));
            options.end()?;
            test::run(&workspace, test::Mode { require_all, verbose })
        }
        "budget" => {
            let json = options.flag("--json");
            options.end()?;
            budget::run(&workspace, json)
        }
        "dependencies" => {
            options.end()?;
            policy::check(&workspace).map(|said| println!("{said}"))
        }
        "parity" => {
            options.end()?;
            parity::check(&workspace).map(|said| println!("{said}"))
        }
        "simulate" => {
            let (schedules, seed) = (options.value("--schedules")?, options.value("--seed")?);
            options.end()?;
            simulate::run(&workspace, schedules.as_deref(), seed.as_deref())
        }
        "conformance" => {
            let choice = conformance::Choice { side: options.value("--side")?, legs: options.value("--legs")? };
            options.end()?;
            conformance::run(&workspace, &choice)
        }
        "bench" => {
            let what = match (options.flag("--callgrind"), options.flag("--memory")) {
                (false, false) => bench::What::Time,
                (true, false) => bench::What::Instructions,
                (false, true) => bench::What::Memory,
                (true, true) => return Err("--callgrind and --memory are measured one after the other".into()),
            };
            let choice = bench::Choice {
                all: options.flag("--all"),
                what,
                json: options.flag("--json"),
                peers: options.value("--peers")?,
                over: options.value("--over")?.as_deref().map(bench::Over::read).transpose()?,
                rounds: options.number("--rounds")?,
            };
            options.end()?;
            bench::run(&workspace, &choice)
        }
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("there is no command {other}\n\n{USAGE}")),
    }
}

/// The options of a command that are not read yet.
struct Options(Vec<String>);

impl Options {
    /// Takes an option without a value.
    fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|option| option != name);
        self.0.len() != before
    }

    /// Takes an option with the value that follows it.
    fn value(&mut self, name: &str) -> Outcome<Option<String>> {
        let Some(at) = self.0.iter().position(|option| option == name) else { return Ok(None) };
        if at + 1 == self.0.len() {
            return Err(format!("{name} needs a value"));
        }
        self.0.remove(at);
        Ok(Some(self.0.remove(at)))
    }

    /// Takes an option whose value is a number.
    fn number(&mut self, name: &str) -> Outcome<Option<usize>> {
        let number = |value: String| value.parse().map_err(|_| format!("{name} needs a number, not {value}"));
        self.value(name)?.map(number).transpose()
    }

    /// Refuses what is left.
    fn end(self) -> Outcome {
        match self.0.first() {
            Some(option) => Err(format!("there is no option {option}\n\n{USAGE}")),
            None => Ok(()),
        }
    }
}
