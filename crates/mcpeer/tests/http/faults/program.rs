//! A server in a process of its own: this program once more, with one test that serves.

use std::{net::SocketAddr, process::Stdio, sync::OnceLock, time::Duration};

use mcpeer::{
    handler::Context,
    server::{Args, HttpService, Server},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// Where the server is to be found, and that it is to be one.
const ADDRESS: &str = "MCPEER_TEST_SERVE_AT";
/// Nobody here is to be taken for somebody who is gone.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(24 * 3600);
const SERVING: &str = "serving at ";

/// A server that runs until this is dropped.
pub(crate) struct Program {
    pub(crate) address: SocketAddr,
    child: Child,
    /// What it says besides: it must be able to.
    _said: Lines<BufReader<ChildStdout>>,
}

impl Program {
    pub(crate) async fn start(address: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["faults::program::serves_where_it_is_told_to", "--exact", "--nocapture"])
            .env(ADDRESS, address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        loop {
            let line = lines.next_line().await.unwrap().expect("the server does not start");
            // The first line may stand behind what the runner of tests says.
            if let Some((_, address)) = line.split_once(SERVING) {
                return Self { address: address.parse().unwrap(), child, _said: lines };
            }
        }
    }

    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Work {
    /// The file that gets a line.
    path: String,
}

/// What the program serves.
fn server(service: &'static OnceLock<HttpService>) -> Server {
    static CHANGES: OnceLock<Server> = OnceLock::new();
    let server = Server::builder("program", "1")
        .tool("echo", async || "done")
        .tool("work", async |cx: Context, Args(work): Args<Work>| {
            use std::io::Write as _;
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(work.path).unwrap();
            writeln!(file, "worked").unwrap();
            cx.progress(1.0, None, None).await;
            cx.cancelled().await;
            "cancelled"
        })
        .tool("streams", async move || service.get().map_or(0, |service| service.load().streams).to_string())
        .tool("change", async || {
            CHANGES.get().unwrap().tools_changed();
            "done"
        })
        .tool("effort", async || effort().to_string())
        .build()
        .unwrap();
    let _ = CHANGES.set(server.clone());
    server
}

/// The time that this process has computed, in microseconds.
#[cfg(unix)]
fn effort() -> u128 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(spent).unwrap().as_micros()
}

#[cfg(not(unix))]
fn effort() -> u128 {
    0
}

/// Raises the number of files that may be open as far as that goes, and gives it.
#[cfg(unix)]
pub(crate) fn raise_files() -> u64 {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    limit.current.unwrap_or(u64::MAX)
}

#[tokio::test]
async fn serves_where_it_is_told_to() {
    static SERVICE: OnceLock<HttpService> = OnceLock::new();
    let Ok(address) = std::env::var(ADDRESS) else { return };
    #[cfg(unix)]
    raise_files();
    let bound = server(&SERVICE).http().max_streams(10_000).head_timeout(FOR_EVER).bind(address).await.unwrap();
    let _ = SERVICE.set(bound.service().clone());
    println!("{SERVING}{}", bound.local_addr());
    // Whoever started this program has ended when nothing more comes from it.
    bound.serve_until(async { drop(tokio::io::stdin().read_u8().await) }).await;
}
