//! Resources and their templates: how they are declared, listed and read.

use std::{borrow::Cow, time::Duration};

use mcpeer::{
    handler::Context,
    model::{
        caching::{Scope, Ttl},
        resources::{BlobContents, Contents, ReadResult, TextContents},
    },
    server::{BuildError, Json, ProtocolError, Resource, ResourceResult, ResourceTemplate, Server, Uri, Variables},
    version::{Era, Revision},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peers::{RawClient, plain};

#[derive(Deserialize)]
struct Topic {
    topic: String,
}

#[derive(Deserialize)]
struct Search {
    q: Option<String>,
    page: Option<u32>,
}

fn server() -> Server {
    Server::builder("resources", "1.0.0")
        .resource(Resource::new("x://text", "text").mime_type("text/plain").title("Text"), async || "hello")
        .resource(Resource::new("x://bytes", "bytes").mime_type("image/png"), async || vec![1_u8, 2, 3])
        .resource(Resource::new("x://json", "json"), async |cx: Context| Json(json!({"method": cx.method()})))
        .resource(Resource::new("x://gone", "gone"), async || None::<String>)
        .resource(Resource::new("x://fails", "fails"), async || Err::<String, _>("the secret is 42"))
        .resource(Resource::new("x://refuses", "refuses"), async || {
            Err::<String, _>(ProtocolError::invalid_params("not today"))
        })
        .resource(Resource::new("x://many", "many"), async || {
            ReadResult::new([
                Contents::from(TextContents::new("x://many/1", "1")),
                Contents::from(BlobContents::new("x://many/2", "Mg==")),
            ])
        })
        .resource(Resource::new("x://cow", "cow"), || Cow::Borrowed("moo"))
        .resource(Resource::new("x://included", "included"), || b"\x01\x02\x03")
        .resource(Resource::new("x://slice", "slice"), || &b"\x01\x02\x03"[..])
        .resource(Resource::new("x://one", "one"), || Contents::from(TextContents::new("x://one/1", "1")))
        .resource(Resource::new("x://two", "two"), || {
            [Contents::from(TextContents::new("x://two/1", "1")), BlobContents::new("x://two/2", "Mg==").into()]
        })
        .resource(Resource::new("x://list", "list"), || vec![Contents::from(TextContents::new("x://list/1", "1"))])
        .resource(Resource::new("x://read", "read"), || Ok::<_, ProtocolError>(Some(String::from("read"))))
        .resource(Resource::new("x://panics", "panics"), async || -> String { panic!("the secret is 42") })
        .resource(Resource::new("x://typed", "typed").mime_type("text/plain"), async || {
            ResourceResult::text("<p>").mime_type("text/html")
        })
        .resource_template(
            ResourceTemplate::new("x://e/{topic}", "topics").mime_type("text/plain"),
            async |Variables(asked): Variables<Topic>, Uri(uri): Uri| format!("{} {uri}", asked.topic),
        )
        .resource_template(
            ResourceTemplate::new("x://s{?q,page}", "search"),
            async |Variables(asked): Variables<Search>| format!("{:?} {:?}", asked.q, asked.page),
        )
        .build()
        .unwrap()
}

async fn read(client: &mut RawClient, uri: &str) -> Value {
    client.request("resources/read", json!({"uri": uri})).await
}

/// Params that are as good as absent; the stateless era has none without an envelope.
fn absent(revision: Revision) -> Value {
    if revision.era() == Era::Legacy { Value::Null } else { json!({}) }
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[tokio::test]
async fn whatever_a_handler_returns_is_contents_in_every_revision() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (uri, contents) in [
            ("x://text", json!([{"uri": "x://text", "text": "hello", "mimeType": "text/plain"}])),
            ("x://bytes", json!([{"uri": "x://bytes", "blob": "AQID", "mimeType": "image/png"}])),
            (
                "x://json",
                json!([{"uri": "x://json", "text": r#"{"method":"resources/read"}"#, "mimeType": "application/json"}]),
            ),
            ("x://many", json!([{"uri": "x://many/1", "text": "1"}, {"uri": "x://many/2", "blob": "Mg=="}])),
            ("x://cow", json!([{"uri": "x://cow", "text": "moo"}])),
            ("x://included", json!([{"uri": "x://included", "blob": "AQID"}])),
            ("x://slice", json!([{"uri": "x://slice", "blob": "AQID"}])),
            ("x://one", json!([{"uri": "x://one/1", "text": "1"}])),
            ("x://two", json!([{"uri": "x://two/1", "text": "1"}, {"uri": "x://two/2", "blob": "Mg=="}])),
            ("x://list", json!([{"uri": "x://list/1", "text": "1"}])),
            ("x://read", json!([{"uri": "x://read", "text": "read"}])),
            ("x://typed", json!([{"uri": "x://typed", "text": "<p>", "mimeType": "text/html"}])),
        ] {
            let answer = read(&mut client, uri).await;
            if revision.era() == Era::Modern {
                assert_eq!(
                    (&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]),
                    (&json!(0), &json!("private"))
                );
            }
            assert_eq!(plain(answer), json!({"contents": contents}), "{uri} at {revision}");
        }
    }
}

#[tokio::test]
async fn a_resource_that_is_not_there_has_the_code_of_its_era() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let expected = if revision.era() == Era::Legacy { -32002 } else { -32602 };
        for uri in ["x://none", "x://gone", "x://e/", "x://e/a/b", "x://e/..", "constructor", ""] {
            let answer = read(&mut client, uri).await;
            assert_eq!(code(&answer), expected, "{uri} at {revision}: {answer}");
            assert_eq!(answer["error"]["data"], json!({"uri": uri}), "{revision}");
        }
    }
}

#[tokio::test]
async fn a_handlers_error_is_hidden_unless_it_is_one_of_the_protocol() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for uri in ["x://fails", "x://panics"] {
            let answer = read(&mut client, uri).await;
            assert_eq!(code(&answer), -32603, "{uri} at {revision}");
            assert!(!answer.to_string().contains("42"), "{answer}");
        }
        let answer = read(&mut client, "x://refuses").await;
        assert_eq!((code(&answer), &answer["error"]["message"]), (-32602, &json!("not today")), "{revision}");
    }
}

#[tokio::test]
async fn templates_are_matched_and_their_values_decoded() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (uri, text) in [
            ("x://e/foo%2Fbar", "foo/bar x://e/foo%2Fbar"),
            ("x://e/café", "café x://e/café"),
            ("x://e/caf%c3%a9", "café x://e/caf%c3%a9"),
            ("x://s", "None None"),
            ("x://s?page=2&q=a%20b&other=1", "Some(\"a b\") Some(2)"),
        ] {
            let answer = read(&mut client, uri).await;
            assert_eq!(answer["result"]["contents"][0]["text"], text, "{revision}: {answer}");
            assert_eq!(answer["result"]["contents"][0]["uri"], uri, "the address stands as the client wrote it");
        }
        let answer = read(&mut client, "x://s?page=two").await;
        assert_eq!(code(&answer), -32602);
        let message =
            r#""x://s?page=two" does not fit its template: `page`: expected an integer of at least 0, found "two""#;
        assert_eq!(answer["error"]["message"], message);
    }
}

#[tokio::test]
async fn what_is_declared_is_listed_in_its_order() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let listed = plain(client.request("resources/list", json!({})).await);
        let uris: Vec<_> = listed["resources"].as_array().unwrap().iter().map(|listed| &listed["uri"]).collect();
        assert_eq!((uris.len(), uris[0], uris[15]), (16, &json!("x://text"), &json!("x://typed")));
        let first = json!({"uri": "x://text", "name": "text", "title": "Text", "mimeType": "text/plain"});
        assert_eq!(listed["resources"][0], first, "{revision}");
        let listed = plain(client.request("resources/templates/list", absent(revision)).await);
        let expected = json!({"resourceTemplates": [
            {"uriTemplate": "x://e/{topic}", "name": "topics", "mimeType": "text/plain"},
            {"uriTemplate": "x://s{?q,page}", "name": "search"},
        ]});
        assert_eq!(listed, expected, "{revision}");
    }
}

#[tokio::test]
async fn every_list_has_pages_whose_cursors_hold_for_it_alone() {
    let mut builder = Server::builder("pages", "1").page_size(2);
    for number in 0..5 {
        builder = builder
            .tool(format!("t{number}"), async || "")
            .resource(Resource::new(format!("x://{number}"), "r"), async || "")
            .resource_template(ResourceTemplate::new(format!("x://{number}/{{a}}"), "t"), async || "")
            .prompt(mcpeer::server::Prompt::new(format!("p{number}")), async || "");
    }
    let server = builder.build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let mut cursors = Vec::new();
        for (method, member) in [
            ("tools/list", "tools"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
            ("prompts/list", "prompts"),
        ] {
            let mut sizes = Vec::new();
            let mut params = json!({"cursor": null});
            loop {
                let page = client.request(method, params).await;
                sizes.push(page["result"][member].as_array().unwrap().len());
                let Some(cursor) = page["result"].get("nextCursor") else { break };
                cursors.push(cursor.clone());
                params = json!({"cursor": cursor});
            }
            assert_eq!(sizes, [2, 2, 1], "{method} at {revision}");
            // The empty string is a cursor, and none of this list.
            for cursor in [json!(""), json!("2"), json!(7)] {
                let answer = client.request(method, json!({"cursor": cursor})).await;
                assert_eq!(code(&answer), -32602, "{method} at {revision}: {answer}");
            }
        }
        let answer = client.request("prompts/list", json!({"cursor": cursors[0]})).await;
        assert_eq!(code(&answer), -32602, "a cursor of another list: {answer}");
    }
}

#[tokio::test]
async fn what_is_listed_anew_stands_after_what_is_fixed() {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(3));
    let counted = count.clone();
    let server = Server::builder("dynamic", "1")
        .page_size(3)
        .resource(Resource::new("x://0", "fixed"), async || "")
        .list_resources(move |cx| {
            assert_eq!(cx.method(), "resources/list");
            let count = counted.load(std::sync::atomic::Ordering::SeqCst);
            async move {
                let all = (0..count).map(|number| Resource::new(format!("x://{number}"), number.to_string()));
                if count == 0 { Err(ProtocolError::invalid_params("none left")) } else { Ok(all.collect()) }
            }
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        count.store(3, std::sync::atomic::Ordering::SeqCst);
        let mut client = RawClient::connect(&server, revision).await;
        let list = plain(client.request("resources/list", json!({})).await);
        let expected = json!({"resources": [
            {"uri": "x://0", "name": "fixed"}, {"uri": "x://1", "name": "1"}, {"uri": "x://2", "name": "2"},
        ]});
        assert_eq!(list, expected, "{revision}: what is declared is listed once");
        count.store(4, std::sync::atomic::Ordering::SeqCst);
        let page = client.request("resources/list", json!({})).await;
        let cursor = &page["result"]["nextCursor"];
        let next = plain(client.request("resources/list", json!({"cursor": cursor})).await);
        assert_eq!(next, json!({"resources": [{"uri": "x://3", "name": "3"}]}));
        count.store(5, std::sync::atomic::Ordering::SeqCst);
        let answer = client.request("resources/list", json!({"cursor": cursor})).await;
        assert_eq!(code(&answer), -32602, "the list has changed: {answer}");
        count.store(0, std::sync::atomic::Ordering::SeqCst);
        let answer = client.request("resources/list", json!({})).await;
        assert_eq!(answer["error"]["message"], "none left");
    }
}

#[tokio::test]
async fn params_that_do_not_fit_are_invalid_and_named() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (params, place) in [(json!({}), "`params.uri` is missing"), (json!({"uri": 7}), "`params.uri`: expected")] {
            let answer = client.request("resources/read", params).await;
            assert_eq!(code(&answer), -32602, "{revision}: {answer}");
            assert!(answer["error"]["message"].as_str().unwrap().starts_with(place), "{answer}");
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let resource = || Resource::new("x://a", "a");
    let error = Server::builder("two", "1")
        .resource(resource(), async || "")
        .resource(resource(), async || "")
        .build()
        .unwrap_err();
    assert_eq!(error, BuildError::Duplicate { kind: "resource", name: "x://a".into() });
    let template = ResourceTemplate::new("x://{customer-id}", "odd");
    let error = Server::builder("odd", "1").resource_template(template, async || "").build().unwrap_err();
    let message = "the template `x://{customer-id}` cannot be served: `customer-id` in `{customer-id}` is no name of a \
                   variable: use letters, digits and `_`";
    assert_eq!(error.to_string(), message);
}

#[tokio::test]
async fn what_may_be_kept_is_said_by_method_and_by_result() {
    let server = Server::builder("kept", "1")
        .resource(Resource::new("x://a", "a"), async || "a")
        .resource(Resource::new("x://b", "b"), async || {
            let result = ReadResult::new([Contents::from(TextContents::new("x://b", "b"))]);
            result.ttl_ms(Ttl::from_millis(7)).cache_scope("private")
        })
        .cache("resources/list", Duration::from_secs(60), Scope::Private)
        .cache("resources/read", Duration::from_secs(1), Scope::Public)
        .build()
        .unwrap();
    let mut client = RawClient::connect(&server, Revision::V2026_07_28).await;
    let hint = |answer: Value| (answer["result"]["ttlMs"].clone(), answer["result"]["cacheScope"].clone());
    assert_eq!(hint(client.request("resources/list", json!({})).await), (json!(60_000), json!("private")));
    assert_eq!(hint(read(&mut client, "x://a").await), (json!(1_000), json!("public")));
    assert_eq!(hint(read(&mut client, "x://b").await), (json!(7), json!("private")));
    let templates = client.request("resources/templates/list", json!({})).await;
    assert_eq!(hint(templates), (json!(0), json!("private")));
}
