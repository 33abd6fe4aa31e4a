//! The schemas that tools advertise for the types of their arguments: plain enough for every host.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    net::IpAddr,
    path::PathBuf,
};

use mcpeer::{
    server::{Args, Json, Server, named},
    version::Revision,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::RawClient;

/// Where something is.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Place {
    city: String,
    at: Option<Point>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Point {
    x: f64,
    y: f32,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

/// How hard.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Force {
    /// Hardly.
    Soft,
    /// With all force.
    VeryHard,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Box { width: u32, height: Option<u32> },
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema matters")]
struct Everything {
    flag: bool,
    small: u8,
    large: i64,
    size: usize,
    share: f64,
    letter: char,
    path: PathBuf,
    address: IpAddr,
    text: Option<String>,
    number: Option<u32>,
    place: Option<Place>,
    color: Option<Color>,
    force: Option<Force>,
    shape: Option<Shape>,
    list: Vec<Option<u16>>,
    set: HashSet<String>,
    map: HashMap<String, Option<Point>>,
    nested: Vec<BTreeMap<String, Vec<Color>>>,
    pair: (u8, String),
    any: Value,
    #[serde(default)]
    absent: Option<Vec<Place>>,
}

/// The schemas of the tools of a server, by their names.
async fn schemas(server: &Server) -> BTreeMap<String, Value> {
    let mut client = RawClient::connect(server, Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["inputSchema"].clone())).collect()
}

/// Collects what some host does not take.
fn oddities(schema: &Value, place: &str, found: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        found.push(format!("{place} is no object: {schema}"));
        return;
    };
    for keyword in ["$ref", "$defs", "definitions", "$schema", "const", "title", "nullable"] {
        if keywords.contains_key(keyword) {
            found.push(format!("{place}: {keyword}"));
        }
    }
    match keywords.get("type") {
        None | Some(Value::String(_)) if keywords.get("type") != Some(&json!("null")) => {}
        other => found.push(format!("{place}: type {other:?}")),
    }
    if let Some(format) = keywords.get("format") {
        found.push(format!("{place}: format {format}"));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = keywords.get(keyword).filter(|inner| **inner != json!(false)) {
            oddities(inner, &format!("{place}.{keyword}"), found);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for inner in keywords.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            oddities(inner, &format!("{place}.{keyword}"), found);
        }
    }
    for (name, inner) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
        oddities(inner, &format!("{place}.{name}"), found);
    }
}

#[tokio::test]
async fn every_type_has_a_plain_schema_as_a_member_and_as_an_argument() {
    let server = Server::builder("plain", "1")
        .tool("whole", |Args(all): Args<Everything>| Json(all))
        .tool("place", named(["it"], |it: Place| Json(it)))
        .tool("color", named(["it"], |it: Option<Color>| Json(it)))
        .tool("force", named(["it"], |it: Force| Json(it)))
        .tool("shape", named(["it"], |it: Shape| Json(it)))
        .tool("list", named(["it"], |it: Option<Vec<Option<u64>>>| Json(it)))
        .tool("map", named(["it"], |it: HashMap<String, Option<Place>>| Json(it)))
        .build()
        .unwrap();
    for (name, schema) in schemas(&server).await {
        assert_eq!(schema["type"], "object", "{name}");
        let mut found = Vec::new();
        oddities(&schema, &name, &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[tokio::test]
async fn each_shape_of_type_has_the_schema_that_a_person_would_write() {
    let server = Server::builder("table", "1")
        .tool("place", named(["it"], |it: Place| Json(it)))
        .tool("color", named(["it"], |it: Option<Color>| Json(it)))
        .tool("force", named(["it"], |it: Force| Json(it)))
        .tool("shape", named(["it"], |it: Shape| Json(it)))
        .tool("list", named(["it"], |it: Option<Vec<Option<u64>>>| Json(it)))
        .tool("map", named(["it"], |it: HashMap<String, Option<i32>>| Json(it)))
        .build()
        .unwrap();
    let schemas = schemas(&server).await;
    let of = |name: &str| schemas[name]["properties"]["it"].clone();
    let number = json!({"type": "number"});
    let point = json!({"type": "object", "properties": {"x": number, "y": number}, "required": ["x", "y"]});
    let place = json!({
        "type": "object", "description": "Where something is.",
        "properties": {"city": {"type": "string"}, "at": point}, "required": ["city"],
    });
    assert_eq!(of("place"), place);
    assert_eq!(schemas["place"]["required"], json!(["it"]));
    assert_eq!(of("color"), json!({"type": "string", "enum": ["red", "green"]}));
    assert_eq!(schemas["color"].get("required"), None);
    let description = "How hard.\n`soft`: Hardly.\n`very_hard`: With all force.";
    assert_eq!(of("force"), json!({"type": "string", "enum": ["soft", "very_hard"], "description": description}));
    let whole = json!({"type": "integer", "minimum": 0});
    let kind = |name: &str| json!({"type": "string", "enum": [name]});
    let choices = of("shape")["oneOf"].clone();
    assert_eq!(choices[0]["properties"], json!({"kind": kind("circle"), "radius": number}));
    assert_eq!(choices[1]["properties"]["kind"], kind("box"));
    assert_eq!(choices[1]["required"], json!(["kind", "width"]));
    assert_eq!(of("list"), json!({"type": "array", "items": whole}));
    assert_eq!(of("map"), json!({"type": "object", "additionalProperties": {"type": "integer"}}));
}

#[tokio::test]
async fn only_what_holds_itself_is_a_reference() {
    let server = Server::builder("trees", "1")
        .tool("whole", |Args(tree): Args<Tree>| tree.name)
        .tool("member", named(["tree", "place"], |tree: Tree, place: Place| tree.name + &place.city))
        .build()
        .unwrap();
    let schemas = schemas(&server).await;
    assert_eq!(schemas["whole"]["properties"]["children"], json!({"type": "array", "items": {"$ref": "#"}}));
    let member = &schemas["member"];
    let inner = &member["properties"]["tree"]["properties"]["children"]["items"]["$ref"];
    let pointer = inner.as_str().unwrap().strip_prefix('#').unwrap();
    assert_eq!(member.pointer(pointer).unwrap()["properties"]["children"]["items"]["$ref"], *inner);
    assert_eq!(member["properties"]["place"].get("$ref"), None, "{member}");
}

#[tokio::test]
async fn null_and_absent_are_the_same_to_what_is_optional() {
    let server = Server::builder("null", "1")
        .tool("whole", |Args(place): Args<Place>| place.at.is_none().to_string())
        .tool("member", named(["color"], |color: Option<Color>| color.is_none().to_string()))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for (tool, arguments) in [
            ("whole", json!({"city": "Oslo"})),
            ("whole", json!({"city": "Oslo", "at": null})),
            ("member", json!({})),
            ("member", json!({"color": null})),
        ] {
            let answer = client.call(tool, arguments.clone()).await;
            assert_eq!(crate::peers::text(&answer), "true", "{tool} {arguments} {revision}");
        }
    }
}

#[tokio::test]
async fn tools_without_arguments_say_that_they_take_none() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    let server = Server::builder("none", "1")
        .tool("bare", || "bare")
        .tool("empty", |Args(_): Args<Nothing>| "empty")
        .tool("named", named([""; 0], || "named"))
        .build()
        .unwrap();
    for (name, schema) in schemas(&server).await {
        assert_eq!(schema, json!({"type": "object", "properties": {}, "additionalProperties": false}), "{name}");
    }
}
