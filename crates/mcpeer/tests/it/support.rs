//! What several tests need.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio::{
    io::AsyncReadExt,
    net::unix::pipe::{OpenOptions, Receiver},
};

/// Far more than anything here takes, on a loaded machine too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a program is installed; says so where it is not.
pub(crate) fn is_installed(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_installed = status.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("not run: `{program}` is not installed");
    }
    is_installed
}

/// Gives a path for a file of this test's own.
pub(crate) fn temporary(name: &str) -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("mcpeer-{}-{number}-{name}", std::process::id()))
}

/// Tells when all processes that hold its other end have ended: the tree below a script that runs
/// `exec 9>PATH` first.
pub(crate) struct Tree {
    pub(crate) path: PathBuf,
    receiver: Receiver,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let path = temporary("tree");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let receiver = OpenOptions::new().open_receiver(&path).unwrap();
        Self { path, receiver }
    }

    pub(crate) async fn gone(mut self) {
        let end = self.receiver.read_u8();
        let end = tokio::time::timeout(PATIENCE, end).await.expect("a process of the tree lives on");
        assert_eq!(end.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
