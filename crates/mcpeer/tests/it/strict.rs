//! What clients take of servers that leave out what they must say.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use crate::peers::{builder, connect_raw};

const LIST: &str = "tools/list";

fn whole() -> Value {
    json!({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"})
}

/// Answers one request, and says whether the client takes it.
async fn is_taken(is_strict: bool, revision: Revision, method: &'static str, result: &Value) -> bool {
    let builder = if is_strict { builder().strict() } else { builder() };
    let (client, mut server) = connect_raw(builder, revision).await;
    let sent = client.request_raw(method, None).send();
    let request = server.expect(method).await;
    server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    match sent.await {
        Ok(_) => true,
        Err(error) => {
            assert!(error.is_peer_misbehaved(), "{error:?}");
            assert!(
                ["resultType", "ttlMs", "cacheScope"].iter().any(|name| error.to_string().contains(name)),
                "{error}"
            );
            false
        }
    }
}

#[tokio::test]
async fn what_is_left_out_is_borne_unless_the_client_is_strict() {
    for revision in Revision::ALL {
        for missing in ["resultType", "ttlMs", "cacheScope"] {
            let mut result = whole();
            result.as_object_mut().unwrap().remove(missing);
            assert!(is_taken(false, revision, LIST, &result).await, "{revision} {missing}");
            // None of it belongs to the stateful era.
            let expected = revision.era() == Era::Legacy;
            assert_eq!(is_taken(true, revision, LIST, &result).await, expected, "{revision} {missing}");
        }
        assert!(is_taken(true, revision, LIST, &whole()).await, "{revision}");
    }
}

#[tokio::test]
async fn a_strict_client_takes_no_hint_that_is_none() {
    for (name, value) in [("ttlMs", json!(-1)), ("ttlMs", json!("1")), ("cacheScope", json!("all"))] {
        let mut result = whole();
        result[name] = value;
        assert!(is_taken(false, Revision::V2026_07_28, LIST, &result).await, "{result}");
        assert!(!is_taken(true, Revision::V2026_07_28, LIST, &result).await, "{result}");
    }
}

#[tokio::test]
async fn only_what_may_be_kept_has_to_say_so() {
    let done = json!({"resultType": "complete"});
    assert!(is_taken(true, Revision::V2026_07_28, "completion/complete", &done).await);
    assert!(!is_taken(true, Revision::V2026_07_28, "completion/complete", &json!({})).await);
    assert!(is_taken(true, Revision::V2026_07_28, "com.example/own", &done).await);
}
