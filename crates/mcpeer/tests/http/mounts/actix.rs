use std::net::SocketAddr;

use actix_web::{
    App, Error, HttpMessage, HttpServer,
    body::MessageBody,
    dev::{ServerHandle, ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};
use mcpeer::{server::HttpService, transport};
use serde_json::json;

use super::{Tenant, at, call, check, send, server};
use crate::{
    line::{Line, text_of},
    web::legacy,
};

/// Says who asks, by a header that only tests may trust.
async fn know(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if let Some(name) = request.headers().get("x-user").and_then(|name| name.to_str().ok()).map(str::to_owned) {
        let mut extensions = request.extensions_mut();
        extensions.insert(transport::Principal(name.into()));
        extensions.insert(transport::Claims::new(&json!({"scope": "read"})).unwrap());
        extensions.insert(Tenant("acme"));
    }
    next.call(request).await
}

async fn serve(service: &HttpService) -> (SocketAddr, ServerHandle) {
    let mcp = service.actix().pass::<Tenant>();
    let app = move || {
        let scope = web::scope("/a").wrap(from_fn(know)).route("/mcp", web::route().to(mcp.clone()));
        App::new().service(scope)
    };
    let listening = HttpServer::new(app).workers(2).disable_signals().h1_allow_half_closed(false);
    let listening = listening.bind("127.0.0.1:0").unwrap();
    let address = listening.addrs()[0];
    let serving = listening.run();
    let handle = serving.handle();
    actix_web::rt::spawn(serving);
    (address, handle)
}

/// Runs a test with a server that tests may ask.
fn run(change: impl FnOnce(mcpeer::server::Http) -> mcpeer::server::Http, test: impl AsyncFnOnce(SocketAddr)) {
    actix_web::rt::System::new().block_on(async {
        let (server, _heard) = server();
        let (address, handle) = serve(&change(server.http()).service()).await;
        test(address).await;
        handle.stop(false).await;
    });
}

#[test]
fn a_route_of_actix_serves_both_eras_with_json_and_streams_and_hears_who_hangs_up() {
    actix_web::rt::System::new().block_on(async {
        let (server, mut heard) = server();
        let (address, handle) = serve(&server.http().service()).await;
        check(address, "/a/mcp", &mut heard).await;
        handle.stop(false).await;
    });
}

#[test]
fn what_middleware_of_actix_found_out_reaches_handlers() {
    run(
        |http| http,
        async |address| {
            let mut known = call("who");
            known.headers_mut().insert("x-user", "ada".parse().unwrap());
            let answer = send(address, "/a/mcp", known).await;
            assert!(answer.contains("ada \\\"read\\\" acme"), "{answer}");
            let answer = send(address, "/a/mcp", call("who")).await;
            assert!(answer.contains(" null none"), "{answer}");
        },
    );
}

#[test]
fn a_session_in_actix_belongs_to_who_began_it() {
    run(
        |http| http,
        async |address| {
            let info = json!({"name": "test", "version": "1"});
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
            let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
            let mut begin = legacy(None, &initialize);
            begin.headers_mut().insert("x-user", "ada".parse().unwrap());
            let begun = send(address, "/a/mcp", begin).await;
            let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect(&begun);
            let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
            for (user, status) in [("ada", "200"), ("eve", "404")] {
                let mut ping = legacy(Some("2025-11-25"), &ping);
                ping.headers_mut().insert("mcp-session-id", session.parse().unwrap());
                ping.headers_mut().insert("x-user", user.parse().unwrap());
                let answer = send(address, "/a/mcp", ping).await;
                assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{user}: {answer}");
            }
        },
    );
}

#[test]
fn hosts_origins_and_lengths_are_checked_in_actix_as_everywhere() {
    run(
        |http| http.max_body(1000).allow_origin("https://app.example.com"),
        async |address| {
            for (name, value, status) in [
                ("host", "evil.example", 403),
                ("host", "localhost.evil.com", 403),
                ("origin", "null", 403),
                ("origin", "https://evil.example", 403),
                ("origin", "https://app.example.com", 200),
                ("content-type", "text/plain", 415),
                ("accept", "text/html", 406),
            ] {
                let mut request = call("echo");
                request.headers_mut().insert(name, value.parse().unwrap());
                let answer = send(address, "/a/mcp", request).await;
                assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{name} {value}: {answer}");
                assert!(answer.contains("\"jsonrpc\":\"2.0\""), "{answer}");
                let may_read = answer.contains("access-control-allow-origin: https://app.example.com\r\n");
                assert_eq!(may_read, status == 200, "{answer}");
            }
        },
    );
}

#[test]
fn a_body_that_is_too_long_for_actix_is_refused_before_it_is_read() {
    run(
        |http| http.max_body(1000),
        async |address| {
            let mut line = Line::new(address).await;
            let request = text_of(&at("/a/mcp", call("echo")));
            let head = request.split("\r\n\r\n").next().unwrap();
            let length = head.lines().find(|line| line.starts_with("content-length")).unwrap();
            // Nothing of it comes.
            let whole = head.replace(length, "content-length: 1000000");
            line.write(format!("{whole}\r\n\r\n")).await;
            let answer = line.until("max_body").await;
            assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("connection: close\r\n"), "{answer}");

            let mut line = Line::new(address).await;
            let pieces = head.replace(length, "transfer-encoding: chunked");
            let piece = format!("200\r\n{}\r\n", " ".repeat(0x200));
            line.write(format!("{pieces}\r\n\r\n{piece}{piece}")).await;
            let answer = line.until("max_body").await;
            assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        },
    );
}
