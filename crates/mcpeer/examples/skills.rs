//! Skills: instructions with files beside them, which a server offers and a client reads and verifies.
//!
//! `cargo run --example skills --features skills`

use std::error::Error;

use mcpeer::{
    client::Client,
    server::Server,
    skills::{Mismatch, Skill, Skills},
    transport::memory,
    version::Revision,
};

/// Made by the program here; `Skills::folder("skills")` reads them from a folder.
fn refunds(limit: u32) -> Skill {
    Skill::new(
        "---\nname: refunds\ndescription: Decides on refunds, when a customer asks for money back\n---\n\
         Look up the limit in `rules/limits.md`, and answer by `templates/letter.md`.\n",
    )
    .under("acme/billing")
    .file("rules/limits.md", format!("Up to {limit} EUR at once."))
    .file("templates/letter.md", "Dear customer, …")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for revision in Revision::ALL {
        let skills = Skills::of([refunds(50)])?;
        let server = Server::builder("shop", "1.0.0").extension(skills.clone()).build()?;
        let (ours, theirs) = memory::pair();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = Client::builder("host", "1.0.0").revisions([revision]).connect_with(ours).await?;

        // The list says what there is, and with which digests; no file is read.
        let listed = client.skills().all().await?;
        let entry = &listed[0];
        assert_eq!(entry.uri, "skill://acme/billing/refunds/SKILL.md");
        assert_eq!(entry.frontmatter.name, "refunds");
        assert_eq!(entry.resources.listed().len(), 3);

        // Once the user has approved of it, its text goes to the model; then files, as the model asks for them.
        let loaded = client.load_skill(entry).await?;
        assert!(loaded.text().contains("`rules/limits.md`"));
        assert_eq!(loaded.read("rules/limits.md").await?.text(), Some("Up to 50 EUR at once."));
        assert!(loaded.read("../../secrets.md").await.unwrap_err().is_misuse());

        // A folder can be looked into, too.
        let names: Vec<_> = client.read_directory("skill://acme/billing/refunds").await?;
        assert_eq!(names.iter().map(|child| &*child.name).collect::<Vec<_>>(), ["refunds", "rules", "templates"]);

        // What has changed since is not what the user approved of.
        skills.replace(refunds(5000))?;
        let error = loaded.read("rules/limits.md").await.unwrap_err();
        let mismatch = Mismatch::of(&error).ok_or("the digests differ")?;
        assert_eq!((&*mismatch.file, &*mismatch.what), ("skill://acme/billing/refunds/rules/limits.md", "size"));
        let entry = client.skill(&entry.uri).await?;
        assert!(client.load_skill(&entry).await?.read("rules/limits.md").await.is_ok());
    }
    Ok(())
}
