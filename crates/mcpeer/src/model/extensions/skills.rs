//! Skills: folders of instructions for a model, which a server offers as resources. An extension,
//! `io.modelcontextprotocol/skills`.
//!
//! Specification: <https://github.com/modelcontextprotocol/ext-skills>, on skills themselves <https://agentskills.io>

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::model::{
    Items, Meta, RawJson, RawMap, ResultType,
    caching::{Scope, Ttl},
    resources::Resource,
};

pub use crate::model::pagination::ListParams;

/// The identifier of the extension.
pub const IDENTIFIER: &str = "io.modelcontextprotocol/skills";

object! {
    /// What a server declares of the extension.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct Capability
    example Capability::new().directory_read(true) => r#"{"directoryRead":true}"#;
    required {}
    optional {
        /// Whether it answers `resources/directory/read`.
        lenient directory_read: bool as "directoryRead" => true;
    }
}

impl Default for Capability {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// A skill: where its instructions are, what they say of themselves, and of which files it consists.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct Skill
    example Skill::new("skill://tidy/SKILL.md", Frontmatter::new("tidy", "Tidies up"), SkillResources::Dynamic)
        => r#"{"uri":"skill://tidy/SKILL.md","frontmatter":{"name":"tidy","description":"Tidies up"},"resources":"dynamic"}"#;
    required {
        /// The address of its `SKILL.md`.
        uri: String as "uri";
        /// What stands at the head of its `SKILL.md`.
        frontmatter: Frontmatter as "frontmatter";
        /// Its files.
        resources: SkillResources as "resources";
    }
    optional {}
}

object! {
    /// What a skill says of itself at the head of its `SKILL.md`. Members that this type does not name are in `extra`.
    ///
    /// Specification: <https://agentskills.io/specification>
    pub struct Frontmatter
    example Frontmatter::new("tidy", "Tidies up").license("MIT")
        => r#"{"name":"tidy","description":"Tidies up","license":"MIT"}"#;
    required {
        /// Its name: lower-case letters, digits and hyphens. A label, no identifier: another skill may have it, too.
        name: String as "name";
        /// What it does, and when to use it.
        description: String as "description";
    }
    optional {
        /// Its licence.
        lenient license: String as "license" => "MIT";
        /// What it needs around it.
        lenient compatibility: String as "compatibility" => "Needs git";
        /// The tools that it would like to use without asking, apart by blanks. A host ignores it in a skill that comes
        /// from a server, unless the user has approved of that.
        lenient allowed_tools: String as "allowed-tools" => "Read";
        /// More about it. Names that begin with `io.modelcontextprotocol/` are for extensions of the protocol.
        lenient metadata: RawMap as "metadata" => [("version", serde_json::json!("1.0"))];
    }
}

object! {
    /// A file of a skill.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct SkillResource
    example SkillResource::new("skill://tidy/SKILL.md", "sha256:00", 12u64)
        => r#"{"uri":"skill://tidy/SKILL.md","digest":"sha256:00","size":12}"#;
    required {
        /// Its address.
        uri: String as "uri";
        /// `sha256:`, and the SHA-256 of its bytes in 64 lower-case hexadecimal digits.
        digest: String as "digest";
        /// How many bytes it has.
        size: u64 as "size";
    }
    optional {}
}

/// The files of a skill.
///
/// Specification: <https://github.com/modelcontextprotocol/ext-skills>
///
/// ```
/// use mcpeer::model::extensions::skills::{SkillResource, SkillResources};
///
/// let files = SkillResources::Listed(vec![SkillResource::new("skill://tidy/SKILL.md", "sha256:00", 12u64)]);
/// assert_eq!(files.listed().len(), 1);
/// assert_eq!(serde_json::to_string(&SkillResources::Dynamic)?, r#""dynamic""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum SkillResources {
    /// Each of them once, `SKILL.md` included.
    Listed(Vec<SkillResource>),
    /// Made when they are read, so that nothing can be said of them.
    Dynamic,
}

impl SkillResources {
    /// Gives the files that are listed: none of a skill whose files are made when they are read.
    ///
    /// ```
    /// # use mcpeer::model::extensions::skills::SkillResources;
    /// assert!(SkillResources::Dynamic.listed().is_empty());
    /// ```
    pub fn listed(&self) -> &[SkillResource] {
        match self {
            Self::Listed(files) => files,
            Self::Dynamic => &[],
        }
    }
}

impl From<Vec<SkillResource>> for SkillResources {
    fn from(files: Vec<SkillResource>) -> Self {
        Self::Listed(files)
    }
}

impl Serialize for SkillResources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(files) => files.serialize(serializer),
            Self::Dynamic => serializer.serialize_str(DYNAMIC),
        }
    }
}

impl<'de> Deserialize<'de> for SkillResources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if raw.as_str().starts_with('[') {
            return raw.decode().map(Self::Listed).map_err(D::Error::custom);
        }
        match raw.decode::<String>().ok().as_deref() {
            Some(DYNAMIC) => Ok(Self::Dynamic),
            _ => Err(D::Error::custom("the resources of a skill are an array, or the word \"dynamic\"")),
        }
    }
}

const DYNAMIC: &str = "dynamic";

object! {
    /// A page of the list of skills.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct ListResult
    example ListResult::new(Vec::new()) => r#"{"skills":[]}"#;
    required {
        /// The skills.
        skills: Items<Skill> as "skills";
    }
    optional {
        /// Where the next page starts; absent on the last one. The empty string is a cursor.
        lenient next_cursor: String as "nextCursor" => "eyJwYWdlIjogMn0=";
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which skill to get.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct GetParams
    example GetParams::new("skill://tidy/SKILL.md") => r#"{"uri":"skill://tidy/SKILL.md"}"#;
    required {
        /// The address of its `SKILL.md`.
        uri: String as "uri";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A skill that was asked for.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct GetResult
    example GetResult::new(Skill::new("a://b/SKILL.md", Frontmatter::new("b", "Does b"), SkillResources::Dynamic))
        => r#"{"skill":{"uri":"a://b/SKILL.md","frontmatter":{"name":"b","description":"Does b"},"resources":"dynamic"}}"#;
    required {
        /// The skill.
        skill: Skill as "skill";
    }
    optional {
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which folder to read.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct ReadDirectoryParams
    example ReadDirectoryParams::new("skill://tidy/templates") => r#"{"uri":"skill://tidy/templates"}"#;
    required {
        /// The address of the folder, without a slash at its end.
        uri: String as "uri";
    }
    optional {
        /// Where the page starts: the `next_cursor` of the page before, unread and unchanged. The empty string is one.
        strict cursor: String as "cursor" => "eyJwYWdlIjogMn0=";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A page of what is in a folder.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub struct ReadDirectoryResult
    example ReadDirectoryResult::new([resources::Resource::new("skill://tidy/a.md", "a.md")])
        => r#"{"resources":[{"uri":"skill://tidy/a.md","name":"a.md"}]}"#;
    required {
        /// Its files, and its folders, whose media type is `inode/directory`.
        resources: Items<Resource> as "resources";
    }
    optional {
        /// Where the next page starts; absent on the last one. The empty string is a cursor.
        lenient next_cursor: String as "nextCursor" => "eyJwYWdlIjogMn0=";
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks for a page of the list of skills.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub enum List: "skills/list" (ListParams) -> ListResult;
}

request! {
    /// Asks for one skill.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub enum Get: "skills/get" (GetParams) -> GetResult;
}

request! {
    /// Asks for a page of what is in a folder.
    ///
    /// Specification: <https://github.com/modelcontextprotocol/ext-skills>
    pub enum ReadDirectory: "resources/directory/read" (ReadDirectoryParams) -> ReadDirectoryResult;
}
