//! Our client with the published reference servers, as they are.

use std::{fs, path::PathBuf};

use mcpeer::{
    client::{Builder, Client},
    model::{
        capabilities::{ClientCapabilities, Elicitation, Sampling},
        content::Content,
    },
    version::Revision,
};
use serde_json::{Value, json};

use crate::{
    foreign::{LARGE, UNUSUAL, package},
    started::{text_of, with_child},
};

const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem/dist/index.js";

/// The revisions that these servers speak, oldest first.
const STATEFUL: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

#[tokio::test]
async fn our_client_uses_the_everything_server_at_every_stateful_revision() {
    for revision in STATEFUL {
        let builder = Client::builder("interop_client", "1.0.0").revisions([revision]);
        everything(builder, revision).await;
    }
}

#[tokio::test]
async fn our_client_finds_the_era_of_the_everything_server() {
    everything(Client::builder("interop_client", "1.0.0"), Revision::V2025_11_25).await;
}

#[tokio::test]
async fn our_client_uses_the_filesystem_server_at_every_stateful_revision() {
    for revision in STATEFUL {
        let builder = Client::builder("interop_client", "1.0.0").revisions([revision]);
        filesystem(builder, revision).await;
    }
}

#[tokio::test]
async fn our_client_finds_the_era_of_the_filesystem_server() {
    filesystem(Client::builder("interop_client", "1.0.0"), Revision::V2025_11_25).await;
}

#[tokio::test]
async fn requests_of_the_everything_server_are_answered_even_where_our_client_cannot_serve_them() {
    let Some(server) = package(EVERYTHING, &["stdio"]) else { return };
    let declared = ClientCapabilities::new().sampling(Sampling::new()).elicitation(Elicitation::new());
    let builder = Client::builder("interop_client", "1.0.0").capabilities(declared);
    with_child(&server, builder, async |client| {
        for (tool, method) in [
            ("trigger-sampling-request", "sampling/createMessage"),
            ("trigger-elicitation-request", "elicitation/create"),
        ] {
            let result = client.call(tool).arguments(&json!({"prompt": "hello"})).await.expect("a result");
            assert!(result.is_failed());
            let text = text_of(&result);
            assert!(text.contains("-32601") && text.contains(method), "the text was {text}");
        }
    })
    .await;
}

async fn everything(builder: Builder, spoken: Revision) {
    let Some(server) = package(EVERYTHING, &["stdio"]) else { return };
    with_child(&server, builder, async |client| {
        assert_eq!(client.revision(), spoken);
        assert!(client.instructions().expect("it has some").contains("Everything Server"));
        client.ping().await.expect("the server is there");

        let tools = client.tools().all().await.expect("a list");
        assert!(tools.iter().any(|tool| tool.name == "get-tiny-image"));
        let weather = tools.iter().find(|tool| tool.name == "get-structured-content").expect("it is listed");
        assert!(weather.output_schema.is_some());

        let echoed = |text: &str| {
            let call = client.call("echo").arguments(&json!({"message": text})).send();
            async { text_of(&call.await.expect("an echo")).to_owned() }
        };
        assert_eq!(echoed("hello").await, "Echo: hello");
        assert_eq!(echoed(UNUSUAL).await, format!("Echo: {UNUSUAL}"));
        let large = "x".repeat(LARGE);
        assert!(echoed(&large).await.strip_prefix("Echo: ") == Some(&large), "8 MiB came back as they were sent");

        let weather = client.call("get-structured-content").arguments(&json!({"location": "Chicago"}));
        let weather = weather.await.expect("the weather").structured_content.expect("structured");
        assert_eq!(serde_json::from_str::<Value>(weather.as_str()).expect("JSON")["temperature"], 36);

        let image = client.call("get-tiny-image").arguments(&json!({})).await.expect("an image");
        assert!(
            image
                .content
                .iter()
                .any(|content| matches!(content, Content::Image(image) if image.mime_type == "image/png"))
        );

        long_operations(&client).await;

        let unknown = client.call("no_such_tool").arguments(&json!({})).await.expect("a result");
        assert!(unknown.is_failed());
        let misfit = client.call("get-sum").arguments(&json!({"a": "x"})).await.expect("a result");
        assert!(text_of(&misfit).contains("expected number"));
    })
    .await;
}

async fn long_operations(client: &Client) {
    let operation = |seconds: f64, steps: u32| {
        let arguments = json!({"duration": seconds, "steps": steps});
        client.call("trigger-long-running-operation").arguments(&arguments).with_progress().send()
    };
    let mut whole = operation(0.05, 5);
    let mut seen = Vec::new();
    while let Some(step) = whole.progress().await {
        seen.push(step.progress);
    }
    assert_eq!(seen, [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert!(text_of(&whole.await.expect("a result")).contains("completed"));

    // Ends with the process at the latest; here its answer is no longer waited for.
    let mut begun = operation(0.2, 10);
    begun.progress().await.expect("it has begun");
    begun.cancel("no longer wanted");
    assert!(begun.await.expect_err("it was cancelled").is_cancelled());
}

async fn filesystem(builder: Builder, spoken: Revision) {
    let folder = Folder::new();
    let root = folder.0.to_str().expect("the path is text");
    let package = package(FILESYSTEM, &[root]);
    let Some(server) = package else { return };
    with_child(&server, builder, async |client| {
        assert_eq!(client.revision(), spoken);
        let tools = client.tools().all().await.expect("a list");
        assert!(tools.iter().any(|tool| tool.name == "read_text_file"));

        let large = "x".repeat(LARGE);
        for (name, text) in [("small.txt", "hello"), ("ünïcode 👩‍👩‍👧‍👦.txt", UNUSUAL), ("large.txt", &large)]
        {
            let path = folder.0.join(name);
            let write = client.call("write_file").arguments(&json!({"path": path, "content": text}));
            assert!(!write.await.expect("a result").is_failed());
            assert!(fs::read_to_string(&path).expect("it was written") == text, "{name} has the text that was sent");
            let read = client.call("read_text_file").arguments(&json!({"path": path})).await.expect("a result");
            assert!(text_of(&read) == text, "{name} is read as it was written");
        }

        let list = client.call("list_directory").arguments(&json!({"path": root})).await.expect("a result");
        let mut names: Vec<&str> = text_of(&list).lines().collect();
        names.sort_unstable();
        assert_eq!(names, ["[FILE] large.txt", "[FILE] small.txt", "[FILE] ünïcode 👩‍👩‍👧‍👦.txt"]);

        let outside = client.call("read_text_file").arguments(&json!({"path": "/etc/hostname"})).await;
        let outside = outside.expect("a result");
        assert!(outside.is_failed() && text_of(&outside).contains("Access denied"));
    })
    .await;
}

/// A folder of its own for each test, taken away afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("peers-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder can be made");
        Self(path.canonicalize().expect("it is there"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
