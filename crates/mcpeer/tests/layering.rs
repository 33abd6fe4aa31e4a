//! Which module may import which: the modules form layers, and this test pins them.

#[path = "layering/imports.rs"]
mod imports;
#[allow(dead_code, reason = "xtask includes this file, too, and uses the rest of it")]
#[path = "layering/source.rs"]
mod source;

use std::path::Path;

use imports::{ALLOWED, Edge, edges};
use source::Source;

fn sources() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

#[test]
fn modules_import_only_what_their_layer_allows() {
    let edges = edges(sources());
    assert!(edges.len() > 10, "the sources were not read: {edges:?}");
    let forbidden: Vec<_> = edges.iter().filter(|edge| !edge.is_allowed()).map(Edge::to_string).collect();
    assert!(forbidden.is_empty(), "forbidden imports:\n{}", forbidden.join("\n"));
}

#[test]
fn every_module_has_its_place_in_the_layers() {
    let declared = Source::new(&std::fs::read_to_string(sources().join("lib.rs")).unwrap());
    let modules = declared.without_tests().modules();
    let unplaced: Vec<_> = modules.iter().filter(|module| !ALLOWED.iter().any(|(name, _)| name == module)).collect();
    assert!(modules.len() > 5 && unplaced.is_empty(), "modules without a row in ALLOWED: {unplaced:?}");
}

#[test]
fn the_layers_have_no_cycle() {
    let mut placed: Vec<&str> = Vec::new();
    while placed.len() < ALLOWED.len() {
        let next = ALLOWED.iter().find(|(name, below)| {
            !placed.contains(name) && below.iter().all(|path| placed.contains(&path.split("::").next().unwrap()))
        });
        let Some((name, _)) = next else { panic!("only {placed:?} can be put in layers") };
        placed.push(name);
    }
}

#[test]
fn comments_literals_and_tests_name_no_module() {
    let text = r##"
        use crate::rpc::{Raw, id::RequestId as Id};
        // use crate::comment;
        /* use crate::outer; /* crate::inner */ crate::again */
        const TEXT: &str = "crate::text \" crate::more";
        const RAW: &[u8] = br#"crate::raw " crate::raws"#;
        fn code<'a>(c: char) -> bool { c == '"' || c == '\'' || crate::version::check::<u8>(&'a') }
        #[cfg(test)]
        mod tests { use crate::client::{Client, builder}; }
    "##;
    let paths = Source::new(text).without_tests().root_paths(1);
    let paths: Vec<_> = paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["rpc::Raw", "rpc::id::RequestId", "version::check"]);
}

#[test]
fn super_counts_where_it_leads_to_the_root() {
    let text = "use super::{io, connection::Connection}; use super::super::wire::codec;";
    let paths = |depth| Source::new(text).root_paths(depth).iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(paths(2), ["wire::codec"]);
    assert!(paths(1).contains(&"connection::Connection".to_owned()));
}
