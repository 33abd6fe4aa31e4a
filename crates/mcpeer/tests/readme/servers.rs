//! The servers that README.md shows.

/// Gives the lines of the server with one tool that is made by the macro, or of the one that is made by the builder.
/// Blank lines are left out.
pub(crate) fn lines(readme: &str, with_macro: bool) -> Option<Vec<&str>> {
    let blocks = readme.split("```").skip(1).step_by(2);
    let mut servers = blocks.filter(|block| block.starts_with("rust") && block.contains("serve_stdio"));
    let server = servers.find(|block| block.contains("#[mcpeer::server]") == with_macro)?;
    Some(server.lines().skip(1).filter(|line| !line.trim().is_empty()).collect())
}
