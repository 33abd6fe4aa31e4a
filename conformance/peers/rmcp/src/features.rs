//! What `../../features.mjs` does, with the same output.

use rmcp::{model::ClientRequest, service::PeerRequestOptions};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    connected::{Connected, MODERN},
    json::{json_of, of},
    report::{Outcome, equal, say, step, tell, text_of},
};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const COUNTER: &str = "test://counter";

pub async fn features(version: &str, server: &[String]) -> Outcome {
    let capabilities = json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}},
        "roots": {"listChanged": true},
    });
    step("connect");
    let client = Connected::open(version, server, capabilities).await?;
    if version != "auto" {
        equal(&client.version, version, "the negotiated version")?;
    }
    say(json!({"value": client.version}));
    resources(&client).await?;
    prompts(&client).await?;
    logs(&client).await?;
    questions(&client).await?;
    if client.version != MODERN {
        tell("roots changed", async {
            client.peer().notify_roots_list_changed().await?;
            Ok(text_of(&client.call("roots_changed", json!({})).await?)?.into())
        })
        .await?;
    }
    changes(&client).await?;
    step("close");
    let status = client.close().await?;
    say(json!({"value": status}));
    Ok(())
}

/// What a client is told that answers nothing.
pub async fn unable(version: &str, server: &[String]) -> Outcome {
    step("connect");
    let client = Connected::open(version, server, json!({})).await?;
    say(json!({"value": client.version}));
    for name in ["form", "address", "sample", "use tools", "roots", "interview"] {
        tell(name, said_of(&client, &name.replace(' ', "_"), json!({"how": "accept"}))).await?;
    }
    tell("prompt that asks", asked_prompt(&client, "accept")).await?;
    tell("resource that asks", asked_resource(&client, "accept")).await?;
    client.close().await?;
    Ok(())
}

async fn said_of(client: &Connected, name: &str, arguments: Value) -> Outcome<Value> {
    client.heard.asked.lock().expect("nothing panics").clear();
    let result = client.call(name, arguments).await?;
    Ok(json!({"text": text_of(&result)?, "isError": result["isError"] == true}))
}

async fn asked_prompt(client: &Connected, how: &str) -> Outcome<Value> {
    let params = of(json!({"name": "asked", "arguments": {"how": how}}));
    let result = json_of(client.running.get_prompt(params).await?);
    Ok(result["messages"][0]["content"]["text"].clone())
}

async fn asked_resource(client: &Connected, how: &str) -> Outcome<Value> {
    let params = of(json!({"uri": format!("test://asked/{how}")}));
    let result = json_of(client.running.read_resource(params).await?);
    Ok(result["contents"][0]["text"].clone())
}

async fn resources(client: &Connected) -> Outcome {
    tell("resources", async {
        Ok(kept(client.every("resources/list", "resources").await?, &["uri", "name", "mimeType"]))
    })
    .await?;
    for uri in ["test://greeting", "test://bytes", "test://item/alpha", "test://missing"] {
        tell(&format!("read {uri}"), async {
            Ok(json_of(client.running.read_resource(of(json!({"uri": uri}))).await?)["contents"].clone())
        })
        .await?;
    }
    tell("templates", async {
        Ok(kept(client.every("resources/templates/list", "resourceTemplates").await?, &["uriTemplate", "name"]))
    })
    .await?;
    let reference = json!({"type": "ref/resource", "uri": "test://item/{id}"});
    tell("complete id", complete(client, reference, "id", "al", None)).await
}

async fn complete(
    client: &Connected,
    reference: Value,
    name: &str,
    typed: &str,
    context: Option<Value>,
) -> Outcome<Value> {
    let mut params = json!({"ref": reference, "argument": {"name": name, "value": typed}});
    if let Some(context) = context {
        params["context"] = context;
    }
    Ok(client.ask("completion/complete", Some(params)).await?["completion"].clone())
}

async fn prompts(client: &Connected) -> Outcome {
    tell("prompts", async {
        let prompts = client.every("prompts/list", "prompts").await?;
        let prompts = prompts.iter().map(|prompt| {
            let arguments = prompt["arguments"].as_array().into_iter().flatten();
            let arguments: Vec<Value> = arguments
                .map(|argument| json!({"name": argument["name"], "required": argument["required"] == true}))
                .collect();
            json!({"name": prompt["name"], "arguments": arguments})
        });
        Ok(prompts.collect())
    })
    .await?;
    let get = async |arguments: Value| -> Outcome<Value> {
        let params = of(json!({"name": "greet", "arguments": arguments}));
        Ok(json_of(client.running.get_prompt(params).await?)["messages"].clone())
    };
    tell("prompt", get(json!({"name": "Ada", "style": "formal"}))).await?;
    tell("prompt without style", get(json!({"name": "Ada"}))).await?;
    tell("prompt without name", get(json!({}))).await?;
    let reference = json!({"type": "ref/prompt", "name": "greet"});
    tell("complete name", complete(client, reference.clone(), "name", "a", None)).await?;
    let context = json!({"arguments": {"name": "ada"}});
    tell("complete style", complete(client, reference, "style", "f", Some(context))).await
}

async fn logs(client: &Connected) -> Outcome {
    let is_modern = client.version == MODERN;
    let logged = async |level: Option<&str>| -> Outcome<Value> {
        client.heard.logs.lock().expect("nothing panics").clear();
        let mut options = PeerRequestOptions::no_options();
        match level {
            Some(level) if is_modern => options = options.with_meta(of(json!({LOG_LEVEL: level}))),
            Some(level) => drop(client.ask("logging/setLevel", Some(json!({"level": level}))).await?),
            None => {}
        }
        let request = json!({"method": "tools/call", "params": {"name": "log", "arguments": {}}});
        client.peer().send_request_with_option(of::<ClientRequest>(request), options).await?.await_response().await?;
        Ok(client.heard.logs.lock().expect("nothing panics").clone().into())
    };
    tell("logs from warning", logged(Some("warning"))).await?;
    tell("logs from debug", logged(Some("debug"))).await?;
    if is_modern {
        tell("logs not asked for", logged(None)).await?;
    }
    Ok(())
}

async fn questions(client: &Connected) -> Outcome {
    let asked = async |name: &str| -> Outcome<Vec<Value>> {
        said_of(client, name, json!({"how": "accept"})).await?;
        Ok(client.heard.asked.lock().expect("nothing panics").clone())
    };
    let first =
        |asked: Vec<Value>, member: &str| asked.first().map_or(Value::Null, |question| question[member].clone());
    for how in ["accept", "decline", "cancel"] {
        tell(&format!("form, {how}"), said_of(client, "form", json!({"how": how}))).await?;
    }
    tell("form asked for", async { Ok(first(asked("form").await?, "requestedSchema")) }).await?;
    for how in ["accept", "decline"] {
        tell(&format!("address, {how}"), said_of(client, "address", json!({"how": how}))).await?;
    }
    tell("address asked for", async { Ok(first(asked("address").await?, "url")) }).await?;
    for (name, tool) in [("sample", "sample"), ("use tools", "use_tools"), ("roots", "roots")] {
        tell(name, said_of(client, tool, json!({}))).await?;
    }
    tell("interview", said_of(client, "interview", json!({"how": "accept"}))).await?;
    tell("interview asked for", async { Ok(asked("interview").await?.len().into()) }).await?;
    for how in ["accept", "decline"] {
        tell(&format!("prompt that asks, {how}"), asked_prompt(client, how)).await?;
        tell(&format!("resource that asks, {how}"), asked_resource(client, how)).await?;
    }
    Ok(())
}

async fn changes(client: &Connected) -> Outcome {
    let is_modern = client.version == MODERN;
    let count = |what: &str| client.heard.changes.borrow().iter().filter(|change| *change == what).count();
    let until = async |what: &str, times: usize| -> Outcome {
        let mut changes = client.heard.changes.subscribe();
        changes.wait_for(|changes| changes.iter().filter(|change| *change == what).count() >= times).await?;
        Ok(())
    };
    let mut watching = None;
    tell("watch", async {
        if !is_modern {
            client.ask("resources/subscribe", Some(json!({"uri": COUNTER}))).await?;
            return Ok(Value::Null);
        }
        let (honoured, following) = Following::start(client).await?;
        watching = Some(following);
        Ok(honoured)
    })
    .await?;
    tell("update", async {
        let counted = client.call("change", json!({})).await?;
        until(COUNTER, 1).await?;
        let read = json_of(client.running.read_resource(of(json!({"uri": COUNTER}))).await?);
        let updates = vec![COUNTER; count(COUNTER)];
        Ok(json!({"counted": text_of(&counted)?, "read": read["contents"][0]["text"], "updates": updates}))
    })
    .await?;
    let lists = [("tool", "tools"), ("prompt", "prompts"), ("resource", "resources")];
    for (what, member) in lists {
        tell(&format!("{what} added"), async {
            client.call("extend", json!({"what": what})).await?;
            until(what, 1).await?;
            let listed = client.every(&format!("{member}/list"), member).await?;
            Ok(listed.iter().any(|entry| entry["name"] == "added").into())
        })
        .await?;
    }
    tell("call what was added", async { Ok(text_of(&client.call("added", json!({})).await?)?.into()) }).await?;
    tell("no more updates", async {
        match watching.take() {
            Some(Following { end, task }) => {
                drop(end);
                task.await?;
            }
            None => drop(client.ask("resources/unsubscribe", Some(json!({"uri": COUNTER}))).await?),
        }
        // The end of the watch may still be on its way; at the end of a call it has arrived.
        client.call("added", json!({})).await?;
        client.call("change", json!({})).await?;
        // What the server would have said of the change comes before this answer, or by a stream of its own, where that
        // the tools changed comes behind it.
        let told = count("tool");
        client.call("extend", json!({"what": "nothing"})).await?;
        if !is_modern {
            until("tool", told + 1).await?;
        }
        Ok(count(COUNTER).into())
    })
    .await
}

/// A subscription of the stateless era whose notifications go where the others go.
struct Following {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Following {
    /// Subscribes to all that changes; gives what the server grants.
    async fn start(client: &Connected) -> Outcome<(Value, Self)> {
        let filter = json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourcesListChanged": true,
            "resourceSubscriptions": [COUNTER],
        });
        let mut subscription = client.peer().listen(of(filter)).await?;
        let honoured = json_of(subscription.acknowledged());
        let (end, mut ending) = oneshot::channel();
        let heard = client.heard.clone();
        let task = tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = &mut ending => return drop(subscription.cancel().await),
                    next = subscription.next() => match next {
                        Ok(Some(notification)) => heard.notification(&notification),
                        _ => return,
                    },
                }
            }
        });
        Ok((honoured, Self { end, task }))
    }
}

/// Keeps of each entry what is named.
fn kept(entries: Vec<Value>, names: &[&str]) -> Value {
    let keep = |entry: &Value| {
        let members = entry.as_object().into_iter().flatten();
        let members = members.filter(|(name, _)| names.contains(&&***name));
        Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    entries.iter().map(keep).collect()
}
