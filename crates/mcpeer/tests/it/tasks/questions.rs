//! What a task asks, and in which words.

use std::time::Duration;

use mcpeer::{
    Result, Server,
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema},
        input::InputRequired,
    },
    server::{IntoToolResult, Tool, ToolResult, tasks::Tasks},
};
use serde_json::json;

use super::lab::{ID, MODERN, Name, accept, connect, get, keys, start, text, until, update};
use crate::peers::RawClient;

fn server<Signature: 'static>(handler: impl mcpeer::server::ToolHandler<Signature>) -> Server {
    Server::builder("lab", "1").extension(Tasks::new()).tool(Tool::new("ask").task(), handler).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_same_question_has_another_key_each_time() {
    let server = server(async |cx: Context| -> Result<String> {
        let mut names = Vec::new();
        for _ in 0..3 {
            let name = cx.elicit::<Name>("Who else?").await?.accepted();
            names.push(name.map(|name| name.name().to_owned()));
        }
        Ok(format!("{names:?}"))
    });
    let mut client = connect(&server).await;
    let id = start(&mut client, "ask", json!({})).await;
    let mut seen: Vec<String> = Vec::new();
    for name in ["a", "b", "c"] {
        let task = until(&mut client, &id, "input_required").await;
        let [key] = &keys(&task)[..] else { panic!("{task}") };
        assert!(!seen.contains(key), "{key} was used before");
        // An answer to an earlier question comes too late.
        for old in &seen {
            update(&mut client, &id, json!({old: accept(json!({"name": "late"}))})).await;
        }
        assert_eq!(get(&mut client, &id).await["result"]["status"], "input_required");
        update(&mut client, &id, json!({key: accept(json!({"name": name}))})).await;
        seen.push(key.clone());
    }
    let task = until(&mut client, &id, "completed").await;
    assert!(!text(&task).contains("late"), "{task}");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_waits_for_is_taken_back() {
    let server = server(async |cx: Context| -> Result<&str> {
        tokio::select! {
            answer = cx.elicit::<Name>("Who are you?") => { answer?; return Ok("answered") }
            () = tokio::time::sleep(Duration::from_secs(10)) => {}
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok("not answered")
    });
    let mut client = connect(&server).await;
    let id = start(&mut client, "ask", json!({})).await;
    until(&mut client, &id, "input_required").await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    let task = get(&mut client, &id).await;
    assert_eq!(task["result"]["status"], "working", "{task}");
    assert!(task["result"].get("inputRequests").is_none());
    assert_eq!(text(&until_slowly(&mut client, &id).await), "not answered");
}

async fn until_slowly(client: &mut RawClient, id: &str) -> serde_json::Value {
    tokio::time::sleep(Duration::from_secs(100)).await;
    until(client, id, "completed").await
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_answer_makes_the_task_fail() {
    let server = server(async |cx: Context| -> Result<String> {
        let name = cx.elicit::<Name>("Who are you?").await?;
        Ok(name.accepted().map_or_else(String::new, |name| name.name().to_owned()))
    });
    let mut client = RawClient::connect_as(&server, MODERN, json!({"extensions": {ID: {}}})).await;
    let id = start(&mut client, "ask", json!({})).await;
    let task = until(&mut client, &id, "failed").await;
    assert_eq!(task["error"]["code"], -32021, "{task}");
    assert_eq!(task["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_is_the_handlers_to_judge() {
    let server = server(async |cx: Context| -> &str {
        match cx.elicit::<Name>("Who are you?").await {
            Ok(_) => "fits",
            Err(_) => "does not fit",
        }
    });
    let mut client = connect(&server).await;
    for (answer, expected) in [
        (accept(json!({"name": 7})), "does not fit"),
        (json!(7), "does not fit"),
        (json!({"action": "decline"}), "fits"),
    ] {
        let id = start(&mut client, "ask", json!({})).await;
        let key = keys(&until(&mut client, &id, "input_required").await).remove(0);
        update(&mut client, &id, json!({key: answer})).await;
        assert_eq!(text(&until(&mut client, &id, "completed").await), expected, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_asks_by_hand_asks_through_the_task() {
    let server = server(async |cx: Context| -> ToolResult {
        let round: usize = cx.request_state().and_then(|state| state.parse().ok()).unwrap_or(0);
        let said = cx.input_responses().and_then(|responses| responses.decode::<CreateResult>("name"));
        if round == 2 {
            return ToolResult::text(format!("{:?}", said.unwrap().content.unwrap()));
        }
        let form = FormParams::new(format!("Name {round}?"), RequestedSchema::new([("name", StringSchema::new())]));
        InputRequired::new().ask("name", form).request_state((round + 1).to_string()).into_tool_result()
    });
    let mut client = connect(&server).await;
    let id = start(&mut client, "ask", json!({})).await;
    let mut seen = Vec::new();
    for name in ["a", "b"] {
        let task = until(&mut client, &id, "input_required").await;
        let key = keys(&task).remove(0);
        assert!(!seen.contains(&key), "{key} was used before");
        update(&mut client, &id, json!({&key: accept(json!({"name": name}))})).await;
        seen.push(key);
    }
    let task = until(&mut client, &id, "completed").await;
    assert!(text(&task).contains("\"b\""), "{task}");
}

#[tokio::test(start_paused = true)]
async fn steps_run_once_and_questions_of_both_kinds_know_of_each_other() {
    let server = Server::builder("lab", "1")
        .extension(Tasks::new())
        .tool(Tool::new("ask").task_on_demand(), async |cx: Context| -> Result<String> {
            let seat: u32 = cx.step("reserve", async { 7 }).await?;
            let who = cx.elicit::<Name>("Who?").await?.accepted().map_or_else(String::new, |who| who.name().to_owned());
            cx.become_task().await;
            let again: u32 = cx.step("pay", async { 8 }).await?;
            let whom =
                cx.elicit::<Name>("Whom?").await?.accepted().map_or_else(String::new, |who| who.name().to_owned());
            Ok(format!("{seat} {again} {who} {whom}"))
        })
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let call = json!({"name": "ask"});
    let asked = client.request("tools/call", call.clone()).await;
    let next = crate::ask::peer::retry(&call, &asked, |_, _| accept(json!({"name": "Ada"})));
    let answer = client.request("tools/call", next).await;
    let id = answer["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let key = keys(&until(&mut client, &id, "input_required").await).remove(0);
    update(&mut client, &id, json!({key: accept(json!({"name": "Bob"}))})).await;
    assert_eq!(text(&until(&mut client, &id, "completed").await), "7 8 Ada Bob");
}

#[tokio::test(start_paused = true)]
async fn who_listens_is_told_each_state_in_order() {
    let server = super::lab::lab();
    let mut caller = connect(&server).await;
    let mut listener = connect(&server).await;
    let id = start(&mut caller, "multi_input", json!({})).await;
    until(&mut caller, &id, "input_required").await;
    let filter = json!({"notifications": {"taskIds": [id, "unknown"]}});
    let stream = listener.start("subscriptions/listen", filter).await;
    let honoured = listener.receive().await.unwrap();
    assert_eq!(honoured["params"]["notifications"], json!({"taskIds": [id, "unknown"]}));
    update(&mut caller, &id, json!({"first": accept(json!({"name": "Ada"}))})).await;
    update(&mut caller, &id, json!({"last": accept(json!({"name": "Lovelace"}))})).await;
    for (status, has) in [("input_required", "inputRequests"), ("working", "taskId"), ("completed", "result")] {
        let told = listener.receive().await.unwrap();
        assert_eq!(told["method"], "notifications/tasks");
        let task = &told["params"];
        assert_eq!(task["_meta"]["io.modelcontextprotocol/subscriptionId"], stream);
        assert_eq!((&task["taskId"], &task["status"]), (&json!(id), &json!(status)), "{told}");
        assert!(task.get(has).is_some() && task.get("resultType").is_none(), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_beside_the_wish_to_be_a_task_is_asked_first() {
    let server = Server::builder("lab", "1")
        .extension(Tasks::new())
        .tool(Tool::new("ask").task_on_demand(), async |cx: Context| -> Result<String> {
            let (is_task, name) = tokio::join!(cx.become_task(), cx.elicit::<Name>("Who?"));
            Ok(format!("{is_task} {}", name?.accepted().map_or_else(String::new, |who| who.name().to_owned())))
        })
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let call = json!({"name": "ask"});
    let asked = client.request("tools/call", call.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let next = crate::ask::peer::retry(&call, &asked, |_, _| accept(json!({"name": "Ada"})));
    let answer = client.request("tools/call", next).await;
    let id = answer["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    assert_eq!(text(&until(&mut client, &id, "completed").await), "true Ada");
}
