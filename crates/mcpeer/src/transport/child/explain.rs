//! Why a program could not be started, and what to do.

use std::{ffi::OsStr, io, path::Path};

/// Puts the program and advice into the error of a start that failed.
pub(super) fn explain(error: io::Error, program: &OsStr, directory: Option<&Path>) -> io::Error {
    let name = program.to_string_lossy();
    let text = match directory {
        Some(directory) if !directory.is_dir() => {
            format!("cannot start `{name}`: its working directory `{}` does not exist", directory.display())
        }
        _ => match error.kind() {
            io::ErrorKind::NotFound => not_found(&name, program, directory),
            io::ErrorKind::PermissionDenied => {
                format!("cannot start `{name}`: it is not executable: make it so, or start its interpreter instead")
            }
            _ => format!("cannot start `{name}`: {error}"),
        },
    };
    io::Error::new(error.kind(), text)
}

fn not_found(name: &str, program: &OsStr, directory: Option<&Path>) -> String {
    let path = directory.map_or_else(|| program.into(), |directory| directory.join(program));
    if name.contains(['/', std::path::MAIN_SEPARATOR]) {
        if path.exists() {
            return format!("cannot start `{name}`: the interpreter that its first line names does not exist");
        }
        return format!("cannot start `{name}`: there is no such file");
    }
    if name.contains(char::is_whitespace) {
        return format!(
            "cannot start `{name}`: there is no program of that name: give its arguments with `arg`, since a command \
             line is not split"
        );
    }
    format!(
        "cannot start `{name}`: there is no program of that name in PATH: install it, give its full path, or set PATH \
         with `env`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(kind: io::ErrorKind, program: &str, directory: Option<&str>) -> String {
        let explained = explain(kind.into(), program.as_ref(), directory.map(Path::new));
        assert_eq!(explained.kind(), kind);
        explained.to_string()
    }

    #[test]
    fn errors_name_the_program_and_say_what_to_do() {
        let missing = io::ErrorKind::NotFound;
        for (kind, program, directory, advice) in [
            (missing, "nothing", None, "in PATH"),
            (missing, "npx -y server", None, "`arg`"),
            (missing, "./no/such/file", None, "no such file"),
            (missing, "nothing", Some("/no/such/directory"), "`/no/such/directory` does not exist"),
            (io::ErrorKind::PermissionDenied, "/etc/hosts", None, "not executable"),
            (io::ErrorKind::OutOfMemory, "sh", None, "out of memory"),
        ] {
            let text = explained(kind, program, directory);
            assert!(text.starts_with(&format!("cannot start `{program}`: ")), "{text}");
            assert!(text.contains(advice), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_missing_interpreter_is_told_from_a_missing_file() {
        assert!(explained(io::ErrorKind::NotFound, "/etc/passwd", None).contains("interpreter"));
    }
}
