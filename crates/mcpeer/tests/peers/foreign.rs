//! Where the peers are, and how to start them.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Stdio,
    sync::OnceLock,
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::Command,
};

/// How long a peer may take for all of its steps. Passing takes seconds; this only bounds a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The length of a large text, in bytes.
pub(crate) const LARGE: usize = 8 * 1024 * 1024;

/// A text with all that is easily broken on the way.
pub(crate) const UNUSUAL: &str = "Grüße, 世界, שלום, 👩‍👩‍👧‍👦 🏳️‍🌈\n\
    combining: e\u{301} a\u{30a}\n\
    separators: \u{2028} \u{2029} \u{85} \u{feff}\n\
    escapes: \"quoted\" \\back/slash \t tab \r\n line \u{1} \u{1f} \u{7f}\n\
    planes: \u{10ffff} \u{1f600} \u{ffff} \u{d7ff}";

/// The SDK that a peer is written with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sdk {
    TypeScript1,
    TypeScript2,
    Python,
    Rmcp,
}

/// A program and its arguments.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine(pub(crate) Vec<OsString>);

impl CommandLine {
    pub(crate) fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self(words.into_iter().map(Into::into).collect())
    }

    /// An example of this crate. `cargo test` builds the examples with the tests, beside them; `cargo test --test` does
    /// not.
    ///
    /// # Panics
    ///
    /// It is missing or older than what it is made of.
    pub(crate) fn example(name: &str) -> Self {
        let test = std::env::current_exe().expect("the test knows its own path");
        let profile = test.parent().and_then(Path::parent).expect("tests lie in a folder of the profile's");
        let program = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let made = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let sources = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
        let newest = sources.split_whitespace().skip(1).filter_map(|source| made(Path::new(source))).max();
        let is_current = made(&program).is_some_and(|made| newest.is_some_and(|newest| newest <= made));
        assert!(is_current, "{} is missing or old; `cargo build --example {name}` makes it", program.display());
        Self::new([program])
    }

    /// The same with these arguments.
    pub(crate) fn with(mut self, arguments: &[&str]) -> Self {
        self.0.extend(arguments.iter().map(OsString::from));
        self
    }
}

impl Sdk {
    /// The command line of the server, or none, with a word to the person who runs the tests, where it is not installed.
    pub(crate) fn server(self) -> Option<CommandLine> {
        self.program("server")
    }

    /// The command line of the client, likewise.
    pub(crate) fn client(self) -> Option<CommandLine> {
        self.program("client")
    }

    /// What the server says it is called.
    pub(crate) fn server_name(self) -> &'static str {
        match self {
            Self::TypeScript1 => "ts1-server",
            Self::TypeScript2 => "ts2-server",
            Self::Python => "python-server",
            Self::Rmcp => "rmcp-server",
        }
    }

    /// The command line of one of its programs.
    pub(crate) fn program(self, role: &str) -> Option<CommandLine> {
        match self {
            Self::TypeScript1 => node(&format!("ts1/{role}.mjs"), &[]),
            Self::TypeScript2 => node(&format!("ts2/{role}.mjs"), &[]),
            Self::Python => python(&format!("python/{role}.py")),
            Self::Rmcp => rmcp(role),
        }
    }
}

/// The command line of a published server among the installed packages.
pub(crate) fn package(path: &str, arguments: &[&str]) -> Option<CommandLine> {
    node(&format!("node_modules/{path}"), arguments)
}

/// What a foreign client made of a server.
pub(crate) struct Report {
    /// Whether its expectations were met.
    pub(crate) is_content: bool,
    /// What it reported, a line of JSON for each step.
    pub(crate) reported: String,
    /// The end of its standard error, which is the server's too.
    pub(crate) stderr: String,
}

impl Report {
    /// Gives what was reported of each step.
    ///
    /// # Panics
    ///
    /// The client's expectations were not met.
    pub(crate) fn steps(&self) -> Vec<Value> {
        let Self { is_content, reported, stderr } = self;
        assert!(is_content, "the client is not content. It reported:\n{reported}\nstandard error ends so:\n{stderr}");
        reported.lines().map(|line| serde_json::from_str(line).expect("the client reports in JSON")).collect()
    }
}

/// Takes a server through the steps of `conformance/peers/scenario.mjs` (`calls`) or `features.mjs` (`features`) with a
/// foreign client, which starts it.
pub(crate) async fn run_client(client: &CommandLine, scenario: &str, version: &str, server: &CommandLine) -> Report {
    let mut command = command(client);
    command
        .args([scenario, version])
        .args(&server.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the client starts");
    let (stdout, stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let (stdout, stderr) = (tokio::spawn(tail(stdout)), tokio::spawn(tail(stderr)));
    let status = tokio::time::timeout(PATIENCE, child.wait()).await;
    let is_late = status.is_err();
    if is_late {
        child.kill().await.expect("the client is ended");
    }
    let (reported, stderr) = (stdout.await.expect("read"), stderr.await.expect("read"));
    assert!(
        !is_late,
        "the client is not done after {PATIENCE:?}. It reported:\n{reported}\nstandard error ends so:\n{stderr}"
    );
    let status = status.expect("it is not late").expect("the client is waited for");
    Report { is_content: status.success(), reported, stderr }
}

/// A child process that ends when nobody waits for it any more.
pub(crate) fn command(line: &CommandLine) -> Command {
    let mut command = Command::new(&line.0[0]);
    command.args(&line.0[1..]).kill_on_drop(true);
    command
}

/// Reads to the end; keeps the last part.
async fn tail(mut stream: impl AsyncRead + Unpin) -> String {
    const KEPT: usize = 16 * 1024;
    let mut kept = Vec::new();
    while let Ok(1..) = stream.read_buf(&mut kept).await {
        if kept.len() > 2 * KEPT {
            kept.drain(..kept.len() - KEPT);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn node(path: &str, arguments: &[&str]) -> Option<CommandLine> {
    let home = peers().join("node");
    if !home.join("node_modules").is_dir() {
        return not_run("the TypeScript part", &home);
    }
    place_programs(&home);
    let words = ["node".into(), home.join(path).into_os_string()];
    Some(CommandLine::new(words.into_iter().chain(arguments.iter().map(OsString::from))))
}

fn python(path: &str) -> Option<CommandLine> {
    let home = peers().join("python");
    let interpreter = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !interpreter.exists() {
        return not_run("the Python part", &home);
    }
    // It lies among the sources, which stay as they are.
    Some(CommandLine::new([interpreter.into_os_string(), "-B".into(), sources().join(path).into_os_string()]))
}

fn rmcp(role: &str) -> Option<CommandLine> {
    let home = peers().join("rmcp");
    let program = home.join(format!("debug/rmcp_{role}")).with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        return not_run("the Rust part", &home);
    }
    Some(CommandLine::new([program]))
}

/// Says, to a person and to the report of what did not run, that a test has not run.
fn not_run(what: &str, place: &Path) -> Option<CommandLine> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let text = format!("{test}: {what} of the peers: nothing in {}; `cargo xtask test` installs it", place.display());
    eprintln!("not run: {text}");
    if let Some(report) = std::env::var_os("MCPEER_NOT_RUN_FILE") {
        let mut report =
            fs::OpenOptions::new().create(true).append(true).open(report).expect("the report can be written");
        writeln!(report, "{text}").expect("the report can be written");
    }
    None
}

/// Copies the programs beside the packages that they import: an import is looked up from where the program lies.
fn place_programs(target: &Path) {
    static PLACED: OnceLock<()> = OnceLock::new();
    PLACED.get_or_init(|| {
        for name in programs() {
            let target = target.join(&name);
            fs::create_dir_all(target.parent().expect("has a folder")).expect("the folder can be made");
            // Other processes may be reading it, so a new text appears at once and complete.
            let draft = target.with_extension(format!("{}.draft", std::process::id()));
            fs::copy(sources().join(&name), &draft).expect("the program can be copied");
            fs::rename(&draft, &target).expect("the program can be put in place");
        }
    });
}

/// Gives the paths of the programs in JavaScript, below where they lie.
fn programs() -> Vec<PathBuf> {
    let list = |folder: &str| {
        let entries = fs::read_dir(sources().join(folder)).expect("the programs can be listed");
        entries.map(|entry| Path::new(folder).join(entry.expect("it can be read").file_name())).collect::<Vec<_>>()
    };
    let mut programs: Vec<PathBuf> = ["", "ts1", "ts2"].into_iter().flat_map(list).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "mjs"));
    programs
}

fn sources() -> PathBuf {
    workspace().join("conformance/peers")
}

fn peers() -> PathBuf {
    workspace().join(std::env::var_os("MCPEER_PEERS_DIR").unwrap_or_else(|| "target/peers".into()))
}

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
