//! The guidance of the repository: put in force by version and hash, and given to every turn as a packet with its sources.

use std::io::ErrorKind;

use baton_engine::command::Act;
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::fact::Performer;
use baton_engine::state::Task;
use baton_engine::workflow::{Plan, Role};
use serde_json::{Value, json};

use super::context;
use super::criteria::order_of;
use super::paper::Paper;
use super::{As, Desk, DeskError};
use crate::file::read_plain;

/// Files in which projects keep their guidance for agents.
const COVENANT_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// Largest file of guidance that is read.
const COVENANT_BYTES_MAX: u64 = 1024 * 1024;
/// Most characters of one file that a packet quotes. The agent reads the rest in the file itself.
const QUOTED_CHARS_MAX: usize = 16_000;
/// Words that may stand beside the name of a role in a heading that is for this role alone.
const BESIDE_ROLES: &[&str] = &[
    "for",
    "the",
    "of",
    "a",
    "and",
    "agent",
    "agents",
    "role",
    "rules",
    "guidance",
    "instructions",
    "notes",
];

/// The guidance of the repository.
pub(super) struct Covenant {
    pub(super) version: u32,
    pub(super) policy_hash: baton_engine::word::BlobId,
    pub(super) files: Vec<GuidanceFile>,
    pub(super) text: Vec<u8>,
}

/// One file of it.
pub(super) struct GuidanceFile {
    pub(super) name: &'static str,
    text: String,
}

impl Desk {
    /// Writes the packet of a turn: the guidance that applies to the role, with where it comes from.
    pub(super) fn guidance(
        &self,
        task: &Task,
        number: u64,
        (role, performer): (Role, Performer),
        covenant: &Covenant,
    ) -> Result<Paper, DeskError> {
        let version = format!("covenant-{}", covenant.version);
        let quoted: Vec<Value> = covenant.files.iter().map(|file| file.quoted(role, &version)).collect();
        let skills: Vec<Value> = self
            .skills_for(task)?
            .iter()
            .map(|skill| {
                json!({ "name": skill.name, "description": skill.description, "source": self.place_of_skill(skill) })
            })
            .collect();
        let files = covenant.files.iter().map(|file| file.name.to_owned());
        let of_skills = skills.iter().filter_map(|skill| skill["source"].as_str().map(str::to_owned));
        let mut sources = vec![order_of(&task.id), version];
        sources.extend(files.chain(of_skills));
        Paper::artifact(
            "guidance-packet",
            &format!("guidance-{number}"),
            (&task.id, "orchestrator", self.now),
            &sources,
            json!({
                "covenant_version": covenant.version.to_string(),
                "policy_hash": covenant.policy_hash.as_str(),
                "audience_role": role.name(),
                "role_constraints": self.constraints(task, role, performer)?,
                "stop_conditions": context::stop_conditions(task, role, performer),
                "guidance": quoted,
                "skills": skills,
            }),
        )
    }

    /// Returns what holds for a role in this turn: what every turn of it must keep to, what the task lets it change, and the
    /// plan.
    fn constraints(&self, task: &Task, role: Role, performer: Performer) -> Result<Vec<String>, DeskError> {
        let mut lines = context::role_constraints(task, role, performer);
        if role == Role::Verifier {
            return Ok(lines);
        }
        let targets = self.targets(task)?;
        if !targets.is_empty() {
            lines.push(format!("Change nothing outside of the task's targets: {}", targets.join(", ")));
        }
        match (&task.run.plan, task.stage().map(|stage| stage.plan)) {
            (Some(taken), _) => {
                lines.push(format!("Change nothing outside of the targets of {}", taken.document.id))
            }
            (None, Some(Plan::Required)) => {
                lines.push("Hand in a build plan before the first change".to_owned())
            }
            (None, _) => {}
        }
        Ok(lines)
    }

    /// Puts the guidance of the repository in force, if it is another than before.
    pub(super) fn adopt_covenant(&mut self) -> Result<Covenant, DeskError> {
        let covenant = self.covenant_now()?;
        let known = self.state(PROJECT_STREAM)?.project.covenant.clone();
        if known.is_none_or(|known| known.policy_hash != covenant.policy_hash) {
            let act =
                Act::AdoptCovenant { version: covenant.version, policy_hash: covenant.policy_hash.clone() };
            // Somebody else may adopt the same at the same moment.
            self.see_to(PROJECT_STREAM, &self.actor(As::Clerk), &act, &[&covenant.text])?;
        }
        Ok(covenant)
    }

    /// Returns the guidance of the repository as it is now, with the version that it has or would get.
    pub(super) fn covenant_now(&self) -> Result<Covenant, DeskError> {
        let (mut text, mut files) = (Vec::new(), Vec::new());
        for name in COVENANT_FILES {
            let path = self.workspace.root.join(name);
            let bytes = match read_plain(&path, COVENANT_BYTES_MAX) {
                Ok(bytes) => bytes,
                Err(error) if is_no_guidance(error.kind()) => continue,
                // What is there and can't be read now must not make guidance of less.
                Err(error) => return Err(DeskError::Io(path, error)),
            };
            text.extend_from_slice(&bytes);
            let own = String::from_utf8_lossy(&crate::secret::mask_known(bytes)).into_owned();
            files.push(GuidanceFile { name, text: own });
        }
        let paper = Paper::of("covenant", text)?;
        let version = match &self.state(PROJECT_STREAM)?.project.covenant {
            Some(known) if known.policy_hash == paper.document.blob => known.version,
            Some(known) => known.version.saturating_add(1),
            None => 1,
        };
        Ok(Covenant { version, policy_hash: paper.document.blob, files, text: paper.bytes })
    }
}

impl GuidanceFile {
    /// Quotes what applies to a role, and says what was left out.
    fn quoted(&self, role: Role, version: &str) -> Value {
        let (text, left_out) = scoped(&self.text, role);
        let quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
        json!({
            "source": self.name,
            "covenant": version,
            "is_whole": left_out.is_empty() && quoted.len() == text.len(),
            "left_out": left_out,
            "text": quoted,
        })
    }
}

/// Leaves out the sections that are for other roles alone; returns the rest, and their headings.
fn scoped(text: &str, role: Role) -> (String, Vec<String>) {
    let (mut kept, mut left_out, mut skipped_level) = (String::new(), Vec::new(), None);
    let mut is_in_fence = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        is_in_fence ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let level = trimmed.chars().take_while(|letter| *letter == '#').count();
        let heading = trimmed.get(level..).filter(|rest| !is_in_fence && level > 0 && rest.starts_with(' '));
        if let Some(heading) = heading {
            if skipped_level.is_some_and(|skipped| level <= skipped) {
                skipped_level = None;
            }
            if skipped_level.is_none() && is_for_others(heading, role) {
                skipped_level = Some(level);
                left_out.push(heading.trim().to_owned());
            }
        }
        if skipped_level.is_none() {
            kept.push_str(line);
        }
    }
    (kept, left_out)
}

/// Says whether a heading names other roles and nothing else: `For the verifier`, and not `Verifier output format`.
fn is_for_others(heading: &str, role: Role) -> bool {
    let lower = heading.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut is_for_any = false;
    for word in words {
        let named = Role::ALL.iter().find(|known| known.name() == word.strip_suffix('s').unwrap_or(word));
        match named {
            Some(named) if *named == role => return false,
            Some(_) => is_for_any = true,
            None if BESIDE_ROLES.contains(&word) => {}
            None => return false,
        }
    }
    is_for_any
}

/// Says whether there is no file of guidance to read: none at all, a link or a folder, or one that is too large.
fn is_no_guidance(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::FileTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sections_for_other_roles_are_left_out() {
        let text = "# Rules\nAll.\n## For the verifier\nDoubt.\n### More\nStill.\n## Verifier output\nBoth.\n\
                    ## Builders\nBuild.\n## Builder and verifier\nAll again.\n```\n# verifier\n```\n";
        let (builder, left_out) = scoped(text, Role::Builder);
        assert_eq!(left_out, ["For the verifier"]);
        for kept in ["All.", "Both.", "Build.", "All again.", "# verifier"] {
            assert!(builder.contains(kept), "{kept} in {builder}");
        }
        assert!(!builder.contains("Doubt.") && !builder.contains("Still."), "{builder}");
        let (verifier, left_out) = scoped(text, Role::Verifier);
        assert_eq!(left_out, ["Builders"]);
        assert!(verifier.contains("Doubt.") && !verifier.contains("Build.\n"), "{verifier}");
    }
}
