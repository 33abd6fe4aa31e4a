//! Skills: folders of instructions for a model, which a server offers and a client reads. The extension
//! `io.modelcontextprotocol/skills`, in both eras.
//!
//! A skill is a folder with a `SKILL.md`, whose head says in YAML what the skill is called and what it does, and with
//! files that its text refers to. A server offers [`Skills`]: of folders, of the program's own making, or both.
//!
//! ```no_run
//! use mcpeer::{server::Server, skills::Skills};
//!
//! // skills/tidy/SKILL.md, skills/tidy/rules/kitchen.md, …
//! let server = Server::builder("home", "1.0.0").extension(Skills::folder("skills")?).build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each file is a resource, `skill://tidy/rules/kitchen.md`; a page of the list of skills says of each file how many
//! bytes it has, and their digest. A client [lists](crate::client::Client::skills) skills without reading any file,
//! [loads](crate::client::Client::load_skill) one when it is needed, and [reads](LoadedSkill::read) a file of it when
//! that is. What it reads it verifies against the entry, frontmatter included, and refuses it where
//! [something differs](Mismatch).
//!
//! A client has nothing to declare and nothing to switch on: it has skills when it asks for them.
//!
//! # What a host has to do itself
//!
//! The extension asks more of a host than a client can do for it: to ask the user before a skill is loaded, and again
//! once the files of its entry are others; to tell the model which server a skill comes from; not to let a skill run
//! anything by itself, nor widen what tools may do (`allowed-tools` is ignored); to know skills by server and address,
//! not by name.
//!
//! Specification: <https://github.com/modelcontextprotocol/ext-skills>

mod address;
mod authored;
mod catalog;
mod digest;
mod entry;
mod error;
mod file;
mod folder;
mod frontmatter;
mod limits;
mod load;
mod media;
mod mismatch;
mod offered;
mod serve;
mod verbs;

pub use authored::Skill;
pub use error::SkillError;
pub use file::SkillFile;
pub use limits::{MAX_BYTES, MAX_FILES};
pub use load::{LoadSkill, LoadedSkill};
pub use mismatch::Mismatch;
pub use offered::Skills;
