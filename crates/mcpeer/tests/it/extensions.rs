//! Extensions: what they add to a server and a client, and that nothing is there without them.

use std::sync::{Arc, Mutex};

use mcpeer::{
    Client, Server,
    extension::{Extension, Method},
    handler::Context,
    model::{
        EmptyParams, EmptyResult, Notification, RawObject, Request,
        tools::{Call, CallParams},
    },
    peer::Extended,
    server::{Args, Builder, Extend, ToolResult},
    transport::memory,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::{ask::peer::Known, peers::RawClient};

const ID: &str = "com.example/tickets";
const MODERN: Revision = Revision::V2026_07_28;

macro_rules! methods {
    ($($kind:ident $name:ident = $method:literal;)*) => { $(enum $name {} methods!(@$kind $name $method);)* };
    (@request $name:ident $method:literal) => {
        impl Request for $name {
            const METHOD: &'static str = $method;
            type Params = EmptyParams;
            type Result = EmptyResult;
        }
    };
    (@notification $name:ident $method:literal) => {
        impl Notification for $name {
            const METHOD: &'static str = $method;
            type Params = EmptyParams;
        }
    };
}

methods! {
    request Close = "com.example/tickets/close";
    request Count = "com.example/tickets/count";
    request Old = "com.example/tickets/old";
    request Reused = "tasks/get";
    notification Seen = "notifications/com.example/tickets/seen";
    notification Closed = "notifications/com.example/tickets/closed";
}

fn declaration() -> Extension {
    Extension::new(ID)
        .method(Method::request(Close::METHOD))
        .method(Method::request(Count::METHOD).cacheable().open())
        .method(Method::request(Old::METHOD).since(Revision::V2025_06_18).until(Revision::V2025_11_25))
        .method(Method::request(Reused::METHOD))
        .method(Method::notification(Seen::METHOD).to_server())
        .result_type("com.example/ticket", &["tools/call"])
        .filter("ticketIds", Closed::METHOD)
}

#[derive(Clone, Default)]
struct Tickets(Arc<Mutex<usize>>);

impl Extend for Tickets {
    fn extend(self, builder: Builder) -> Builder {
        let done = |_: EmptyParams, _: Context| async { Ok(EmptyResult::new()) };
        builder
            .extension(declaration().settings([("max", json!(10))]))
            .method::<Close, _>(done)
            .method::<Count, _>(done)
            .method::<Old, _>(done)
            .method::<Reused, _>(done)
            .on_notification::<Seen>(move |_, _| *self.0.lock().unwrap() += 1)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Report {
    #[serde(default)]
    closes: Option<String>,
}

fn desk(tickets: Tickets) -> Server {
    let builder = Server::builder("desk", "1");
    let listeners = builder.listeners();
    builder
        .extension(tickets)
        .tool("report", move |Args(report): Args<Report>, cx: Context| {
            let listeners = listeners.clone();
            async move {
                if let Some(id) = report.closes {
                    let (whose, id) = id.split_once(' ').unwrap_or(("", &id));
                    let listeners = if whose.is_empty() { listeners } else { listeners.of(whose) };
                    listeners.tell::<Closed>(id, EmptyParams::new()).unwrap();
                }
                match cx.client_declares(ID) {
                    true => ToolResult::extension("com.example/ticket", RawObject::from([("ticket", json!("7"))])),
                    false => ToolResult::text("none"),
                }
            }
        })
        .build()
        .unwrap()
}

fn declared() -> Value {
    json!({"extensions": {ID: {}}})
}

async fn code_of(client: &mut RawClient, method: &str) -> Value {
    let answer = client.request(method, json!({})).await;
    answer.get("error").map_or(json!("served"), |error| error["code"].clone())
}

#[tokio::test]
async fn a_server_declares_its_extensions_and_only_these() {
    let (with, without) = (desk(Tickets::default()), Server::builder("desk", "1").build().unwrap());
    for (server, expected) in [(with, json!({ID: {"max": 10}})), (without, Value::Null)] {
        let mut client = RawClient::connect_as(&server, MODERN, json!({})).await;
        let discovered = client.request("server/discover", json!({})).await;
        assert_eq!(discovered["result"]["capabilities"]["extensions"], expected, "{discovered}");
        for revision in Revision::ALL {
            let (ours, theirs) = memory::pair();
            let server = server.clone();
            tokio::spawn(async move { server.serve(theirs).await });
            let client = Client::builder("me", "1").revisions([revision]).connect_with(ours).await.unwrap();
            assert_eq!(client.server_extension(ID).is_some(), !expected.is_null(), "{revision}");
        }
    }
}

#[tokio::test]
async fn methods_are_for_who_declared_the_extension() {
    let server = desk(Tickets::default());
    for revision in Revision::ALL {
        let is_modern = revision.era() == Era::Modern;
        let has_old = [Revision::V2025_06_18, Revision::V2025_11_25].contains(&revision);
        for (capabilities, is_declared) in
            [(declared(), true), (json!({}), false), (json!({"extensions": {ID: true}}), false)]
        {
            let mut client = RawClient::connect_as(&server, revision, capabilities).await;
            let expected = match (is_modern, is_declared) {
                (true, true) => json!("served"),
                (true, false) => json!(-32021),
                (false, _) => json!(-32601),
            };
            assert_eq!(code_of(&mut client, Close::METHOD).await, expected, "{revision} {is_declared}");
            // A name of the protocol's at 2025-11-25 alone means the extension's at 2026-07-28 alone.
            assert_eq!(code_of(&mut client, Reused::METHOD).await, expected, "{revision} {is_declared}");
            let expected = if has_old && is_declared { json!("served") } else { json!(-32601) };
            assert_eq!(code_of(&mut client, Old::METHOD).await, expected, "{revision} {is_declared}");
            let expected = if is_modern { json!("served") } else { json!(-32601) };
            assert_eq!(code_of(&mut client, Count::METHOD).await, expected, "{revision} {is_declared}");
            assert_eq!(code_of(&mut client, "com.example/tickets/none").await, json!(-32601));
        }
    }
}

#[tokio::test]
async fn a_refusal_names_the_extension() {
    let mut client = RawClient::connect_as(&desk(Tickets::default()), MODERN, json!({})).await;
    let answer = client.request(Close::METHOD, json!({})).await;
    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"extensions": {ID: {}}}}), "{answer}");
}

#[tokio::test]
async fn results_of_a_cacheable_method_say_how_long_they_may_be_kept() {
    let mut client = RawClient::connect_as(&desk(Tickets::default()), MODERN, json!({})).await;
    let answer = client.request(Count::METHOD, json!({})).await;
    assert_eq!((&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]), (&json!(0), &json!("private")));
}

#[tokio::test]
async fn results_of_its_type_are_for_clients_that_know_them() {
    let server = desk(Tickets::default());
    let call = || json!({"name": "report"});
    let mut client = RawClient::connect_as(&server, MODERN, declared()).await;
    let answer = client.request("tools/call", call()).await;
    assert_eq!(answer["result"]["resultType"], "com.example/ticket", "{answer}");
    assert_eq!(answer["result"]["ticket"], "7", "{answer}");
    // The stateful era has no types of results.
    let mut client = RawClient::connect_as(&server, Revision::V2025_11_25, declared()).await;
    assert_eq!(client.request("tools/call", call()).await["error"]["code"], -32603);

    let (ours, theirs) = memory::pair();
    tokio::spawn({
        let server = server.clone();
        async move { server.serve(theirs).await }
    });
    let client = Client::builder("me", "1").extension(declaration()).connect_with(ours).await.unwrap();
    let taken = client.peer().request::<Call>(CallParams::new("report")).extended().await.unwrap();
    let Extended::Extension { result_type, result } = taken else { panic!("{taken:?}") };
    assert_eq!(result_type, "com.example/ticket");
    assert_eq!(result.decode::<Value>().unwrap()["ticket"], "7");
    assert!(client.call("report").await.is_err(), "nobody asked for it");
    let list = client.peer().request::<mcpeer::model::tools::List>(mcpeer::model::tools::ListParams::new());
    assert!(matches!(list.extended().await, Ok(Extended::Complete(list)) if list.tools.len() == 1));
}

#[tokio::test]
async fn its_notifications_come_on_the_streams_that_ask_for_their_key() {
    let server = desk(Tickets::default());
    let mut client = RawClient::connect_as(&server, MODERN, declared()).await;
    let filter = |ids: Value| json!({"notifications": {"ticketIds": ids, "unknown": true}});
    let first = client.start("subscriptions/listen", filter(json!(["7", "8"]))).await;
    let honoured = client.receive().await.unwrap();
    assert_eq!(honoured["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(honoured["params"]["notifications"], json!({"ticketIds": ["7", "8"]}));
    client.start("subscriptions/listen", filter(json!(["9"]))).await;
    client.receive().await.unwrap();
    client.start("tools/call", json!({"name": "report", "arguments": {"closes": "8"}})).await;
    let told = client.receive().await.unwrap();
    assert_eq!(told["method"], Closed::METHOD, "{told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], first);
    assert!(client.receive().await.unwrap().get("result").is_some(), "told once");
}

#[tokio::test]
async fn listening_needs_the_declaration_too() {
    let server = desk(Tickets::default());
    let mut client = RawClient::connect_as(&server, MODERN, json!({})).await;
    let listen = |filter: Value| json!({"notifications": filter});
    let answer = client.request("subscriptions/listen", listen(json!({"ticketIds": ["7"]}))).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"extensions": {ID: {}}}}));
    client.start("subscriptions/listen", listen(json!({"toolsListChanged": true}))).await;
    assert_eq!(client.receive().await.unwrap()["method"], "notifications/subscriptions/acknowledged");
}

#[tokio::test]
async fn what_is_told_of_one_principal_reaches_no_other() {
    let server = desk(Tickets::default());
    let mut clients = Vec::new();
    for name in ["alice", "bob"] {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(Known(theirs, name)).await });
        let mut client = RawClient::over(ours, MODERN, declared());
        client.start("subscriptions/listen", json!({"notifications": {"ticketIds": ["7"]}})).await;
        client.receive().await.unwrap();
        clients.push(client);
    }
    for (closes, told) in [("alice 7", [true, false]), ("7", [true, true])] {
        for (at, client) in clients.iter_mut().enumerate() {
            let call = json!({"name": "report", "arguments": {"closes": if at == 0 { closes } else { "none" }}});
            client.start("tools/call", call).await;
            let mut methods = Vec::new();
            loop {
                let message = client.receive().await.unwrap();
                if message.get("result").is_some() {
                    break;
                }
                methods.push(message["method"].clone());
            }
            assert_eq!(methods == [Closed::METHOD], told[at], "{closes} {at} {methods:?}");
        }
    }
}

#[tokio::test]
async fn a_server_hears_notifications_of_its_extensions() {
    let tickets = Tickets::default();
    let server = desk(tickets.clone());
    let mut client = RawClient::connect_as(&server, MODERN, declared()).await;
    for count in 0..2 {
        client.request("tools/list", json!({})).await;
        assert_eq!(*tickets.0.lock().unwrap(), count);
        client.send(&json!({"jsonrpc": "2.0", "method": Seen::METHOD})).await;
    }
    client.request("tools/list", json!({})).await;
    assert_eq!(*tickets.0.lock().unwrap(), 2);
}

#[test]
fn what_does_not_fit_together_is_refused_when_the_server_is_made() {
    let build =
        |extension: Extension| Server::builder("desk", "1").extension(extension).build().unwrap_err().to_string();
    assert_eq!(
        build(Extension::new("tickets")),
        "the extension `tickets` cannot be used: its identifier must be a domain, a slash and a name, as in \
         `com.example/tickets`"
    );
    assert!(build(Extension::new("a/b").method(Method::request("tools/call"))).contains("has the method `tools/call`"));
    let twice = Server::builder("desk", "1").extension(Tickets::default()).extension(Tickets::default());
    assert!(twice.build().unwrap_err().to_string().contains("given twice"));
    let reserved =
        Server::builder("desk", "1").method::<Reused, _>(async |_: EmptyParams, _: Context| Ok(EmptyResult::new()));
    assert!(reserved.build().is_err(), "without the extension the name is the protocol's");
}
