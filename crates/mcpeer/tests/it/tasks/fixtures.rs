//! What the official conformance suite asks of the extension.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use super::lab::{
    ID, MODERN, accept, assert_created, assert_heard, cancel, connect, get, keys, lab, start, takes_tasks, text, until,
    update,
};
use crate::{ask::peer::retry, peers::RawClient};

#[tokio::test(start_paused = true)]
async fn the_server_declares_the_extension_and_no_tasks_of_2025() {
    let mut client = connect(&lab()).await;
    let discovered = client.request("server/discover", json!({})).await;
    assert_eq!(discovered["result"]["capabilities"]["extensions"], json!({ID: {}}));
    assert!(discovered["result"]["capabilities"].get("tasks").is_none());
    let list = client.request("tools/list", json!({})).await;
    assert!(list["result"]["tools"].as_array().unwrap().iter().all(|tool| tool.get("execution").is_none()));
}

#[tokio::test(start_paused = true)]
async fn other_tools_are_answered_as_ever_and_what_2025_asked_by_is_ignored() {
    let mut client = connect(&lab()).await;
    let call = json!({"name": "greet", "arguments": {"name": "Ada"}, "task": {"ttl": 1000, "pollInterval": 1}});
    let answer = client.request("tools/call", call).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "Hello, Ada!"}]));
}

#[tokio::test(start_paused = true)]
async fn a_call_becomes_a_task_that_is_there_at_once_and_ends_with_the_result() {
    let mut client = connect(&lab()).await;
    for seconds in [0, 1, 60] {
        let answer = client.call("slow_compute", json!({"seconds": seconds, "label": "x"})).await;
        assert_created(&answer);
        let id = answer["result"]["taskId"].as_str().unwrap();
        let first = get(&mut client, id).await;
        assert_eq!(first["result"]["createdAt"], answer["result"]["createdAt"]);
        if seconds > 0 {
            assert_eq!(first["result"]["status"], "working");
            assert!(first["result"].get("result").is_none());
        }
        let task = until(&mut client, id, "completed").await;
        assert_eq!(text(&task), "computed x");
        let meta = &task["result"]["_meta"];
        assert!(meta.get("io.modelcontextprotocol/related-task").is_none());
        assert_eq!(task["result"]["resultType"], "complete");
        assert!(task.get("error").is_none() && task.get("inputRequests").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn who_takes_no_tasks_gets_the_result() {
    let server = lab();
    for capabilities in
        [json!({}), json!({"tasks": {"requests": {"tools": {"call": {}}}}}), json!({"extensions": {ID: 1}})]
    {
        let mut client = RawClient::connect_as(&server, MODERN, capabilities).await;
        let answer = client.call("slow_compute", json!({"seconds": 1, "label": "x"})).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        assert_eq!(crate::peers::text(&answer), "computed x");
        assert!(answer["result"].get("taskId").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn the_stateful_era_has_no_tasks() {
    let server = lab();
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let mut client = RawClient::connect_as(&server, revision, takes_tasks()).await;
        let call = json!({"name": "slow_compute", "arguments": {"label": "x"}, "task": {"ttl": 1000}});
        let answer = client.request("tools/call", call).await;
        assert_eq!(crate::peers::text(&answer), "computed x", "{revision}");
        let failing = client.call("failing_job", json!({})).await;
        assert_eq!(failing["result"]["isError"], true, "{revision} {failing}");
        for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"] {
            let answer = client.request(method, json!({"taskId": "x", "inputResponses": {}})).await;
            assert_eq!(answer["error"]["code"], -32601, "{revision} {method}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_is_completed_and_a_request_that_fails_is_failed() {
    let mut client = connect(&lab()).await;
    let id = start(&mut client, "failing_job", json!({})).await;
    let task = until(&mut client, &id, "completed").await;
    assert_eq!(task["result"]["isError"], true);
    assert_eq!(text(&task), "it failed");
    let id = start(&mut client, "protocol_error_job", json!({})).await;
    let task = until(&mut client, &id, "failed").await;
    assert_eq!(task["error"], json!({"code": -32603, "message": "the job broke"}));
    assert!(task.get("result").is_none());
}

#[tokio::test(start_paused = true)]
async fn what_needs_the_extension_says_so_to_who_did_not_declare_it() {
    let server = lab();
    let mut knowing = connect(&server).await;
    let id = start(&mut knowing, "slow_compute", json!({"seconds": 60})).await;
    let mut client = RawClient::connect_as(&server, MODERN, json!({"elicitation": {}})).await;
    let params = json!({"taskId": id, "inputResponses": {}});
    let mut refused = vec![client.call("failing_job", json!({})).await];
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        refused.push(client.request(method, params.clone()).await);
    }
    refused.push(client.request("subscriptions/listen", json!({"notifications": {"taskIds": [id]}})).await);
    for answer in refused {
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        let data = json!({"requiredCapabilities": {"extensions": {ID: {}}}});
        assert_eq!(answer["error"]["data"], data, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn there_are_no_other_methods_and_no_other_tasks() {
    let mut client = connect(&lab()).await;
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(client.request(method, json!({"taskId": "x"})).await["error"]["code"], -32601, "{method}");
    }
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for params in [json!({"taskId": "nosuch", "inputResponses": {}}), json!({}), json!({"taskId": 7})] {
            let answer = client.request(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {answer}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_asks_and_goes_on_with_the_answer() {
    let mut client = connect(&lab()).await;
    let id = start(&mut client, "confirm_delete", json!({"filename": "a.txt"})).await;
    let task = until(&mut client, &id, "input_required").await;
    let [key] = &keys(&task)[..] else { panic!("{task}") };
    assert_eq!(task["inputRequests"][key]["method"], "elicitation/create");
    assert_eq!(task["inputRequests"][key]["params"]["message"], "Delete a.txt?");
    // What was not asked is heard and counts for nothing.
    update(&mut client, &id, json!({"other": accept(json!({"confirm": true}))})).await;
    assert_eq!(keys(&until(&mut client, &id, "input_required").await), [key.as_str()]);
    update(&mut client, &id, json!({key: accept(json!({"confirm": true}))})).await;
    let task = until(&mut client, &id, "completed").await;
    assert_eq!(text(&task), "deleted a.txt");
    assert!(task.get("inputRequests").is_none());
    // So does what comes when all is over.
    update(&mut client, &id, json!({key: accept(json!({"confirm": true}))})).await;
    cancel(&mut client, &id).await;
    assert_eq!(get(&mut client, &id).await["result"]["status"], "completed");
}

#[tokio::test(start_paused = true)]
async fn questions_stand_together_and_are_answered_one_by_one() {
    let mut client = connect(&lab()).await;
    let id = start(&mut client, "multi_input", json!({})).await;
    let task = until(&mut client, &id, "input_required").await;
    assert_eq!(keys(&task), ["first", "last"]);
    update(&mut client, &id, json!({"last": accept(json!({"name": "Lovelace"}))})).await;
    let task = get(&mut client, &id).await["result"].clone();
    assert_eq!((&task["status"], keys(&task)), (&json!("input_required"), vec!["first".to_owned()]));
    // The first answer counts.
    update(
        &mut client,
        &id,
        json!({"last": accept(json!({"name": "Byron"})), "first": accept(json!({"name": "Ada"}))}),
    )
    .await;
    assert_eq!(text(&until(&mut client, &id, "completed").await), "Ada Lovelace");
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_ask_first_and_go_on_as_a_task_then() {
    let server = lab();
    let mut client = connect(&server).await;
    let call = json!({"name": "test_tool_with_task"});
    let asked = client.request("tools/call", call.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert!(asked["result"].get("taskId").is_none());
    let alice = |_: &str, _: &Value| accept(json!({"name": "Alice"}));
    let answer = client.request("tools/call", retry(&call, &asked, alice)).await;
    assert_created(&answer);
    let id = answer["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(text(&until(&mut client, &id, "completed").await), "Hello, Alice");
    // For who takes no tasks the same is a call of two rounds, and in the stateful era a call.
    for revision in Revision::ALL {
        let mut client = RawClient::connect_as(&server, revision, json!({"elicitation": {}})).await;
        if !revision.has_elicitation() {
            continue;
        }
        let talk = crate::ask::peer::talk(&mut client, revision, call.clone(), alice).await;
        assert_eq!(crate::peers::text(&talk.answer), "Hello, Alice", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_cancelled_is_so_at_once_and_stays_so() {
    let mut client = connect(&lab()).await;
    let id = start(&mut client, "slow_compute", json!({"seconds": 60})).await;
    cancel(&mut client, &id).await;
    assert_eq!(get(&mut client, &id).await["result"]["status"], "cancelled");
    tokio::time::sleep(std::time::Duration::from_secs(120)).await;
    assert_eq!(get(&mut client, &id).await["result"]["status"], "cancelled");
    assert_heard(&client.request("tasks/cancel", json!({"taskId": id})).await);
}
