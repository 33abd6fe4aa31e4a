use mcpeer::{
    client::{Change, Client},
    model::{
        RawJson,
        extensions::skills::{Get, GetParams, List, ListParams, ReadDirectory, ReadDirectoryParams},
        subscriptions::Filter,
    },
    server::Server,
    skills::{Skill, Skills},
    testing::{Direction, Pair},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::{folder, text, write};

const PICTURE: &[u8] = &[0x89, b'P', b'N', b'G', 0xff];
const PICTURE_DIGEST: &str = "sha256:88d68653bc6eba8184e26ce031ad2c828ea72973d7fd3863823a2704e6b41940";

fn skills() -> Skills {
    let head = "---\nname: tidy\ndescription: Tidies up\nlicense: MIT\nmetadata:\n  version: '1.5'\n---\nSee rules.\n";
    Skills::of([
        Skill::new(head).file("rules/kitchen.md", "Wash up.").file("rules/a b.png", PICTURE).file("LICENSE", "MIT"),
        Skill::new(text("cook")).under("acme/home"),
    ])
    .unwrap()
}

fn server(skills: &Skills) -> Server {
    Server::builder("home", "1.0.0").extension(skills.clone()).build().unwrap()
}

async fn raw(client: &Client, method: &'static str, params: Value) -> Result<Value, i64> {
    let params = mcpeer::rpc::Raw::from_value(&params).unwrap();
    match client.request_raw(method, Some(params)).await {
        Ok(raw) => Ok(serde_json::from_str(raw.as_str()).unwrap()),
        Err(error) => Err(error.rpc().unwrap_or_else(|| panic!("{error}")).code),
    }
}

#[tokio::test]
async fn a_server_declares_its_skills_and_that_it_has_resources() {
    for revision in Revision::ALL {
        let pair = Pair::of(&server(&Skills::new())).revision(revision).connect().await.unwrap();
        let capabilities = pair.client().capabilities();
        assert!(capabilities.resources.is_some(), "{revision}");
        let declared = capabilities.extensions.unwrap();
        let expected = RawJson::from(json!({"directoryRead": true}));
        assert_eq!(declared.get("io.modelcontextprotocol/skills"), Some(&expected), "{revision}");
        assert!(pair.client().skills().all().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_entry_is_whole_and_the_same_in_the_list_and_by_itself() {
    let server = server(&skills());
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let list = raw(pair.client(), "skills/list", json!({})).await.unwrap();
        assert_eq!(list["skills"][0]["uri"], "skill://acme/home/cook/SKILL.md", "{revision}");
        let tidy = &list["skills"][1];
        assert_eq!(tidy["uri"], "skill://tidy/SKILL.md");
        let frontmatter =
            json!({"name": "tidy", "description": "Tidies up", "license": "MIT", "metadata": {"version": "1.5"}});
        assert_eq!(tidy["frontmatter"], frontmatter);
        let files: Vec<_> = tidy["resources"].as_array().unwrap().iter().map(|file| &file["uri"]).collect();
        assert_eq!(
            files,
            [
                "skill://tidy/LICENSE",
                "skill://tidy/SKILL.md",
                "skill://tidy/rules/a%20b.png",
                "skill://tidy/rules/kitchen.md"
            ]
        );
        let picture = json!({"uri": "skill://tidy/rules/a%20b.png", "digest": PICTURE_DIGEST, "size": PICTURE.len()});
        assert_eq!(tidy["resources"][2], picture);
        let got = raw(pair.client(), "skills/get", json!({"uri": "skill://tidy/SKILL.md"})).await.unwrap();
        assert_eq!(&got["skill"], tidy, "{revision}");

        let is_modern = revision.era() == Era::Modern;
        for result in [&list, &got] {
            let is_stamped = (result["ttlMs"].is_u64(), result["cacheScope"].is_string());
            assert_eq!(is_stamped, (is_modern, is_modern), "{revision}: {result}");
            assert_eq!(result["nextCursor"], Value::Null);
        }
    }
}

#[tokio::test]
async fn every_file_is_a_resource() {
    let server = server(&skills());
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let list = raw(pair.client(), "resources/list", json!({})).await.unwrap();
        let manifest =
            list["resources"].as_array().unwrap().iter().find(|resource| resource["name"] == "tidy").unwrap();
        assert_eq!(manifest["uri"], "skill://tidy/SKILL.md", "{revision}");
        assert_eq!(manifest["description"], "Tidies up");
        assert_eq!(manifest["mimeType"], "text/markdown");
        if revision.era() == Era::Modern {
            let meta = json!({"io.modelcontextprotocol.skills/license": "MIT",
                "io.modelcontextprotocol.skills/metadata": {"version": "1.5"}});
            assert_eq!(manifest["_meta"], meta);
        }
        assert_eq!(list["resources"].as_array().unwrap().len(), 5);

        for (uri, content) in [
            ("skill://tidy/rules/kitchen.md", json!({"text": "Wash up.", "mimeType": "text/markdown"})),
            ("skill://tidy/rules/a%20b.png", json!({"blob": "iVBOR/8=", "mimeType": "image/png"})),
            ("skill://tidy/LICENSE", json!({"text": "MIT", "mimeType": "text/plain"})),
        ] {
            let read = raw(pair.client(), "resources/read", json!({"uri": uri})).await.unwrap();
            let mut expected = content;
            expected["uri"] = json!(uri);
            assert_eq!(read["contents"], json!([expected]), "{revision}");
        }
        let missing = raw(pair.client(), "resources/read", json!({"uri": "skill://tidy/none"})).await.unwrap_err();
        assert_eq!(missing, if revision.era() == Era::Modern { -32602 } else { -32002 }, "{revision}");
    }
}

#[tokio::test]
async fn a_folder_has_its_direct_children() {
    let server = server(&skills());
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let read = |uri: &'static str| raw(pair.client(), "resources/directory/read", json!({"uri": uri}));
        let root = read("skill://tidy").await.unwrap();
        let children: Vec<_> = root["resources"].as_array().unwrap().iter().collect();
        let names: Vec<_> = children.iter().map(|child| (child["name"].as_str(), child["mimeType"].as_str())).collect();
        let expected = [("LICENSE", "text/plain"), ("tidy", "text/markdown"), ("rules", "inode/directory")];
        let expected = expected.map(|(name, kind)| (Some(name), Some(kind)));
        assert_eq!(names, expected);
        assert_eq!(children[2]["uri"], "skill://tidy/rules");
        assert_eq!(read("skill://tidy/rules").await.unwrap()["resources"].as_array().unwrap().len(), 2);
        assert_eq!(read("skill://acme").await.unwrap()["resources"][0]["uri"], "skill://acme/home");
        for none in
            ["skill://tidy/SKILL.md", "skill://tidy/", "skill://tid", "skill://", "file:///etc", "skill://tidy/.."]
        {
            assert_eq!(read(none).await, Err(-32602), "{none}");
        }
        let by_client = pair.client().read_directory("skill://tidy").await.unwrap();
        assert_eq!(by_client.len(), 3, "{revision}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused_with_the_address() {
    let pair = Pair::of(&server(&skills())).connect().await.unwrap();
    for uri in ["skill://none/SKILL.md", "skill://tidy", "skill://tidy/LICENSE"] {
        let error = pair.client().skill(uri).await.unwrap_err();
        let error = error.rpc().unwrap();
        assert_eq!(error.code, -32602);
        assert!(error.message.contains(uri), "{error}");
    }
    assert_eq!(raw(pair.client(), "skills/get", json!({})).await, Err(-32602));
    assert_eq!(raw(pair.client(), "skills/list", json!({"cursor": 7})).await, Err(-32602));
}

#[tokio::test]
async fn lists_come_page_by_page_and_cursors_hold_for_their_list_alone() {
    let many = ["a", "b", "c"].map(|name| Skill::new(text(name)).file("1.md", "1").file("2.md", "2"));
    let skills = Skills::of(many).unwrap().page_size(2);
    let pair = Pair::of(&server(&skills)).connect().await.unwrap();
    let client = pair.client();

    let first = client.request::<List>(ListParams::new()).await.unwrap();
    assert_eq!(first.skills.len(), 2);
    assert!(first.skills.iter().all(|skill| skill.resources.listed().len() == 3), "an entry is never split");
    let cursor = first.next_cursor.unwrap();
    let second = client.request::<List>(ListParams::new().cursor(&*cursor)).await.unwrap();
    assert_eq!((second.skills.len(), second.next_cursor), (1, None));
    assert_eq!(client.skills().all().await.unwrap().len(), 3);

    let page = client.request::<ReadDirectory>(ReadDirectoryParams::new("skill://a")).await.unwrap();
    let of_folder = page.next_cursor.unwrap();
    let again = ReadDirectoryParams::new("skill://a").cursor(&*of_folder);
    assert_eq!(client.request::<ReadDirectory>(again).await.unwrap().resources.len(), 1);
    assert_eq!(client.read_directory("skill://a").await.unwrap().len(), 3);

    for bad in [&*of_folder, "", "1"] {
        let error = client.request::<List>(ListParams::new().cursor(bad)).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, -32602, "{bad:?}");
    }
    let elsewhere = ReadDirectoryParams::new("skill://b").cursor(&*of_folder);
    assert_eq!(client.request::<ReadDirectory>(elsewhere).await.unwrap_err().rpc().unwrap().code, -32602);
}

#[tokio::test]
async fn a_changed_file_is_offered_after_a_reload_and_never_against_its_digest() {
    for revision in Revision::ALL {
        let folder = folder(&format!("reload-{revision}"));
        write(&folder, "tidy/SKILL.md", text("tidy"));
        write(&folder, "tidy/rules.md", "Smile.");
        let skills = Skills::folder(&folder).unwrap();
        let pair = Pair::of(&server(&skills)).revision(revision).connect().await.unwrap();
        let client = pair.client();
        let uri = "skill://tidy/rules.md";
        let filter = Filter::new().resources_list_changed(true).resource_subscriptions([uri.to_owned()]);
        let mut watch = client.watch(filter).await.unwrap();

        let entry = client.skill("skill://tidy/SKILL.md").await.unwrap();
        write(&folder, "tidy/rules.md", "Frown.");
        let tidy = client.load_skill(&entry).await.unwrap();
        assert_eq!(tidy.read("rules.md").await.unwrap().text(), Some("Smile."), "{revision}: what the entry says");

        assert_eq!(skills.reload().unwrap(), [uri]);
        assert_eq!(watch.next().await, Some(Change::Resource { uri: uri.into() }), "{revision}");
        let error = tidy.read("rules.md").await.unwrap_err();
        assert!(error.to_string().contains("the digest of `skill://tidy/rules.md`"), "{error}");
        let anew = client.load_skill(&client.skill(&entry.uri).await.unwrap()).await.unwrap();
        assert_eq!(anew.read("rules.md").await.unwrap().text(), Some("Frown."));

        write(&folder, "cook/SKILL.md", text("cook"));
        assert_eq!(skills.reload().unwrap(), ["skill://cook/SKILL.md"]);
        assert_eq!(watch.next().await, Some(Change::Resources), "{revision}");
        assert_eq!(client.skills().all().await.unwrap().len(), 2);

        write(&folder, "cook/SKILL.md", "no skill");
        assert!(skills.reload().is_err());
        assert_eq!(client.skills().all().await.unwrap().len(), 2, "{revision}: what was there is offered on");
    }
}

#[tokio::test]
async fn a_skill_is_read_past_what_the_client_keeps() {
    let skills = skills();
    let hour = std::time::Duration::from_secs(3600);
    let server = ["skills/get", "resources/read"]
        .into_iter()
        .fold(Server::builder("home", "1.0.0").extension(skills.clone()), |builder, method| {
            builder.cache(method, hour, mcpeer::model::caching::Scope::Public)
        });
    let pair = Pair::of(&server.build().unwrap()).connect().await.unwrap();
    let (client, uri) = (pair.client(), "skill://tidy/SKILL.md");
    client.read(uri).await.unwrap();
    client.skill(uri).await.unwrap();
    skills.replace(Skill::new(text("tidy"))).unwrap();
    let entry = client.skill(uri).await.unwrap();
    assert_eq!(client.load_skill(&entry).await.unwrap().text(), text("tidy"));
}

#[tokio::test]
async fn skills_that_are_added_while_a_server_runs_are_offered_and_told() {
    let skills = Skills::new();
    let pair = Pair::of(&server(&skills)).connect().await.unwrap();
    let mut watch = pair.client().watch(Filter::new().resources_list_changed(true)).await.unwrap();
    skills.add(Skill::new(text("tidy"))).unwrap();
    assert_eq!(watch.next().await, Some(Change::Resources));
    assert_eq!(pair.client().skills().all().await.unwrap()[0].frontmatter.name, "tidy");
}

#[tokio::test]
async fn a_nested_skill_is_a_skill_and_its_files_are_those_of_the_one_around_it_too() {
    let folder = folder("nested");
    write(&folder, "outer/SKILL.md", text("outer"));
    write(&folder, "outer/inner/SKILL.md", text("inner"));
    write(&folder, "outer/inner/a.md", "a");
    let pair = Pair::of(&server(&Skills::folder(&folder).unwrap())).connect().await.unwrap();
    let skills = pair.client().skills().all().await.unwrap();
    let files: Vec<_> = skills.iter().map(|skill| (&*skill.uri, skill.resources.listed().len())).collect();
    assert_eq!(files, [("skill://outer/SKILL.md", 3), ("skill://outer/inner/SKILL.md", 2)]);
    let outer = pair.client().load_skill(&skills[0]).await.unwrap();
    assert_eq!(outer.read("inner/a.md").await.unwrap().text(), Some("a"));
}

#[tokio::test]
async fn what_a_request_may_not_see_is_not_there() {
    let skills = skills();
    let server = Server::builder("home", "1.0.0")
        .extension(skills.clone())
        .visible(|item, _| item.name() != "tidy" && item.name() != "kitchen.md")
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let pair = Pair::of(&server).revision(revision).connect().await.unwrap();
        let client = pair.client();
        let listed = client.skills().all().await.unwrap();
        assert_eq!(listed.iter().map(|skill| &*skill.frontmatter.name).collect::<Vec<_>>(), ["cook"]);
        assert!(client.request::<Get>(GetParams::new("skill://tidy/SKILL.md")).await.is_err());
        assert!(client.read("skill://tidy/SKILL.md").await.is_err());
        assert_eq!(client.read_directory("skill://tidy/rules").await.unwrap().len(), 1);
        assert!(client.resources().all().await.unwrap().iter().all(|resource| resource.name != "tidy"));

        let [tidy, cook] = ["skill://tidy/SKILL.md", "skill://acme/home/cook/SKILL.md"];
        let both = Filter::new().resource_subscriptions([tidy, cook].map(str::to_owned));
        let mut watch = client.watch(both).await.unwrap();
        let again = |name: &str| Skill::new(text(name) + revision.as_str());
        skills.replace(again("tidy").file("rules/a b.png", PICTURE)).unwrap();
        skills.replace(again("cook").under("acme/home")).unwrap();
        assert_eq!(watch.next().await, Some(Change::Resource { uri: cook.into() }), "{revision}");
    }
}

#[tokio::test]
async fn nothing_is_asked_of_clients_that_they_cannot_declare() {
    let pair = Pair::of(&server(&skills())).connect().await.unwrap();
    pair.client().skills().all().await.unwrap();
    let asked = pair.wire().json(Direction::ToServer);
    let capabilities = &asked.last().unwrap()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(capabilities, &json!({}));
}
