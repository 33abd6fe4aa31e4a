//! The layers, and the imports that are there.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::source::Source;

/// What each module may name of the others. A name without a path allows all of that module.
pub(crate) const ALLOWED: &[(&str, &[&str])] = &[
    ("guide", &[]),
    ("rpc", &[]),
    ("model", &[]),
    ("version", &[]),
    ("schema", &[]),
    ("wire", &["rpc", "model", "version"]),
    ("proto", &["rpc", "version", "wire"]),
    ("transport", &["rpc", "proto::io"]),
    ("error", &["rpc", "model", "version", "proto::io"]),
    ("driver", &["proto", "transport", "rpc"]),
    // It runs connections by itself: one for each message.
    (
        "transport::http",
        &[
            "rpc",
            "version",
            "wire::headers",
            "wire::codes",
            "wire::classify",
            "wire::meta",
            "proto",
            "transport",
            "driver",
        ],
    ),
    ("peer", &["driver", "model", "rpc", "version", "error"]),
    ("handler", &["driver", "model", "rpc", "version", "error", "peer"]),
    ("extension", &["model", "version", "wire", "proto"]),
    (
        "client",
        &[
            "extension",
            "rpc",
            "model",
            "version",
            "wire",
            "proto",
            "transport",
            "error",
            "driver",
            "peer",
            "handler",
            "schema",
        ],
    ),
    (
        "server",
        &[
            "extension",
            "rpc",
            "model",
            "version",
            "wire",
            "proto",
            "transport",
            "error",
            "driver",
            "peer",
            "handler",
            "schema",
        ],
    ),
    ("skills", &["extension", "rpc", "model", "version", "proto", "error", "driver", "handler", "client", "server"]),
    ("testing", &["rpc", "version", "transport", "error", "driver", "client", "server"]),
];

/// One module names something of another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The module that names it.
    pub(crate) from: String,
    /// What is named: a module, and what it names in there.
    pub(crate) to: Vec<String>,
    /// The file where it stands.
    pub(crate) file: PathBuf,
}

impl Edge {
    /// Tells whether the layers allow it.
    pub(crate) fn is_allowed(&self) -> bool {
        let allowed = ALLOWED.iter().find(|(name, _)| *name == self.from).map_or(&[][..], |(_, allowed)| allowed);
        allowed.iter().any(|path| {
            path.split("::").zip(&self.to).all(|(a, b)| a == b) && self.to.len() >= path.split("::").count()
        })
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} names crate::{} in {}", self.from, self.to.join("::"), self.file.display())
    }
}

/// Reads every import between two modules of the crate whose sources lie in this folder.
pub(crate) fn edges(sources: &Path) -> BTreeSet<Edge> {
    let mut edges = BTreeSet::new();
    collect(sources, &mut Vec::new(), &mut edges);
    edges
}

fn collect(folder: &Path, modules: &mut Vec<String>, edges: &mut BTreeSet<Edge>) {
    for path in fs::read_dir(folder).expect("the sources can be read").map(|entry| entry.expect("an entry").path()) {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        if name == "tests" || (path.is_file() && !is_rust) || (modules.is_empty() && (name == "lib" || name == "main"))
        {
            continue;
        }
        let is_child = name != "mod";
        modules.extend(is_child.then_some(name));
        if path.is_dir() {
            collect(&path, modules, edges);
        } else {
            add(&path, modules, edges);
        }
        modules.truncate(modules.len() - usize::from(is_child));
    }
}

fn add(path: &Path, modules: &[String], edges: &mut BTreeSet<Edge>) {
    let text = fs::read_to_string(path).expect("the sources can be read");
    let from = match modules {
        [first, second, ..] if first == "transport" && second == "http" => "transport::http".to_owned(),
        _ => modules[0].clone(),
    };
    for to in Source::new(&text).without_tests().root_paths(modules.len()) {
        if to.first() != modules.first() {
            edges.insert(Edge { from: from.clone(), to, file: path.to_owned() });
        }
    }
}
