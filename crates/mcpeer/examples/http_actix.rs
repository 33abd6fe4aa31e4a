//! A server mounted in actix-web, under a scope and behind middleware that says who asks.
//!
//! `cargo run --example http_actix --features actix,http-client`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use actix_web::{
    App, Error, HttpMessage, HttpServer,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    error::ErrorUnauthorized,
    http::header,
    middleware::{Next, from_fn},
    web,
};
use mcpeer::{
    Client, Server,
    client::Policy,
    handler::Context,
    server::Principal,
    transport::{self, http},
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone)]
struct Tenant(&'static str);

fn who(Principal(name): Principal, cx: Context) -> String {
    let tenant = cx.http().and_then(|head| head.extensions.get::<Tenant>());
    format!("{} of {}", name.unwrap_or_default(), tenant.map_or("nowhere", |tenant| tenant.0))
}

/// Where a real server verifies a token, this one knows its only user.
async fn authorize(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if request.headers().get(header::AUTHORIZATION).is_none_or(|key| key != "Bearer secret") {
        return Err(ErrorUnauthorized("who are you?"));
    }
    request.extensions_mut().insert(transport::Principal("ada".into()));
    request.extensions_mut().insert(Tenant("acme"));
    next.call(request).await
}

async fn talk(url: &str, policy: Policy) -> Outcome {
    let connector = http::client(url).header("authorization", "Bearer secret");
    let client = Client::builder("me", "1.0.0").policy(policy).connect(connector).await?;
    let said = client.call("who").await?;
    println!("at {}: {}", client.revision(), said.as_text());
    assert_eq!(said.as_text(), "ada of acme");
    client.close().await;
    Ok(())
}

async fn run() -> Outcome {
    let server = Server::builder("who", "1.0.0").tool("who", who).build()?;
    let service = server.http().service();
    let mcp = service.actix().pass::<Tenant>();
    let app = move || {
        let tools = web::scope("/api").wrap(from_fn(authorize)).route("/mcp", web::route().to(mcp.clone()));
        App::new().service(tools)
    };
    // Who hangs up is noticed at once, and what runs for him ends.
    let listening = HttpServer::new(app).workers(2).h1_allow_half_closed(false).bind("127.0.0.1:0")?;
    let url = format!("http://{}/api/mcp", listening.addrs()[0]);
    let serving = listening.disable_signals().run();
    let handle = serving.handle();
    let serving = actix_web::rt::spawn(serving);

    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        talk(&url, policy).await?;
    }
    let stranger = Client::builder("me", "1.0.0").connect(http::client(&url)).await;
    assert_eq!(stranger.unwrap_err().http_status(), Some(401));
    // Streams that wait for changes end with their result, then the server.
    service.shut();
    handle.stop(true).await;
    Ok(serving.await??)
}

fn main() -> Outcome {
    actix_web::rt::System::new().block_on(run())
}
