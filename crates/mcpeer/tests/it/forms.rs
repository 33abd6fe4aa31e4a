//! Forms, addresses and roots: what clients make of questions, asked in the way of each era.

use mcpeer::{
    client::Builder,
    handler::Context,
    model::{
        RawObject,
        content::Role,
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema, UrlParams},
        sampling::{self, CreateParams, Message},
        trace::TraceContext,
    },
    rpc,
    server::Server,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{builder, connect, connect_raw};

/// Asks a client one question, and gives its answer or the code of its refusal.
async fn ask(builder: Builder, revision: Revision, method: &str, params: Value) -> Result<Value, i64> {
    let (client, mut server) = connect_raw(builder, revision).await;
    if revision.era() == Era::Legacy {
        server.send(&json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params})).await;
        let answer = server.receive().await.unwrap();
        return match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"]["code"].as_i64().unwrap()),
        };
    }
    let mut call = client.call("a").send();
    let request = server.expect("tools/call").await;
    let asked = json!({"k": {"method": method, "params": params}});
    server.answer(&request["id"], json!({"resultType": "input_required", "inputRequests": asked})).await;
    tokio::select! {
        outcome = &mut call => {
            let error = outcome.unwrap_err();
            assert!(error.is_input_required(), "{error:?}");
            let refusal = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<rpc::Error>());
            Err(refusal.map_or(0, |refusal| refusal.code))
        }
        message = server.receive() => Ok(message.unwrap()["params"]["inputResponses"]["k"].clone()),
    }
}

fn filling(content: Value) -> Builder {
    builder().on_elicit(move |_: FormParams| {
        let content = RawObject::from_value(&content).unwrap();
        async move { CreateResult::accept(content) }
    })
}

async fn fill(revision: Revision, field: &Value, content: Value) -> Result<Value, i64> {
    let schema = json!({"type": "object", "properties": {"field": field}, "required": ["field"]});
    let params = json!({"message": "?", "requestedSchema": schema});
    let answer = ask(filling(content), revision, "elicitation/create", params).await?;
    assert_eq!(answer["action"], "accept", "{answer}");
    Ok(answer["content"].clone())
}

fn asking_revisions() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.has_elicitation())
}

#[tokio::test]
async fn choices_of_all_shapes_are_checked_and_their_defaults_applied() {
    let titled = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let words = json!({"type": "string", "enum": ["a", "b"]});
    let one = [
        json!({"type": "string", "enum": ["a", "b"], "default": "b"}),
        json!({"type": "string", "oneOf": titled, "default": "b"}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "b"}),
    ];
    let several = [
        json!({"type": "array", "items": words, "minItems": 1, "maxItems": 1, "default": ["b"]}),
        json!({"type": "array", "items": {"anyOf": titled}, "minItems": 1, "maxItems": 1, "default": ["b"]}),
    ];
    for revision in asking_revisions() {
        let shapes = one.iter().map(|shape| (shape, json!("a"), vec![json!("c"), json!("A"), json!(1), json!(["a"])]));
        let lists = several.iter().filter(|_| revision.has_url_elicitation()).map(|shape| {
            (shape, json!(["a"]), vec![json!(["c"]), json!(["A"]), json!([]), json!(["a", "b"]), json!("a")])
        });
        for (shape, good, bad) in shapes.chain(lists) {
            let filled = fill(revision, shape, json!({"field": good})).await;
            assert_eq!(filled, Ok(json!({"field": good})), "{revision} {shape}");
            assert_eq!(fill(revision, shape, json!({})).await, Ok(json!({"field": shape["default"]})), "{revision}");
            for bad in bad {
                assert_eq!(fill(revision, shape, json!({"field": bad})).await, Err(-32602), "{revision} {shape} {bad}");
            }
            let mut without = shape.clone();
            without.as_object_mut().unwrap().remove("default");
            assert_eq!(fill(revision, &without, json!({})).await, Err(-32602), "{revision} {shape}: it is required");
        }
    }
}

#[tokio::test]
async fn texts_and_numbers_are_checked() {
    for revision in asking_revisions() {
        for (field, good, bad) in [
            (json!({"type": "integer", "maximum": 9}), json!([3, 4.0, -1]), json!([1.5, 10, "3", null])),
            (json!({"type": "number", "minimum": 0}), json!([1.5, 3]), json!([-0.5, "1.5", true])),
            (json!({"type": "boolean"}), json!([true]), json!(["true", 0])),
            (json!({"type": "string", "maxLength": 2}), json!(["äö", ""]), json!(["abc", 1])),
            (json!({"type": "string", "format": "email"}), json!(["a@b.c"]), json!(["a"])),
            (json!({"type": "string", "format": "uri"}), json!(["a:b"]), json!(["a b"])),
            (json!({"type": "string", "format": "date"}), json!(["2024-02-29"]), json!(["2023-02-29"])),
            (json!({"type": "string", "format": "date-time"}), json!(["2024-02-29T01:02:03Z"]), json!(["2024-02-29"])),
        ] {
            for value in good.as_array().unwrap() {
                let filled = fill(revision, &field, json!({"field": value})).await;
                assert_eq!(filled, Ok(json!({"field": value})), "{revision} {field}");
            }
            for value in bad.as_array().unwrap() {
                assert_eq!(fill(revision, &field, json!({"field": value})).await, Err(-32602), "{revision} {value}");
            }
        }
    }
}

#[tokio::test]
async fn a_default_that_its_form_does_not_allow_is_none() {
    for revision in asking_revisions() {
        for field in [
            json!({"type": "integer", "default": 1.5}),
            json!({"type": "string", "enum": ["a"], "default": "z"}),
            json!({"type": "string", "format": "email", "default": "nobody"}),
        ] {
            assert_eq!(fill(revision, &field, json!({})).await, Err(-32602), "{revision} {field}");
        }
    }
}

#[tokio::test]
async fn addresses_are_opened_where_the_revision_and_the_client_know_them() {
    let address = json!({"mode": "url", "message": "Sign in", "url": "https://a.b/", "elicitationId": "1"});
    for revision in asking_revisions() {
        let opening = || builder().on_elicit_url(async |_: UrlParams| CreateResult::accept([("leak", "x")]));
        let opened = ask(opening(), revision, "elicitation/create", address.clone()).await;
        // What was done there is nobody's business here.
        let expected = if revision.has_url_elicitation() { Ok(json!({"action": "accept"})) } else { Err(-32602) };
        assert_eq!(opened, expected, "{revision}");
        let forms = filling(json!({}));
        assert_eq!(ask(forms, revision, "elicitation/create", address.clone()).await, Err(-32602), "{revision}");
        let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
        let asked = ask(opening(), revision, "elicitation/create", form).await;
        assert_eq!(asked, Err(-32602), "{revision}: that it opens addresses does not mean that it has forms");
        let nothing = ask(builder(), revision, "elicitation/create", address.clone()).await;
        assert_eq!(nothing, Err(if revision.era() == Era::Legacy { -32601 } else { 0 }), "{revision}");
    }
}

#[tokio::test]
async fn a_client_without_roots_says_why_it_does_not_list_them() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let (_client, mut server) = connect_raw(builder(), revision).await;
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})).await;
        let answer = server.receive().await.unwrap();
        assert_eq!(answer["error"]["code"], -32601, "{revision}");
        assert_eq!(answer["error"]["data"]["reason"], "the client has no capability `roots`", "{revision}");
    }
}

#[tokio::test]
async fn questions_carry_the_trace_of_the_request_that_they_belong_to() {
    let server = Server::builder("s", "1")
        .tool("ask", async |cx: Context| {
            let form = RequestedSchema::new([("name", StringSchema::new())]);
            let answer = cx.elicit_form("Who?", form).await?;
            let answer = answer.accepted().map(|content| content.to_string());
            let model = cx.sample(CreateParams::new([Message::user("?")], 9)).await?.model;
            Ok::<_, mcpeer::Error>(format!("{answer:?} {model}"))
        })
        .build()
        .unwrap();
    for revision in asking_revisions() {
        let carried = |meta: Option<&mcpeer::model::Meta>| {
            let trace = meta.and_then(TraceContext::from_meta);
            trace.map_or("none".to_owned(), |trace| format!("{} {:?}", trace.parent, trace.baggage))
        };
        let answering = builder()
            .on_elicit(move |form: FormParams| {
                let trace = carried(form.meta.as_ref());
                async move { CreateResult::accept([("name", trace)]) }
            })
            .on_sample(move |params: CreateParams| {
                let trace = carried(params.meta.as_ref());
                async move { sampling::CreateResult::new(Role::Assistant, "x", trace) }
            });
        let client = connect(answering, &server, revision).await;
        let trace = TraceContext::new("00-1-2-01").baggage("user=7");
        let traced = client.call("ask").trace(&trace).await.unwrap();
        let text = traced.as_text();
        assert_eq!(text.matches("00-1-2-01 Some(").count(), 2, "{revision}: {text}");
        let plain = client.call("ask").await.unwrap();
        assert_eq!(plain.as_text().matches("none").count(), 2, "{revision}: {}", plain.as_text());
    }
}
