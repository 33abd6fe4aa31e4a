//! The server of every cell: it has one of everything.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{Arc, Mutex, OnceLock},
    task::{Context as TaskContext, Poll},
    time::Duration,
};

use mcpeer::{
    Server,
    handler::{Context, Reply},
    model::{Request, caching::Scope, logging::Level},
    rpc,
    server::{
        Args, Completes, Json, Params, Prompt, ProtocolError, Resource, ResourceTemplate, Tool, Typed, Variables,
        layer::{Next, Serving},
        tasks::Tasks,
    },
    skills::{Skill, Skills},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_layer::layer_fn;
use tower_service::Service;

/// Set in a process that is the server.
pub(crate) const ROLE: &str = "MCPEER_TEST_MATRIX";
/// What such a process says when the harness has said all.
pub(crate) const READY: &str = "ready";
/// 100 MiB.
pub(crate) const HUGE: usize = 100 << 20;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Sum {
    pub(crate) sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct Topic {
    topic: String,
}

/// `com.example/double`: a method of nobody's but ours.
pub(crate) enum Double {}

impl Request for Double {
    const METHOD: &'static str = "com.example/double";
    type Params = Sum;
    type Result = Sum;
}

/// Counts requests by their methods.
#[derive(Clone)]
struct Counting(Arc<Mutex<BTreeMap<String, usize>>>, Next);

impl Service<mcpeer::server::layer::Request> for Counting {
    type Response = Reply;
    type Error = Infallible;
    type Future = Serving;

    fn poll_ready(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        self.1.poll_ready(cx)
    }

    fn call(&mut self, request: mcpeer::server::layer::Request) -> Serving {
        *self.0.lock().unwrap().entry(request.method().to_owned()).or_default() += 1;
        self.1.call(request)
    }
}

/// Makes the server.
pub(crate) fn everything() -> Server {
    let counts = Arc::<Mutex<BTreeMap<String, usize>>>::default();
    let (counting, counted) = (counts.clone(), counts);
    let this = Arc::<OnceLock<Server>>::default();
    let changes = this.clone();
    let builder = Server::builder("everything", "1.0.0")
        .logging()
        .page_size(4)
        .cache("prompts/list", Duration::from_secs(600), Scope::Private)
        .layer(layer_fn(move |next| Counting(counting.clone(), next)))
        .tool("counts", move || serde_json::to_string(&*counted.lock().unwrap()).unwrap())
        .tool("change", move || {
            let server = changes.get().expect("it is served");
            server.tools_changed();
            server.resource_updated("a://b");
            "changed"
        })
        .method::<Double, _>(async |Params(Sum { sum }): Params<Sum>| {
            if sum < 0 {
                return Err(rpc::Error::new(7, "not below zero"));
            }
            Ok(Sum { sum: 2 * sum })
        })
        .extension(Tasks::new())
        .extension(Skills::of([Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nWash.\n")]).unwrap());
    let server = offers(harm(tools(builder))).build().unwrap();
    assert!(this.set(server.clone()).is_ok());
    server
}

fn tools(builder: mcpeer::server::Builder) -> mcpeer::server::Builder {
    builder
        .tool("add", async |Args(add): Args<Add>| Json(Sum { sum: add.a + add.b }))
        .tool("fails", async || Err::<(), _>("the disk is full"))
        .tool("refuses", async || Err::<(), _>(ProtocolError(rpc::Error::new(8, "sealed"))))
        .tool("count", async |cx: Context| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), Some("counting")).await;
            }
            "counted"
        })
        .tool("logs", async |cx: Context| {
            cx.log(Level::Info, "small").await;
            cx.log(Level::Error, "great").await;
            "logged"
        })
        .tool("greet", async |cx: Context| -> mcpeer::Result<String> {
            match cx.elicit::<Name>("Who are you?").await? {
                mcpeer::handler::ask::Elicited::Accept(Name { name }) => Ok(name),
                _ => Ok("nobody".to_owned()),
            }
        })
        .tool("roots", async |cx: Context| -> mcpeer::Result<String> {
            Ok(cx.roots().await?.into_iter().map(|root| root.uri).collect())
        })
        .tool(Tool::new("slow").task(), async || {
            tokio::task::yield_now().await;
            "done"
        })
}

/// Counts itself when it is dropped.
struct Ends(Arc<tokio::sync::Semaphore>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

fn harm(builder: mcpeer::server::Builder) -> mcpeer::server::Builder {
    let ended = Arc::new(tokio::sync::Semaphore::new(0));
    let ends = ended.clone();
    builder
        .tool("panics", async || -> String { panic!("no") })
        .tool("hangs", move |cx: Context| {
            let ends = ends.clone();
            async move {
                // It may be dropped where it waits.
                let _ends = Ends(ends);
                cx.progress(1.0, None, None).await;
                cx.cancelled().await;
            }
        })
        // Waits until one that hangs was cancelled.
        .tool("ended", move || {
            let ended = ended.clone();
            async move {
                ended.acquire().await.unwrap().forget();
                "ended"
            }
        })
        .tool("floods", async |cx: Context| {
            let mut step = 0.0;
            while !cx.is_cancelled() {
                step += 1.0;
                cx.progress(step, None, Some("and on, and on, and on")).await;
            }
        })
        .tool("huge", async || "x".repeat(HUGE))
}

fn offers(builder: mcpeer::server::Builder) -> mcpeer::server::Builder {
    builder
        .resource(Resource::new("a://b", "b").mime_type("text/plain"), async || "text")
        .resource(Resource::new("a://bytes", "bytes").mime_type("image/png"), async || vec![1_u8, 2, 3])
        .resource_template(
            ResourceTemplate::new("x://e/{topic}", "topics"),
            async |Variables(asked): Variables<Topic>| asked.topic,
        )
        .prompt(Prompt::new("review"), async |Args(asked): Args<Name>| format!("Review {}", asked.name))
        .completion(Completes::prompt("review", "name"), async |typed: Typed| typed.among(["ada", "alan", "grace"]))
}

/// Serves, in a process that is started for that.
#[tokio::test]
#[allow(clippy::print_stdout, reason = "the client waits for that line")]
async fn a_process_that_is_started_as_the_server_serves() {
    if std::env::var_os(ROLE).is_some() {
        // The harness may have begun a line.
        println!("\n{READY}");
        everything().serve_stdio().await.unwrap();
        // The harness has nothing more to say to a client.
        std::process::exit(0);
    }
}
