//! Calls that go on as tasks, where each request has a connection of its own.

use std::time::Duration;

use http::Request;
use mcpeer::server::{HttpService, Server, Tool, tasks::Tasks};
use serde_json::{Value, json};

use crate::web::{modern, run, send};

fn service() -> HttpService {
    Server::builder("lab", "1")
        .extension(Tasks::new())
        .tool(Tool::new("slow").task(), async || {
            tokio::time::sleep(Duration::from_secs(10)).await;
            "done"
        })
        .build()
        .unwrap()
        .http()
        .service()
}

fn request(method: &str, params: Value) -> Request<String> {
    let mut params = params;
    params["_meta"] =
        json!({"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}});
    modern(1, method, &params)
}

fn named(mut request: Request<String>, name: &str) -> Request<String> {
    request.headers_mut().insert("mcp-name", name.parse().unwrap());
    request
}

#[test]
fn a_task_goes_on_when_its_request_is_answered_and_any_request_may_ask_for_it() {
    run(async {
        let service = service();
        let answer = send(&service, request("tools/call", json!({"name": "slow"}))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let created = answer.json()["result"].clone();
        assert_eq!(created["resultType"], "task");
        let id = created["taskId"].as_str().unwrap();
        let get = || named(request("tasks/get", json!({"taskId": id})), id);
        assert_eq!(send(&service, get()).await.json()["result"]["status"], "working");
        tokio::time::sleep(Duration::from_secs(11)).await;
        let task = send(&service, get()).await.json()["result"].clone();
        assert_eq!(task["status"], "completed", "{task}");
        assert_eq!(task["result"]["content"][0]["text"], "done");
    });
}

#[test]
fn the_header_names_the_task() {
    run(async {
        let service = service();
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": "a", "inputResponses": {}});
            let bare = send(&service, request(method, params.clone())).await;
            assert_eq!((bare.status, bare.code()), (400, -32020), "{method}");
            let other = send(&service, named(request(method, params.clone()), "b")).await;
            assert_eq!((other.status, other.code()), (400, -32020), "{method}");
            let unknown = send(&service, named(request(method, params.clone()), "a")).await;
            assert_eq!(unknown.code(), -32602, "{method}");
            let undeclared = send(&service, named(modern(1, method, &params), "a")).await;
            assert_eq!((undeclared.status, undeclared.code()), (400, -32021), "{method}");
        }
        for method in ["tasks/result", "tasks/list"] {
            let answer = send(&service, request(method, json!({"taskId": "a"}))).await;
            assert_eq!((answer.status, answer.code()), (404, -32601), "{method}");
        }
    });
}
