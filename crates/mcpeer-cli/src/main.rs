//! The `mcpeer` command. This version prints its version and has no subcommands yet.

#![allow(clippy::print_stdout, reason = "a command-line tool prints")]

fn main() {
    println!("mcpeer {}", env!("CARGO_PKG_VERSION"));
}
