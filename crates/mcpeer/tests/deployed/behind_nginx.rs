//! Servers behind nginx as Debian ships it, with our own client before it, in both eras.

use std::time::Duration;

use mcpeer::{
    client::{Backoff, Change, Watch},
    model::subscriptions::Filter,
    server::Server,
    transport::http,
    version::{Era, Revision},
};
use serde_json::json;
use tokio::{net::TcpListener, time::timeout};

use crate::{
    nginx::Nginx,
    raw,
    served::{ERAS, Gate, PATIENCE, at, echo, endless, serve},
};

/// A time limit of nginx, and how often a server says that it is there: both are a minute and a quarter of it by default.
const LIMIT: &str = "proxy_read_timeout 1s;";
const KEEP_ALIVE: Duration = Duration::from_millis(250);

fn tools() -> Filter {
    Filter::new().tools_list_changed(true)
}

/// Reads the next change, which comes.
async fn next(watch: &mut Watch) -> Option<Change> {
    timeout(PATIENCE, watch.next()).await.expect("a change comes")
}

#[tokio::test]
async fn calls_are_answered_small_and_large() {
    let Some(nginx) = Nginx::before(serve(&echo().build().unwrap().http()).await) else { return };
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&nginx.url("/mcp"))).await.unwrap();
        assert_eq!(client.tools().all().await.unwrap()[0].name, "echo");
        // What is larger than its buffers nginx keeps in files.
        for text in ["small".to_owned(), "\u{4e16}".repeat(300_000)] {
            let answer = client.call("echo").arguments(&json!({"text": text})).await.unwrap();
            assert_eq!(answer.as_text(), text, "{revision}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn progress_arrives_before_there_is_an_answer() {
    let gate = Gate::default();
    let Some(nginx) = Nginx::before(serve(&gate.server().build().unwrap().http()).await) else { return };
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&nginx.url("/mcp"))).await.unwrap();
        let mut call = client.call("wait").with_progress().send();
        let progress = timeout(PATIENCE, call.progress()).await.expect("progress is not held back").unwrap();
        assert_eq!(progress.progress, 1.0, "{revision}");
        gate.open();
        assert_eq!(call.await.unwrap().as_text(), "waited");
    }
}

#[tokio::test]
async fn changes_are_told_as_they_happen() {
    let server = echo().build().unwrap();
    let Some(nginx) = Nginx::before(serve(&server.http()).await) else { return };
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&nginx.url("/mcp"))).await.unwrap();
        let mut watch = client.watch(tools()).await.unwrap();
        for _ in 0..3 {
            server.tools_changed();
            assert_eq!(next(&mut watch).await, Some(Change::Tools), "{revision}");
        }
        client.close().await;
    }
}

/// Starts nginx with a short time limit in front of a server that says that it is there, `/alive/mcp`, and one that
/// does not, `/quiet/mcp`.
async fn limited(alive: &Server, quiet: &Server) -> Option<Nginx> {
    let alive = serve(&alive.http().keep_alive(KEEP_ALIVE)).await;
    let quiet = serve(&quiet.http().keep_alive(Duration::ZERO)).await;
    let site = format!(
        "location /alive/ {{ proxy_pass http://{alive}/; }}\nlocation /quiet/ {{ proxy_pass http://{quiet}/; }}"
    );
    Nginx::start(LIMIT, &site)
}

/// Waits until nginx has cut a stream that was opened after everything before this.
async fn limit_passes(nginx: &Nginx) {
    let stream = raw::listen(&nginx.url("/quiet/mcp")).await;
    let said = timeout(PATIENCE, stream.end()).await.expect("nginx cuts what is quiet");
    assert!(said.contains("acknowledged") && !said.contains("keep-alive"), "{said}");
}

#[tokio::test]
async fn comments_carry_a_quiet_stream_past_the_time_limit() {
    let (server, other) = (echo().build().unwrap(), echo().build().unwrap());
    let Some(nginx) = limited(&server, &other).await else { return };
    let url = nginx.url("/alive/mcp");
    let mut streams = [raw::listen(&url).await, raw::session(&url).await];
    for _ in 0..2 {
        limit_passes(&nginx).await;
    }
    server.tools_changed();
    for stream in &mut streams {
        timeout(PATIENCE, stream.until("notifications/tools/list_changed")).await.unwrap();
        assert!(stream.text.contains(": keep-alive\n\n"), "{}", stream.text);
    }
}

#[tokio::test]
async fn what_nginx_cuts_is_opened_again() {
    for revision in ERAS {
        let (other, server) = (echo().build().unwrap(), echo().build().unwrap());
        let Some(nginx) = limited(&other, &server).await else { return };
        let client = at(revision).connect(http::client(&nginx.url("/quiet/mcp"))).await.unwrap();
        let backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(1));
        let mut watch = client.watch(tools()).backoff(backoff).await.unwrap();
        limit_passes(&nginx).await;
        if revision.era() == Era::Modern {
            // Nobody told what happened meanwhile, so all counts as changed.
            assert_eq!(next(&mut watch).await, Some(Change::Tools));
        }
        limit_passes(&nginx).await;
        server.tools_changed();
        assert_eq!(next(&mut watch).await, Some(Change::Tools), "{revision}");
    }
}

#[tokio::test]
async fn an_answer_that_takes_long_is_waited_for() {
    let gate = Gate::default();
    let (server, other) = (gate.silent().build().unwrap(), echo().build().unwrap());
    let Some(nginx) = limited(&server, &other).await else { return };
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&nginx.url("/alive/mcp"))).await.unwrap();
        let call = client.call("wait").send();
        limit_passes(&nginx).await;
        gate.open();
        assert_eq!(call.await.unwrap().as_text(), "waited", "{revision}");
    }
}

#[tokio::test]
async fn who_hangs_up_ends_the_handler_behind_nginx() {
    for revision in ERAS {
        let (server, started, ends) = endless();
        let Some(nginx) = Nginx::before(serve(&server.build().unwrap().http()).await) else { return };
        let client = at(revision).connect(http::client(&nginx.url("/mcp"))).await.unwrap();
        let call = client.call("wait").send();
        timeout(PATIENCE, started.notified()).await.expect("the handler starts");
        drop(call);
        timeout(PATIENCE, ends).await.expect("the handler hears of it").expect("it says when it ends");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_ends_the_handler_behind_nginx() {
    let (server, started, ends) = endless();
    let Some(nginx) = Nginx::before(serve(&server.build().unwrap().http()).await) else { return };
    let request = raw::modern(&nginx.url("/mcp"), "tools/call", json!({"name": "wait"}));
    let sent = tokio::spawn(request.send());
    timeout(PATIENCE, started.notified()).await.expect("the handler starts");
    sent.abort();
    timeout(PATIENCE, ends).await.expect("the handler hears of it").expect("it says when it ends");
}

#[tokio::test]
async fn a_large_body_is_refused_by_the_lower_limit() {
    let server = echo().build().unwrap();
    // nginx takes one MiB unless told otherwise, our server four.
    let theirs = serve(&server.http()).await;
    let ours = serve(&server.http().max_body(64 << 10)).await;
    let site = format!(
        "location /theirs/ {{ proxy_pass http://{theirs}/; }}\nlocation /ours/ {{ proxy_pass http://{ours}/; }}"
    );
    let Some(nginx) = Nginx::start("", &site) else { return };
    for revision in ERAS {
        for (path, bytes) in [("/theirs/mcp", 2 << 20), ("/ours/mcp", 128 << 10)] {
            let client = at(revision).connect(http::client(&nginx.url(path))).await.unwrap();
            let call = client.call("echo").arguments(&json!({"text": "a".repeat(bytes)}));
            let error = call.await.unwrap_err();
            match path {
                "/theirs/mcp" => assert_eq!(error.http_status(), Some(413), "{error}"),
                _ => assert!(error.rpc().unwrap().message.contains("65536 bytes"), "{error}"),
            }
            // The rest goes on.
            let answer = client.call("echo").arguments(&json!({"text": "small"})).await.unwrap();
            assert_eq!(answer.as_text(), "small", "{revision}");
        }
    }
}

#[tokio::test]
async fn the_host_that_counts_is_the_one_that_nginx_names() {
    let server = echo().build().unwrap();
    let (strict, named) = (serve(&server.http()).await, serve(&server.http().allow_host("backend")).await);
    // By default nginx names what it passes requests to, whatever the client said.
    let http = format!("upstream refusing {{ server {strict}; }}\nupstream backend {{ server {named}; }}");
    let site =
        "location /refusing/ { proxy_pass http://refusing/; }\nlocation /backend/ { proxy_pass http://backend/; }";
    let Some(nginx) = Nginx::start(&http, site) else { return };
    for revision in ERAS {
        let client = at(revision).connect(http::client(&nginx.url("/backend/mcp"))).await.unwrap();
        assert!(client.call("echo").arguments(&json!({"text": "here"})).await.is_ok(), "{revision}");
        let error = at(revision).connect(http::client(&nginx.url("/refusing/mcp"))).await.unwrap_err();
        assert_eq!(error.http_status(), Some(403), "{error:?}");
        assert!(format!("{error:?}").contains("allow_host"), "{error:?}");
    }
}

#[tokio::test]
async fn nginx_without_a_server_behind_it_is_no_server_of_another_era() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let Some(nginx) = Nginx::before(nobody) else { return };
    let error = mcpeer::Client::builder("test", "1").connect(http::client(&nginx.url("/mcp"))).await.unwrap_err();
    assert_eq!(error.http_status(), Some(502), "{error:?}");
}
