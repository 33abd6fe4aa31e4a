//! Serving over standard input and output, under the parents that real hosts are.

use std::{
    future::poll_fn,
    process::{Command, Output, Stdio},
    task::{Poll, ready},
};

use mcpeer::transport::{Received, Transport, TransportExt, stdio};

use crate::support::{is_installed, temporary};

/// Set in a process that is the server of another test.
const ROLE: &str = "MCPEER_TEST_ROLE";
/// Ends the server with its input open.
const QUIT: &str = "[\"quit\"]";

/// The arguments that make this program run [`a_server_answers_each_line_until_its_input_ends`] alone. The lines that
/// the test harness prints about itself are noise to the parents, as a server's stray prints are.
const ARGUMENTS: [&str; 3] = ["stdio::a_server_answers_each_line_until_its_input_ends", "--exact", "--nocapture"];

#[test]
fn a_server_answers_each_line_until_its_input_ends() {
    if std::env::var_os(ROLE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(serve());
    }
    let output = run_shell("printf '{\"n\":1}\\n{\"n\":2}' | \"$@\"");
    let text = String::from_utf8(output.stdout).unwrap();
    for answer in ["{\"of\":\"pipe\",\"threads\":0,\"got\":{\"n\":1}}\n", "\"got\":{\"n\":2}}\n", "\n{\"end\":true}\n"]
    {
        assert!(text.contains(answer), "{text}");
    }
}

/// Answers each line with what it got and by what means it was read, and says when the input has ended.
async fn serve() {
    let before = threads();
    let mut transport = stdio().unwrap().message_limit(64 * 1024);
    let debug = format!("{transport:?}");
    let of = ["Pipe", "Socket", "Blocking"].into_iter().find(|kind| debug.contains(&format!("reader: {kind}(")));
    let of = of.unwrap().to_lowercase();
    loop {
        let line = poll_fn(|cx| {
            Poll::Ready(match ready!(transport.poll_receive(cx)).unwrap() {
                Received::Message(inbound) => Some(String::from_utf8(inbound.message.to_vec()).unwrap()),
                Received::Skipped { bytes, .. } => Some(format!("{{\"skipped\":{bytes}}}")),
                Received::StreamEnded(_) | Received::Failed { .. } | Received::InputEnded => None,
            })
        });
        let Some(line) = line.await else { break };
        if line == QUIT {
            return;
        }
        let threads = threads() - before;
        transport.send_text(format!("{{\"of\":\"{of}\",\"threads\":{threads},\"got\":{line}}}")).await.unwrap();
    }
    transport.send_text("{\"end\":true}").await.unwrap();
    transport.close().await.unwrap();
}

/// Counts the threads of this process, where the system tells.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn run_shell(script: &str) -> Output {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(program).args(ARGUMENTS).env(ROLE, "1").stderr(Stdio::inherit());
    command.output().unwrap()
}

/// Runs a parent in another language: it starts the server that its arguments name and checks all by itself.
fn run_parent(language: &str, flag: &str, script: &str) {
    if !is_installed(language) {
        return;
    }
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(language);
    command.args([flag, script]).arg(program).args(ARGUMENTS).env(ROLE, "1");
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What every Python parent starts with.
const PYTHON: &str = r#"
import fcntl, json, os, pty, socket, subprocess, sys

def is_blocking(descriptor):
    return not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK

def start(stdin, stdout, **more):
    return subprocess.Popen(sys.argv[1:], stdin=stdin, stdout=stdout, **more)

def answer(lines):
    for line in lines:
        if line.startswith(b"{"):
            return json.loads(line)
    raise Exception("the output has ended")

def exchange(write, lines, of, threads):
    write(b'\xef\xbb\xbf{"n":1}\r\n\n   \n')
    assert answer(lines) == {"of": of, "threads": threads, "got": {"n": 1}}
    write(b'"' + b'x' * 70000)
    write(b'"\n{"n":2}\n')
    assert answer(lines)["got"] == {"skipped": 70002}
    assert answer(lines)["got"] == {"n": 2}
"#;

#[test]
fn python_starts_servers_on_pipes() {
    run_parent(
        "python3",
        "-c",
        &(PYTHON.to_owned()
            + r#"
to_read, to_write = os.pipe()
from_read, from_write = os.pipe()
server = start(to_read, from_write)
lines = os.fdopen(from_read, "rb")
exchange(lambda data: os.write(to_write, data), lines, "pipe", 0)
assert not is_blocking(to_read) and not is_blocking(from_write)
os.write(to_write, b'{"last":1}')
os.close(to_write)
assert answer(lines)["got"] == {"last": 1}
assert answer(lines) == {"end": True}
assert server.wait(60) == 0
assert is_blocking(to_read) and is_blocking(from_write)
"#),
    );
}

#[test]
fn sockets_are_served_without_threads_and_get_their_mode_back() {
    run_parent(
        "python3",
        "-c",
        &(PYTHON.to_owned()
            + r#"
ours, theirs = socket.socketpair()
server = start(theirs, theirs)
lines = ours.makefile("rb")
exchange(ours.sendall, lines, "socket", 0)
assert not is_blocking(theirs)
ours.shutdown(socket.SHUT_WR)
assert answer(lines) == {"end": True}
assert server.wait(60) == 0
assert is_blocking(theirs)
"#),
    );
}

#[test]
fn a_terminal_does_not_keep_a_server_alive_that_is_done() {
    run_parent(
        "python3",
        "-c",
        &(PYTHON.to_owned()
            + r#"
ours, theirs = pty.openpty()
server = start(theirs, subprocess.PIPE)
os.write(ours, b'{"n":1}\n')
assert answer(server.stdout) == {"of": "blocking", "threads": 1, "got": {"n": 1}}
os.write(ours, b'["quit"]\n')
assert server.wait(60) == 0
"#),
    );
}

#[test]
fn standard_error_stays_blocking_where_it_shares_a_pipe_with_the_output() {
    run_parent(
        "python3",
        "-c",
        &(PYTHON.to_owned()
            + r#"
from_read, from_write = os.pipe()
server = start(subprocess.PIPE, from_write, stderr=from_write)
lines = os.fdopen(from_read, "rb")
server.stdin.write(b'{"n":1}\n')
server.stdin.flush()
assert answer(lines) == {"of": "pipe", "threads": 1, "got": {"n": 1}}
assert is_blocking(from_write)
server.stdin.close()
assert answer(lines) == {"end": True}
assert server.wait(60) == 0
"#),
    );
}

#[test]
fn a_server_ends_when_its_parent_is_killed() {
    // A pipe of its own tells the test when the server is gone.
    run_parent(
        "python3",
        "-c",
        &(PYTHON.to_owned()
            + r#"
alive_read, alive_write = os.pipe()
if os.fork() == 0:
    server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[alive_write])
    server.stdin.write(b'{"n":1}\n')
    server.stdin.flush()
    answer(server.stdout)
    os.kill(os.getpid(), 9)
os.close(alive_write)
os.wait()
assert os.read(alive_read, 1) == b""
"#),
    );
}

#[test]
fn node_starts_servers_on_sockets() {
    run_parent(
        "node",
        "-e",
        r#"
const { spawn } = require("node:child_process");
const assert = require("node:assert");
const server = spawn(process.argv[1], process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
const answers = [];
require("node:readline").createInterface({ input: server.stdout })
  .on("line", line => { if (line.startsWith("{")) answers.push(JSON.parse(line)); });
server.stdin.write('{"n":1}\r\n\n{"big":"' + "é".repeat(20000) + '"}\n');
server.stdin.end('{"last":1}');
server.on("close", code => {
  assert.equal(code, 0);
  assert.deepEqual(answers[0], { of: "socket", threads: 0, got: { n: 1 } });
  assert.equal(answers[1].got.big.length, 20000);
  assert.deepEqual(answers[2].got, { last: 1 });
  assert.deepEqual(answers[3], { end: true });
});
"#,
    );
}

#[test]
fn files_are_served() {
    let (input, output) = (temporary("input"), temporary("output"));
    std::fs::write(&input, "{\"n\":1}\n{\"n\":2}").unwrap();
    let script = format!("\"$@\" <'{}' >'{}'", input.display(), output.display());
    let status = run_shell(&script).status;
    let text = std::fs::read_to_string(&output).unwrap();
    std::fs::remove_file(input).unwrap();
    std::fs::remove_file(output).unwrap();
    assert!(status.success(), "{text}");
    for answer in
        ["{\"of\":\"blocking\",\"threads\":2,\"got\":{\"n\":1}}\n", "\"got\":{\"n\":2}}\n", "{\"end\":true}\n"]
    {
        assert!(text.contains(answer), "{text}");
    }
}
