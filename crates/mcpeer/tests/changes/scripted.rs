//! A client against a server whose every word is written here.

use mcpeer::{
    Client,
    client::{Backoff, Builder, Change, Ended},
    model::subscriptions::Filter,
    testing::ManualClock,
    transport::{TransportExt, memory},
    version::{Era, Revision},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::JoinHandle;

pub(crate) struct Script(memory::Memory);

impl Script {
    pub(crate) async fn hear(&mut self, method: &str) -> Value {
        let text = self.0.receive_text().await.unwrap().expect("the client has ended");
        let message: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(message["method"], method, "{text}");
        message
    }

    pub(crate) async fn say(&mut self, message: Value) {
        self.0.send_text(message.to_string()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, code: i64) {
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}})).await;
    }

    pub(crate) async fn tell(&mut self, listen: &Value, method: &str, mut params: Value) {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        self.say(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn acknowledge(&mut self, listen: &Value) {
        let filter = listen["params"]["notifications"].clone();
        self.tell(listen, "notifications/subscriptions/acknowledged", json!({"notifications": filter})).await;
    }
}

const CAPABILITIES: &str = r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}}"#;

async fn modern() -> (Client, Script, ManualClock) {
    let clock = ManualClock::new();
    let builder = Client::builder("test", "1.0.0").options(mcpeer::driver::Options::default().clock(clock.clone()));
    let (client, script) = connect(builder, Revision::V2026_07_28).await;
    (client, script, clock)
}

async fn legacy(revision: Revision) -> (Client, Script) {
    connect(Client::builder("test", "1.0.0"), revision).await
}

/// Connects a client at a revision.
pub(crate) async fn connect(builder: Builder, revision: Revision) -> (Client, Script) {
    let (ours, theirs) = memory::pair();
    let connecting = tokio::spawn(builder.revisions([revision]).connect_with(ours));
    let mut script = Script(theirs);
    let capabilities: Value = serde_json::from_str(CAPABILITIES).unwrap();
    if revision.era() == Era::Modern {
        let discover = script.hear("server/discover").await;
        let result = json!({"resultType": "complete", "supportedVersions": [revision.as_str()],
            "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"});
        script.answer(&discover, result).await;
    } else {
        let initialize = script.hear("initialize").await;
        let result = json!({"protocolVersion": revision.as_str(), "capabilities": capabilities,
            "serverInfo": {"name": "script", "version": "1"}});
        script.answer(&initialize, result).await;
        script.hear("notifications/initialized").await;
    }
    (connecting.await.unwrap().unwrap(), script)
}

fn legacy_revisions() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.era() == mcpeer::version::Era::Legacy)
}

fn watch(client: &Client, filter: Filter) -> JoinHandle<mcpeer::Result<mcpeer::client::Watch>> {
    let open = client.watch(filter).capacity(2).backoff(Backoff::new(Duration::from_secs(1), Duration::from_secs(8)));
    tokio::spawn(open.into_future())
}

fn uris(uris: &[&str]) -> Filter {
    Filter::new().resource_subscriptions(uris.iter().map(|uri| (*uri).to_owned()).collect::<Vec<_>>())
}

#[tokio::test]
async fn resources_are_subscribed_to_one_by_one_and_let_go_when_the_last_watch_of_them_is_dropped() {
    for revision in legacy_revisions() {
        let (client, mut script) = legacy(revision).await;
        let first = watch(&client, uris(&["a:/x", "a:/no"]));
        let subscribe = script.hear("resources/subscribe").await;
        assert_eq!(subscribe["params"]["uri"], "a:/x");
        let refused = script.hear("resources/subscribe").await;
        script.refuse(&refused, -32002).await;
        script.answer(&subscribe, json!({})).await;
        let unsubscribe = script.hear("resources/unsubscribe").await;
        assert_eq!(unsubscribe["params"]["uri"], "a:/no", "{revision}: it may have been noted before it was refused");
        script.answer(&unsubscribe, json!({})).await;
        let mut first = first.await.unwrap().unwrap();
        assert_eq!(first.honoured(), uris(&["a:/x"]), "{revision}: the refused one is not honoured");

        let second = watch(&client, uris(&["a:/x"]));
        let again = script.hear("resources/subscribe").await;
        script.answer(&again, json!({})).await;
        let mut second = second.await.unwrap().unwrap();
        for uri in ["a:/x/below", "a:/xy", "a:/x"] {
            script
                .say(json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}))
                .await;
        }
        for uri in ["a:/x/below", "a:/x"] {
            assert_eq!(first.next().await, Some(Change::Resource { uri: uri.into() }), "{revision}");
            assert_eq!(second.next().await, Some(Change::Resource { uri: uri.into() }), "{revision}");
        }
        drop(first);
        drop(second);
        assert_eq!(script.hear("resources/unsubscribe").await["params"]["uri"], "a:/x");
        client.close().await;
        assert!(script.0.receive_text().await.unwrap().is_none(), "{revision}: it was let go once");
    }
}

#[tokio::test]
async fn a_server_that_ends_a_subscription_ends_the_watch() {
    for how in ["result", "cancelled", "both"] {
        let (client, mut script, _) = modern().await;
        let opening = watch(&client, Filter::new().tools_list_changed(true));
        let listen = script.hear("subscriptions/listen").await;
        script.acknowledge(&listen).await;
        let mut watch = opening.await.unwrap().unwrap();
        script.tell(&listen, "notifications/tools/list_changed", json!({})).await;
        if how != "cancelled" {
            script.answer(&listen, json!({"resultType": "complete"})).await;
        }
        if how != "result" {
            let params = json!({"requestId": listen["id"]});
            script.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        }
        assert_eq!(watch.next().await, Some(Change::Tools), "{how}: what came before is given");
        assert_eq!(watch.next().await, None, "{how}");
        assert!(matches!(watch.ended(), Some(Ended::Server)), "{how}: {:?}", watch.ended());
        assert_eq!(watch.next().await, None, "{how}: it stays over");
    }
}

#[tokio::test]
async fn a_watch_that_is_not_read_ends_once_too_many_different_changes_wait() {
    let (client, mut script, _) = modern().await;
    let opening = watch(&client, uris(&["a:/"]));
    let listen = script.hear("subscriptions/listen").await;
    script.acknowledge(&listen).await;
    let mut watch = opening.await.unwrap().unwrap();
    for uri in ["a:/1", "a:/2", "a:/1", "a:/2", "a:/3"] {
        script.tell(&listen, "notifications/resources/updated", json!({"uri": uri})).await;
    }
    assert_eq!(watch.next().await, Some(Change::Resource { uri: "a:/1".into() }));
    // By now all five have arrived: they were waiting when the first one did.
    assert_eq!(watch.next().await, Some(Change::Resource { uri: "a:/2".into() }));
    assert_eq!(watch.next().await, None);
    assert!(matches!(watch.ended(), Some(Ended::Overrun)), "{:?}", watch.ended());
    let cancelled = script.hear("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], listen["id"], "the server is told");
}

#[tokio::test]
async fn what_was_not_asked_for_is_left_out() {
    let (client, mut script, _) = modern().await;
    let opening = watch(&client, Filter::new().tools_list_changed(true));
    let listen = script.hear("subscriptions/listen").await;
    script.acknowledge(&listen).await;
    let mut watch = opening.await.unwrap().unwrap();
    for list in ["prompts", "resources", "tools"] {
        script.tell(&listen, &format!("notifications/{list}/list_changed"), json!({})).await;
    }
    assert_eq!(watch.next().await, Some(Change::Tools));
}

#[tokio::test]
async fn a_watch_that_is_refused_is_not_opened() {
    let (client, mut script, _) = modern().await;
    let opening = watch(&client, Filter::new().tools_list_changed(true));
    let listen = script.hear("subscriptions/listen").await;
    script.refuse(&listen, -32603).await;
    let error = opening.await.unwrap().unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32603);
}

#[tokio::test]
async fn a_watch_that_is_never_acknowledged_fails_in_time() {
    let (client, mut script, clock) = modern().await;
    let opening = watch(&client, Filter::new().tools_list_changed(true));
    script.hear("subscriptions/listen").await;
    clock.turn(Duration::from_secs(60));
    assert!(opening.await.unwrap().unwrap_err().is_timeout());
    script.hear("notifications/cancelled").await;
}

#[tokio::test]
async fn silence_does_not_end_a_watch() {
    let (client, mut script, clock) = modern().await;
    let opening = watch(&client, Filter::new().tools_list_changed(true));
    let listen = script.hear("subscriptions/listen").await;
    script.acknowledge(&listen).await;
    let mut watch = opening.await.unwrap().unwrap();
    clock.turn(Duration::from_secs(7 * 24 * 3600));
    script.tell(&listen, "notifications/tools/list_changed", json!({})).await;
    assert_eq!(watch.next().await, Some(Change::Tools));
}
