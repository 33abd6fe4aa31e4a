//! Helper tasks: `cargo xtask test`, `budget`, `bench`, `simulate`.

fn main() {}
