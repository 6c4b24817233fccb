//! What a heading, a column or a key says that the entries under it are.

/// What entries are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Requirement,
    Criterion,
    Task,
    Test,
    Question,
    Blocker,
    Bug,
    Document,
    /// Something else, whatever it stands under.
    Aside,
}

/// How words of a heading begin, with what they make of it.
const STEMS: &[(&str, Topic)] = &[
    ("requirement", Topic::Requirement),
    ("story", Topic::Requirement),
    ("stories", Topic::Requirement),
    ("feature", Topic::Requirement),
    ("capabilit", Topic::Requirement),
    ("criteri", Topic::Criterion),
    ("acceptance", Topic::Criterion),
    ("dod", Topic::Criterion),
    ("task", Topic::Task),
    ("milestone", Topic::Task),
    ("breakdown", Topic::Task),
    ("backlog", Topic::Task),
    ("ticket", Topic::Task),
    ("todo", Topic::Task),
    ("implementation", Topic::Task),
    ("test", Topic::Test),
    ("verif", Topic::Test),
    ("validat", Topic::Test),
    ("tdd", Topic::Test),
    ("qa", Topic::Test),
    ("check", Topic::Test),
    ("scenario", Topic::Test),
    ("coverage", Topic::Test),
    ("question", Topic::Question),
    ("unresolved", Topic::Question),
    ("unclear", Topic::Question),
    ("clarification", Topic::Question),
    ("blocker", Topic::Blocker),
    ("blocking", Topic::Blocker),
    ("impediment", Topic::Blocker),
    ("bug", Topic::Bug),
    ("defect", Topic::Bug),
    ("issue", Topic::Bug),
    ("finding", Topic::Bug),
    ("problem", Topic::Bug),
    ("vulnerab", Topic::Bug),
    ("gotcha", Topic::Bug),
    ("doc", Topic::Document),
    ("readme", Topic::Document),
    ("changelog", Topic::Document),
];
/// Stems that speak of tasks where nothing else in the heading does.
const OF_PLANS: &[&str] = &["plan", "step", "phase", "roadmap", "remaining", "sequence"];
/// Stems of what stands beside all this.
const ASIDE: &[&str] = &[
    "constraint",
    "risk",
    "assumption",
    "dependenc",
    "impact",
    "alternative",
    "reference",
    "glossary",
    "component",
    "background",
    "context",
    "file",
    "command",
    "metric",
    "decision",
    "checkpoint",
    "learned",
    "pattern",
    "scope",
];
/// Phrases that set aside whatever stands beside them.
const OUTSIDE: &[&str] =
    &["out of scope", "not in scope", "non goal", "future", "non functional", "nonfunctional"];

/// Returns what a heading, a column or a key speaks of; nothing where that is what stands above it.
pub(super) fn topics(heading: &str) -> Vec<Topic> {
    let words: Vec<String> = heading
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let phrase = words.join(" ");
    if OUTSIDE.iter().any(|outside| phrase.contains(outside)) {
        return vec![Topic::Aside];
    }
    let begins =
        |stem: &str| words.iter().any(|word| word.starts_with(stem) && !word.starts_with("checkpoint"));
    let mut found: Vec<Topic> = Vec::new();
    for (stem, topic) in STEMS {
        if begins(stem) && !found.contains(topic) {
            found.push(*topic);
        }
    }
    // "Open issues" and "open points" are questions.
    if words.first().is_some_and(|word| word == "open") && !found.contains(&Topic::Question) {
        found.retain(|topic| *topic != Topic::Bug);
        found.push(Topic::Question);
    }
    if phrase.contains("definition of done") {
        found.push(Topic::Criterion);
    }
    if found.is_empty() && OF_PLANS.iter().any(|stem| begins(stem)) {
        found.push(Topic::Task);
    }
    if found.is_empty() && ASIDE.iter().any(|stem| words.iter().any(|word| word.starts_with(stem))) {
        found.push(Topic::Aside);
    }
    found
}
