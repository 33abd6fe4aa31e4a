//! A transport of one's own: messages over TCP, each with its length in front. A client and a server talk through it.
//!
//! `cargo run --example custom_transport`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use mcpeer::{
    client::{Client, Policy},
    server::{Args, Server},
    transport::{Inbound, Outbound, Received, Transport},
};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

/// Messages over a stream of bytes, each behind four bytes with its length.
struct Frames {
    stream: TcpStream,
    received: Vec<u8>,
    /// How much of `received` the message takes that was given out last.
    taken: usize,
    waiting: Vec<u8>,
}

const LONGEST: usize = 16 << 20;

impl Transport for Frames {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        self.received.drain(..self.taken);
        self.taken = 0;
        loop {
            let length = self.received.first_chunk().map(|length| u32::from_be_bytes(*length) as usize);
            match length {
                Some(length) if length > LONGEST => return Poll::Ready(Err(io::ErrorKind::InvalidData.into())),
                Some(length) if self.received.len() >= 4 + length => {
                    self.taken = 4 + length;
                    return Poll::Ready(Ok(Received::Message(Inbound::pipe(&self.received[4..self.taken]))));
                }
                _ => {}
            }
            let mut bytes = [0; 8192];
            let mut room = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
            if room.filled().is_empty() {
                return Poll::Ready(Ok(Received::InputEnded));
            }
            self.received.extend_from_slice(room.filled());
        }
    }

    fn send(&mut self, outbound: Outbound) {
        // The other kinds concern transports that have a stream for each request.
        if let Outbound::Message { text, .. } = outbound {
            let length = u32::try_from(text.len()).expect("a message is shorter than 4 GiB");
            self.waiting.extend_from_slice(&length.to_be_bytes());
            self.waiting.extend_from_slice(&text);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.waiting.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.waiting))?;
            self.waiting.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        self.waiting.len()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_flush(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Repeat {
    text: String,
    times: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("frames", "1.0.0")
        .tool("repeat", async |Args(repeat): Args<Repeat>| repeat.text.repeat(repeat.times))
        .build()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let (ours, theirs) = tokio::join!(TcpStream::connect(address), listener.accept());
        let frames = |stream| Frames { stream, received: Vec::new(), taken: 0, waiting: Vec::new() };
        let (ours, theirs) = (frames(ours?), frames(theirs?.0));
        let server = server.clone();
        let serving = tokio::spawn(async move { server.serve(theirs).await });

        let client = Client::builder("frames", "1.0.0").policy(policy).connect_with(ours).await?;
        let call = client.call("repeat").arguments(&json!({"text": "ab", "times": 100_000}));
        let length = call.await?.as_text().len();
        println!("at {}, the answer has {length} bytes", client.revision());
        assert_eq!(length, 200_000);
        client.close().await;
        serving.await??;
    }
    Ok(())
}
