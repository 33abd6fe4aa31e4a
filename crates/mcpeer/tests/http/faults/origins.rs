//! Pages in browsers that ask under names that are not theirs.

use super::{begin, echo, server};
use crate::{line::Served, sessions, web::modern};
use serde_json::json;

const FOREIGN: [&str; 14] = [
    "null",
    "http://localhost.evil.com",
    "http://localhost.evil.com:8080",
    "http://127.0.0.1.evil.com",
    "http://[::1].evil.com",
    "http://localhost@evil.com",
    "http://evil.com/localhost",
    "http://evil.com#localhost",
    "http://notlocalhost",
    "http://localhost:80:80",
    "https://evil.com",
    "file://",
    "localhost",
    "",
];

#[tokio::test]
async fn every_method_of_both_eras_is_closed_to_foreign_pages() {
    let (server, _told) = server();
    let served = Served::new(&server.http()).await;
    let mut line = served.line().await;
    let client = begin(&served, &mut line, "2025-06-18").await;
    let requests = [
        echo(),
        modern(1, "server/discover", &json!({})),
        client.post(&sessions::ping(1)),
        client.post(&sessions::initialize("2025-06-18")),
        client.get(),
        client.delete(),
    ];
    for origin in FOREIGN {
        for request in &requests {
            let mut request = request.clone();
            request.headers_mut().insert("origin", origin.parse().unwrap());
            let answer = line.call(&request).await;
            let what = format!("{origin:?} {} {}", request.method(), request.body());
            assert_eq!((answer.status, answer.code()), (403, -32600), "{what}");
            assert!(answer.text.contains("allow_origin"), "{what}: {answer:?}");
            assert_eq!(answer.header("access-control-allow-origin"), "", "{what}");
        }
    }
    // Nobody ended the session.
    for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080", "HTTP://LOCALHOST"] {
        let mut request = client.post(&sessions::ping(1));
        request.headers_mut().insert("origin", origin.parse().unwrap());
        let allowed = origin.starts_with("http");
        assert_eq!(line.call(&request).await.status, if allowed { 200 } else { 403 }, "{origin}");
    }
    assert_eq!(served.service.load().sessions, 1);
    assert_eq!(line.call(&client.delete()).await.status, 200);
}
