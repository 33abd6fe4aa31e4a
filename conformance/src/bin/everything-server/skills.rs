//! A skill: a folder of instructions for the model.

use mcpeer::{
    server::Builder,
    skills::{Skill, SkillError, Skills},
};

const SKILL: &str = "\
---
name: demo-skill
description: Shows what a skill looks like
---
# Demo

Fill in a form as `references/FORMS.md` says.
";

const FORMS: &str = "\
# Forms

Ask for one thing at a time.
";

/// Adds the skill.
pub(crate) fn add(builder: Builder) -> Result<Builder, SkillError> {
    let demo = Skill::new(SKILL).file("references/FORMS.md", FORMS).file("scripts/check.py", "print('checked')\n");
    Ok(builder.extension(Skills::of([demo])?))
}
