//! How findings of one meaning become a lesson, and what speaks for it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fate, Finding, Lesson, LessonStanding, Source, wording};
use crate::word::{LessonId, TaskId};

/// What a person said of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decree {
    pub standing: Decreed,
    pub person: String,
    pub words: String,
    /// Milliseconds since 1970 in UTC.
    pub at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decreed {
    /// For exactly these words.
    Approved {
        text: String,
        detail: Option<String>,
    },
    Retired,
}

/// What has become of the file that a lesson is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ageing {
    Gone { path: String },
    Changed { path: String, how: String },
}

/// What asks for less checking needs a person, however often it is said.
const WEAKENING: &[&str] = &[
    "bypass",
    "comment",
    "delete",
    "disable",
    "disregard",
    "drop",
    "exempt",
    "forge",
    "ignore",
    "mute",
    "omit",
    "override",
    "remove",
    "skip",
    "suppress",
    "weaken",
    "without",
];
const PROTECTION: &[&str] = &[
    "approval",
    "assertion",
    "check",
    "ci",
    "covenant",
    "credential",
    "gate",
    "guard",
    "guidance",
    "hook",
    "instruction",
    "lint",
    "linter",
    "permission",
    "policy",
    "review",
    "rule",
    "sandbox",
    "secret",
    "security",
    "test",
    "validation",
    "verification",
    "verifier",
];
const DANGEROUS: &[&str] = &[
    "--no-verify",
    "--force",
    "-rf",
    "sudo",
    "curl",
    "wget",
    "eval",
    "chmod",
    "system prompt",
    "previous instruction",
];

/// Makes one lesson of findings that share their id, or nothing when there are none.
///
/// `related` says whether one task hangs on the other: whoever read the first handoff does not corroborate it.
pub fn lesson(
    findings: &[Finding],
    decree: Option<&Decree>,
    related: &dyn Fn(&TaskId, &TaskId) -> bool,
) -> Option<Lesson> {
    let first = findings.first()?;
    let support = support(findings, related);
    let (standing, because) = stand(findings, decree, &support);
    let speaking: Vec<&Finding> = match support.findings.is_empty() {
        true => findings.iter().collect(),
        false => support.findings.clone(),
    };
    let spoken = speaking.first().copied().unwrap_or(first);
    let (text, detail) = match decree.map(|decree| &decree.standing) {
        Some(Decreed::Approved { text, detail }) => (text.clone(), detail.clone()),
        Some(Decreed::Retired) | None => (spoken.item.text.clone(), support.detail.clone()),
    };
    Some(Lesson {
        id: first.item.id(),
        kind: first.item.kind,
        text,
        detail,
        paths: speaking.iter().filter_map(|finding| finding.item.path.clone()).collect(),
        tags: speaking.iter().flat_map(|finding| finding.item.tags.iter().cloned()).collect(),
        severity: speaking.iter().filter_map(|finding| finding.item.severity).min(),
        sources: findings.iter().map(|finding| Source::clone(&finding.source)).collect(),
        standing,
        because,
    })
}

/// What speaks for a lesson.
struct Support<'f> {
    standing: LessonStanding,
    because: String,
    /// The findings that carry it; none while it is inert.
    findings: Vec<&'f Finding>,
    detail: Option<String>,
}

fn support<'f>(findings: &'f [Finding], related: &dyn Fn(&TaskId, &TaskId) -> bool) -> Support<'f> {
    let accepted: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.source.fate == Fate::Accepted && finding.item.stated)
        .collect();
    let is_backed = |finding: &&Finding| finding.source.backed && finding.item.has_changed_subject;
    let backed: Vec<&Finding> = accepted.iter().copied().filter(is_backed).collect();
    if let Some(first) = backed.first() {
        let because =
            format!("checks that the host ran passed on {} of {}", first.source.handoff, first.source.task);
        let detail = backed.iter().find_map(|finding| finding.item.detail.clone());
        return Support { standing: LessonStanding::Backed, because, findings: backed, detail };
    }
    if let Some((one, other)) = independent(&accepted, related) {
        let because = format!("{one} and {other} say so, and neither hangs on the other");
        let detail = agreed_detail(&accepted, related);
        return Support { standing: LessonStanding::Corroborated, because, findings: accepted, detail };
    }
    let because = match findings {
        _ if accepted.iter().any(|finding| finding.source.backed) => {
            "only one task says so, and its work changed nothing that it speaks of"
        }
        _ if !accepted.is_empty() => "only one task says so",
        _ if findings.iter().all(|finding| finding.source.fate == Fate::Returned) => {
            "said only in work that was not accepted"
        }
        _ if findings.iter().all(|finding| !finding.item.stated) => "only guessed from prose",
        _ => "the work is not accepted yet",
    };
    let detail = findings.iter().find_map(|finding| finding.item.detail.clone());
    Support { standing: LessonStanding::Inert, because: because.to_owned(), findings: Vec::new(), detail }
}

/// Returns two tasks that say the same without one having read the other.
fn independent<'f>(
    findings: &[&'f Finding],
    related: &dyn Fn(&TaskId, &TaskId) -> bool,
) -> Option<(&'f TaskId, &'f TaskId)> {
    let tasks: BTreeSet<&TaskId> = findings.iter().map(|finding| &finding.source.task).collect();
    // Two of very many are enough; the first few decide.
    let tasks: Vec<&TaskId> = tasks.into_iter().take(TASKS_COMPARED_MAX).collect();
    let pairs =
        tasks.iter().enumerate().flat_map(|(at, one)| tasks[at + 1..].iter().map(move |two| (*one, *two)));
    pairs.into_iter().find(|(one, two)| !related(one, two) && !related(two, one))
}

/// Most tasks of one lesson that are held against each other.
const TASKS_COMPARED_MAX: usize = 20;

/// A mitigation has to be corroborated like the issue: otherwise the second task would lend its weight to the words of
/// the first alone.
fn agreed_detail(findings: &[&Finding], related: &dyn Fn(&TaskId, &TaskId) -> bool) -> Option<String> {
    // Many say the same in the same words.
    let mut forms: BTreeMap<&str, String> = BTreeMap::new();
    for detail in findings.iter().filter_map(|finding| finding.item.detail.as_deref()) {
        forms.entry(detail).or_insert_with(|| wording::canonical(detail));
    }
    let form = |finding: &Finding| forms.get(finding.item.detail.as_deref()?);
    findings.iter().take(TASKS_COMPARED_MAX).find_map(|finding| {
        let own = form(finding)?;
        let same: Vec<&Finding> = findings.iter().copied().filter(|other| form(other) == Some(own)).collect();
        independent(&same, related).and(finding.item.detail.clone())
    })
}

fn stand(findings: &[Finding], decree: Option<&Decree>, support: &Support<'_>) -> (LessonStanding, String) {
    if let Some(decree) = decree {
        let standing = match decree.standing {
            Decreed::Approved { .. } => LessonStanding::Approved,
            Decreed::Retired => LessonStanding::Retired,
        };
        let words = if decree.words.is_empty() { String::new() } else { format!(": {}", decree.words) };
        return (standing, format!("{} by {}{words}", standing.name(), decree.person));
    }
    match support.standing != LessonStanding::Inert && any_asks_for_less(findings) {
        true => {
            let because =
                format!("it may ask for less checking, so a person must approve it ({})", support.because);
            (LessonStanding::Inert, because)
        }
        false => (support.standing, support.because.clone()),
    }
}

fn any_asks_for_less(findings: &[Finding]) -> bool {
    let said = findings.iter().flat_map(|finding| [Some(&finding.item.text), finding.item.detail.as_ref()]);
    // Many say the same in the same words.
    let texts: BTreeSet<&String> = said.flatten().collect();
    texts.into_iter().any(|text| asks_for_less(text))
}

/// Says whether a text may ask to do without a protection. It errs towards yes: a person can still approve.
pub fn asks_for_less(text: &str) -> bool {
    let form = wording::canonical(text);
    let has = |list: &[&str]| form.split(' ').any(|word| list.contains(&word));
    has(WEAKENING) && has(PROTECTION) || DANGEROUS.iter().any(|sign| has_words(&form, sign))
}

/// Says whether words stand side by side in a text, whole.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + words.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

impl Lesson {
    /// Says how the lesson stands after what became of its file.
    pub fn age(&mut self, ageing: &Ageing) {
        if self.standing == LessonStanding::Retired {
            return;
        }
        (self.standing, self.because) = match ageing {
            Ageing::Gone { path } => (LessonStanding::Retired, format!("{path} is gone")),
            Ageing::Changed { path, how } => {
                (LessonStanding::Stale, format!("{path} changed much since: {how}"))
            }
        };
    }

    /// Returns the tasks that say so.
    pub fn tasks(&self) -> BTreeSet<&TaskId> {
        self.sources.iter().map(|source: &Source| &source.task).collect()
    }
}

/// Says whether an id can be that of a text, so that nobody approves one text under the name of another.
pub fn is_id_of(id: &LessonId, text: &str) -> bool {
    let kind = id.as_str().rsplit_once('-').map_or("", |(kind, _)| kind);
    wording::id(kind, &wording::canonical(text)) == *id
}
