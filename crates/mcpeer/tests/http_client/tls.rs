//! A server behind TLS, and whom its clients trust.
//!
//! In `tls/` are a root and what it says of `localhost`, with the key to that: for tests alone, and good for a hundred
//! years.

use std::sync::Arc;

use mcpeer::{
    Client, Server,
    client::Builder,
    transport::http::{
        self,
        client::{
            Connector,
            reqwest::{Certificate, ClientBuilder},
        },
    },
};
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
};

const ROOT: &[u8] = include_bytes!("tls/root.pem");

/// Serves by TLS, and gives the port.
async fn serve() -> u16 {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/localhost.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate], key).unwrap()));
    let server = Server::builder("test", "1").tool("echo", async || "done").build().unwrap();
    let service = server.http().service();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, service) = (acceptor.clone(), service.clone());
            tokio::spawn(async move {
                // Who does not trust us hangs up.
                let Ok(socket) = acceptor.accept(socket).await else { return };
                let service = hyper::service::service_fn(move |request| {
                    let service = service.clone();
                    async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
                });
                let socket = hyper_util::rt::TokioIo::new(socket);
                drop(hyper::server::conn::http1::Builder::new().serve_connection(socket, service).await);
            });
        }
    });
    port
}

fn at(port: u16, builder: ClientBuilder) -> Connector {
    http::client(&format!("https://localhost:{port}/mcp")).reqwest(builder.no_proxy())
}

fn builder() -> Builder {
    Client::builder("test", "1")
}

#[tokio::test]
async fn a_server_is_trusted_by_the_roots_that_were_set_and_by_none_else() {
    let port = serve().await;
    let root = || Certificate::from_pem(ROOT).unwrap();
    for trusting in [ClientBuilder::new().tls_certs_merge([root()]), ClientBuilder::new().tls_certs_only([root()])] {
        let client = builder().connect(at(port, trusting)).await.unwrap();
        assert_eq!(client.call("echo").await.unwrap().as_text(), "done");
        client.close().await;
    }
    let error = builder().connect(at(port, ClientBuilder::new())).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    // Certificates name hosts.
    let other = http::client(&format!("https://127.0.0.1:{port}/mcp"));
    let other = other.reqwest(ClientBuilder::new().tls_certs_merge([root()]).no_proxy());
    let error = builder().connect(other).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}
