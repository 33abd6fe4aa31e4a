//! nginx, in front of servers.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
};

use crate::programs::{self, Folder};

/// nginx that runs until this is dropped. Whatever a test does not set is as it is by default, buffering and time limits
/// of 60 seconds included.
pub(crate) struct Nginx {
    process: Child,
    address: SocketAddr,
    /// Reads what it says.
    said: Option<JoinHandle<String>>,
    _folder: Folder,
}

impl Nginx {
    /// Starts it in front of one server; `None` where there is no nginx.
    pub(crate) fn before(server: SocketAddr) -> Option<Self> {
        Self::start("", &format!("location / {{ proxy_pass http://{server}; }}"))
    }

    /// Starts it with directives of the whole, and of the one site.
    pub(crate) fn start(http: &str, site: &str) -> Option<Self> {
        let program = programs::find("MCPEER_NGINX", "nginx")?;
        // A port that was free may be somebody else's by the time that nginx wants it.
        let started = (0..5).find_map(|_| Self::try_start(&program, http, site).ok());
        Some(started.expect("nginx finds a port that is free"))
    }

    fn try_start(program: &Path, http: &str, site: &str) -> Result<Self, String> {
        let folder = Folder::new("nginx");
        let address = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("it has one");
        let file = folder.path().join("nginx.conf");
        fs::write(&file, configuration(address, http, site)).expect("the configuration can be written");
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).arg("-c").arg(&file).args(["-e", "stderr"]);
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("nginx starts");
        let mut said = BufReader::new(process.stderr.take().expect("it was asked for"));
        let mut nginx = Self { process, address, said: None, _folder: folder };
        let mut text = String::new();
        // By then it has the port.
        while !text.contains("event method") {
            if said.read_line(&mut text).expect("nginx says how it goes") == 0 {
                assert!(text.contains("Address already in use"), "nginx does not start: {text}");
                return Err(text);
            }
        }
        nginx.said = Some(thread::spawn(move || {
            let _ = said.read_to_string(&mut text);
            text
        }));
        Ok(nginx)
    }

    /// Gives the address of a place, as in `/mcp`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn configuration(address: SocketAddr, http: &str, site: &str) -> String {
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let paths: String = paths.iter().map(|name| format!("{name}_temp_path {name};\n")).collect();
    // One process, which ends when it is killed.
    format!(
        "daemon off;\nmaster_process off;\nerror_log stderr info;\npid pid;\nevents {{}}\n\
         http {{\naccess_log off;\n{paths}{http}\nserver {{\nlisten {address};\n{site}\n}}\n}}\n"
    )
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let said = self.said.take().map(|said| said.join().unwrap_or_default());
        if thread::panicking() {
            eprintln!("nginx said:\n{}", said.unwrap_or_default());
        }
    }
}
