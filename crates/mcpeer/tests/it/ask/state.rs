//! The state between two rounds: what opens it and what does not.

use std::{sync::atomic::Ordering, time::Duration};

use mcpeer::{
    Server,
    handler::ask::{Keyring, MemorySingleUse, Rounds},
    transport::memory,
    version::Revision,
};
use serde_json::{Value, json};

use super::{
    peer::{Known, everything, retry},
    trip::{call, server, traveller},
};
use crate::peers::{RawClient, text};

const MODERN: Revision = Revision::V2026_07_28;

async fn connect(server: &Server) -> RawClient {
    RawClient::connect_as(server, MODERN, everything()).await
}

/// The params of the second round.
async fn second(client: &mut RawClient) -> Value {
    let reply = client.request("tools/call", call()).await;
    retry(&call(), &reply, traveller)
}

fn assert_refused(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`requestState`"), "{answer}");
}

fn assert_goes_on(answer: &Value) {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused() {
    let (server, steps) = server(Rounds::new());
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    let state = next["requestState"].as_str().unwrap().to_owned();
    for at in [0, 30, 40, state.len() / 2, state.len() - 2] {
        let mut changed = state.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        let mut next = next.clone();
        next["requestState"] = String::from_utf8(changed).unwrap().into();
        assert_refused(&client.request("tools/call", next).await);
    }
    for foreign in ["", "x", "AAAA", &state[..state.len() - 4]] {
        let mut next = next.clone();
        next["requestState"] = foreign.into();
        assert_refused(&client.request("tools/call", next).await);
    }
    assert_goes_on(&client.request("tools/call", next).await);
    assert_eq!(steps.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_state_belongs_to_its_tool_and_its_arguments() {
    let (server, _) = server(Rounds::new());
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    let mut other = next.clone();
    other["name"] = "other".into();
    assert_refused(&client.request("tools/call", other).await);
    let mut other = next.clone();
    other["arguments"] = json!({"more": 1});
    assert_refused(&client.request("tools/call", other).await);
    // What only tells about this round may differ.
    let mut same = next;
    same["_meta"] = json!({"progressToken": 7});
    assert_goes_on(&client.request("tools/call", same).await);
}

#[tokio::test]
async fn a_state_belongs_to_whoever_it_was_given_to() {
    let (server, _) = server(Rounds::new());
    let connect = async |name| {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(Known(theirs, name)).await });
        RawClient::over(ours, MODERN, everything())
    };
    let mut ada = connect("ada").await;
    let next = second(&mut ada).await;
    let mut eve = connect("eve").await;
    assert_refused(&eve.request("tools/call", next.clone()).await);
    let mut nobody = self::connect(&server).await;
    assert_refused(&nobody.request("tools/call", next.clone()).await);
    let mut ada = connect("ada").await;
    assert_goes_on(&ada.request("tools/call", next).await);
}

#[tokio::test(start_paused = true)]
async fn a_state_expires() {
    let (server, _) = server(Rounds::new().expiry(Duration::from_secs(60)));
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    tokio::time::advance(Duration::from_secs(50)).await;
    assert_goes_on(&client.request("tools/call", next.clone()).await);
    tokio::time::advance(Duration::from_secs(11)).await;
    assert_refused(&client.request("tools/call", next).await);
}

#[tokio::test]
async fn instances_share_their_keys_and_may_change_them() {
    let keys = Keyring::new([1; 32]);
    let (first, _) = server(Rounds::new().keyring(keys.clone()));
    let (second_instance, steps) = server(Rounds::new().keyring(Keyring::new([1; 32])));
    let (stranger, _) = server(Rounds::new());
    let next = second(&mut connect(&first).await).await;
    assert_refused(&connect(&stranger).await.request("tools/call", next.clone()).await);
    assert_goes_on(&connect(&second_instance).await.request("tools/call", next.clone()).await);
    assert_eq!(steps.load(Ordering::SeqCst), 0, "the step was done by the first instance");
    keys.rotate([2; 32]);
    assert_goes_on(&connect(&first).await.request("tools/call", next).await);
}

#[tokio::test]
async fn a_state_may_be_good_for_one_use() {
    let (server, _) = server(Rounds::new().single_use(MemorySingleUse::new(10)));
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    let third = client.request("tools/call", next.clone()).await;
    assert_goes_on(&third);
    assert_refused(&client.request("tools/call", next).await);
    let answer = client.request("tools/call", retry(&call(), &third, traveller)).await;
    assert!(text(&answer).contains("Ada to Rome"), "{answer}");
}

#[tokio::test]
async fn a_state_may_never_expire() {
    let (server, _) = server(Rounds::new().expiry(Duration::MAX).single_use(MemorySingleUse::new(10)));
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    assert_goes_on(&client.request("tools/call", next).await);
}

#[tokio::test]
async fn where_uses_cannot_be_counted_no_state_is_taken() {
    let (server, steps) = server(Rounds::new().single_use(MemorySingleUse::new(0)));
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    let answer = client.request("tools/call", next).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(!answer.to_string().contains("capacity"), "{answer}");
    assert_eq!(steps.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn answers_without_a_state_count_for_their_round() {
    let (server, steps) = server(Rounds::new());
    let mut client = connect(&server).await;
    let mut next = second(&mut client).await;
    next.as_object_mut().unwrap().remove("requestState");
    let reply = client.request("tools/call", next).await;
    assert_goes_on(&reply);
    assert_eq!(steps.load(Ordering::SeqCst), 2, "nothing is known of the first round any more");
    let answer = client.request("tools/call", retry(&call(), &reply, traveller)).await;
    assert!(text(&answer).contains("Ada to Rome"), "{answer}");
}

#[tokio::test]
async fn a_later_round_does_not_change_earlier_answers() {
    let (server, _) = server(Rounds::new());
    let mut client = connect(&server).await;
    let next = second(&mut client).await;
    let reply = client.request("tools/call", next).await;
    let mut last = retry(&call(), &reply, traveller);
    last["inputResponses"]["who"] = json!({"action": "accept", "content": {"name": "Eve"}});
    let answer = client.request("tools/call", last).await;
    assert!(text(&answer).contains("Ada to Rome"), "{answer}");
}

#[tokio::test]
async fn an_answer_that_is_missing_is_asked_for_again() {
    let (server, steps) = server(Rounds::new());
    let mut client = connect(&server).await;
    let mut next = second(&mut client).await;
    next["inputResponses"].as_object_mut().unwrap().remove("where");
    next["inputResponses"]["unknown"] = json!({"action": "accept"});
    let reply = client.request("tools/call", next).await;
    assert_goes_on(&reply);
    let asked: Vec<_> = reply["result"]["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["where"]);
    assert_eq!(steps.load(Ordering::SeqCst), 1);
}
