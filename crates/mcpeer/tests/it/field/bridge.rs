//! Programs that stand between a client and a server, and pass messages on.

use mcpeer::{
    handler::Context,
    model::roots::Root,
    server::Server,
    transport::{TransportExt, memory},
    version::{Era, Revision},
};
use tokio::sync::watch;

use crate::peers::builder;

/// Passes messages on in both directions, unread, until one side ends.
async fn pass_on(mut client: memory::Memory, mut server: memory::Memory) {
    loop {
        tokio::select! {
            text = client.receive_text() => match text.unwrap() {
                Some(text) => server.send_text(&text).await.unwrap(),
                None => return,
            },
            text = server.receive_text() => match text.unwrap() {
                Some(text) => client.send_text(&text).await.unwrap(),
                None => return,
            },
        }
    }
}

#[tokio::test]
async fn requests_answers_notifications_and_cancels_pass_a_bridge_in_both_directions() {
    for revision in Revision::ALL {
        let cancellations = watch::Sender::new(0);
        let mut cancelled = cancellations.subscribe();
        let server = Server::builder("behind", "1")
            .revisions([revision])
            .tool("roots", async |cx: Context| -> mcpeer::Result<String> {
                cx.progress(1.0, None, None).await;
                Ok(cx.roots().await?.into_iter().map(|root| root.uri).collect())
            })
            .tool("wait", move |cx: Context| {
                let cancellations = cancellations.clone();
                async move {
                    cx.progress(1.0, None, None).await;
                    cx.cancelled().await;
                    cancellations.send_modify(|count| *count += 1);
                }
            })
            .build()
            .unwrap();
        let ((ours, bridge), (other_side, theirs)) = (memory::pair(), memory::pair());
        tokio::spawn(pass_on(bridge, other_side));
        tokio::spawn(async move { server.serve(theirs).await });
        let client = builder().roots([Root::new("file:///home/me")]).connect_with(ours).await.unwrap();
        assert_eq!(client.revision(), revision);

        let mut call = client.call("roots").with_progress().send();
        assert_eq!(call.progress().await.unwrap().progress, 1.0, "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "file:///home/me", "{revision}");

        let mut call = client.call("wait").with_progress().send();
        call.progress().await.unwrap();
        drop(call);
        cancelled.wait_for(|count| *count == 1).await.unwrap();
        if revision.era() == Era::Legacy {
            client.ping().await.unwrap();
        }
    }
}
