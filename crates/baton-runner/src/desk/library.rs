//! What lies in a project for agents to read: its guidance, and its skills. Links are not followed, and all is bounded.

use std::fs;
use std::path::{Path, PathBuf};

use baton_store::anchor::Key;

use super::{Desk, DeskError};
use crate::file::read_plain_text;

/// Folders with skills, from the root of the project: a file each, or a folder each with a [`SKILL_FILE`].
const SKILL_FOLDERS: &[&str] = &[".agents/skills", ".claude/skills", "docs/skills"];
const SKILL_FILE: &str = "SKILL.md";
/// Largest skill that is read, in bytes.
const SKILL_BYTES_MAX: u64 = 256 * 1024;
/// Most skills that are listed.
const SKILLS_MAX: usize = 128;
/// Longest description that is shown, in characters.
const DESCRIPTION_CHARS_MAX: usize = 160;
/// Most lines in which a description is looked for.
const HEAD_LINES_MAX: usize = 40;
/// Most keywords or files that a skill names.
const LISTED_MAX: usize = 32;
/// The file with the word that lets a client in, beside the log.
const TOKEN_FILE: &str = "mcp-token";
const TOKEN_BYTES_MAX: u64 = 1024;

/// A skill of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// Words by which it applies, where it says so.
    pub(super) keywords: Vec<String>,
    /// Files to which it applies, where it says so.
    pub(super) globs: Vec<String>,
    pub(super) path: PathBuf,
}

#[cfg(test)]
impl Skill {
    pub(super) fn named(name: &str, description: &str) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        Self { name, description, keywords: Vec::new(), globs: Vec::new(), path: PathBuf::new() }
    }
}

impl Desk {
    /// Returns the guidance of the repository as it is now.
    pub fn guidance_text(&self) -> Result<String, DeskError> {
        Ok(String::from_utf8_lossy(&self.covenant_now()?.text).into_owned())
    }

    /// Returns the skills of the project, by their names. The first folder that has a name counts.
    pub fn skills(&self) -> Vec<Skill> {
        let mut skills: Vec<Skill> = Vec::new();
        for folder in SKILL_FOLDERS {
            for skill in skills_in(&self.root().join(folder)) {
                if skills.len() < SKILLS_MAX && skills.iter().all(|known| known.name != skill.name) {
                    skills.push(skill);
                }
            }
        }
        skills.sort_by(|one, other| one.name.cmp(&other.name));
        skills
    }

    /// Returns the text of a skill.
    pub fn skill_text(&self, name: &str) -> Option<String> {
        let skill = self.skills().into_iter().find(|skill| skill.name == name)?;
        read_plain_text(&skill.path, SKILL_BYTES_MAX).ok()
    }

    /// Returns the word that lets a client in over HTTP, and the file that only its owner can read; makes it if needed.
    pub fn client_token(&self) -> Result<(PathBuf, String), DeskError> {
        let path = self.folder().join(TOKEN_FILE);
        Key::load_or_create(&path)?;
        let text = read_plain_text(&path, TOKEN_BYTES_MAX);
        let text = text.map_err(|error| DeskError::Io(path.clone(), error))?;
        Ok((path, text.trim().to_owned()))
    }
}

fn skills_in(folder: &Path) -> Vec<Skill> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut skills: Vec<Skill> =
        entries.take(SKILLS_MAX).flatten().filter_map(|entry| skill(&entry.path())).collect();
    skills.sort_by(|one, other| one.name.cmp(&other.name));
    skills
}

fn skill(path: &Path) -> Option<Skill> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    let (name, path) = match kind.is_dir() {
        true => (path.file_name()?, path.join(SKILL_FILE)),
        false if path.extension()? == "md" => (path.file_stem()?, path.to_owned()),
        false => return None,
    };
    let name = name.to_str().filter(|name| baton_handoff::template::is_task_id(name))?.to_owned();
    let text = read_plain_text(&path, SKILL_BYTES_MAX).ok()?;
    let said = |key: &str| text.lines().take(HEAD_LINES_MAX).find_map(|line| line.strip_prefix(key));
    let description = said("description:").unwrap_or_default();
    let description = description.trim().trim_matches('"').chars().take(DESCRIPTION_CHARS_MAX).collect();
    let (keywords, globs) = (listed(&text, "keywords:"), listed(&text, "globs:"));
    Some(Skill { name, description, keywords, globs, path })
}

/// Returns a list in the head of a skill: after its key, or on the lines below it.
fn listed(text: &str, key: &str) -> Vec<String> {
    let mut lines = text.lines().take(HEAD_LINES_MAX).skip_while(|line| !line.starts_with(key));
    let first = lines.next().and_then(|line| line.strip_prefix(key)).unwrap_or_default();
    let below = lines.map_while(|line| line.trim_start().strip_prefix("- "));
    let inline = first.trim().trim_matches(['[', ']']).split(',');
    let all = inline.chain(below).map(|word| word.trim().trim_matches(['"', '\'']));
    all.filter(|word| !word.is_empty()).take(LISTED_MAX).map(str::to_owned).collect()
}
