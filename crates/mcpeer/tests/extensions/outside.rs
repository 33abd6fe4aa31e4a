//! An extension that nobody but this file knows of: a request, a notification, a type of result, a member of the
//! filter of `subscriptions/listen`, settings. It is written as a crate of its own would write it, for both sides.

use std::sync::{Arc, Mutex};

use mcpeer::{
    client::{self, Change, Client},
    extension::{Extension, Method},
    handler::Context,
    model::{
        Notification, RawObject, Request,
        subscriptions::Filter,
        tools::{Call, CallParams},
    },
    peer::Extended,
    rpc,
    server::{self, Listeners, Params, Server, ToolResult},
    testing::{Direction, Pair, Setup},
    version::{Era, Revision},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a crate with the extension would have.
mod parcels {
    use super::*;

    pub(super) const ID: &str = "com.example/parcels";
    pub(super) const SLIP: &str = "com.example/slip";
    pub(super) const FILTER: &str = "com.example/parcelIds";

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(super) struct Parcel {
        pub(super) id: String,
        pub(super) grams: u32,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(super) struct Receipt {
        pub(super) price: f64,
    }

    /// Hands a parcel in.
    pub(super) enum Send {}

    impl Request for Send {
        const METHOD: &'static str = "com.example/parcels/send";
        type Params = Parcel;
        type Result = Receipt;
    }

    /// Says that a parcel has moved.
    pub(super) enum Moved {}

    impl Notification for Moved {
        const METHOD: &'static str = "notifications/com.example/parcels/moved";
        type Params = Parcel;
    }

    /// What both sides must know.
    pub(super) fn declaration() -> Extension {
        Extension::new(ID)
            .method(Method::request(Send::METHOD).since(Revision::V2024_11_05))
            .result_type(SLIP, &["tools/call"])
            .filter(FILTER, Moved::METHOD)
    }

    /// What a server does.
    #[derive(Clone, Default)]
    pub(super) struct Office {
        pub(super) sent: Arc<Mutex<Vec<Parcel>>>,
        pub(super) listeners: Arc<Mutex<Option<Listeners>>>,
    }

    impl Office {
        pub(super) fn moved(&self, parcel: &Parcel) {
            let listeners = self.listeners.lock().unwrap().clone().unwrap();
            listeners.tell::<Moved>(&parcel.id, parcel).unwrap();
        }
    }

    impl server::Extend for Office {
        fn extend(self, builder: server::Builder) -> server::Builder {
            *self.listeners.lock().unwrap() = Some(builder.listeners());
            builder.extension(declaration().settings([("maxGrams", json!(5000))])).method::<Send, _>(
                move |Params(parcel): Params<Parcel>, cx: Context| {
                    let sent = self.sent.clone();
                    async move {
                        let most = cx.client_extension(ID).and_then(|settings| settings.decode::<Most>().ok());
                        if most.is_some_and(|most| parcel.grams > most.max_grams) {
                            return Err(rpc::Error::new(7, "the client itself says that this is too heavy"));
                        }
                        let price = f64::from(parcel.grams) / 1000.0;
                        sent.lock().unwrap().push(parcel);
                        Ok(Receipt { price })
                    }
                },
            )
        }
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Most {
        max_grams: u32,
    }

    /// What a client does.
    pub(super) struct Customer;

    impl client::Extend for Customer {
        fn extend(self, builder: client::Builder) -> client::Builder {
            builder.extension(declaration().settings([("maxGrams", json!(1000))]))
        }
    }
}

use parcels::{Customer, FILTER, ID, Office, Parcel, Receipt, SLIP};

fn parcel(id: &str, grams: u32) -> Parcel {
    Parcel { id: id.to_owned(), grams }
}

fn server(office: &Office) -> Server {
    Server::builder("post", "1.0.0")
        .extension(office.clone())
        .tool("ask", async |cx: Context| match cx.client_declares(ID) && cx.era() == Era::Modern {
            true => ToolResult::extension(SLIP, RawObject::from([("number", json!(7))])),
            false => ToolResult::text("come back tomorrow"),
        })
        .build()
        .unwrap()
}

fn customer(office: &Office) -> Setup {
    Pair::of(&server(office)).client(Client::builder("host", "1.0.0").extension(Customer))
}

#[tokio::test]
async fn both_sides_declare_it_with_their_settings() {
    for revision in Revision::ALL {
        let pair = customer(&Office::default()).revision(revision).connect().await.unwrap();
        pair.client().call("ask").send().await.ok();
        assert_eq!(pair.client().server_extension(ID), Some(RawObject::from([("maxGrams", json!(5000))])));
        let sent = pair.wire().json(Direction::ToServer);
        let declared = json!({ID: {"maxGrams": 1000}});
        match revision.era() {
            Era::Legacy => assert_eq!(sent[0]["params"]["capabilities"]["extensions"], declared, "{revision}"),
            Era::Modern => sent.iter().for_each(|message| {
                let capabilities = &message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
                assert_eq!(capabilities["extensions"], declared, "{message}");
            }),
        }
    }
}

#[tokio::test]
async fn its_request_has_types_of_its_own_in_both_eras() {
    for revision in Revision::ALL {
        let office = Office::default();
        let pair = customer(&office).revision(revision).connect().await.unwrap();
        let receipt = pair.client().request::<parcels::Send>(parcel("a", 500)).await.unwrap();
        assert_eq!(receipt, Receipt { price: 0.5 }, "{revision}");
        assert_eq!(*office.sent.lock().unwrap(), [parcel("a", 500)]);
        let error = pair.client().request::<parcels::Send>(parcel("b", 2000)).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, 7, "{revision}: the handler sees what the client declares");
        let raw = pair.client().request_raw(<parcels::Send as Request>::METHOD, None).await.unwrap_err();
        assert_eq!(raw.rpc().unwrap().code, rpc::Error::INVALID_PARAMS, "{revision}");
    }
}

#[tokio::test]
async fn its_type_of_result_is_taken_by_who_asks_for_it() {
    let pair = customer(&Office::default()).connect().await.unwrap();
    let answer = pair.client().request::<Call>(CallParams::new("ask")).extended().await.unwrap();
    let Extended::Extension { result_type, result } = answer else { panic!("{answer:?}") };
    assert_eq!((&*result_type, &result.decode::<Value>().unwrap()["number"]), (SLIP, &json!(7)));
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let pair = customer(&Office::default()).revision(revision).connect().await.unwrap();
        let answer = pair.client().request::<Call>(CallParams::new("ask")).extended().await.unwrap();
        assert!(matches!(answer, Extended::Complete(_)), "{revision}: that era has no types of results");
    }
}

#[tokio::test]
async fn its_notifications_come_to_who_watches_for_them() {
    let office = Office::default();
    let pair = customer(&office).connect().await.unwrap();
    let mut filter = Filter::new();
    filter.extra.insert(FILTER, json!(["a", "b"]));
    let mut watch = pair.client().watch(filter.clone()).await.unwrap();
    assert_eq!(watch.honoured(), filter);
    for moved in [parcel("c", 1), parcel("b", 2)] {
        office.moved(&moved);
    }
    let Some(Change::Extension { method, params }) = watch.next().await else { panic!("{watch:?}") };
    assert_eq!(method, <parcels::Moved as Notification>::METHOD);
    assert_eq!(params.unwrap().decode::<Parcel>().unwrap(), parcel("b", 2), "what was not asked for is not told");
}

#[tokio::test]
async fn without_it_on_the_server_nothing_of_it_is_there() {
    let office = Office::default();
    let bare = Server::builder("post", "1.0.0").tool("ask", async || "come back tomorrow").build().unwrap();
    for revision in Revision::ALL {
        let client = Client::builder("host", "1.0.0").extension(Customer);
        let pair = Pair::of(&bare).client(client).revision(revision).connect().await.unwrap();
        assert_eq!(pair.client().server_extension(ID), None);
        let error = pair.client().request::<parcels::Send>(parcel("a", 1)).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, rpc::Error::METHOD_NOT_FOUND, "{revision}");
        assert_eq!(
            pair.client().call("ask").await.unwrap().as_text(),
            "come back tomorrow",
            "{revision}: the rest works"
        );
    }
    let mut filter = Filter::new().tools_list_changed(true);
    filter.extra.insert(FILTER, json!(["a"]));
    let client = Client::builder("host", "1.0.0").extension(Customer);
    let pair = Pair::of(&bare).client(client).connect().await.unwrap();
    let watch = pair.client().watch(filter).await.unwrap();
    assert_eq!(watch.honoured(), Filter::new().tools_list_changed(true), "a filter that it does not know is left out");
    assert!(office.sent.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_client_that_does_not_declare_it_gets_the_protocol_alone() {
    for revision in Revision::ALL {
        let office = Office::default();
        let pair = Pair::of(&server(&office)).revision(revision).connect().await.unwrap();
        let client = pair.client();
        assert_eq!(client.call("ask").await.unwrap().as_text(), "come back tomorrow", "{revision}");
        let error = client.request::<parcels::Send>(parcel("a", 1)).await.unwrap_err();
        let error = error.rpc().unwrap();
        match revision.era() {
            Era::Modern => {
                assert_eq!(error.code, -32021, "{error}");
                let data: Value = error.data.as_ref().unwrap().decode().unwrap();
                assert_eq!(data, json!({"requiredCapabilities": {"extensions": {ID: {}}}}), "it is named");
            }
            Era::Legacy => assert_eq!(error.code, rpc::Error::METHOD_NOT_FOUND, "{revision}: {error}"),
        }
        assert!(office.sent.lock().unwrap().is_empty(), "{revision}: the handler did not run");
    }
    let mut filter = Filter::new();
    filter.extra.insert(FILTER, json!(["a"]));
    let pair = Pair::of(&server(&Office::default())).connect().await.unwrap();
    assert_eq!(pair.client().watch(filter).await.unwrap_err().rpc().unwrap().code, -32021);
}
