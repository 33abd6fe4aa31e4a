//! A page in Debian's Chromium whose clients, written with the official SDK for TypeScript, use a server of another
//! origin.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use mcpeer::{
    handler::Context,
    server::{Args, Server},
};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::{
    pages,
    programs::{self, Folder},
    served::{PATIENCE, echo, serve},
};

/// The name under which the page is served, which is not one of this machine's: pages of those are always allowed.
const HOST: &str = "app.example";

/// A browser without a window that shows a page until this is dropped.
struct Browser {
    process: Child,
    _folder: Folder,
}

impl Browser {
    fn start(program: &Path, page: &str) -> Self {
        let folder = Folder::new("chromium");
        let mut command = Command::new(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"]);
        command.args(["--no-first-run", "--disable-background-networking", "--disable-component-update"]);
        command.args(["--disable-sync", "--no-proxy-server"]);
        command.arg(format!("--user-data-dir={}", folder.path().display()));
        command.arg(format!("--host-resolver-rules=MAP {HOST} 127.0.0.1")).arg(page);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { process: command.spawn().expect("the browser starts"), _folder: folder }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

/// What the page uses: it sees progress, a change, and which headers arrived.
fn server() -> Server {
    let server = echo()
        .tool("headers", async |cx: Context| {
            let head = cx.http().expect("it came over HTTP");
            let text = |value: &http::HeaderValue| Value::from(value.to_str().unwrap_or_default());
            let seen: Map<_, _> = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
            Value::from(seen).to_string()
        })
        .tool("count", async |cx: Context| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), None).await;
            }
            "counted"
        })
        .tool("place", async |Args(place): Args<Place>| place.region)
        .build()
        .unwrap();
    let changes = server.clone();
    let change = move || {
        changes.tools_changed();
        async { "changed" }
    };
    server.tools().add("change", change).unwrap();
    server
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_uses_a_server_and_others_see_that_they_may_not() {
    let Some(program) = programs::find("MCPEER_CHROMIUM", "chromium") else { return };
    let Some(packages) = pages::packages() else {
        return programs::not_run("there is no SDK for TypeScript; `cargo xtask test` installs it");
    };
    let (listener, address) = pages::listen().await;
    let origin = format!("http://{HOST}:{}", address.port());
    let server = server();
    let allowing = serve(&server.http().allow_origin(&origin)).await;
    let refusing = serve(&server.http().allow_origin("http://other.example")).await;
    let addresses = json!({"allowing": format!("http://{allowing}/mcp"), "refusing": format!("http://{refusing}/mcp")});
    let mut reported = pages::serve(listener, packages, addresses);
    let browser = Browser::start(&program, &format!("{origin}/"));
    let report = timeout(PATIENCE, reported.recv()).await.expect("the page comes to an end").unwrap();
    drop(browser);
    assert_eq!(report["failed"], Value::Null, "{report:#}");

    for (client, version) in [("modern", "2026-07-28"), ("legacy", "2025-11-25"), ("first", "2025-11-25")] {
        let is_modern = client == "modern";
        let found = &report[client];
        assert_eq!(found["version"], version, "{report:#}");
        assert_eq!(found["tools"], json!(["echo", "headers", "count", "place", "change"]), "{client}");
        assert_eq!(found["echo"], "Grüße", "{client}");
        assert_eq!(found["progress"], json!([1, 2, 3]), "{client}");
        assert_eq!(found["changed"], "told", "{client}");
        // It can be read because it is exposed, and goes along with every later request.
        assert_eq!(found["session"].is_string(), !is_modern, "{client}");
        let headers = &found["headers"];
        assert_eq!(headers["mcp-session-id"], found["session"], "{client}");
        assert_eq!(headers["origin"], origin, "{client}");
        assert_eq!(headers["mcp-protocol-version"], version, "{client}");
        let [method, name] = ["tools/call", "headers"].map(|value| if is_modern { value.into() } else { Value::Null });
        assert_eq!([&headers["mcp-method"], &headers["mcp-name"]], [&method, &name], "{client}");
    }
    let by_hand = &report["byHand"];
    assert_eq!(by_hand["called"], json!([200, "us-west1"]), "{report:#}");
    assert_eq!([&by_hand["resumed"][0], &by_hand["ended"]], [404, 404], "{report:#}");
    // A browser keeps from a page why it may not ask.
    let failed = "TypeError: Failed to fetch";
    for (way, wanted) in [("fetch", failed), ("legacy", failed), ("modern", "SdkError: Version negotiation failed")] {
        let refused = report["refused"][way].as_str().unwrap_or_default();
        assert!(refused.contains(wanted), "{way}: {report:#}");
    }
}
