//! Progress of odd shapes, and too much of it.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use super::served::server;
use crate::peers::{RawClient, builder, connect_raw};

#[tokio::test]
async fn a_progress_token_comes_back_as_it_was_and_an_invalid_one_only_costs_the_progress() {
    for revision in Revision::ALL {
        for (token, is_valid) in
            [(json!("p"), true), (json!(7), true), (json!(0), true), (json!(1.5), false), (json!({}), false)]
        {
            let mut client = RawClient::connect(&server(), revision).await;
            let params = json!({"name": "wait", "_meta": {"progressToken": token}});
            let running = client.start("tools/call", params).await;
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/foo"})).await;
            let params = json!({"requestId": running});
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            if is_valid {
                let progress = client.receive().await.unwrap();
                assert_eq!(progress["params"]["progressToken"], token, "{revision}");
                assert_eq!(progress["params"]["progress"], 0.5);
            }
            client.send(&cancel).await;
            let counted = client.call("cancelled", json!({"at_least": 1})).await;
            assert_eq!(crate::peers::text(&counted), "1", "{revision} {token}");
            assert_eq!(client.notifications, Vec::<Value>::new(), "{revision} {token}");
        }
    }
}

#[tokio::test]
async fn progress_may_have_fractions_and_no_total_and_must_be_a_number() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let mut call = client.call("a").with_progress().send();
        let request = server.expect("tools/call").await;
        let token = &request["params"]["_meta"]["progressToken"];
        for params in [
            json!({"progressToken": token, "progress": 0.25, "total": 1.0}),
            json!({"progressToken": token, "progress": "50%"}),
            json!({"progressToken": token, "progress": 0.5}),
            json!({"progressToken": token}),
        ] {
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        }
        server.answer(&request["id"], json!({"content": []})).await;
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push((progress.progress, progress.total));
        }
        assert_eq!(steps, [(0.25, Some(1.0)), (0.5, None)], "{revision}");
        call.await.unwrap();
    }
}

#[tokio::test]
async fn progress_before_an_answer_is_heard_and_after_it_is_not() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let mut call = client.call("a").with_progress().send();
        let request = server.expect("tools/call").await;
        let progress = |progress: u8| {
            let params = json!({"progressToken": request["params"]["_meta"]["progressToken"], "progress": progress});
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        };
        server.send(&progress(1)).await;
        server.answer(&request["id"], json!({"content": []})).await;
        server.send(&progress(2)).await;
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push(progress.progress);
        }
        assert_eq!(steps, [1.0], "{revision}");
        call.await.unwrap();
        // The connection has taken no harm.
        let call = client.call("b").send();
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], json!({"content": []})).await;
        call.await.unwrap();
    }
}

#[tokio::test]
async fn a_flood_of_notifications_keeps_nobody_from_an_answer() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for number in 0..20_000 {
            let params = json!({"progressToken": 0, "progress": number});
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        }
        let method = if revision.era() == Era::Legacy { "ping" } else { "tools/list" };
        assert!(client.request(method, json!({})).await["result"].is_object(), "{revision}");

        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").with_progress().send();
        let request = server.expect("tools/call").await;
        for number in 0..5_000 {
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
            let params = json!({"progressToken": request["params"]["_meta"]["progressToken"], "progress": number});
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        }
        server.answer(&request["id"], json!({"content": []})).await;
        call.await.unwrap();
    }
}
