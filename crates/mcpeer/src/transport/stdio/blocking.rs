//! Files and terminals, which can only be waited for by a thread.
//!
//! The threads are not those of the runtime: it waits for its own when it ends, and a read from a terminal may never
//! end.

use std::{
    io::{self, Read, Write},
    pin::Pin,
    sync::mpsc as threads,
    task::{Context, Poll, ready},
    thread,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::mpsc,
};

/// The most that is read or written at a time.
const CHUNK: usize = 64 * 1024;

/// Reads by a thread, which reads only when it is asked to.
#[derive(Debug)]
pub(super) struct Reader {
    asking: threads::Sender<()>,
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    is_asked: bool,
    chunk: Vec<u8>,
    taken: usize,
}

impl Reader {
    pub(super) fn new(mut source: impl Read + Send + 'static) -> io::Result<Self> {
        let (asking, asked) = threads::channel();
        let (giving, chunks) = mpsc::channel(1);
        thread::Builder::new().name("mcpeer-stdin".to_owned()).spawn(move || {
            while asked.recv().is_ok() {
                if giving.blocking_send(read(&mut source)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { asking, chunks, is_asked: false, chunk: Vec::new(), taken: 0 })
    }
}

fn read(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut chunk = vec![0; CHUNK];
    loop {
        match source.read(&mut chunk) {
            Ok(count) => {
                chunk.truncate(count);
                return Ok(chunk);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.taken == self.chunk.len() {
            if !self.is_asked {
                // Where the thread has ended, the answer below says so.
                let _ = self.asking.send(());
                self.is_asked = true;
            }
            let chunk = ready!(self.chunks.poll_recv(cx));
            self.is_asked = false;
            self.chunk = chunk.transpose()?.unwrap_or_default();
            self.taken = 0;
        }
        let rest = &self.chunk[self.taken..];
        let count = rest.len().min(room.remaining());
        room.put_slice(&rest[..count]);
        self.taken += count;
        Poll::Ready(Ok(()))
    }
}

/// Writes by a thread, one chunk at a time.
#[derive(Debug)]
pub(super) struct Writer {
    chunks: threads::Sender<Vec<u8>>,
    outcomes: mpsc::Receiver<io::Result<()>>,
    is_busy: bool,
}

impl Writer {
    pub(super) fn new(mut sink: impl Write + Send + 'static) -> io::Result<Self> {
        let (chunks, given) = threads::channel::<Vec<u8>>();
        let (telling, outcomes) = mpsc::channel(1);
        thread::Builder::new().name("mcpeer-stdout".to_owned()).spawn(move || {
            while let Ok(chunk) = given.recv() {
                if telling.blocking_send(sink.write_all(&chunk).and_then(|()| sink.flush())).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { chunks, outcomes, is_busy: false })
    }

    /// Waits until the thread has written what it was given.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_busy {
            let outcome = ready!(self.outcomes.poll_recv(cx));
            self.is_busy = false;
            return Poll::Ready(outcome.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into())));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Writer {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx))?;
        let chunk = bytes[..bytes.len().min(CHUNK)].to_vec();
        let count = chunk.len();
        self.chunks.send(chunk).map_err(|_| io::ErrorKind::BrokenPipe)?;
        self.is_busy = true;
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn what_a_thread_reads_arrives_in_order_up_to_the_end() {
        let (source, mut sink) = io::pipe().unwrap();
        let mut reader = Reader::new(source).unwrap();
        let mut piece = [0; 4];
        sink.write_all(b"abcdef").unwrap();
        reader.read_exact(&mut piece).await.unwrap();
        assert_eq!(&piece, b"abcd");
        drop(sink);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "ef");
    }

    #[test]
    fn a_read_that_never_ends_does_not_keep_the_runtime() {
        let (source, sink) = io::pipe().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut reader = Reader::new(source).unwrap();
            let mut piece = [0; 1];
            let read = std::future::poll_fn(|cx| {
                Poll::Ready(Pin::new(&mut reader).poll_read(cx, &mut ReadBuf::new(&mut piece)).is_pending())
            });
            assert!(read.await);
        });
        drop(runtime);
        drop(sink);
    }

    #[tokio::test]
    async fn what_is_written_is_flushed_in_order() {
        let (mut source, sink) = io::pipe().unwrap();
        let mut writer = Writer::new(sink).unwrap();
        let text = "x".repeat(CHUNK * 3);
        let reading = thread::spawn(move || {
            let mut text = String::new();
            source.read_to_string(&mut text).map(|_| text)
        });
        writer.write_all(text.as_bytes()).await.unwrap();
        writer.write_all(b"end").await.unwrap();
        writer.flush().await.unwrap();
        drop(writer);
        assert!(reading.join().unwrap().unwrap() == text + "end");
    }

    #[tokio::test]
    async fn a_broken_sink_is_an_error() {
        let (source, sink) = io::pipe().unwrap();
        drop(source);
        let mut writer = Writer::new(sink).unwrap();
        writer.write_all(b"lost").await.unwrap();
        assert_eq!(writer.flush().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
