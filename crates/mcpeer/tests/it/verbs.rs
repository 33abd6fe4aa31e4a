//! What a client asks of a server beside lists and calls, over every revision.

use mcpeer::{
    model::{
        completion::{Argument, CompleteParams, PromptReference, ResourceReference},
        logging::Level,
        roots::Root,
    },
    server::{Args, Completes, Prompt, Resource, ResourceTemplate, Server, Typed},
    version::{Era, Revision},
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::peers::{builder, connect, connect_raw};

#[tokio::test]
async fn a_resource_is_followed_and_let_go_where_the_era_has_that() {
    let server = Server::builder("files", "1")
        .resource(Resource::new("files://a", "a"), async || "text")
        .resource(Resource::new("files://b", "b"), async || "text")
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let (tell, mut heard) = mpsc::unbounded_channel();
        let builder = builder().on_notification(move |notification| {
            let uri = notification.params.map(|params| params.as_str().to_owned());
            tell.send(format!("{} {}", notification.method, uri.unwrap_or_default())).unwrap();
        });
        let client = connect(builder, &server, revision).await;
        if revision.era() == Era::Modern {
            assert!(client.subscribe("files://a").await.unwrap_err().is_misuse(), "{revision}");
            assert!(client.unsubscribe("files://a").await.unwrap_err().is_misuse(), "{revision}");
            continue;
        }
        client.subscribe("files://a").await.unwrap();
        server.resource_updated("files://b");
        server.resource_updated("files://a");
        let expected = r#"notifications/resources/updated {"uri":"files://a"}"#;
        assert_eq!(heard.recv().await.unwrap(), expected, "{revision}");
        client.unsubscribe("files://a").await.unwrap();
        server.resource_updated("files://a");
        // What was told before it has arrived before its answer.
        client.resources().all().await.unwrap();
        assert!(heard.try_recv().is_err(), "{revision}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_to_be_followed_says_so() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let asking = async { client.subscribe("files://a").await.unwrap_err() };
        let refusing = async {
            let request = server.expect("resources/subscribe").await;
            assert_eq!(request["params"], json!({"uri": "files://a"}), "{revision}");
            server.refuse(&request["id"], -32002, "there is none").await;
        };
        let (error, ()) = tokio::join!(asking, refusing);
        assert_eq!(error.rpc().unwrap().code, -32002, "{revision}");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Review {
    #[allow(dead_code)]
    language: String,
}

#[tokio::test]
async fn what_an_argument_may_be_is_asked_for() {
    let server = Server::builder("docs", "1")
        .prompt(Prompt::new("review"), async |Args(_): Args<Review>| "Review")
        .completion(Completes::prompt("review", "language"), async |typed: Typed| typed.among(["ruby", "rust", "go"]))
        .resource_template(ResourceTemplate::new("docs://{section}", "docs"), async || "text")
        .completion(Completes::template("docs://{section}", "section"), async || {
            (0..101).map(|number| number.to_string()).collect::<Vec<_>>()
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let client = connect(builder(), &server, revision).await;
        let params = CompleteParams::new(PromptReference::new("review"), Argument::new("language", "ru"));
        let completed = client.complete(&params).await.unwrap().completion;
        assert_eq!(completed.values, ["ruby", "rust"], "{revision}");
        let params = CompleteParams::new(ResourceReference::new("docs://{section}"), Argument::new("section", ""));
        let completed = client.complete(params).await.unwrap().completion;
        assert_eq!((completed.values.len(), completed.has_more), (100, Some(true)), "{revision}");
        let params = CompleteParams::new(PromptReference::new("none"), Argument::new("language", "ru"));
        assert_eq!(client.complete(params).await.unwrap_err().rpc().unwrap().code, -32602, "{revision}");
    }
}

#[tokio::test]
async fn a_server_is_told_that_roots_have_changed_where_it_cannot_ask_when_it_needs_them() {
    for revision in Revision::ALL {
        let roots = builder().on_roots(async || vec![Root::new("file:///home/me")]);
        let (client, mut server) = connect_raw(roots, revision).await;
        client.roots_changed().await.unwrap();
        client.close().await;
        let told = server.receive().await;
        match revision.era() {
            Era::Legacy => assert_eq!(told.unwrap()["method"], "notifications/roots/list_changed", "{revision}"),
            Era::Modern => assert_eq!(told, None, "{revision}"),
        }
        let error = client.roots_changed().await.err();
        assert_eq!(error.is_some_and(|error| error.is_closed()), revision.era() == Era::Legacy, "{revision}");
        // Who never declared roots has none that change.
        let (client, _server) = connect_raw(builder(), revision).await;
        let error = client.roots_changed().await.err();
        assert_eq!(error.is_some_and(|error| error.is_misuse()), revision.era() == Era::Legacy, "{revision}");
    }
}

#[tokio::test]
async fn log_messages_come_from_the_level_on_that_was_asked_for() {
    let server = Server::builder("logs", "1").logging().tool("log", async |cx: mcpeer::handler::Context| {
        for level in [Level::Debug, Level::Info, Level::Warning, Level::Emergency] {
            cx.log(level.clone(), level.as_str()).await;
        }
    });
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let (tell, mut heard) = mpsc::unbounded_channel();
        let builder = builder().on_log(move |message| tell.send(message.level).unwrap());
        let client = connect(builder, &server, revision).await;
        for (level, expected) in [
            (Level::Warning, vec![Level::Warning, Level::Emergency]),
            (Level::Debug, vec![Level::Debug, Level::Info, Level::Warning, Level::Emergency]),
            (Level::Emergency, vec![Level::Emergency]),
        ] {
            client.set_log_level(level).await.unwrap();
            client.call("log").await.unwrap();
            let all: Vec<Level> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
            assert_eq!(all, expected, "{revision}");
        }
    }
}
