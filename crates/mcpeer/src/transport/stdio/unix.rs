//! Standard input and output on Unix: without a thread where they are pipes or sockets.

use std::{
    fs::{File, Metadata},
    io::{self, IoSlice},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::{FileTypeExt, MetadataExt},
    },
    pin::Pin,
    task::{Context, Poll, ready},
};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{UnixStream, unix::pipe},
};

use super::blocking::{Reader, Writer};

/// Where messages are read.
#[derive(Debug)]
pub(super) enum Input {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
    Blocking(Reader),
}

/// Where messages are written.
#[derive(Debug)]
pub(super) enum Output {
    Pipe(pipe::Sender),
    Socket(UnixStream),
    Blocking(Writer),
}

/// The modes that the descriptors had; dropping it gives them back.
#[derive(Debug)]
pub(super) struct Modes(Vec<(OwnedFd, OFlags)>);

pub(super) fn open() -> io::Result<(Input, Output, Modes)> {
    open_these(
        io::stdin().as_fd().try_clone_to_owned()?,
        io::stdout().as_fd().try_clone_to_owned()?,
        io::stderr().as_fd().try_clone_to_owned().ok(),
    )
}

fn open_these(input: OwnedFd, output: OwnedFd, errors: Option<OwnedFd>) -> io::Result<(Input, Output, Modes)> {
    let errors = errors.map(|descriptor| File::from(descriptor).metadata()).transpose()?;
    let kinds = (Kind::of(&input, errors.as_ref())?, Kind::of(&output, errors.as_ref())?);
    // All modes are read before one is set, because both descriptors may share one open file.
    let mut modes = Modes(Vec::new());
    for (descriptor, kind) in [(&input, kinds.0), (&output, kinds.1)] {
        if kind != Kind::Other {
            modes.0.push((descriptor.try_clone()?, fcntl_getfl(descriptor)?));
        }
    }
    let input = match kinds.0 {
        Kind::Pipe => Input::Pipe(pipe::Receiver::from_owned_fd(input)?),
        Kind::Socket => Input::Socket(socket(input)?),
        Kind::Other => Input::Blocking(Reader::new(File::from(input))?),
    };
    let output = match kinds.1 {
        Kind::Pipe => Output::Pipe(pipe::Sender::from_owned_fd(output)?),
        Kind::Socket => Output::Socket(socket(output)?),
        Kind::Other => Output::Blocking(Writer::new(File::from(output))?),
    };
    Ok((input, output, modes))
}

fn socket(descriptor: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(descriptor);
    stream.set_nonblocking(true)?;
    // Reading and writing are the same for every kind of stream socket.
    UnixStream::from_std(stream)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Pipe,
    Socket,
    Other,
}

impl Kind {
    fn of(descriptor: &OwnedFd, errors: Option<&Metadata>) -> io::Result<Self> {
        let metadata = File::from(descriptor.try_clone()?).metadata()?;
        // Whoever logs to standard error does not expect that it would block, so what it shares stays as it is.
        // Systems that do not number their pipes give zero.
        let is_shared = errors.is_some_and(|errors| {
            metadata.ino() != 0 && (errors.dev(), errors.ino()) == (metadata.dev(), metadata.ino())
        });
        let file_type = metadata.file_type();
        Ok(match () {
            () if is_shared => Self::Other,
            () if file_type.is_fifo() => Self::Pipe,
            () if file_type.is_socket() => Self::Socket,
            () => Self::Other,
        })
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        for (descriptor, mode) in &self.0 {
            // Where it fails nothing can be done about it any more.
            let _ = fcntl_setfl(descriptor, *mode);
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(cx, room),
            Self::Socket(socket) => Poll::Ready(match ready!(Pin::new(socket).poll_read(cx, room)) {
                // The client ended without reading all of our output.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(()),
                outcome => outcome,
            }),
            Self::Blocking(reader) => Pin::new(reader).poll_read(cx, room),
        }
    }
}

impl AsyncWrite for Output {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Pipe(pipe) => Pin::new(pipe).poll_write(cx, bytes),
            Self::Socket(socket) => Pin::new(socket).poll_write(cx, bytes),
            Self::Blocking(writer) => Pin::new(writer).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Pipe(pipe) => Pin::new(pipe).poll_write_vectored(cx, slices),
            Self::Socket(socket) => Pin::new(socket).poll_write_vectored(cx, slices),
            Self::Blocking(writer) => Pin::new(writer).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        !matches!(self, Self::Blocking(_))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Pipe(pipe) => Pin::new(pipe).poll_flush(cx),
            Self::Socket(socket) => Pin::new(socket).poll_flush(cx),
            Self::Blocking(writer) => Pin::new(writer).poll_flush(cx),
        }
    }

    /// Flushes only: standard output stays open for the rest of the process.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, os::unix::net::UnixStream as Socket};

    use super::*;
    use crate::transport::{TransportExt, lines::Lines};

    fn is_blocking(descriptor: impl AsFd) -> bool {
        !fcntl_getfl(descriptor).unwrap().contains(OFlags::NONBLOCK)
    }

    #[tokio::test]
    async fn pipes_and_sockets_need_no_thread_and_get_their_mode_back() {
        let (pipe_in, mut to_pipe) = io::pipe().unwrap();
        let (_from_pipe, pipe_out) = io::pipe().unwrap();
        let (socket, mut to_socket) = Socket::pair().unwrap();
        to_pipe.write_all(b"1\n").unwrap();
        to_socket.write_all(b"2\n").unwrap();
        let pairs: [(OwnedFd, OwnedFd, &str); 2] = [
            (pipe_in.try_clone().unwrap().into(), pipe_out.try_clone().unwrap().into(), "1"),
            (socket.try_clone().unwrap().into(), socket.try_clone().unwrap().into(), "2"),
        ];
        for (input, output, text) in pairs {
            let copies = (input.try_clone().unwrap(), output.try_clone().unwrap());
            let (input, output, modes) = open_these(input, output, None).unwrap();
            assert!(matches!(input, Input::Pipe(_) | Input::Socket(_)));
            assert!(matches!(output, Output::Pipe(_) | Output::Socket(_)));
            assert!(!is_blocking(&copies.0) && !is_blocking(&copies.1));
            let mut lines = Lines::new(input, output);
            assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some(text));
            lines.send_text("{}").await.unwrap();
            lines.close().await.unwrap();
            drop((lines, modes));
            assert!(is_blocking(&copies.0) && is_blocking(&copies.1));
        }
    }

    #[tokio::test]
    async fn a_mode_that_was_non_blocking_stays_so() {
        let (socket, _peer) = Socket::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        let copy = OwnedFd::from(socket.try_clone().unwrap());
        drop(open_these(copy.try_clone().unwrap(), copy, None).unwrap());
        assert!(!is_blocking(&socket));
    }

    #[tokio::test]
    async fn an_output_that_standard_error_shares_stays_blocking() {
        let (pipe_in, _to) = io::pipe().unwrap();
        let (mut from, pipe_out) = io::pipe().unwrap();
        let errors = OwnedFd::from(pipe_out.try_clone().unwrap());
        let (input, output, _modes) = open_these(pipe_in.into(), pipe_out.into(), Some(errors)).unwrap();
        assert!(matches!((&input, &output), (Input::Pipe(_), Output::Blocking(_))));
        Lines::new(input, output).send_text("{}").await.unwrap();
        let mut text = [0; 3];
        io::Read::read_exact(&mut from, &mut text).unwrap();
        assert_eq!(&text, b"{}\n");
    }

    #[tokio::test]
    async fn files_are_served_by_threads() {
        let path = std::env::temp_dir().join(format!("mcpeer-stdio-{}", std::process::id()));
        std::fs::write(&path, "1\n2").unwrap();
        let null = File::options().write(true).open("/dev/null").unwrap();
        let (input, output, _modes) = open_these(File::open(&path).unwrap().into(), null.into(), None).unwrap();
        std::fs::remove_file(&path).unwrap();
        let mut lines = Lines::new(input, output);
        assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("1"));
        assert_eq!(lines.receive_text().await.unwrap().as_deref(), Some("2"));
        assert_eq!(lines.receive_text().await.unwrap(), None);
        lines.send_text("{}").await.unwrap();
    }

    #[tokio::test]
    async fn a_client_that_dies_with_output_unread_is_the_end_of_input() {
        let (socket, peer) = Socket::pair().unwrap();
        let (input, output, _modes) = open_these(socket.try_clone().unwrap().into(), socket.into(), None).unwrap();
        let mut lines = Lines::new(input, output);
        lines.send_text("never read").await.unwrap();
        drop(peer);
        assert_eq!(lines.receive_text().await.unwrap(), None);
    }
}
