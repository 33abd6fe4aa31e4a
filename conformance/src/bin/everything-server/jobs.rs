//! Tools whose calls become tasks where the client lets them.

use std::time::Duration;

use mcpeer::{
    Result,
    handler::Context,
    rpc,
    server::{Args, Builder, ProtocolError, Tool, tasks::Tasks},
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(default)]
struct Slow {
    /// How long it takes
    seconds: f64,
    /// What it is called
    label: String,
}

impl Default for Slow {
    fn default() -> Self {
        Self { seconds: 1.0, label: "something".to_owned() }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// What is deleted
    filename: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    confirm: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Adds the tools, and the extension by which their tasks are followed.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .extension(Tasks::new().poll_interval(Duration::from_millis(100)))
        .tool(Tool::new("greet").description("Greets somebody"), |Args(greet): Args<Greet>| {
            format!("Hello, {}!", greet.name)
        })
        .tool(Tool::new("slow_compute").description("Takes its time").task(), slow)
        .tool(Tool::new("failing_job").description("Fails after a while").task_only(), async || {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Err::<&str, _>("the job failed")
        })
        .tool(Tool::new("protocol_error_job").description("Breaks").task(), async || {
            Err::<&str, _>(ProtocolError(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the job broke")))
        })
        .tool(Tool::new("confirm_delete").description("Asks before it deletes").task(), confirm_delete)
        .tool(Tool::new("multi_input").description("Asks two questions at once").task(), multi_input)
        .tool(
            Tool::new("test_tool_with_task").description("Asks, and goes on as a task").task_on_demand(),
            greet_by_task,
        )
}

async fn slow(Args(slow): Args<Slow>) -> Result<String, &'static str> {
    let time = Duration::try_from_secs_f64(slow.seconds).map_err(|_| "say how many seconds it may take")?;
    tokio::time::sleep(time).await;
    Ok(format!("computed {}", slow.label))
}

async fn confirm_delete(cx: Context, Args(delete): Args<Delete>) -> Result<String> {
    let answer = cx.elicit::<Confirm>(format!("Delete {}?", delete.filename)).await?;
    let is_confirmed = answer.accepted().is_some_and(|answer| answer.confirm);
    Ok(if is_confirmed { format!("deleted {}", delete.filename) } else { format!("kept {}", delete.filename) })
}

async fn multi_input(cx: Context) -> Result<String> {
    let (first, last) = tokio::join!(
        cx.elicit::<Name>("What is your first name?").key("first"),
        cx.elicit::<Name>("What is your last name?").key("last"),
    );
    let name = |answer: Option<Name>| answer.map_or_else(|| "nobody".to_owned(), |answer| answer.name);
    Ok(format!("{} {}", name(first?.accepted()), name(last?.accepted())))
}

async fn greet_by_task(cx: Context) -> Result<String> {
    let answer = cx.elicit::<Name>("What is your name?").key("user_name").await?;
    let Some(Name { name }) = answer.accepted() else { return Ok("Hello, whoever you are!".to_owned()) };
    // What comes now may take long: the client may go and come back for it.
    cx.become_task().await;
    Ok(format!("Hello, {name}!"))
}
