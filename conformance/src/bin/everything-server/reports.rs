//! Tools that say something before they answer: log messages and progress.

use std::time::Duration;

use mcpeer::{
    handler::Context,
    model::logging::Level,
    server::{Builder, Tool},
};

const PAUSE: Duration = Duration::from_millis(50);

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .tool(Tool::new("test_tool_with_logging").description("Logs what it does"), logging)
        .tool(Tool::new("test_logging_tool").description("Logs to who asked for it"), async |cx: Context| {
            cx.log(Level::Info, "called").await;
            "It is logged for those who asked for it."
        })
        .tool(Tool::new("test_tool_with_progress").description("Says how far it is"), progress)
        .tool(Tool::new("test_reconnection").description("Sends the client away until the answer is there"), away)
}

async fn logging(cx: Context) -> &'static str {
    cx.log(Level::Info, "Tool execution started").await;
    tokio::time::sleep(PAUSE).await;
    cx.log(Level::Info, "Tool processing data").await;
    tokio::time::sleep(PAUSE).await;
    cx.log(Level::Info, "Tool execution completed").await;
    "Tool with logging executed successfully"
}

async fn progress(cx: Context) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        cx.progress(done, Some(100.0), None).await;
        tokio::time::sleep(PAUSE).await;
    }
    "Tool with progress executed successfully"
}

async fn away(cx: Context) -> &'static str {
    tokio::time::sleep(PAUSE).await;
    cx.close_stream(10 * PAUSE);
    tokio::time::sleep(2 * PAUSE).await;
    "The answer came through."
}
