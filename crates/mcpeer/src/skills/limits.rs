/// How many files a skill may have, its `SKILL.md` included.
pub const MAX_FILES: usize = 512;

/// How many bytes the files of a skill may have together: 16 MiB.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How deep folders may nest.
pub(super) const MAX_DEPTH: usize = 32;
