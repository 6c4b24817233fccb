//! What the project and the role demand of a turn: the same lines in its packet and in its guidance.

use baton_engine::fact::Performer;
use baton_engine::state::Task;
use baton_engine::token;
use baton_engine::workflow::Role;

use crate::desk::library::Skill;
use crate::desk::skill::{self, About};
use crate::desk::{Desk, DeskError};

/// A covenant with more tokens is named instead of repeated: agents read such files themselves.
const COVENANT_TOKENS_MAX: usize = 120;
/// Digits of its hash by which a version of the guidance is named.
const VERSION_DIGITS: usize = 8;
const MS_PER_MINUTE: i64 = 60_000;
const MS_PER_SECOND: i64 = 1_000;

/// What a program that builds keeps to.
const SEARCH_FIRST: &str = "Search before you read whole files. Read what you change and its callers.";
const LEAVE_GIT: &str = "Don't commit, push or switch branches: Baton records your files.";
const HONEST_TESTS: &str = "Never delete, skip or weaken a test, change a check command or its configuration, or \
                            special-case test values.";
/// What a verifier keeps to.
const VERIFIER: &[&str] = &[
    "Change nothing: one changed file voids your report.",
    "Before you read the change, write `verification_plan`: what must be true for each criterion, and what would show it.",
    "Read the diff, the tests and the callers. Comments, names and messages are claims, not evidence.",
    "`pass` needs the receipt and a test or file:line that you read. A test that can't fail, a special-cased value, or a \
     weakened or skipped test is `fail`, with its line. What you can't establish is `inconclusive`.",
    "Judge the criteria and the guidance, not taste. A doubt that must be settled before the work is accepted goes to \
     `unresolved_doubts`.",
];

impl Desk {
    /// What the project and the role demand. The guidance of the project goes in whole where it is short.
    pub(super) fn guidance_lines(
        &self,
        task: &Task,
        role: Role,
        performer: Performer,
    ) -> Result<Vec<String>, DeskError> {
        let covenant = self.covenant_now()?;
        let text = String::from_utf8_lossy(&covenant.text);
        let mut lines = Vec::new();
        if !covenant.files.is_empty() {
            let files = covenant.files.iter().map(|file| file.name).collect::<Vec<_>>().join(", ");
            let hash = covenant.policy_hash.as_str();
            let version = hash.rsplit(':').next().unwrap_or(hash).get(..VERSION_DIGITS).unwrap_or(hash);
            lines.push(format!("The project's guidance comes first: {files} (version {version})."));
            if token::count(&text) <= COVENANT_TOKENS_MAX {
                lines.extend(text.lines().map(unmarked).filter(|line| !line.is_empty()).map(str::to_owned));
            }
        }
        if performer == Performer::Program {
            lines.extend(self.skill_lines(task)?);
        }
        lines.extend(role_constraints(task, role, performer));
        lines.extend(stop_conditions(task, role, performer));
        Ok(lines)
    }

    /// Points to the skills that apply: what they are for, and where they are. An agent that needs one reads it there.
    fn skill_lines(&self, task: &Task) -> Result<Vec<String>, DeskError> {
        let line = |skill: &Skill| {
            let path = self.place_of_skill(skill);
            format!("Skill {}: {} Read {path} if it applies", skill.name, skill.description)
        };
        Ok(self.skills_for(task)?.iter().map(line).collect())
    }

    /// Returns where a skill is, from the root of the project.
    pub(in crate::desk) fn place_of_skill(&self, skill: &Skill) -> String {
        skill.path.strip_prefix(self.root()).unwrap_or(&skill.path).display().to_string()
    }

    /// Returns the skills that apply to a task.
    pub(in crate::desk) fn skills_for(&self, task: &Task) -> Result<Vec<Skill>, DeskError> {
        let skills = self.skills();
        if skills.is_empty() {
            return Ok(Vec::new());
        }
        let criteria = self.criteria(task)?.into_iter().map(|criterion| criterion.to_string());
        let texts = std::iter::once(task.title.clone()).chain(criteria).collect();
        let files = self.observed(task, Role::Builder)?.files.into_iter().map(|file| file.path).collect();
        let about = About { texts, files, stack: skill::stack(self.root()) };
        Ok(skill::applicable(skills, &about))
    }
}

/// Returns a line of guidance without the mark of a heading or of a list: in a packet it is a line of a list anyway.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches('#');
    let rest = if bare.len() < line.len() { Some(bare) } else { line.strip_prefix(['-', '*', '+']) };
    rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map_or(line, str::trim)
}

/// Returns what the holder of a turn may do and must do, by role.
pub(in crate::desk) fn role_constraints(task: &Task, role: Role, performer: Performer) -> Vec<String> {
    let id = &task.id;
    let mut lines: Vec<String> = match performer {
        Performer::Person => vec![format!("Hand over with `baton submit {id} FILE`.")],
        Performer::Guest => {
            vec!["Hand over with the tool `submit`, or at the end of your last message.".to_owned()]
        }
        // The prompt begins with it.
        Performer::Program => Vec::new(),
    };
    match role {
        Role::Verifier => lines.extend(VERIFIER.iter().map(|line| (*line).to_owned())),
        Role::Builder | Role::Repair | Role::Specialist if performer == Performer::Program => {
            lines.push(SEARCH_FIRST.to_owned());
            if task.stage().is_some_and(|stage| stage.must_change) {
                let subject =
                    if task.criteria_in_force().is_empty() { "your change" } else { "each criterion" };
                let cover = format!("Cover {subject} with a test that fails without your work");
                lines.push(format!("{cover}. {HONEST_TESTS}"));
            }
            lines.push(LEAVE_GIT.to_owned());
        }
        Role::Builder | Role::Repair | Role::Specialist => {}
    }
    lines
}

/// Returns when whoever takes a turn has to stop: where a person must decide, and where its time, tokens or attempts end.
pub(in crate::desk) fn stop_conditions(task: &Task, role: Role, performer: Performer) -> Vec<String> {
    let mut lines = vec![where_a_person_decides(task, role, performer)];
    if let (Performer::Program, Some(limits)) = (performer, task.limits_for(role)) {
        let commands = limits.turn_commands.map(|most| format!(", {most} commands")).unwrap_or_default();
        let time = match limits.turn_ms {
            ms if ms % MS_PER_MINUTE == 0 => format!("{} min", ms / MS_PER_MINUTE),
            ms => format!("{} s", ms / MS_PER_SECOND),
        };
        let tokens = grouped(limits.turn_tokens);
        lines.push(format!("Limits: {time}, {tokens} tokens{commands}{}", first_attempt(task, role)));
    }
    lines
}

/// Counts the retries where no feedback does.
fn first_attempt(task: &Task, role: Role) -> String {
    let retries_max = task.allowance().map_or(0, |allowance| allowance.retries_max);
    match (role, task.attempt().0) {
        (Role::Verifier, _) => ".".to_owned(),
        (_, 0 | 1) => format!(
            "; first attempt, at most {retries_max} retries. A partial handoff in time is better than none."
        ),
        (_, _) => ".".to_owned(),
    }
}

/// Writes a number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn where_a_person_decides(task: &Task, role: Role, performer: Performer) -> String {
    match (performer, role) {
        (Performer::Person, _) => {
            format!("If your reviewer has to decide something, stop and ask with `baton clarify {} QUESTION`.", task.id)
        }
        (Performer::Guest, _) => {
            "If your reviewer has to decide something, stop: ask with the tool `ask`, or hand over as blocked.".to_owned()
        }
        (Performer::Program, Role::Verifier) => {
            "If a criterion is ambiguous, stop and ask instead of guessing.".to_owned()
        }
        (Performer::Program, _) => {
            "If two readings of the goal lead to different results, stop and ask instead of guessing: hand over as blocked \
             with your question."
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(grouped(number), text);
        }
    }
}
