//! Tools whose arguments are repeated in headers, for what stands between client and server and reads no bodies.

use mcpeer::server::{Args, Builder, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Routed {
    /// Where the call goes: the header `Mcp-Param-Region`
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Ranked {
    /// How much it matters: the header `Mcp-Param-Level`
    #[schemars(extend("x-mcp-header" = "Level"))]
    level: Option<i64>,
}

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .tool(
            Tool::new("test_x_mcp_header").description("Takes a text that a header repeats"),
            |Args(routed): Args<Routed>| format!("region: {}", routed.region.as_deref().unwrap_or("none")),
        )
        .tool(
            Tool::new("test_x_mcp_header_integer").description("Takes a whole number that a header repeats"),
            |Args(ranked): Args<Ranked>| ranked.level.map_or("no level".to_owned(), |level| format!("level: {level}")),
        )
}
