//! Errors to which the specification gives a meaning, as a client has them.

use mcpeer::{
    client::Policy,
    handler::Context,
    model::{errors::Known, roots::Root, sampling},
    rpc::{self, Raw},
    server::{ProtocolError, Resource, Server},
    transport::memory,
    version::{Era, Revision},
};
use serde_json::json;

use crate::peers::{builder, connect, connect_raw_that_offers};

fn server() -> Server {
    let url =
        json!({"elicitations": [{"mode": "url", "message": "Sign in", "url": "https://a.b/", "elicitationId": "1"}]});
    Server::builder("known", "1")
        .resource(Resource::new("x://a", "a"), async || "a")
        .tool("model", async |cx: Context| -> mcpeer::Result<String> {
            let answer = cx.sample(sampling::CreateParams::new([sampling::Message::user("Hello")], 9)).await?;
            Ok(answer.model)
        })
        .tool("sign_in", move || {
            let data = Raw::from_value(&url).unwrap();
            async { Err::<String, _>(ProtocolError(rpc::Error::new(-32042, "sign in first").with_data(data))) }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_resource_that_does_not_exist_is_known_whatever_the_code_of_its_era() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let error = client.read("x://none").await.unwrap_err();
        assert_eq!(error.known(), Some(Known::ResourceNotFound { uri: Some("x://none".into()) }), "{revision}");
        // A tool that does not exist has one of the two codes, too.
        assert_eq!(client.call("none").await.unwrap_err().known(), None, "{revision}");

        let (client, mut server) = connect_raw_that_offers(json!({"resources": {}}), builder(), revision).await;
        let other_era = if revision.era() == Era::Legacy { -32602 } else { -32002 };
        let call = client.read("x://none").send();
        let request = server.expect("resources/read").await;
        let error = json!({"code": other_era, "message": "no", "data": {"uri": "x://none"}});
        server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
        let error = call.await.unwrap_err();
        assert_eq!(error.known(), Some(Known::ResourceNotFound { uri: Some("x://none".into()) }), "{revision}");
    }
}

#[tokio::test]
async fn a_capability_that_is_missing_is_known() {
    let client = connect(builder().roots([Root::new("file:///a")]), &server(), Revision::V2026_07_28).await;
    let Some(Known::MissingClientCapability(missing)) = client.call("model").await.unwrap_err().known() else {
        panic!("another error")
    };
    assert!(missing.required_capabilities.sampling.is_some());
    assert!(missing.required_capabilities.roots.is_none());
}

#[tokio::test]
async fn a_revision_that_is_not_served_is_known() {
    let (ours, theirs) = memory::pair();
    let server = Server::builder("modern", "1").revisions([Revision::V2026_07_28]).build().unwrap();
    tokio::spawn(async move { server.serve(theirs).await });
    let error = builder().policy(Policy::LegacyOnly).connect_with(ours).await.unwrap_err();
    let Some(Known::UnsupportedVersion(version)) = error.known() else { panic!("{error:?}") };
    assert_eq!((&*version.requested, version.supported), ("2025-11-25", vec!["2026-07-28".to_owned()]));
}

#[tokio::test]
async fn addresses_that_must_be_opened_first_are_known_where_the_revision_has_them() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let error = client.call("sign_in").await.unwrap_err();
        if revision.has_url_elicitation_error() {
            let Some(Known::UrlElicitationRequired(required)) = error.known() else { panic!("{error:?}") };
            assert_eq!(required.elicitations[0].url, "https://a.b/");
        } else {
            assert_eq!((error.rpc().unwrap().code, error.known()), (-32603, None), "{revision}");
        }
    }
}
