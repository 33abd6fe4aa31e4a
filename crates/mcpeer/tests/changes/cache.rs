//! Answers that are kept.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcpeer::{
    Client,
    client::{
        Backoff, Builder, Change, Restart, Watch,
        cache::{Cache, Memory},
    },
    model::{caching::Scope, subscriptions::Filter},
    server::{Resource, Server},
    testing::{Direction, ManualClock, Pair},
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::scripted::{Script, connect};

const MINUTE: Duration = Duration::from_secs(60);
const READ: &str = "resources/read";

fn builder() -> Builder {
    Client::builder("test", "1.0.0")
}

/// A client that keeps what its server says nothing about for a minute, so that it keeps something in each era.
fn keeping() -> Builder {
    builder().cache(Cache::new().default_ttl(MINUTE))
}

fn at(builder: Builder, clock: &ManualClock) -> Builder {
    builder.options(mcpeer::driver::Options::default().clock(clock.clone()))
}

fn server() -> Server {
    Server::builder("files", "1.0.0")
        .tool("now", async || "12:00")
        .resource(Resource::new("f://a", "a"), async || "text")
        .cache("tools/list", MINUTE, Scope::Private)
        .cache("resources/list", MINUTE, Scope::Public)
        .cache(READ, Duration::from_secs(10), Scope::Private)
        .build()
        .unwrap()
}

/// How often the server was asked.
fn asked(pair: &Pair, method: &str) -> usize {
    pair.wire().methods(Direction::ToServer).iter().filter(|sent| *sent == method).count()
}

fn page(method: &str, marker: &str, more: Value) -> Value {
    let schema = json!({"type": "object"});
    let mut page = match method {
        "tools/list" => json!({"tools": [{"name": marker, "inputSchema": schema}]}),
        "prompts/list" => json!({"prompts": [{"name": marker}]}),
        "resources/list" => json!({"resources": [{"uri": "f://a", "name": marker}]}),
        "resources/templates/list" => json!({"resourceTemplates": [{"uriTemplate": "f://{a}", "name": marker}]}),
        _ => json!({"contents": [{"uri": "f://a", "text": marker}]}),
    };
    page["resultType"] = "complete".into();
    page.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    page
}

fn ask(client: &Client, method: &str, params: Value) -> JoinHandle<mcpeer::Result<Value>> {
    let params = mcpeer::rpc::Raw::parse(params.to_string()).unwrap();
    let sent = client.request_raw(method.to_owned(), Some(params)).send();
    tokio::spawn(async move { sent.await.map(|raw| raw.decode().unwrap()) })
}

/// Asks, and answers.
async fn served(client: &Client, script: &mut Script, method: &str, params: Value, result: Value) -> Value {
    let asked = ask(client, method, params);
    let request = script.hear(method).await;
    script.answer(&request, result).await;
    asked.await.unwrap().unwrap()
}

/// Asks for what is kept: no word goes to the server, which would not answer.
async fn kept(client: &Client, method: &str, params: Value) -> Value {
    ask(client, method, params).await.unwrap().unwrap()
}

fn shows(answer: &Value, marker: &str) -> bool {
    answer.to_string().contains(&format!("\"{marker}\""))
}

/// How a server tells of changes: in the stateless era on a stream that the client listens to.
struct Told {
    watch: Option<Watch>,
    listen: Value,
}

async fn told(client: &Client, script: &mut Script) -> Told {
    if client.era() == Era::Legacy {
        return Told { watch: None, listen: Value::Null };
    }
    let filter = Filter::new().tools_list_changed(true).prompts_list_changed(true).resources_list_changed(true);
    let filter = filter.resource_subscriptions(["f://".to_owned()]);
    let opening = tokio::spawn(client.watch(filter).into_future());
    let listen = script.hear("subscriptions/listen").await;
    script.acknowledge(&listen).await;
    Told { watch: Some(opening.await.unwrap().unwrap()), listen }
}

impl Told {
    /// Tells that what a method gives has changed.
    async fn changed(&self, script: &mut Script, method: &str) {
        match method {
            "tools/list" => self.say(script, "notifications/tools/list_changed", json!({})).await,
            "prompts/list" => self.say(script, "notifications/prompts/list_changed", json!({})).await,
            READ => self.updated(script, "f://a").await,
            _ => self.say(script, "notifications/resources/list_changed", json!({})).await,
        }
    }

    async fn updated(&self, script: &mut Script, uri: &str) {
        self.say(script, "notifications/resources/updated", json!({"uri": uri})).await;
    }

    async fn say(&self, script: &mut Script, method: &str, params: Value) {
        match self.watch {
            Some(_) => script.tell(&self.listen, method, params).await,
            None => script.say(json!({"jsonrpc": "2.0", "method": method, "params": params})).await,
        }
    }
}

const METHODS: [&str; 5] = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", READ];

fn params_of(method: &str) -> Value {
    if method == READ { json!({"uri": "f://a"}) } else { json!({}) }
}

#[tokio::test]
async fn what_a_server_says_is_fresh_is_not_asked_for_again_until_its_time_is_over() {
    for revision in Revision::ALL {
        let (server, clock) = (server(), ManualClock::new());
        let pair = Pair::of(&server).client(builder()).revision(revision).clock(&clock).connect().await.unwrap();
        let client = pair.client();
        for round in 1..4 {
            client.tools().all().await.unwrap();
            clock.turn(MINUTE - Duration::from_millis(1));
            assert_eq!(client.tools().all().await.unwrap()[0].name, "now");
            // What servers of the stateful era cannot say is not kept.
            let expected = if revision.era() == Era::Modern { round } else { 2 * round };
            assert_eq!(asked(&pair, "tools/list"), expected, "{revision}");
            clock.turn(Duration::from_millis(1));
        }
        let before = (asked(&pair, READ), asked(&pair, "resources/list"));
        for _ in 0..2 {
            client.read("f://a").await.unwrap();
            client.resources().all().await.unwrap();
        }
        clock.turn(Duration::from_secs(10));
        client.read("f://a").await.unwrap();
        client.resources().all().await.unwrap();
        let after = if revision.era() == Era::Modern { (2, 1) } else { (3, 3) };
        assert_eq!((asked(&pair, READ) - before.0, asked(&pair, "resources/list") - before.1), after, "{revision}");
    }
}

#[tokio::test]
async fn one_request_can_ask_anew_or_leave_the_cache_alone() {
    for revision in Revision::ALL {
        let clock = ManualClock::new();
        let pair = Pair::of(&server()).client(keeping()).revision(revision).clock(&clock).connect().await.unwrap();
        let client = pair.client();
        for _ in 0..2 {
            client.read("f://a").meta("traceparent", "00-1-2-01").await.unwrap();
            client.read("f://a").await.unwrap();
            client.request_raw("tools/list", None).await.unwrap();
            client.tools().page(None).await.unwrap();
        }
        assert_eq!((asked(&pair, READ), asked(&pair, "tools/list")), (1, 1), "{revision}: `_meta` makes no difference");
        client.read("f://a").refresh().await.unwrap();
        client.read("f://a").no_cache().await.unwrap();
        client.peer().request_raw(READ, Some(mcpeer::rpc::Raw::parse(r#"{"uri":"f://a"}"#).unwrap())).await.unwrap();
        client.tools().refresh().all().await.unwrap();
        client.tools().no_cache().all().await.unwrap();
        assert_eq!((asked(&pair, READ), asked(&pair, "tools/list")), (4, 3), "{revision}");
        client.read("f://a").await.unwrap();
        assert_eq!(asked(&pair, READ), 4, "{revision}");
        client.clear_cache();
        client.read("f://a").await.unwrap();
        client.tools().all().await.unwrap();
        assert_eq!((asked(&pair, READ), asked(&pair, "tools/list")), (5, 4), "{revision}");
    }
}

#[tokio::test]
async fn what_is_asked_with_headers_is_neither_kept_nor_taken_from_what_is_kept() {
    for revision in Revision::ALL {
        let pair = Pair::of(&server()).client(keeping()).revision(revision).connect().await.unwrap();
        let client = pair.client();
        let ours = || client.read("f://a").header("x-tenant", "acme");
        let mut times = 0;
        for call in
            [ours(), ours().refresh(), ours().no_cache().refresh(), client.read("f://a").refresh().header("a", "b")]
        {
            call.await.unwrap();
            times += 1;
            assert_eq!(asked(&pair, READ), times, "{revision}: nothing was kept before, and nothing taken");
        }
        client.read("f://a").await.unwrap();
        client.read("f://a").await.unwrap();
        assert_eq!(asked(&pair, READ), times + 1, "{revision}: nothing was kept for who asks without");
        ours().await.unwrap();
        ours().refresh().await.unwrap();
        assert_eq!(asked(&pair, READ), times + 3, "{revision}");
        client.read("f://a").await.unwrap();
        assert_eq!(asked(&pair, READ), times + 3, "{revision}: what was kept stays");
    }
}

#[tokio::test]
async fn a_client_can_keep_nothing_or_what_its_server_says_nothing_about() {
    for revision in Revision::ALL {
        for (builder, expected) in [(builder().no_cache(), 2), (builder(), 2), (keeping(), 1)] {
            let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build().unwrap();
            let pair = Pair::of(&server).client(builder).revision(revision).connect().await.unwrap();
            for _ in 0..2 {
                pair.client().tools().all().await.unwrap();
            }
            // A server of this crate says in the stateless era that its answers are fresh for no time.
            let expected = if revision.era() == Era::Modern { 2 } else { expected };
            assert_eq!(asked(&pair, "tools/list"), expected, "{revision}");
        }
    }
}

#[tokio::test]
async fn whoever_hears_of_a_change_is_not_served_what_was_before_it() {
    for revision in Revision::ALL {
        let server = server();
        let heard: Arc<Mutex<Option<Client>>> = Arc::default();
        let asked_within = Arc::new(Mutex::new(Vec::new()));
        let (hook, within) = (heard.clone(), asked_within.clone());
        let client = keeping().on_notification(move |notification| {
            let Some(client) = hook.lock().unwrap().clone() else { return };
            within
                .lock()
                .unwrap()
                .push((notification.method.into_owned(), client.request_raw("tools/list", None).send()));
        });
        let clock = ManualClock::new();
        let pair = Pair::of(&server).client(client).revision(revision).clock(&clock).connect().await.unwrap();
        let filter = Filter::new().tools_list_changed(true).resource_subscriptions(["f://a".to_owned()]);
        for _ in 0..2 {
            pair.client().tools().all().await.unwrap();
            pair.client().read("f://a").await.unwrap();
        }
        assert_eq!((asked(&pair, "tools/list"), asked(&pair, READ)), (1, 1), "{revision}");
        if revision.era() == Era::Legacy {
            // Nobody watches.
            *heard.lock().unwrap() = Some(pair.client().clone());
            server.tools_changed();
            pair.wire().until(|message| message.method().is_some_and(|method| method.contains("list_changed"))).await;
            let (_, sent) = loop {
                if let Some(found) = asked_within.lock().unwrap().pop() {
                    break found;
                }
                tokio::task::yield_now().await;
            };
            sent.await.unwrap();
            assert_eq!(asked(&pair, "tools/list"), 2, "{revision}: the hook is served what is new");
            *heard.lock().unwrap() = None;
        }
        let mut watch = pair.client().watch(filter).await.unwrap();
        let before = asked(&pair, "tools/list");
        server.tools_changed();
        assert_eq!(watch.next().await, Some(Change::Tools));
        pair.client().tools().all().await.unwrap();
        assert_eq!((asked(&pair, "tools/list"), asked(&pair, READ)), (before + 1, 1), "{revision}");
        pair.client().read("f://a").await.unwrap();
        assert_eq!(asked(&pair, READ), 1, "{revision}: that is another kind of change");
        server.resource_updated("f://a");
        assert_eq!(watch.next().await, Some(Change::Resource { uri: "f://a".into() }));
        pair.client().read("f://a").await.unwrap();
        pair.client().tools().all().await.unwrap();
        assert_eq!((asked(&pair, "tools/list"), asked(&pair, READ)), (before + 1, 2), "{revision}");
    }
}

#[tokio::test]
async fn an_answer_that_was_asked_for_before_a_change_is_not_kept() {
    for revision in Revision::ALL {
        for method in METHODS {
            let (client, mut script) = connect(keeping(), revision).await;
            let told = told(&client, &mut script).await;
            let params = params_of(method);
            let early = ask(&client, method, params.clone());
            let request = script.hear(method).await;
            told.changed(&mut script, method).await;
            script.answer(&request, page(method, "old", json!({}))).await;
            assert!(shows(&early.await.unwrap().unwrap(), "old"), "{revision} {method}");
            let late = served(&client, &mut script, method, params.clone(), page(method, "new", json!({}))).await;
            assert!(shows(&late, "new"), "{revision} {method}");
            assert!(shows(&kept(&client, method, params.clone()).await, "new"), "{revision} {method}");

            // It arrived before the change, but nobody looked at it before.
            let unread = client.request_raw(method, Some(mcpeer::rpc::Raw::parse(params.to_string()).unwrap()));
            let unread = unread.refresh().send();
            let request = script.hear(method).await;
            script.answer(&request, page(method, "old", json!({}))).await;
            told.changed(&mut script, method).await;
            let barrier = ask(&client, "test/barrier", json!({}));
            let request = script.hear("test/barrier").await;
            script.answer(&request, json!({"resultType": "complete"})).await;
            barrier.await.unwrap().unwrap();
            unread.await.unwrap();
            let late = served(&client, &mut script, method, params, page(method, "new", json!({}))).await;
            assert!(shows(&late, "new"), "{revision} {method}");
        }
    }
}

#[tokio::test]
async fn a_change_of_a_resource_counts_for_those_under_it_and_above_it() {
    for revision in Revision::ALL {
        let (client, mut script) = connect(keeping(), revision).await;
        let told = told(&client, &mut script).await;
        let uris = ["f://a", "f://a/b", "f://ab"];
        for uri in uris {
            served(&client, &mut script, READ, json!({"uri": uri}), page(READ, "old", json!({}))).await;
        }
        told.updated(&mut script, "f://a/b/c").await;
        let list = served(&client, &mut script, "tools/list", json!({}), page("tools/list", "t", json!({}))).await;
        assert!(shows(&list, "t"));
        for uri in &uris[..2] {
            served(&client, &mut script, READ, json!({"uri": uri}), page(READ, "new", json!({}))).await;
        }
        assert!(shows(&kept(&client, READ, json!({"uri": "f://ab"})).await, "old"), "{revision}");
        assert!(shows(&kept(&client, "tools/list", json!({})).await, "t"), "{revision}");
    }
}

#[tokio::test]
async fn what_may_not_be_kept_is_not() {
    let (client, mut script) = connect(builder().on_roots(async || vec![]), Revision::V2026_07_28).await;
    let list = "tools/list";
    let fresh = json!({"ttlMs": 60_000, "cacheScope": "public"});
    for hints in [
        json!({}),
        json!({"cacheScope": "public"}),
        json!({"ttlMs": 0, "cacheScope": "public"}),
        json!({"ttlMs": -5, "cacheScope": "public"}),
        json!({"ttlMs": "60000", "cacheScope": "public"}),
        json!({"ttlMs": null}),
    ] {
        served(&client, &mut script, list, json!({}), page(list, "a", hints)).await;
    }
    served(&client, &mut script, list, json!({}), page(list, "a", fresh.clone())).await;
    served(&client, &mut script, list, json!({"cursor": ""}), page(list, "b", fresh.clone())).await;
    assert!(shows(&kept(&client, list, json!({})).await, "a"), "another cursor is another request");

    // What is newer and may not be kept ends what was kept.
    let refreshed = client.request_raw(list, None).refresh().send();
    let request = script.hear(list).await;
    script.answer(&request, page(list, "c", json!({"ttlMs": 0, "cacheScope": "public"}))).await;
    refreshed.await.unwrap();
    served(&client, &mut script, list, json!({}), page(list, "a", fresh.clone())).await;

    for method in ["tools/call", "prompts/get", "completion/complete", "test/own"] {
        if method != "completion/complete" {
            for _ in 0..2 {
                served(&client, &mut script, method, json!({"name": "a"}), page(method, "a", fresh.clone())).await;
            }
        }
    }

    // An answer after a round, and one that goes on with a round that was done by hand.
    for _ in 0..2 {
        let asked = ask(&client, READ, json!({"uri": "f://r"}));
        let request = script.hear(READ).await;
        let inputs = json!({"where": {"method": "roots/list"}});
        script.answer(&request, json!({"resultType": "input_required", "inputRequests": inputs})).await;
        let request = script.hear(READ).await;
        script.answer(&request, page(READ, "a", fresh.clone())).await;
        asked.await.unwrap().unwrap();
        let by_hand = json!({"uri": "f://a", "requestState": "s"});
        served(&client, &mut script, READ, by_hand, page(READ, "a", fresh.clone())).await;
    }

    // An error is not kept, and ends what was.
    let params = json!({"uri": "f://a"});
    served(&client, &mut script, READ, params.clone(), page(READ, "a", fresh.clone())).await;
    kept(&client, READ, params.clone()).await;
    let gone = client.read("f://a").refresh().send();
    let request = script.hear(READ).await;
    script.refuse(&request, -32602).await;
    gone.await.unwrap_err();
    served(&client, &mut script, READ, params.clone(), page(READ, "a", fresh)).await;
    kept(&client, READ, params).await;
}

#[tokio::test]
async fn no_answer_is_kept_for_longer_than_the_client_says() {
    let clock = ManualClock::new();
    let list = "tools/list";
    for (cache, longest) in [(Cache::new(), 24 * 60 * MINUTE), (Cache::new().max_ttl(MINUTE), MINUTE)] {
        let (client, mut script) = connect(at(builder().cache(cache), &clock), Revision::V2026_07_28).await;
        let hints = json!({"ttlMs": u64::MAX, "cacheScope": "public"});
        served(&client, &mut script, list, json!({}), page(list, "a", hints.clone())).await;
        clock.turn(longest - Duration::from_millis(1));
        kept(&client, list, json!({})).await;
        clock.turn(Duration::from_millis(1));
        served(&client, &mut script, list, json!({}), page(list, "a", hints)).await;
    }
}

#[tokio::test]
async fn its_time_begins_when_an_answer_arrives_and_not_when_it_is_looked_at() {
    let (clock, list) = (ManualClock::new(), "tools/list");
    let (client, mut script) = connect(at(builder(), &clock), Revision::V2026_07_28).await;
    let hints = json!({"ttlMs": 60_000, "cacheScope": "public"});
    let sent = client.request_raw(list, None).send();
    let request = script.hear(list).await;
    clock.turn(Duration::from_secs(30));
    script.answer(&request, page(list, "a", hints.clone())).await;
    served(&client, &mut script, READ, json!({"uri": "f://a"}), page(READ, "a", json!({}))).await;
    clock.turn(Duration::from_secs(59));
    sent.await.unwrap();
    kept(&client, list, json!({})).await;
    clock.turn(Duration::from_secs(1));
    served(&client, &mut script, list, json!({}), page(list, "a", hints)).await;
}

#[tokio::test]
async fn clients_share_what_is_public_and_by_one_authorization_what_is_private() {
    for revision in Revision::ALL {
        let store = Arc::new(Memory::new());
        let cache = |server: &str, who: &str| {
            let cache = Cache::new().store(store.clone()).server(server).partition(who).default_ttl(MINUTE);
            builder().cache(cache)
        };
        let modern = revision.era() == Era::Modern;
        let hints = |scope: &str| if modern { json!({"ttlMs": 60_000, "cacheScope": scope}) } else { json!({}) };
        let (alice, mut hers) = connect(cache("s", "alice"), revision).await;
        let (bob, mut his) = connect(cache("s", "bob"), revision).await;
        let (again, _third) = connect(cache("s", "alice"), revision).await;
        let (other, mut others) = connect(cache("t", "alice"), revision).await;
        let nameless = builder().cache(Cache::new().store(store.clone()).default_ttl(MINUTE));
        let (nameless, mut strangers) = connect(nameless, revision).await;

        let (open, secret) = ("tools/list", "prompts/list");
        served(&alice, &mut hers, open, json!({}), page(open, "hers", hints("public"))).await;
        served(&alice, &mut hers, secret, json!({}), page(secret, "hers", hints("private"))).await;
        for (client, script) in [(&other, &mut others), (&nameless, &mut strangers)] {
            for method in [open, secret] {
                let own = served(client, script, method, json!({}), page(method, "own", hints("public"))).await;
                assert!(shows(&own, "own"), "{revision}");
            }
        }
        if modern {
            assert!(shows(&kept(&bob, open, json!({})).await, "hers"));
        }
        let own = served(&bob, &mut his, secret, json!({}), page(secret, "his", hints("private"))).await;
        assert!(shows(&own, "his"), "{revision}");
        for method in [open, secret] {
            assert!(shows(&kept(&again, method, json!({})).await, "hers"), "{revision}");
            assert!(shows(&kept(&alice, method, json!({})).await, "hers"), "{revision}");
        }
        // A scope that is none is private.
        served(&alice, &mut hers, READ, json!({"uri": "f://a"}), page(READ, "hers", hints("everyone"))).await;
        served(&bob, &mut his, READ, json!({"uri": "f://a"}), page(READ, "his", hints("private"))).await;
        // Another authorization on the same connection.
        alice.set_cache_partition("carol");
        served(&alice, &mut hers, secret, json!({}), page(secret, "carols", hints("private"))).await;
        assert!(shows(&kept(&again, secret, json!({})).await, "hers"), "{revision}");

        // What one hears of a change counts for all of the server's, and for nobody else's.
        let telling = told(&bob, &mut his).await;
        telling.changed(&mut his, secret).await;
        served(&bob, &mut his, READ, json!({"uri": "f://barrier"}), page(READ, "a", json!({}))).await;
        served(&bob, &mut his, secret, json!({}), page(secret, "new", hints("private"))).await;
        served(&alice, &mut hers, secret, json!({}), page(secret, "new", hints("private"))).await;
        assert!(shows(&kept(&other, secret, json!({})).await, "own"), "{revision}");
    }
}

#[tokio::test]
async fn who_heard_of_a_change_is_not_served_what_another_had_asked_for_before() {
    let revision = Revision::V2026_07_28;
    let store = Arc::new(Memory::new());
    let cache = || builder().cache(Cache::new().store(store.clone()).server("s"));
    let (first, mut unaware) = connect(cache(), revision).await;
    let (second, mut script) = connect(cache(), revision).await;
    let (list, hints) = ("tools/list", json!({"ttlMs": 60_000, "cacheScope": "public"}));
    let early = ask(&first, list, json!({}));
    let request = unaware.hear(list).await;
    let telling = told(&second, &mut script).await;
    telling.changed(&mut script, list).await;
    served(&second, &mut script, READ, json!({"uri": "f://a"}), page(READ, "a", json!({}))).await;
    unaware.answer(&request, page(list, "old", hints.clone())).await;
    early.await.unwrap().unwrap();
    assert!(shows(&kept(&first, list, json!({})).await, "old"), "nobody told it otherwise");
    let late = served(&second, &mut script, list, json!({}), page(list, "new", hints)).await;
    assert!(shows(&late, "new"));
    assert!(shows(&kept(&first, list, json!({})).await, "new"), "what is newer is served to both");
}

#[tokio::test]
async fn a_new_first_page_ends_the_later_ones() {
    for revision in Revision::ALL {
        let (client, mut script) = connect(keeping(), revision).await;
        let list = "tools/list";
        let (first, second) = (json!({}), json!({"cursor": "2"}));
        let one = |marker| page(list, marker, json!({"nextCursor": "2"}));
        served(&client, &mut script, list, first.clone(), one("a1")).await;
        served(&client, &mut script, list, second.clone(), page(list, "a2", json!({}))).await;
        let all: Vec<_> = client.tools().all().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(all, ["a1", "a2"], "{revision}: page by page from what is kept");

        // A later page is on its way when the new first one arrives.
        let straggler = client.request_raw(list, Some(mcpeer::rpc::Raw::parse(second.to_string()).unwrap()));
        let straggler = straggler.refresh().send();
        let late = script.hear(list).await;
        let refreshed = client.request_raw(list, None).refresh().send();
        let request = script.hear(list).await;
        script.answer(&request, one("b1")).await;
        refreshed.await.unwrap();
        script.answer(&late, page(list, "a2", json!({}))).await;
        straggler.await.unwrap();
        assert!(shows(&kept(&client, list, first.clone()).await, "b1"), "{revision}");
        served(&client, &mut script, list, second.clone(), page(list, "b2", json!({}))).await;
        assert!(shows(&kept(&client, list, second).await, "b2"), "{revision}");
    }
}

#[tokio::test]
async fn a_cursor_of_a_list_that_is_no_more_begins_it_anew() {
    for revision in Revision::ALL {
        let (client, mut script) = connect(keeping(), revision).await;
        let list = "tools/list";
        served(&client, &mut script, list, json!({}), page(list, "a1", json!({"nextCursor": "dead"}))).await;
        let tools = client.tools();
        let all = tokio::spawn(async move { tools.all().await });
        let request = script.hear(list).await;
        assert_eq!(request["params"]["cursor"], "dead");
        script.refuse(&request, -32602).await;
        let request = script.hear(list).await;
        assert!(request["params"].get("cursor").is_none(), "{revision}");
        script.answer(&request, page(list, "b1", json!({}))).await;
        let all: Vec<_> = all.await.unwrap().unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(all, ["b1"], "{revision}");
        assert!(shows(&kept(&client, list, json!({})).await, "b1"), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_started_again_is_asked_anew() {
    let server = server();
    for revision in Revision::ALL {
        let backoff = Backoff::new(Duration::from_millis(2), Duration::from_millis(2));
        let client = keeping().restart(Restart::times(3).backoff(backoff));
        let pair = Pair::of(&server).client(client).revision(revision).connect().await.unwrap();
        let mut health = pair.client().health_changes();
        health.next().await;
        for _ in 0..2 {
            pair.client().tools().all().await.unwrap();
        }
        assert_eq!(asked(&pair, "tools/list"), 1, "{revision}");
        pair.crash();
        while !health.next().await.unwrap().is_up() {}
        pair.client().tools().all().await.unwrap();
        assert_eq!(asked(&pair, "tools/list"), 2, "{revision}");
    }
}

#[tokio::test]
async fn a_storm_of_changes_and_resources_is_borne() {
    for revision in Revision::ALL {
        let (client, mut script) = connect(keeping(), revision).await;
        let told = told(&client, &mut script).await;
        for number in 0..300 {
            let params = json!({"uri": format!("f://{number}")});
            served(&client, &mut script, READ, params, page(READ, "old", json!({}))).await;
        }
        for number in 0..1000 {
            told.updated(&mut script, &format!("g://{number}")).await;
        }
        let list = served(&client, &mut script, "tools/list", json!({}), page("tools/list", "t", json!({}))).await;
        assert!(shows(&list, "t"));
        // More than are told apart: all of them count as changed.
        let params = json!({"uri": "f://0"});
        served(&client, &mut script, READ, params.clone(), page(READ, "new", json!({}))).await;
        assert!(shows(&kept(&client, READ, params).await, "new"), "{revision}");
    }
}

#[tokio::test]
async fn a_client_that_was_closed_serves_nothing() {
    let pair = Pair::of(&server()).client(keeping()).connect().await.unwrap();
    pair.client().tools().all().await.unwrap();
    pair.client().close().await;
    assert!(pair.client().tools().all().await.unwrap_err().is_closed());
}
