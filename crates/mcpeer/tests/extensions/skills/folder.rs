use std::path::Path;

use mcpeer::skills::{MAX_FILES, Skill, Skills};

use super::{folder, text, write};

/// Writes files, and gives what is wrong with the folder that has them.
fn wrong(name: &str, files: &[(&str, &str)]) -> (String, String) {
    let folder = folder(name);
    files.iter().for_each(|(path, content)| write(&folder, path, content));
    let error = Skills::folder(&folder).unwrap_err();
    let file = Path::new(error.file()).strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
    (file, error.to_string())
}

#[test]
fn skills_lie_at_any_depth_and_in_each_other_and_what_is_hidden_is_left_out() {
    let folder = folder("depth");
    for (path, content) in [
        ("README.md", "These are skills."),
        ("tidy/SKILL.md", &*text("tidy")),
        ("tidy/.secret", "hidden"),
        ("tidy/.git/config", "hidden"),
        ("acme/billing/refunds/SKILL.md", &*text("refunds")),
        ("acme/billing/refunds/partial/SKILL.md", &*text("partial")),
        ("acme/billing/notes.txt", "no skill"),
    ] {
        write(&folder, path, content);
    }
    let skills = Skills::folder(&folder).unwrap();
    assert_eq!(
        skills.uris(),
        [
            "skill://acme/billing/refunds/SKILL.md",
            "skill://acme/billing/refunds/partial/SKILL.md",
            "skill://tidy/SKILL.md"
        ]
    );
    write(&folder, "tidy/.secret", "another");
    write(&folder, "tidy/rules.md", "Smile.");
    assert_eq!(skills.reload().unwrap(), ["skill://tidy/rules.md"]);
}

#[test]
fn what_is_wrong_with_a_folder_is_said_with_the_file_and_what_to_do() {
    let long = format!("---\nname: tidy\ndescription: {}\n---\n", "x".repeat(1025));
    for (test, path, content, expected) in [
        ("itself", "SKILL.md", &*text("itself"), "name the folder that it lies in"),
        ("other-name", "tidy/SKILL.md", &*text("tidier"), "the name `tidier`, its folder `tidy`: make them the same"),
        ("case", "tidy/skill.md", &*text("tidy"), "rename it `SKILL.md`"),
        ("no-frontmatter", "tidy/SKILL.md", "# Tidy", "it does not begin with frontmatter"),
        ("no-name", "tidy/SKILL.md", "---\ndescription: a\n---\n", "its frontmatter has no `name`"),
        ("no-description", "tidy/SKILL.md", "---\nname: tidy\n---\n", "its frontmatter has no `description`"),
        ("empty", "tidy/SKILL.md", "---\nname: tidy\ndescription: ''\n---\n", "a text of 1 to 1024 characters"),
        ("long", "tidy/SKILL.md", &*long, "a text of 1 to 1024 characters"),
        ("number", "tidy/SKILL.md", "---\nname: 7\ndescription: a\n---\n", "a text of 1 to 64 characters"),
        ("license", "a/SKILL.md", "---\nname: a\ndescription: a\nlicense: 2\n---\n", "the `license`"),
        (
            "metadata",
            "a/SKILL.md",
            "---\nname: a\ndescription: a\nmetadata: {v: 1.0}\n---\n",
            "write numbers in quotes",
        ),
        ("capital", "Tidy/SKILL.md", &*text("Tidy"), "use lower-case letters and digits"),
        ("hyphens", "a--b/SKILL.md", &*text("a--b"), "use lower-case letters and digits"),
    ] {
        let (file, message) = wrong(test, &[(path, content)]);
        let place = if test == "itself" { "" } else { path };
        assert!(file == place && message.contains(expected), "{test}: {message}");
    }
    let invalid = folder("encoding");
    write(&invalid, "tidy/SKILL.md", b"---\nname: tidy\ndescription: \xff\n---\n");
    assert!(Skills::folder(&invalid).unwrap_err().to_string().contains("it is no UTF-8"));
    let missing = Skills::folder("no/such/folder").unwrap_err();
    assert_eq!(missing.to_string(), "`no/such/folder`: it cannot be read");
    assert!(std::error::Error::source(&missing).is_some());
}

#[test]
fn a_skill_has_no_more_than_every_client_takes() {
    let many = folder("many");
    write(&many, "tidy/SKILL.md", text("tidy"));
    for number in 2..=MAX_FILES {
        write(&many, &format!("tidy/rules/{number}.md"), "Smile.");
    }
    assert!(Skills::folder(&many).is_ok(), "512 files are no more than that");
    write(&many, "tidy/rules/more.md", "Smile.");
    let error = Skills::folder(&many).unwrap_err();
    assert!(error.file().ends_with("tidy") && error.to_string().contains("at most 512 files"), "{error}");

    let large = folder("large");
    write(&large, "tidy/SKILL.md", text("tidy"));
    write(&large, "tidy/film.bin", vec![0; 16 * 1024 * 1024]);
    assert!(Skills::folder(&large).unwrap_err().to_string().contains("at most 16777216 bytes"));

    let deep = folder("deep");
    write(&deep, &format!("tidy/{}SKILL.md", "a/".repeat(40)), text("a"));
    assert!(Skills::folder(&deep).unwrap_err().to_string().contains("32 deep"));

    let made = Skill::new(text("tidy")).file("film.bin", vec![0; 16 * 1024 * 1024]);
    assert!(Skills::of([made]).unwrap_err().to_string().contains("at most 16777216 bytes"));
}

#[cfg(unix)]
#[test]
fn links_are_refused_wherever_they_lead() {
    use std::os::unix::fs::symlink;

    let folder = folder("links");
    write(&folder, "skills/tidy/SKILL.md", text("tidy"));
    write(&folder, "secret.md", "secret");
    write(&folder, "elsewhere/other/SKILL.md", text("other"));
    let skills = folder.join("skills");
    for (link, target) in [
        ("tidy/secret.md", "../../secret.md"),
        ("tidy/again.md", "SKILL.md"),
        ("tidy/up", ".."),
        ("other", "../elsewhere/other"),
    ] {
        symlink(target, skills.join(link)).unwrap();
        let error = Skills::folder(&skills).unwrap_err();
        assert!(error.file().ends_with(link) && error.to_string().contains("no links"), "{link}: {error}");
        std::fs::remove_file(skills.join(link)).unwrap();
    }
    symlink("skills", folder.join("all")).unwrap();
    assert_eq!(Skills::folder(folder.join("all")).unwrap().uris(), ["skill://tidy/SKILL.md"]);
}

#[test]
fn a_skill_that_is_made_has_only_files_in_its_own_folder_and_each_once() {
    let tidy = || Skill::new(text("tidy"));
    for bad in ["../other.md", "/etc/passwd", "a//b", "", "a/./b", "a\\b", "SKILL.md"] {
        assert!(Skills::of([tidy().file(bad, "x")]).is_err(), "{bad}");
    }
    assert!(Skills::of([tidy().under("../up")]).is_err());
    let error = Skills::of([tidy(), tidy()]).unwrap_err();
    assert_eq!(error.to_string(), "`tidy/SKILL.md`: something else is at `skill://tidy/SKILL.md`: rename one");
    let skills = Skills::of([tidy(), tidy().under("acme")]).unwrap();
    assert_eq!(skills.uris(), ["skill://acme/tidy/SKILL.md", "skill://tidy/SKILL.md"]);
    assert!(skills.add(tidy()).is_err());
    assert_eq!(skills.uris().len(), 2, "nothing is changed by what is refused");
}
