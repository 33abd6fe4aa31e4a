//! Requests that have a stream of their own each, as over HTTP.

use std::{
    collections::VecDeque,
    io,
    task::{Context, Poll},
    time::Duration,
};

use mcpeer::{
    Client,
    client::{Backoff, Change, Ended, Watch},
    handler,
    model::{
        elicitation::{CreateResult, FormParams},
        subscriptions::Filter,
    },
    rpc::RequestId,
    server::{Prompt, Resource, Server},
    testing::{Direction, ManualClock, Pair},
    transport::{Inbound, Link, Outbound, Received, Route, Transport},
    version::Revision,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const AT: Revision = Revision::V2026_07_28;

fn tools() -> Filter {
    Filter::new().tools_list_changed(true)
}

async fn connect(server: &Server, clock: &ManualClock) -> Pair {
    Pair::of(server).revision(AT).clock(clock).exchange().connect().await.unwrap()
}

async fn watch(pair: &Pair) -> Watch {
    let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(8));
    pair.client().watch(tools()).backoff(backoff).await.unwrap()
}

#[tokio::test]
async fn requests_are_answered_each_on_its_own_stream() {
    let server = Server::builder("clock", "1.0.0")
        .tool("now", async || "12:00")
        .tool("counts", async |cx: handler::Context| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), None).await;
            }
            "three"
        })
        .resource(Resource::new("files://a", "a"), async || "text")
        .prompt(Prompt::new("hello"), async || "Hello")
        .build()
        .unwrap();
    let pair = connect(&server, &ManualClock::new()).await;
    let client = pair.client();
    assert_eq!(client.tools().all().await.unwrap().len(), 2);
    assert_eq!(client.read("files://a").await.unwrap().contents.len(), 1);
    assert_eq!(client.prompt("hello", &()).await.unwrap().messages.len(), 1);
    let calls: Vec<_> = (0..20).map(|_| client.call("now").send()).collect();
    for call in calls {
        assert_eq!(call.await.unwrap().as_text(), "12:00");
    }
    let mut call = client.call("counts").with_progress().send();
    for step in 1..=3 {
        assert_eq!(call.progress().await.unwrap().progress, f64::from(step));
    }
    assert_eq!(call.await.unwrap().as_text(), "three");
    assert_eq!(client.call("none").await.unwrap_err().rpc().unwrap().code, -32602);
}

#[tokio::test]
async fn who_gives_up_a_request_hangs_up_its_stream() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let server = Server::builder("slow", "1.0.0").tool("never", move |cx: handler::Context| {
        let tell = tell.clone();
        async move {
            tell.send("begun").unwrap();
            cx.cancelled().await;
            tell.send("given up").unwrap();
        }
    });
    let pair = connect(&server.build().unwrap(), &ManualClock::new()).await;
    for gives_up in ["drop", "cancel"] {
        let call = pair.client().call("never").send();
        assert_eq!(told.recv().await, Some("begun"));
        match gives_up {
            "drop" => drop(call),
            _ => {
                call.cancel("enough");
                assert!(call.await.unwrap_err().is_cancelled());
            }
        }
        assert_eq!(told.recv().await, Some("given up"));
    }
    assert!(!pair.wire().methods(Direction::ToServer).contains(&"notifications/cancelled".to_owned()));
}

#[tokio::test]
async fn a_call_whose_stream_breaks_off_fails_and_the_next_one_goes_on() {
    let server = Server::builder("slow", "1.0.0")
        .tool("never", async || std::future::pending::<String>().await)
        .tool("now", async || "12:00")
        .build()
        .unwrap();
    let pair = connect(&server, &ManualClock::new()).await;
    let call = pair.client().call("never").send();
    pair.wire().until_sent("tools/call").await;
    pair.crash();
    let error = call.await.unwrap_err();
    assert!(error.to_string().contains("the stream ended without the answer"), "{error}");
    assert!(!error.is_closed() && error.http_status().is_none());
    assert_eq!(pair.client().call("now").await.unwrap().as_text(), "12:00");
}

#[tokio::test]
async fn questions_are_asked_in_rounds_of_their_own_streams() {
    let server = Server::builder("asks", "1.0.0").tool("greet", async |cx: handler::Context| {
        let form = cx.elicit::<Name>("Who are you?").await?;
        Ok::<_, mcpeer::Error>(format!("Hello {}", form.accepted().map(|it| it.name).unwrap_or_default()))
    });
    let client =
        Client::builder("test", "1.0.0").on_elicit(async |_: FormParams| CreateResult::accept([("name", "Ada")]));
    let pair = Pair::of(&server.build().unwrap()).client(client).revision(AT).exchange().connect().await.unwrap();
    assert_eq!(pair.client().call("greet").await.unwrap().as_text(), "Hello Ada");
    let calls = pair.wire().methods(Direction::ToServer).iter().filter(|method| *method == "tools/call").count();
    assert_eq!(calls, 2);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[tokio::test]
async fn a_watch_whose_stream_breaks_off_is_opened_anew_after_a_pause_that_grows() {
    let server = crate::watch::server();
    let clock = ManualClock::new();
    let pair = connect(&server, &clock).await;
    let mut watch = watch(&pair).await;
    let mut pauses = Vec::new();
    for round in 1..=5 {
        pair.crash();
        pauses.push(pause(&mut watch, &clock).await);
        assert_eq!(watch.next().await, Some(Change::Tools), "{round}: what happened meanwhile nobody told");
        server.tools_changed();
        assert_eq!(watch.next().await, Some(Change::Tools), "{round}: it is told again");
    }
    for (pause, longest) in pauses.iter().zip([1, 2, 4, 8, 8]) {
        let longest = Duration::from_secs(longest);
        assert!((longest / 2..=longest).contains(pause), "{pauses:?}");
    }
    let listens: Vec<Value> = (pair.wire().json(Direction::ToServer).into_iter())
        .filter(|message| message["method"] == "subscriptions/listen")
        .collect();
    assert_eq!(listens.len(), 6);
    assert!(listens.windows(2).all(|two| two[0]["id"] != two[1]["id"]), "each is a request of its own");
    // A stream that has lasted begins the pauses anew.
    clock.turn(Duration::from_secs(60));
    pair.crash();
    assert!(pause(&mut watch, &clock).await <= Duration::from_secs(1));
    assert_eq!(watch.next().await, Some(Change::Tools));
}

/// Waits until a watch waits for its next attempt, and turns the clock to that; other things wait longer.
async fn pause(watch: &mut Watch, clock: &ManualClock) -> Duration {
    loop {
        tokio::select! {
            biased;
            change = watch.next() => panic!("{change:?}"),
            () = tokio::task::yield_now() => {}
        }
        if let Some(pause) = clock.next().filter(|pause| *pause <= Duration::from_secs(8)) {
            clock.turn(pause);
            return pause;
        }
    }
}

#[tokio::test]
async fn a_watch_that_is_dropped_while_it_waits_to_be_opened_anew_asks_no_more() {
    let server = crate::watch::server();
    let clock = ManualClock::new();
    let pair = connect(&server, &clock).await;
    let mut watch = watch(&pair).await;
    pair.crash();
    while clock.next().is_none_or(|next| next > Duration::from_secs(1)) {
        tokio::select! {
            biased;
            change = watch.next() => panic!("{change:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    drop(watch);
    clock.turn(Duration::from_secs(60));
    assert_eq!(pair.client().call("now").await.unwrap().as_text(), "12:00");
    let asked = pair.wire().methods(Direction::ToServer);
    assert_eq!(asked.iter().filter(|method| *method == "subscriptions/listen").count(), 1);
}

/// Lets a client listen once, breaks the stream off, and then refuses.
#[derive(Default)]
struct Refusing {
    listens: usize,
    said: VecDeque<(Option<RequestId>, String)>,
    message: String,
}

impl Transport for Refusing {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        match self.said.pop_front() {
            Some((None, text)) => {
                self.message = text;
                let (message, route) = (self.message.as_bytes(), Route(1));
                Poll::Ready(Ok(Received::Message(Inbound { message, route, edge: None })))
            }
            Some((Some(request), _)) => Poll::Ready(Ok(Received::StreamEnded(request))),
            None => Poll::Pending,
        }
    }

    fn send(&mut self, outbound: Outbound) {
        let Outbound::Message { request: Some(request), text, .. } = outbound else { return };
        let asked: Value = serde_json::from_slice(&text).unwrap();
        let id = &asked["id"];
        if asked["method"] == "server/discover" {
            let result = json!({"supportedVersions": [AT.as_str()], "capabilities": {"tools": {"listChanged": true}}});
            self.said.push_back((None, json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()));
            return;
        }
        self.listens += 1;
        if self.listens == 1 {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
            let method = "notifications/subscriptions/acknowledged";
            self.said.push_back((None, json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()));
            self.said.push_back((Some(request), String::new()));
        } else {
            let error = json!({"code": -32603, "message": "not you"});
            self.said.push_back((None, json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()));
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What was sent is answered already.
        cx.waker().wake_by_ref();
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        0
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_watch_that_is_refused_when_it_is_opened_anew_ends_with_the_refusal() {
    let clock = ManualClock::new();
    let options = mcpeer::driver::Options::default().clock(clock.clone());
    let client = Client::builder("test", "1.0.0").revisions([AT]).options(options);
    let client = client.connect_with(Refusing::default()).await.unwrap();
    let mut watch = client.watch(tools()).await.unwrap();
    let (change, _) = tokio::join!(watch.next(), clock.turn_to_next());
    assert_eq!(change, None);
    let Some(Ended::Refused(error)) = watch.ended() else { panic!("{:?}", watch.ended()) };
    assert_eq!(error.rpc().unwrap().message, "not you");
}

#[tokio::test]
async fn a_dropped_watch_hangs_up_and_the_server_hears_that_nobody_watches() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (began, ended) = (tell.clone(), tell);
    let server = Server::builder("files", "1.0.0")
        .resource(Resource::new("files://a", "a"), async || "text")
        .on_watched(move |uri| began.send(format!("+{uri}")).unwrap())
        .on_unwatched(move |uri| ended.send(format!("-{uri}")).unwrap())
        .build()
        .unwrap();
    let pair = connect(&server, &ManualClock::new()).await;
    let filter = Filter::new().resource_subscriptions(["files://a".to_owned()]);
    let mut first = pair.client().watch(filter.clone()).await.unwrap();
    let second = pair.client().watch(filter).await.unwrap();
    assert_eq!(told.recv().await.unwrap(), "+files://a");
    drop(second);
    server.resource_updated("files://a");
    assert_eq!(first.next().await, Some(Change::Resource { uri: "files://a".into() }));
    drop(first);
    assert_eq!(told.recv().await.unwrap(), "-files://a", "once, by the last of them");
}
