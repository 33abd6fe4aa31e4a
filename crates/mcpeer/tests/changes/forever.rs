//! Times without an end: whoever never wants to give up says so by the longest time that there is.

use std::time::Duration;

use mcpeer::{
    Client,
    client::{Backoff, Builder, Health, Restart, cache::Cache},
    driver::Options,
    server::{Resource, Server, Tool},
    testing::{Direction, ManualClock, Pair},
    version::{Era, Revision},
};

const EVER: Duration = Duration::MAX;
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

fn server() -> Server {
    let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00");
    server.resource(Resource::new("f://a", "a"), async || "text").build().unwrap()
}

fn patient() -> Builder {
    Client::builder("test", "1.0.0")
        .timeout(EVER)
        .max_total(EVER)
        .probe_timeout(EVER)
        .handshake_timeout(EVER)
        .keep_alive(EVER)
        .restart(Restart::times(1).backoff(Backoff::new(EVER, EVER)))
        .cache(Cache::new().default_ttl(EVER).max_ttl(EVER))
        .options(Options::default().cancel_grace(EVER).close_timeout(EVER))
}

#[tokio::test]
async fn a_client_may_wait_for_ever() {
    for revision in Revision::ALL {
        let (server, clock) = (server(), ManualClock::new());
        let pair = Pair::of(&server).client(patient()).revision(revision).clock(&clock).connect().await.unwrap();
        let client = pair.client();
        assert_eq!(client.call("now").timeout(EVER).max_total(EVER).await.unwrap().as_text(), "12:00", "{revision}");
        client.read("f://a").await.unwrap();
        client.read("f://a").await.unwrap();
        if revision.era() == Era::Legacy {
            let asked = pair.wire().methods(Direction::ToServer);
            assert_eq!(asked.iter().filter(|method| *method == "resources/read").count(), 1, "{revision}: {asked:?}");
        }
        let mut lists = client.follow_tools().await.unwrap().interval(EVER);
        lists.next().await.unwrap().unwrap();
        server.tools().add(Tool::new("more"), async || "done").unwrap();
        let next = tokio::spawn(async move { lists.next().await.unwrap().unwrap().len() });
        assert!(clock.turn_to_next().await > 50 * YEAR, "{revision}");
        assert_eq!(next.await.unwrap(), 2, "{revision}");
    }
}

#[tokio::test]
async fn a_server_may_stay_away_for_ever() {
    for revision in Revision::ALL {
        let clock = ManualClock::new();
        let pair = Pair::of(&server()).client(patient()).revision(revision).clock(&clock).connect().await.unwrap();
        let mut health = pair.client().health_changes();
        assert_eq!(health.next().await, Some(Health::Up));
        pair.crash();
        let Some(Health::Restarting { attempt: 1, .. }) = health.next().await else { panic!("{revision}") };
        let call = pair.client().call("now").send();
        assert!(clock.turn_to_next().await > 40 * YEAR, "{revision}: as long as the delay says");
        assert_eq!(call.await.unwrap().as_text(), "12:00", "{revision}");
    }
}
