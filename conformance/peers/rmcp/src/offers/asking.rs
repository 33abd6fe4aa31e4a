//! Questions to the client: requests in the stateful era, rounds in the stateless one.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use rmcp::{
    RoleServer,
    model::{InputRequest, InputRequiredResult, InputResponses, ServerRequest},
    service::RequestContext,
};
use serde_json::{Value, json};

use super::is_modern;
use crate::json::{json_of, of};

/// Asks the client on behalf of a request.
pub struct Asking<'a> {
    pub context: &'a RequestContext<RoleServer>,
    known: BTreeMap<String, Value>,
}

/// Why a handler does not go on.
pub enum Stop {
    /// These questions are open.
    Open(InputRequiredResult),
    /// The client does not answer.
    Failed(String),
}

impl<'a> Asking<'a> {
    /// Knows the answers of this round, and in the state those of earlier ones.
    pub fn new(
        context: &'a RequestContext<RoleServer>,
        state: Option<String>,
        answers: Option<InputResponses>,
    ) -> Self {
        let mut known: BTreeMap<String, Value> =
            state.and_then(|state| serde_json::from_str(&state).ok()).unwrap_or_default();
        known.extend(answers.unwrap_or_default());
        Self { context, known }
    }

    async fn ask<const N: usize>(&self, questions: [(&str, Value); N]) -> Result<[Value; N], Stop> {
        if is_modern(self.context) {
            let open: BTreeMap<String, InputRequest> = questions
                .iter()
                .filter(|(key, _)| !self.known.contains_key(*key))
                .map(|(key, question)| ((*key).to_owned(), of(question.clone())))
                .collect();
            if !open.is_empty() {
                let state = json!(self.known).to_string();
                return Err(Stop::Open(InputRequiredResult::new(Some(open), Some(state))));
            }
            return Ok(questions.map(|(key, _)| self.known[key].clone()));
        }
        let asked = questions.into_iter().map(|(_, question)| async move {
            let answer = self.context.peer.send_request(of::<ServerRequest>(question)).await;
            answer.map(json_of).map_err(|error| Stop::Failed(error.to_string()))
        });
        let answers = try_join_all(asked).await?;
        Ok(answers.try_into().unwrap_or_else(|_| unreachable!("each question has an answer")))
    }

    pub async fn run(&self, name: &str, how: &str) -> Result<String, Stop> {
        match name {
            "form" => {
                let [who] = self.ask([("who", form(how))]).await?;
                let mut answer = json!({"action": who["action"]});
                if who["action"] == "accept" {
                    answer["content"] = json!({"member": false});
                    let filled = who["content"].as_object().cloned().unwrap_or_default();
                    answer["content"].as_object_mut().expect("an object").extend(filled);
                }
                Ok(answer.to_string())
            }
            "address" => {
                let params = json!({
                    "mode": "url",
                    "message": format!("Sign in ({how})"),
                    "url": "https://example.com/login",
                    "elicitationId": "login",
                });
                self.can("elicitation", "url")?;
                let [login] = self.ask([("login", json!({"method": "elicitation/create", "params": params}))]).await?;
                Ok(text(&login["action"]))
            }
            "sample" => {
                let [said] = self.ask([("said", sampling("Hello", Some("Be brief. ")))]).await?;
                Ok(format!("{}: {}", text(&said["model"]), text(&first(&said["content"])["text"])))
            }
            "use_tools" => {
                self.can("sampling", "tools")?;
                self.use_tools().await
            }
            "roots" => {
                let [found] = self.ask([("roots", json!({"method": "roots/list"}))]).await?;
                let roots = found["roots"].as_array().into_iter().flatten();
                let roots: Vec<String> = roots
                    .map(|root| format!("{} {}", text(&root["uri"]), root["name"].as_str().unwrap_or("-")))
                    .collect();
                Ok(roots.join(", "))
            }
            "interview" => {
                let [who, found] = self.ask([("who", form(how)), ("roots", json!({"method": "roots/list"}))]).await?;
                let name = text(&who["content"]["name"]);
                let [said] = self.ask([("said", sampling(&format!("Greet {name}"), None))]).await?;
                let said = text(&first(&said["content"])["text"]);
                Ok(format!("{name} at {}: {said}", text(&found["roots"][0]["uri"])))
            }
            _ => {
                let [who] = self.ask([("who", form(how))]).await?;
                Ok(format!("You are {}", who["content"]["name"].as_str().unwrap_or("nobody")))
            }
        }
    }

    /// Fails where the client does not declare a part of a capability: this SDK asks in any case.
    fn can(&self, capability: &str, part: &str) -> Result<(), Stop> {
        let declared = json_of(self.context.client_capabilities());
        match declared[capability][part].is_null() {
            false => Ok(()),
            true => Err(Stop::Failed(format!("the client has no {capability}.{part}"))),
        }
    }

    async fn use_tools(&self) -> Result<String, Stop> {
        let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}});
        let tools = json!([{"name": "look_up", "description": "Looks a word up", "inputSchema": schema}]);
        let question = json!({"role": "user", "content": {"type": "text", "text": "What is tea?"}});
        let ask = |messages: Value| {
            let params = json!({"messages": messages, "maxTokens": 100, "tools": tools});
            json!({"method": "sampling/createMessage", "params": params})
        };
        let [used] = self.ask([("first", ask(json!([question])))]).await?;
        let used = first(&used["content"]);
        let found = json!([{"type": "text", "text": format!("a drink, says {}", text(&used["name"]))}]);
        let found = json!({"type": "tool_result", "toolUseId": used["id"], "content": found});
        let messages = json!([
            question,
            {"role": "assistant", "content": [used]},
            {"role": "user", "content": [found]},
        ]);
        let [said] = self.ask([("said", ask(messages))]).await?;
        Ok(text(&first(&said["content"])["text"]))
    }
}

fn form(how: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "age": {"type": "integer", "minimum": 0},
            "member": {"type": "boolean", "default": false},
            "colour": {"type": "string", "enum": ["blue", "red"]},
        },
        "required": ["name", "age", "colour"],
    });
    let message = format!("Who are you? ({how})");
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    })
}

fn sampling(text: &str, system_prompt: Option<&str>) -> Value {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": text}}]);
    let mut params = json!({"messages": messages, "maxTokens": 100});
    if let Some(prompt) = system_prompt {
        params["systemPrompt"] = prompt.into();
    }
    json!({"method": "sampling/createMessage", "params": params})
}

/// A single piece of content, which may stand in a list.
fn first(content: &Value) -> &Value {
    content.get(0).unwrap_or(content)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
