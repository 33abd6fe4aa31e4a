//! Tools that change what the server offers, so that those who watch it are told.

use std::sync::{Arc, OnceLock};

use mcpeer::{
    Server,
    server::{Builder, State, Tool},
};

/// The server that runs, once it does.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<OnceLock<Server>>);

impl Running {
    /// Says which server it is.
    pub(crate) fn set(&self, server: Server) {
        assert!(self.0.set(server).is_ok(), "a server is made once");
    }

    fn server(&self) -> &Server {
        self.0.get().expect("it is set before the server serves")
    }
}

/// Adds the tools.
pub(crate) fn add(builder: Builder, running: Running) -> Builder {
    builder
        .state(running)
        .tool(
            Tool::new("test_trigger_tool_change").description("Says that the list of tools has changed"),
            |State(running): State<Running>| {
                running.server().tools_changed();
                "Whoever watches the tools is told."
            },
        )
        .tool(
            Tool::new("test_trigger_prompt_change").description("Says that the list of prompts has changed"),
            |State(running): State<Running>| {
                running.server().prompts_changed();
                "Whoever watches the prompts is told."
            },
        )
}
