//! Child processes: how they start, speak, die, and are ended.

use std::{io, os::unix::process::ExitStatusExt, time::Duration};

use mcpeer::transport::{
    Connect, Outbound, Route, Transport, TransportExt,
    child::{Child, Command, Monitor, Stderr},
};
use tokio::time::timeout;

use crate::support::{PATIENCE, Tree, is_installed, temporary};

const SHORT: Duration = Duration::from_millis(20);

fn shell(script: &str) -> Command {
    Command::new("sh").arg("-c").arg(script).stderr(Stderr::Capture)
}

/// Starts a script that says `"ready"`, under a tree that tells when all of it is gone.
async fn start(script: &str, set: impl FnOnce(Command) -> Command) -> (Child, Monitor, Tree) {
    let tree = Tree::new();
    let mut command = set(shell(&format!("exec 9>\"$TREE\"\n{script}")).env("TREE", &tree.path));
    let monitor = command.monitor();
    let mut server = command.connect().await.unwrap();
    assert_eq!(receive(&mut server).await.as_deref(), Some("\"ready\""));
    (server, monitor, tree)
}

async fn receive(server: &mut Child) -> Option<String> {
    timeout(PATIENCE, server.receive_text()).await.expect("the server says nothing").unwrap()
}

async fn close(server: &mut Child) -> io::Result<()> {
    timeout(PATIENCE, server.close()).await.expect("closing never ends")
}

/// Waits until the process has been reaped.
async fn reaped(monitor: &Monitor) -> std::process::ExitStatus {
    let status = async {
        loop {
            match monitor.exit_status() {
                Some(status) => return status,
                None => tokio::task::yield_now().await,
            }
        }
    };
    let status = timeout(PATIENCE, status).await.expect("the process is not reaped");
    if cfg!(target_os = "linux") {
        assert!(!std::path::Path::new(&format!("/proc/{}", monitor.pid().unwrap())).exists());
    }
    status
}

#[tokio::test]
async fn a_server_that_ends_with_its_input_is_only_waited_for() {
    let (mut server, monitor, tree) =
        start("trap 'exit 7' TERM; echo '\"ready\"'; cat >/dev/null; exit 0", |it| it.exit_timeout(PATIENCE)).await;
    close(&mut server).await.unwrap();
    assert_eq!(reaped(&monitor).await.code(), Some(0));
    close(&mut server).await.unwrap();
    tree.gone().await;
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_terminated() {
    // It takes its time to clean up.
    let script = "trap 'sleep 0.1; exit 7' TERM; echo '\"ready\"'; while :; do sleep 1000 & wait; done";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(PATIENCE)).await;
    close(&mut server).await.unwrap();
    assert_eq!(reaped(&monitor).await.code(), Some(7));
    tree.gone().await;
}

#[tokio::test]
async fn a_server_that_ignores_termination_is_killed_with_what_it_started() {
    let script = "trap '' TERM; sleep 1000 & echo '\"ready\"'; while :; do sleep 1000; done";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(SHORT)).await;
    close(&mut server).await.unwrap();
    assert_eq!(reaped(&monitor).await.signal(), Some(9));
    tree.gone().await;
}

#[tokio::test]
async fn what_a_server_leaves_behind_ends_with_it() {
    let script = "sleep 1000 & (trap '' TERM; exec sleep 1000) & echo '\"ready\"'; cat >/dev/null";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(SHORT)).await;
    close(&mut server).await.unwrap();
    reaped(&monitor).await;
    tree.gone().await;
}

#[tokio::test]
async fn dropping_ends_and_reaps_the_server_in_the_background() {
    let script = "trap 'exit 7' TERM; echo '\"ready\"'; while :; do sleep 1000 & wait; done";
    let (server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(PATIENCE)).await;
    drop(server);
    tree.gone().await;
    assert_eq!(reaped(&monitor).await.code(), Some(7));
}

#[tokio::test]
async fn giving_up_a_close_half_way_ends_the_server_all_the_same() {
    let script = "trap '' TERM; echo '\"ready\"'; while :; do sleep 1000; done";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(SHORT)).await;
    timeout(Duration::ZERO, server.close()).await.unwrap_err();
    drop(server);
    tree.gone().await;
    assert_eq!(reaped(&monitor).await.signal(), Some(9));
}

#[test]
fn the_end_of_the_runtime_ends_and_reaps_the_server() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for is_dropped_inside in [true, false] {
        let watching = runtime();
        let script = "trap '' TERM; echo '\"ready\"'; while :; do sleep 1000; done";
        let serving = runtime();
        let tree = watching.block_on(async { Tree::new() });
        let mut command = shell(&format!("exec 9>\"$TREE\"\n{script}")).env("TREE", &tree.path);
        let monitor = command.monitor();
        let mut server = serving.block_on(command.connect()).unwrap();
        assert_eq!(serving.block_on(receive(&mut server)).as_deref(), Some("\"ready\""));
        if is_dropped_inside {
            serving.spawn(async move {
                std::future::pending::<()>().await;
                drop(server);
            });
            drop(serving);
        } else {
            drop(serving);
            drop(server);
        }
        watching.block_on(async {
            tree.gone().await;
            assert_eq!(reaped(&monitor).await.signal(), Some(9));
        });
    }
}

#[tokio::test]
async fn an_early_death_is_told_at_once_with_its_status_and_last_words() {
    let mut server = shell("echo one >&2; printf 'no such config' >&2; exit 3").connect().await.unwrap();
    assert_eq!(receive(&mut server).await, None);
    let diagnosis = server.diagnosis().unwrap();
    assert!(diagnosis.contains("`sh` (process ") && diagnosis.contains("exit status: 3"), "{diagnosis}");
    assert!(diagnosis.ends_with("\n  one\n  no such config"), "{diagnosis}");
    close(&mut server).await.unwrap();
}

#[tokio::test]
async fn a_death_by_signal_is_told() {
    let mut server = shell("kill -9 $$").connect().await.unwrap();
    assert_eq!(receive(&mut server).await, None);
    let diagnosis = server.diagnosis().unwrap();
    assert!(diagnosis.contains("signal: 9"), "{diagnosis}");
}

#[tokio::test]
async fn the_last_messages_of_a_dying_server_arrive() {
    let mut server = shell("echo '[1]'; printf '[2]'; exit 1").connect().await.unwrap();
    assert_eq!(receive(&mut server).await.as_deref(), Some("[1]"));
    assert_eq!(receive(&mut server).await.as_deref(), Some("[2]"));
    assert_eq!(receive(&mut server).await, None);
}

#[tokio::test]
async fn a_server_that_never_speaks_can_be_diagnosed_and_ended() {
    let mut command = shell("echo starting >&2; exec sleep 1000").exit_timeout(SHORT);
    let monitor = command.monitor();
    let mut server = command.connect().await.unwrap();
    timeout(SHORT, server.receive_text()).await.unwrap_err();
    assert!(server.diagnosis().unwrap().contains("is running"));
    close(&mut server).await.unwrap();
    assert_eq!(reaped(&monitor).await.signal(), Some(15));
    assert_eq!(monitor.stderr_tail(), ["starting"]);
}

#[tokio::test]
async fn a_server_that_closes_its_output_alone_has_ended_its_side() {
    let (mut server, _, tree) = start("echo '\"ready\"'; exec 1>&-; cat >/dev/null", |it| it).await;
    assert_eq!(receive(&mut server).await, None);
    assert!(server.diagnosis().unwrap().contains("is running"));
    close(&mut server).await.unwrap();
    tree.gone().await;
}

#[tokio::test]
async fn output_that_is_held_open_by_what_a_dead_server_left_does_not_hide_its_death() {
    let script = "(trap '' TERM; exec sleep 1000) & echo '\"ready\"'; exit 4";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT).terminate_timeout(SHORT)).await;
    assert_eq!(receive(&mut server).await, None);
    assert_eq!(monitor.exit_status().unwrap().code(), Some(4));
    drop(server);
    tree.gone().await;
}

#[tokio::test]
async fn a_broken_input_is_told_with_the_status_of_the_server() {
    let (mut server, _, tree) = start("exec 0<&-; echo '\"ready\"'; echo bye >&2; exit 5", |it| it).await;
    // Another test that starts a process just now holds a copy of the pipe for a moment.
    let error = loop {
        if let Err(error) = server.send_text("{}").await {
            break error;
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    let diagnosis = server.diagnosis().unwrap();
    assert!(diagnosis.contains("exit status: 5") && diagnosis.ends_with("\n  bye"), "{diagnosis}");
    tree.gone().await;
}

#[tokio::test]
async fn closing_does_not_wait_for_a_server_that_never_reads() {
    let script = "echo '\"ready\"'; exec sleep 1000";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(SHORT)).await;
    let text = vec![b'1'; 4 << 20];
    server.send(Outbound::Message {
        route: Route::PIPE,
        request: None,
        is_last: false,
        refusal: None,
        headers: None,
        text,
    });
    assert_eq!(close(&mut server).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(reaped(&monitor).await.signal(), Some(15));
    tree.gone().await;
}

#[tokio::test]
async fn a_server_can_write_its_last_words_while_it_is_closed() {
    let script = "echo '\"ready\"'; cat >/dev/null; head -c 4000000 /dev/zero; exit 6";
    let (mut server, monitor, tree) = start(script, |it| it.exit_timeout(PATIENCE)).await;
    close(&mut server).await.unwrap();
    assert_eq!(reaped(&monitor).await.code(), Some(6));
    tree.gone().await;
}

#[tokio::test]
async fn a_command_starts_anew_each_time_it_is_connected() {
    let mut command = shell("echo $$; cat >/dev/null");
    let monitor = command.monitor();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut server = command.connect().await.unwrap();
        let pid = receive(&mut server).await.unwrap();
        assert_eq!(pid, monitor.pid().unwrap().to_string());
        seen.push(pid);
        close(&mut server).await.unwrap();
    }
    assert_ne!(seen[0], seen[1]);
}

#[tokio::test]
async fn errors_of_the_start_name_the_program() {
    for (mut command, advice) in [
        (Command::new("no-such-program-anywhere"), "in PATH"),
        (Command::new("sh -c true"), "`arg`"),
        (Command::new("./no/such/program"), "no such file"),
        (Command::new("sh").current_dir("/no/such/directory"), "working directory `/no/such/directory`"),
        (Command::new("/dev/null"), "not executable"),
    ] {
        let error = command.connect().await.unwrap_err();
        assert!(error.to_string().starts_with("cannot start `") && error.to_string().contains(advice), "{error}");
    }
}

#[tokio::test]
async fn a_script_whose_interpreter_is_missing_is_told_from_a_missing_file() {
    use std::os::unix::fs::PermissionsExt;
    let path = temporary("script");
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = Command::new(&path).connect().await.unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert!(error.to_string().contains("interpreter"), "{error}");
}

#[tokio::test]
async fn the_environment_is_small_unless_more_is_asked_for() {
    // Cargo sets this one for every test.
    let ours = "CARGO_MANIFEST_DIR";
    let value = std::env::var(ours).unwrap();
    let script = format!("echo \"[$ADDED,${ours}]\"; cat >/dev/null");
    for (command, expected) in [
        (shell(&script), "[,]".to_owned()),
        (shell(&script).env("ADDED", "1"), "[1,]".to_owned()),
        (shell(&script).inherit_env(ours), format!("[,{value}]")),
        (shell(&script).inherit_all_env(), format!("[,{value}]")),
        (shell(&script).inherit_all_env().env_remove(ours), "[,]".to_owned()),
    ] {
        let mut command = command;
        let mut server = command.connect().await.unwrap();
        assert_eq!(receive(&mut server).await, Some(expected));
        close(&mut server).await.unwrap();
    }
}

#[tokio::test]
async fn the_working_directory_can_be_set() {
    let mut server = shell("pwd; cat >/dev/null").current_dir("/").connect().await.unwrap();
    assert_eq!(receive(&mut server).await.as_deref(), Some("/"));
    close(&mut server).await.unwrap();
}

#[tokio::test]
async fn lines_of_standard_error_can_be_had_and_never_count_as_failure() {
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let stderr = Stderr::lines(move |line| sender.send(line.to_owned()).unwrap());
    let mut command = shell("echo ERROR: fatal >&2; read line; echo \"$line\"").stderr(stderr);
    let mut server = command.connect().await.unwrap();
    assert_eq!(lines.recv().await.as_deref(), Some("ERROR: fatal"));
    server.send_text("[1]").await.unwrap();
    assert_eq!(receive(&mut server).await.as_deref(), Some("[1]"));
    assert_eq!(command.monitor().stderr_tail(), ["ERROR: fatal"]);
    close(&mut server).await.unwrap();
}

#[tokio::test]
async fn standard_error_can_be_let_go() {
    let mut command = shell("echo lost >&2; echo '[1]'; cat >/dev/null").stderr(Stderr::Null);
    let mut server = command.connect().await.unwrap();
    assert_eq!(receive(&mut server).await.as_deref(), Some("[1]"));
    close(&mut server).await.unwrap();
    assert!(command.monitor().stderr_tail().is_empty());
}

#[tokio::test]
async fn giant_messages_pass_both_ways_through_other_languages() {
    let python = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()";
    let node = "require('readline').createInterface({input: process.stdin})\
                .on('line', line => process.stdout.write(line + '\\n'))";
    for (program, flag, script) in [("python3", "-c", python), ("node", "-e", node)] {
        if !is_installed(program) {
            continue;
        }
        let mut command = Command::new(program).arg(flag).arg(script).exit_timeout(PATIENCE);
        let monitor = command.monitor();
        let mut server = command.connect().await.unwrap();
        for text in ["{}".to_owned(), format!("\"{}\"", "é".repeat(1 << 20)), "[1]".to_owned()] {
            server.send(Outbound::Message {
                route: Route::PIPE,
                request: None,
                is_last: false,
                refusal: None,
                headers: None,
                text: text.clone().into_bytes(),
            });
            // Both directions at once, as the server may not read on before its answer is taken.
            let answer = std::future::poll_fn(|cx| {
                let _ = server.poll_flush(cx);
                std::pin::pin!(server.receive_text()).poll(cx)
            });
            let answer = timeout(PATIENCE, answer).await.unwrap().unwrap();
            assert!(answer.as_deref() == Some(&*text), "{program} gave back something else");
        }
        close(&mut server).await.unwrap();
        assert_eq!(reaped(&monitor).await.code(), Some(0));
    }
}
