//! What a client reads of a skill is what the entry says, or nothing.

use std::sync::{Arc, Mutex};

use mcpeer::{Client, model::extensions::skills::Skill, skills::Mismatch, version::Revision};
use serde_json::{Value, json};

use super::liar::{Asked, connect, told};

const MANIFEST: &str = "skill://pdf-processing/SKILL.md";
const TEXT: &str = "---\nname: pdf-processing\ndescription: Fills forms\nstars: 3\n---\nRead references/FORMS.md.\n";
const TEXT_DIGEST: &str = "sha256:1745321a8704ad371eac3c76e50c79d86d12967ac535784b29b854b7f0d8ff27";
const FORMS: &str = "skill://pdf-processing/references/FORMS.md";
const FORMS_TEXT: &str = "Fill them.";
const FORMS_DIGEST: &str = "sha256:a6bdd5598a4fe7d8a3c1ccc8a5619532f2ca20e6557d6bc1cadab1ebe8c5100e";

/// What the server says; a test makes a lie of it.
#[derive(Clone)]
struct Says {
    entry: Value,
    manifest: Value,
    forms: Value,
}

impl Says {
    fn truth() -> Self {
        let entry = json!({
            "uri": MANIFEST,
            "frontmatter": {"name": "pdf-processing", "description": "Fills forms", "stars": 3.0},
            "resources": [
                {"uri": MANIFEST, "digest": TEXT_DIGEST, "size": TEXT.len()},
                {"uri": FORMS, "digest": FORMS_DIGEST, "size": FORMS_TEXT.len()},
            ],
        });
        Self { entry, manifest: contents(MANIFEST, TEXT), forms: contents(FORMS, FORMS_TEXT) }
    }

    fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        match (method, params["uri"].as_str()) {
            ("skills/list", _) => Some(json!({"skills": [self.entry]})),
            ("skills/get", Some(MANIFEST)) => Some(json!({"skill": self.entry})),
            ("resources/read", Some(MANIFEST)) => Some(json!({"contents": self.manifest})),
            ("resources/read", Some(FORMS)) => Some(json!({"contents": self.forms})),
            _ => None,
        }
    }

    async fn connect(&self, revision: Revision) -> (Client, Asked) {
        let says = self.clone();
        connect(revision, json!({"io.modelcontextprotocol/skills": {}}), move |method, params| {
            says.answer(method, params)
        })
        .await
    }

    /// Connects, and gives the entry as the server lists it.
    async fn listed(&self, revision: Revision) -> (Client, Asked, Skill) {
        let (client, asked) = self.connect(revision).await;
        let skill = client.skills().all().await.unwrap().swap_remove(0);
        asked.lock().unwrap().clear();
        (client, asked, skill)
    }
}

fn contents(uri: &str, text: &str) -> Value {
    json!([{"uri": uri, "mimeType": "text/markdown", "text": text}])
}

#[tokio::test]
async fn listing_skills_reads_nothing_of_them() {
    for revision in Revision::ALL {
        let (client, asked) = Says::truth().connect(revision).await;
        assert_eq!(client.skills().all().await.unwrap()[0].frontmatter.name, "pdf-processing");
        assert_eq!(told(&asked), ["skills/list"], "{revision}");
        client.skill(MANIFEST).await.unwrap();
        assert_eq!(told(&asked)[1..], [format!("skills/get {MANIFEST}")], "{revision}");
    }
}

#[tokio::test]
async fn a_skill_is_loaded_by_its_manifest_and_a_file_is_read_when_it_is_asked_for() {
    for revision in Revision::ALL {
        let (client, asked, entry) = Says::truth().listed(revision).await;
        let skill = client.load_skill(&entry).await.unwrap();
        assert_eq!((skill.text(), skill.entry()), (TEXT, &entry));
        assert_eq!(told(&asked), [format!("resources/read {MANIFEST}")], "{revision}");
        for reference in ["references/FORMS.md", "./references/../references/FORMS.md", FORMS] {
            let file = skill.read(reference).await.unwrap();
            assert_eq!((file.uri(), file.text(), file.mime_type()), (FORMS, Some(FORMS_TEXT), Some("text/markdown")));
        }
        assert_eq!(told(&asked).len(), 4, "{revision}");
    }
}

#[tokio::test]
async fn a_manifest_that_is_not_what_the_entry_says_is_refused_and_nothing_else_is_read() {
    let other_digest = TEXT_DIGEST.replace(&TEXT_DIGEST[70..], "0");
    let lie = |change: &dyn Fn(&mut Says)| {
        let mut says = Says::truth();
        change(&mut says);
        says
    };
    let lies = [
        (
            lie(&|says| says.entry["resources"][0]["digest"] = json!(other_digest)),
            "digest",
            &*other_digest,
            TEXT_DIGEST,
        ),
        (lie(&|says| says.entry["resources"][0]["size"] = json!(7)), "size", "7", "89"),
        (lie(&|says| says.manifest[0]["text"] = json!(TEXT.replace("Fills", "Spoil"))), "digest", TEXT_DIGEST, ""),
        (lie(&|says| says.manifest[0]["text"] = json!(format!("{TEXT}\n"))), "size", "89", "90"),
        (
            lie(&|says| says.entry["frontmatter"]["description"] = json!("Fills graves")),
            "frontmatter.description",
            "\"Fills graves\"",
            "\"Fills forms\"",
        ),
        (lie(&|says| says.entry["frontmatter"]["stars"] = json!(5)), "frontmatter.stars", "5", "3"),
        (lie(&|says| says.entry["frontmatter"]["more"] = json!([1])), "frontmatter.more", "[1]", "nothing"),
        (
            lie(&|says| {
                says.entry["frontmatter"].as_object_mut().unwrap().remove("stars");
            }),
            "frontmatter.stars",
            "nothing",
            "3",
        ),
        (lie(&|says| says.manifest = json!([])), "content", "one file", "0 contents"),
        (lie(&|says| says.manifest[0]["uri"] = json!(FORMS)), "content", "one file", FORMS),
        (lie(&|says| says.manifest = json!([{"uri": MANIFEST, "blob": "?"}])), "content", "one file", "no base64"),
    ];
    for revision in Revision::ALL {
        for (says, what, expected, found) in &lies {
            let (client, asked, entry) = says.listed(revision).await;
            let error = client.load_skill(&entry).await.unwrap_err();
            let mismatch = Mismatch::of(&error).unwrap_or_else(|| panic!("{error}"));
            assert_eq!((&*mismatch.file, &*mismatch.what), (MANIFEST, *what), "{revision}: {error}");
            assert!(mismatch.expected == *expected && mismatch.found.contains(found), "{mismatch:?}");
            let text = error.to_string();
            assert!([MANIFEST, what, expected, found].iter().all(|part| text.contains(*part)), "{text}");
            assert!(error.is_peer_misbehaved());
            assert_eq!(told(&asked), [format!("resources/read {MANIFEST}")], "{revision}: {error}");
        }
    }
}

#[tokio::test]
async fn once_a_file_is_not_what_the_entry_says_nothing_more_of_the_skill_is_read() {
    for revision in Revision::ALL {
        let mut says = Says::truth();
        says.forms[0]["text"] = json!("Burn them.");
        let (client, asked, entry) = says.listed(revision).await;
        let skill = client.load_skill(&entry).await.unwrap();
        let error = skill.read("references/FORMS.md").await.unwrap_err();
        let mismatch = Mismatch::of(&error).unwrap();
        assert_eq!((&*mismatch.file, &*mismatch.expected), (FORMS, FORMS_DIGEST), "{revision}");
        let before = told(&asked).len();
        for reference in ["references/FORMS.md", "SKILL.md"] {
            assert_eq!(Mismatch::of(&skill.clone().read(reference).await.unwrap_err()), Some(mismatch), "{revision}");
        }
        assert_eq!(told(&asked).len(), before, "{revision}: the server is not asked");
    }
}

#[tokio::test]
async fn a_file_that_the_entry_does_not_list_is_not_asked_for() {
    let (client, asked, entry) = Says::truth().listed(Revision::V2026_07_28).await;
    let skill = client.load_skill(&entry).await.unwrap();
    for reference in
        ["references/MORE.md", "../other/SKILL.md", "skill://other/SKILL.md", "file:///etc/passwd", "/etc/passwd", ""]
    {
        assert!(skill.read(reference).await.unwrap_err().is_misuse(), "{reference}");
    }
    assert_eq!(told(&asked).len(), 1);
    assert!(skill.read("references/FORMS.md").await.is_ok(), "a wrong reference spoils nothing");
}

#[tokio::test]
async fn an_entry_that_must_not_be_is_refused_before_anything_is_read() {
    for (change, reason) in [
        (json!({"uri": "skill://other/SKILL.md"}), "in its address"),
        (json!({"uri": "skill://pdf-processing/README.md"}), "is not the address of a `SKILL.md`"),
        (json!({"resources": []}), "does not list its own `SKILL.md`"),
        (json!({"resources": "dynamic"}), "`take_dynamic`"),
        (json!({"resources": [{"uri": "file:///etc/passwd", "digest": TEXT_DIGEST, "size": 1}]}), "not in its folder"),
        (json!({"resources": [{"uri": MANIFEST, "digest": "md5:00", "size": 1}]}), "which is no digest"),
        (json!({"resources": [{"uri": MANIFEST, "digest": TEXT_DIGEST, "size": 16 * 1024 * 1024 + 1}]}), "`max_bytes`"),
    ] {
        let mut says = Says::truth();
        let members = change.as_object().unwrap().clone();
        members.into_iter().for_each(|(name, value)| says.entry[name] = value);
        let (client, asked, entry) = says.listed(Revision::V2026_07_28).await;
        let error = client.load_skill(&entry).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(told(&asked).is_empty(), "{error}");
    }
    let (client, asked, entry) = Says::truth().listed(Revision::V2026_07_28).await;
    assert!(client.load_skill(&entry).max_files(1).await.unwrap_err().to_string().contains("`max_files`"));
    assert!(client.load_skill(&entry).max_bytes(9).await.unwrap_err().to_string().contains("`max_bytes`"));
    assert!(told(&asked).is_empty());
}

#[tokio::test]
async fn what_is_no_entry_is_left_out_of_the_list() {
    for resources in [json!(null), json!("static"), json!({}), json!([{"uri": MANIFEST}])] {
        let mut says = Says::truth();
        says.entry["resources"] = resources;
        let (client, _) = says.connect(Revision::V2026_07_28).await;
        assert!(client.skills().all().await.unwrap().is_empty());
        assert!(client.skill(MANIFEST).await.unwrap_err().is_peer_misbehaved());
    }
}

#[tokio::test]
async fn a_skill_that_cannot_be_verified_is_bounded_all_the_same() {
    let mut says = Says::truth();
    says.entry["resources"] = json!("dynamic");
    let (client, asked, entry) = says.listed(Revision::V2026_07_28).await;
    let skill = client.load_skill(&entry).take_dynamic().await.unwrap();
    assert_eq!(skill.read("references/FORMS.md").await.unwrap().text(), Some(FORMS_TEXT));
    assert!(skill.read("../other/SKILL.md").await.unwrap_err().is_misuse());
    assert_eq!(told(&asked).len(), 2);
    let skill = client.load_skill(&entry).take_dynamic().max_bytes(TEXT.len() as u64).await.unwrap();
    assert!(skill.read("references/FORMS.md").await.unwrap_err().to_string().contains("`max_bytes`"));

    says.entry["frontmatter"]["stars"] = json!(5);
    let (client, _, entry) = says.listed(Revision::V2026_07_28).await;
    let error = client.load_skill(&entry).take_dynamic().await.unwrap_err();
    assert_eq!(Mismatch::of(&error).unwrap().what, "frontmatter.stars");
}

#[tokio::test]
async fn a_server_that_does_not_declare_skills_is_not_asked_for_them() {
    for revision in Revision::ALL {
        let (client, asked) = connect(revision, json!({}), |_, _| None).await;
        let mut stream = client.skills().stream();
        for error in [
            client.skills().all().await.unwrap_err(),
            client.skills().page(None).await.unwrap_err(),
            stream.next().await.unwrap().unwrap_err(),
            client.skill(MANIFEST).await.unwrap_err(),
            client.read_directory("skill://pdf-processing").await.unwrap_err(),
        ] {
            let expected = "the server does not declare the extension `io.modelcontextprotocol/skills`";
            assert!(error.is_misuse() && error.to_string() == expected, "{revision}: {error}");
        }
        assert!(stream.next().await.is_none());
        assert!(told(&asked).is_empty(), "{revision}");
    }
}

#[tokio::test]
async fn folders_are_read_only_where_the_server_declares_that() {
    for declared in [json!({}), json!({"directoryRead": false}), json!({"directoryRead": "yes"})] {
        let extensions = json!({"io.modelcontextprotocol/skills": declared});
        let (client, asked) = connect(Revision::V2026_07_28, extensions, |_, _| Some(json!({"resources": []}))).await;
        assert!(client.read_directory("skill://pdf-processing").await.unwrap_err().is_misuse());
        assert!(told(&asked).is_empty());
    }
}

#[tokio::test]
async fn a_folder_without_end_is_given_up() {
    let pages = Arc::new(Mutex::new(0));
    let extensions = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    let (client, _) = connect(Revision::V2026_07_28, extensions, move |_, params| {
        let mut pages = pages.lock().unwrap();
        *pages += 1;
        let cursor = if params["uri"] == "skill://same" { json!("again") } else { json!(pages.to_string()) };
        Some(json!({"resources": [], "nextCursor": cursor}))
    })
    .await;
    for uri in ["skill://same", "skill://other"] {
        let error = client.read_directory(uri).await.unwrap_err();
        assert!(error.is_peer_misbehaved() && error.to_string().contains("does not end"), "{error}");
    }
}

#[tokio::test]
async fn an_entry_of_another_skill_is_not_taken_for_the_one_that_was_asked_for() {
    let extensions = json!({"io.modelcontextprotocol/skills": {}});
    let (client, _) =
        connect(Revision::V2026_07_28, extensions, |_, _| Some(json!({"skill": Says::truth().entry}))).await;
    let error = client.skill("skill://other/SKILL.md").await.unwrap_err();
    assert!(error.is_peer_misbehaved() && error.to_string().contains(MANIFEST), "{error}");
}
