//! What README.md promises by its examples: they stay as short as they are.

#[path = "readme/servers.rs"]
mod servers;

use std::path::Path;

use servers::lines;

#[test]
fn servers_with_one_tool_stay_short() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("README.md is in the root of the repository");
    for (with_macro, most) in [(true, 14), (false, 18)] {
        let lines = lines(&readme, with_macro).expect("README.md shows a server with the macro, and one without");
        assert!(lines.len() <= most, "more than {most} lines:\n{}", lines.join("\n"));
        assert!(lines.iter().any(|line| line.contains("async fn main")), "no whole program: {lines:?}");
    }
}

#[test]
fn blank_lines_and_other_blocks_do_not_count() {
    let readme = "a\n```toml\n[x]\n```\nb\n```rust\nuse x;\n\nserve_stdio();\n```\nc";
    assert_eq!(lines(readme, false).unwrap(), ["use x;", "serve_stdio();"]);
    assert_eq!(lines(readme, true), None);
}
