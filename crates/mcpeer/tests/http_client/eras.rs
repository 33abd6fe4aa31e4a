//! What was found out about a server's era, and the next connection to it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::Request;
use mcpeer::{
    Client,
    client::{Builder, Policy},
    testing::ManualClock,
    transport::http::{
        self as streamable,
        client::{Connector, Eras},
    },
    version::{Era, Revision},
};
use serde_json::json;

use crate::script::{Asked, Script, discovered, initialized};

const HOUR: Duration = Duration::from_secs(3600);

/// What a server speaks at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Speaks {
    Legacy = 0,
    Modern = 1,
    Both = 2,
    /// It is in trouble.
    Nothing = 3,
}

/// A server that may be replaced by another one at the same address.
#[derive(Clone)]
struct Replaced(Arc<AtomicUsize>);

impl Replaced {
    async fn new(speaks: Speaks) -> (Self, Script) {
        let replaced = Self(Arc::new(AtomicUsize::new(speaks as usize)));
        let serving = replaced.clone();
        let script = Script::new(move |asked| serving.clone().serve(asked)).await;
        (replaced, script)
    }

    fn by(&self, speaks: Speaks) {
        self.0.store(speaks as usize, Ordering::SeqCst);
    }

    async fn serve(self, asked: Asked) {
        let speaks = self.0.load(Ordering::SeqCst);
        let is = |one: Speaks| speaks == one as usize;
        let is_modern = asked.seen.header("mcp-method").is_some();
        if is(Speaks::Nothing) {
            return asked.answer(503, "", "").await;
        }
        if is_modern && is(Speaks::Legacy) {
            return asked.answer(400, "", "no session").await;
        }
        match asked.method() {
            "server/discover" => asked.result(&discovered()).await,
            "initialize" if is(Speaks::Modern) => {
                let mut body = asked.error_of(-32022);
                body["error"]["data"] = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
                asked.json(400, &body).await;
            }
            "initialize" => asked.result(&initialized("2025-11-25")).await,
            "tools/call" => asked.text("done").await,
            "GET" => asked.answer(405, "", "").await,
            _ => asked.accept().await,
        }
    }
}

fn builder() -> Builder {
    Client::builder("test", "1")
}

/// Connects, calls a tool, and gives in which era that was and what the server heard.
async fn talk(connector: &Connector, script: &Script) -> (Era, Vec<String>) {
    let before = script.methods().len();
    let client = builder().connect(connector.clone()).await.unwrap();
    assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    let era = client.era();
    client.close().await;
    let heard = script.methods().split_off(before);
    (era, heard.into_iter().filter(|method| method != "GET" && method != "notifications/initialized").collect())
}

#[tokio::test]
async fn what_was_found_out_is_not_asked_again() {
    let (_, script) = Replaced::new(Speaks::Modern).await;
    let connector = streamable::client(&script.url());
    assert_eq!(talk(&connector, &script).await, (Era::Modern, vec!["server/discover".into(), "tools/call".into()]));
    assert_eq!(talk(&connector, &script).await, (Era::Modern, vec!["tools/call".into()]));
    let client = builder().connect(connector.clone()).await.unwrap();
    assert!(client.capabilities().tools.is_some(), "what the server said of itself is known as well");

    let (_, script) = Replaced::new(Speaks::Legacy).await;
    let connector = streamable::client(&script.url());
    let (era, heard) = talk(&connector, &script).await;
    assert_eq!((era, &*heard[0], &*heard[1]), (Era::Legacy, "server/discover", "initialize"));
    assert_eq!(talk(&connector, &script).await, (Era::Legacy, vec!["initialize".into(), "tools/call".into()]));
}

#[tokio::test]
async fn what_turns_out_to_be_wrong_is_found_out_anew_and_once() {
    let (server, script) = Replaced::new(Speaks::Legacy).await;
    let connector = streamable::client(&script.url());
    talk(&connector, &script).await;

    server.by(Speaks::Modern);
    let (era, heard) = talk(&connector, &script).await;
    assert_eq!((era, heard), (Era::Modern, ["initialize", "server/discover", "tools/call"].map(String::from).into()));
    assert_eq!(talk(&connector, &script).await.1, ["tools/call"]);

    server.by(Speaks::Legacy);
    let (era, heard) = talk(&connector, &script).await;
    let wanted = ["tools/call", "server/discover", "initialize", "tools/call"];
    assert_eq!((era, heard), (Era::Legacy, wanted.map(String::from).into()));
    assert_eq!(talk(&connector, &script).await.1, ["initialize", "tools/call"]);
}

#[tokio::test]
async fn an_outage_says_nothing_and_the_next_one_asks() {
    let (server, script) = Replaced::new(Speaks::Legacy).await;
    let connector = streamable::client(&script.url());
    talk(&connector, &script).await;
    server.by(Speaks::Nothing);
    let error = builder().connect(connector.clone()).await.unwrap_err();
    assert_eq!(error.http_status(), Some(503), "{error}");
    assert_eq!(script.methods().last().unwrap(), "initialize");
    server.by(Speaks::Both);
    assert_eq!(talk(&connector, &script).await.0, Era::Modern);
}

#[tokio::test]
async fn what_was_found_out_counts_for_an_hour() {
    let (server, script) = Replaced::new(Speaks::Legacy).await;
    let clock = ManualClock::new();
    let connector = streamable::client(&script.url()).clock(clock.clone());
    talk(&connector, &script).await;
    // This one would still take the old era, and nobody would notice.
    server.by(Speaks::Both);
    clock.turn(HOUR / 2);
    assert_eq!(talk(&connector, &script).await.0, Era::Legacy);
    clock.turn(HOUR / 2 + Duration::from_secs(1));
    assert_eq!(talk(&connector, &script).await.0, Era::Modern, "to go by it did not make it count for longer");
}

#[tokio::test]
async fn each_server_is_remembered_for_itself_and_for_who_asks() {
    let ((_, old), (_, new)) = (Replaced::new(Speaks::Legacy).await, Replaced::new(Speaks::Modern).await);
    let eras = Eras::default();
    let at = |url: &str| streamable::client(url).eras(&eras);
    talk(&at(&old.url()), &old).await;
    talk(&at(&new.url()), &new).await;
    assert_eq!(talk(&at(&old.url()), &old).await.1, ["initialize", "tools/call"]);
    assert_eq!(talk(&at(&format!("{}?x=1", new.url())), &new).await.1, ["tools/call"]);
    let elsewhere = format!("http://{}/other", new.address);
    assert_eq!(talk(&at(&elsewhere), &new).await.1, ["server/discover", "tools/call"]);
    // What a server said to one it may not say to another.
    let another = at(&new.url()).header("authorization", "Bearer secret");
    assert_eq!(talk(&another, &new).await.1, ["server/discover", "tools/call"]);
    assert!(!format!("{eras:?}").contains("secret"));
    let stranger = streamable::client(&new.url());
    assert_eq!(talk(&stranger, &new).await.1, ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn who_does_not_ask_finds_nothing_out() {
    let (_, script) = Replaced::new(Speaks::Both).await;
    let connector = streamable::client(&script.url());
    for builder in [builder().policy(Policy::LegacyOnly), builder().revisions([Revision::V2025_11_25])] {
        let client = builder.connect(connector.clone()).await.unwrap();
        assert_eq!(client.era(), Era::Legacy);
        client.close().await;
    }
    assert_eq!(talk(&connector, &script).await.0, Era::Modern);
}

#[tokio::test]
async fn clones_send_by_one_stack() {
    let (_, script) = Replaced::new(Speaks::Modern).await;
    let is_asked = Arc::new(AtomicBool::new(false));
    let (asked, url) = (is_asked.clone(), script.url());
    let connector = streamable::client(&url).stack(move |_: Request<bytes::Bytes>| {
        asked.store(true, Ordering::SeqCst);
        async { Err(std::io::Error::other("no network")) }
    });
    let error = builder().connect(connector.clone()).await.unwrap_err();
    assert!(is_asked.load(Ordering::SeqCst) && error.to_string().contains("no network"), "{error}");
}
