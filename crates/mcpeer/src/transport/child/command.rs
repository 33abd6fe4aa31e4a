use std::{
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use super::{
    Child, Monitor, Stderr,
    environment::{self, Inherited},
    explain::explain,
    life::Life,
    process::Process,
    shutdown::Stages,
    stderr,
};
use crate::transport::{
    Connect,
    lines::{DEFAULT_MESSAGE_LIMIT, Lines},
};

/// A server to start as a child process.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{Connect, TransportExt, child};
///
/// # if cfg!(unix) {
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let mut command = child::Command::new("sh").arg("-c").arg(r#"read line; echo "{\"got\":$line}""#);
/// let mut server = command.connect().await?;
/// server.send_text("[1]").await?;
/// assert_eq!(server.receive_text().await?.as_deref(), Some(r#"{"got":[1]}"#));
/// server.close().await?;
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # }
/// # Ok::<_, std::io::Error>(())
/// ```
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, Option<OsString>)>,
    inherited: Inherited,
    directory: Option<PathBuf>,
    stderr: Stderr,
    stages: Stages,
    message_limit: usize,
    monitor: Monitor,
}

impl Command {
    /// Makes a command of a program: a path, or a name that is looked up in `PATH`.
    ///
    /// There is no shell: nothing is split or expanded. On Windows the look-up honours `PATHEXT`, so that `npx` and
    /// `uvx` are found.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("npx");
    /// ```
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            inherited: Inherited::default(),
            directory: None,
            stderr: Stderr::default(),
            stages: Stages::default(),
            message_limit: DEFAULT_MESSAGE_LIMIT,
            monitor: Monitor::default(),
        }
    }

    /// Adds an argument.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("npx").arg("-y").arg("some-server");
    /// ```
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("npx").args(["-y", "some-server"]);
    /// ```
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    ///
    /// Of ours the server inherits only what it cannot do without: on Unix `HOME`, `LOGNAME`, `PATH`, `SHELL`,
    /// `TERM` and `USER`, on Windows what is needed to find programs and folders. See
    /// [`inherit_env`](Self::inherit_env) and [`inherit_all_env`](Self::inherit_all_env) for more.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").env("API_KEY", "secret");
    /// ```
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), Some(value.into())));
        self
    }

    /// Takes an environment variable away, even where it would be inherited.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").env_remove("HOME");
    /// ```
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), None));
        self
    }

    /// Lets the server inherit this environment variable too, where we have it when it starts.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").inherit_env("LANG");
    /// ```
    #[must_use]
    pub fn inherit_env(mut self, name: impl Into<OsString>) -> Self {
        self.inherited.add(name.into());
        self
    }

    /// Lets the server inherit all our environment variables, secrets included.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").inherit_all_env();
    /// ```
    #[must_use]
    pub fn inherit_all_env(mut self) -> Self {
        self.inherited = Inherited::All;
        self
    }

    /// Sets the working directory; ours without it.
    ///
    /// With one, give the program as a name or an absolute path: systems differ in where a relative one starts.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").current_dir("/tmp");
    /// ```
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets what becomes of the server's standard error; [`Stderr::Forward`] without it.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcpeer::transport::child::{Command, Stderr};
    ///
    /// let command = Command::new("some-server").stderr(Stderr::Capture);
    /// ```
    #[must_use]
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// Sets how long the server may take to end once its input is closed, 2 s by default; then it is terminated
    /// (`SIGTERM`; Windows, which has no such signal, ends it).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let command = mcpeer::transport::child::Command::new("some-server").exit_timeout(Duration::from_secs(10));
    /// ```
    #[must_use]
    pub fn exit_timeout(mut self, limit: Duration) -> Self {
        self.stages.exit = limit;
        self
    }

    /// Sets how long the server may take to end once it is terminated, 2 s by default; then it is killed.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let command = mcpeer::transport::child::Command::new("some-server").terminate_timeout(Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn terminate_timeout(mut self, limit: Duration) -> Self {
        self.stages.terminate = limit;
        self
    }

    /// Sets how many bytes a received message may have, as [`Lines::message_limit`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server").message_limit(4 * 1024 * 1024);
    /// ```
    #[must_use]
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// Gives a view of the process that this command has started last.
    ///
    /// # Examples
    ///
    /// ```
    /// let command = mcpeer::transport::child::Command::new("some-server");
    /// let monitor = command.monitor();
    /// assert_eq!(monitor.pid(), None);
    /// ```
    pub fn monitor(&self) -> Monitor {
        self.monitor.clone()
    }

    fn spawn(&self) -> io::Result<Child> {
        let (errors, pump) = self.stderr.open()?;
        let variables = environment::build(&self.inherited, &self.variables);
        let program = resolve(&self.program, &variables, self.directory.as_deref());
        let mut command = tokio::process::Command::new(program);
        command.args(&self.arguments).env_clear().envs(variables);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).kill_on_drop(true);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let spawned = Process::spawn(command);
        let spawned = spawned.map_err(|error| explain(error, &self.program, self.directory.as_deref()))?;
        let life = Life::new(self.program.to_string_lossy().into_owned(), spawned.pid, pump.is_some());
        self.monitor.set(life.clone());
        let process = Process::new(spawned.child, spawned.pid, life.clone());
        if let Some(pump) = pump {
            stderr::start(pump, life.clone())?;
        }
        let lines = Lines::new(spawned.output, spawned.input).message_limit(self.message_limit);
        Ok(Child::new(lines, process, life, self.stages))
    }
}

/// The environment may hold secrets, so its values are not shown.
impl fmt::Debug for Command {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsStr> = self.variables.iter().map(|(name, _)| name.as_os_str()).collect();
        formatter
            .debug_struct("Command")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("variables", &names)
            .field("inherited", &self.inherited)
            .field("directory", &self.directory)
            .field("stderr", &self.stderr)
            .field("stages", &self.stages)
            .field("message_limit", &self.message_limit)
            .finish_non_exhaustive()
    }
}

impl Connect for Command {
    type Transport = Child;

    /// Starts the server.
    ///
    /// # Errors
    ///
    /// It cannot be started; the error names the program and says what to do.
    ///
    /// # Panics
    ///
    /// There is no tokio runtime with IO and time here.
    async fn connect(&mut self) -> io::Result<Child> {
        self.spawn()
    }
}

#[cfg(not(windows))]
fn resolve(program: &OsStr, _: &[(OsString, OsString)], _: Option<&Path>) -> OsString {
    program.to_owned()
}

/// Windows itself looks for `.exe` alone, and `npx` is a `.cmd`.
#[cfg(windows)]
fn resolve(program: &OsStr, variables: &[(OsString, OsString)], directory: Option<&Path>) -> OsString {
    let path = variables.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH")).map(|(_, value)| value);
    let here = std::env::current_dir().unwrap_or_default();
    which::which_in(program, path, directory.unwrap_or(&here)).map_or_else(|_| program.to_owned(), Into::into)
}
