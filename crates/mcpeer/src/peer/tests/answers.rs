//! Answers: of every shape, decoded by what the request expects.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::driver::tests::support::{ERAS, all_wait, answer, client};

#[tokio::test(start_paused = true)]
async fn an_error_keeps_code_message_and_data() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/x", None).send();
        let id = wire.receive().await["id"].clone();
        let error =
            json!({"code": -32602, "message": "unknown tool", "data": {"n": 123456789012345678901_u128 as f64}});
        wire.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
        let error = call.await.unwrap_err();
        let rpc = error.rpc().unwrap();
        assert_eq!((rpc.code, &*rpc.message), (-32602, "unknown tool"));
        assert!(rpc.data.as_ref().unwrap().borrow().member("n").is_some());
        assert_eq!(error.to_string(), "`test/x` failed: unknown tool (-32602)");
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_error_fails_the_call_that_it_names() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        for error in [
            json!({"code": -1}),
            json!({"code": "-1", "message": "x"}),
            json!({"code": -3260000000_i64, "message": "x"}),
            json!("boom"),
        ] {
            let call = side.peer.request_raw("test/x", None).send();
            let id = wire.receive().await["id"].clone();
            wire.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
            let failure = call.await.unwrap_err();
            assert!(failure.is_peer_misbehaved() || failure.rpc().is_some(), "{error}: {failure:?}");
        }
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_fails_no_call_and_is_reported() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/x", None).send();
        let id = wire.receive().await["id"].clone();
        wire.send(json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": "x"}})).await;
        wire.send(json!({"jsonrpc": "2.0", "error": {"code": -32603, "message": "x"}})).await;
        all_wait().await;
        assert_eq!(side.heard.misbehaved().len(), 2, "{:?}", side.heard.misbehaved());
        wire.send(answer(era, &id, json!({}))).await;
        assert!(call.await.is_ok());
        assert_eq!(wire.drain().await, Vec::<Value>::new());
    }
}

#[derive(Debug, Deserialize)]
struct Listing {
    tools: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoding is tested")]
struct Item {
    name: String,
}

#[tokio::test(start_paused = true)]
async fn a_result_is_decoded_as_what_the_request_expects() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/x", None).decoded::<Listing>().send();
        let id = wire.receive().await["id"].clone();
        wire.send(answer(era, &id, json!({"tools": [{"name": "a", "unknown": 1}], "more": {}}))).await;
        assert_eq!(call.await.unwrap().tools.len(), 1);

        let call = side.peer.request_raw("test/x", None).decoded::<Listing>().send();
        let id = wire.receive().await["id"].clone();
        wire.send(answer(era, &id, json!({"tools": [{"name": "a"}, {"name": 5}]}))).await;
        let error = call.await.unwrap_err();
        assert!(error.is_peer_misbehaved());
        assert_eq!(error.method(), Some("test/x"));
        assert_eq!(error.path(), Some("result.tools[1].name"));
        assert!(error.raw().unwrap().as_str().contains(r#"{"name":5}"#));
    }
}

#[tokio::test(start_paused = true)]
async fn the_digits_of_large_numbers_survive() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/x", None).send();
        let id = wire.receive().await["id"].clone();
        let text =
            r#"{"jsonrpc":"2.0","id":ID,"result":{"y":18446744073709551615,"x":123456789012345678901234567890}}"#;
        wire.send_text(&text.replace("ID", &id.to_string())).await;
        let result = call.await.unwrap();
        assert_eq!(result.borrow().member("x").unwrap().as_str(), "123456789012345678901234567890");
        assert_eq!(result.borrow().member("y").unwrap().decode::<u64>().unwrap(), u64::MAX);
    }
}

#[tokio::test(start_paused = true)]
async fn meta_of_the_caller_goes_along() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let params = crate::rpc::Raw::parse(r#"{"a":1,"_meta":{"k":1,"other":2}}"#).unwrap();
        let _call = side.peer.request_raw("test/x", Some(params)).meta("k", &[3]).with_progress().send();
        let request = wire.receive().await;
        assert_eq!(request["params"]["a"], 1);
        assert_eq!(request["params"]["_meta"]["k"], json!([3]));
        assert_eq!(request["params"]["_meta"]["other"], 2);
        assert_eq!(request["params"]["_meta"]["progressToken"], request["id"]);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_go_out_in_the_order_of_sending() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let calls: Vec<_> = (0..100).map(|index| side.peer.request_raw(format!("test/{index}"), None).send()).collect();
        for index in 0..100 {
            assert_eq!(wire.receive().await["method"], format!("test/{index}"));
        }
        drop(calls);
    }
}

#[tokio::test(start_paused = true)]
async fn params_that_cannot_be_written_fail_where_they_are_given() {
    let (side, mut wire) = client(crate::version::Era::Legacy).await;
    let keys_that_are_no_text = std::collections::HashMap::from([((1, 2), 3)]);
    let error = side.peer.request_raw("test/x", None).meta("k", &keys_that_are_no_text).await.unwrap_err();
    assert!(error.is_misuse());
    assert_eq!(error.to_string(), "`_meta.k` cannot be written as JSON");
    let array = crate::rpc::Raw::parse("[]").unwrap();
    assert!(side.peer.request_raw("test/x", Some(array)).await.unwrap_err().is_misuse());
    assert_eq!(wire.drain().await, Vec::<Value>::new());
}
