//! Which skills of a project are worth a line in a prompt: those that speak of what the task speaks of.

use std::collections::BTreeSet;
use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

use super::library::Skill;

/// Most skills that one turn is pointed to.
const APPLICABLE_MAX: usize = 3;
/// A skill counts from so many points on: one keyword, one file, or two words of its description.
const POINTS_MIN: usize = 2;
const KEYWORD_POINTS: usize = 2;
const GLOB_POINTS: usize = 2;
/// Shorter words say nothing about a subject.
const WORD_CHARS_MIN: usize = 4;
/// Words as they stand in every description.
const COMMON: &[&str] = &[
    "when", "with", "this", "that", "from", "into", "have", "will", "each", "must", "what", "which", "them",
    "then", "than", "skill", "skills", "using", "used", "uses", "task", "tasks", "work", "code", "file",
    "files", "make", "project",
];
/// Files in the root that tell what a project is made with.
const STACK: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["rust", "cargo"]),
    ("package.json", &["node", "javascript", "npm"]),
    ("tsconfig.json", &["typescript"]),
    ("pyproject.toml", &["python"]),
    ("setup.py", &["python"]),
    ("go.mod", &["go", "golang"]),
    ("pom.xml", &["java", "maven"]),
    ("build.gradle", &["java", "gradle"]),
    ("Gemfile", &["ruby"]),
    ("composer.json", &["php"]),
];

/// What a task is about, as far as skills are concerned.
#[derive(Clone, Debug, Default)]
pub(super) struct About {
    /// The title and the criteria.
    pub(super) texts: Vec<String>,
    /// Files that it has to do with.
    pub(super) files: Vec<String>,
    /// What the project is made with.
    pub(super) stack: Vec<&'static str>,
}

/// Says what a project is made with.
pub(super) fn stack(root: &Path) -> Vec<&'static str> {
    let there = STACK.iter().filter(|(file, _)| root.join(file).is_file());
    there.flat_map(|(_, words)| words.iter().copied()).collect()
}

/// Returns the skills that apply, the best first.
pub(super) fn applicable(skills: Vec<Skill>, about: &About) -> Vec<Skill> {
    let spoken: BTreeSet<String> = about.texts.iter().flat_map(|text| words(text)).collect();
    let named = about.texts.iter().flat_map(|text| text.split_whitespace());
    let named = named.map(|word| word.trim_matches(|sign: char| !sign.is_alphanumeric()));
    let mut files: Vec<&str> = named.filter(|word| word.contains(['.', '/'])).collect();
    files.extend(about.files.iter().map(String::as_str));
    let mut rated: Vec<(usize, Skill)> = skills
        .into_iter()
        .map(|skill| (points(&skill, (&spoken, &about.stack), &files), skill))
        .filter(|(points, _)| *points >= POINTS_MIN)
        .collect();
    rated.sort_by(|(one, first), (other, second)| other.cmp(one).then_with(|| first.name.cmp(&second.name)));
    rated.into_iter().take(APPLICABLE_MAX).map(|(_, skill)| skill).collect()
}

fn points(skill: &Skill, (spoken, stack): (&BTreeSet<String>, &[&str]), files: &[&str]) -> usize {
    let own: BTreeSet<String> = words(&skill.name).chain(words(&skill.description)).collect();
    let is_keyword = |keyword: &&String| {
        let keyword = keyword.to_lowercase();
        stack.contains(&keyword.as_str()) || words(&keyword).any(|word| spoken.contains(&word))
    };
    let keywords = skill.keywords.iter().filter(is_keyword).count();
    let globs = skill.globs.iter().filter(|glob| files.iter().any(|file| matches(glob, file))).count();
    own.intersection(spoken).count() + keywords * KEYWORD_POINTS + globs * GLOB_POINTS
}

fn matches(glob: &str, file: &str) -> bool {
    let mut builder = GitignoreBuilder::new("");
    let is_glob = builder.add_line(None, glob).is_ok();
    is_glob && builder.build().is_ok_and(|glob| glob.matched(file, false).is_ignore())
}

/// Returns the words of a text that say something, without the ends that only number or time change.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).map(str::to_lowercase);
    let telling =
        words.filter(|word| word.chars().count() >= WORD_CHARS_MIN && !COMMON.contains(&word.as_str()));
    telling.map(|word| {
        let bare = ["ing", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end));
        bare.filter(|bare| bare.chars().count() >= WORD_CHARS_MIN).map_or(word.clone(), str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(name: &str, description: &str, keywords: &[&str], globs: &[&str]) -> Skill {
        let own = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Skill { keywords: own(keywords), globs: own(globs), ..Skill::named(name, description) }
    }

    #[test]
    fn a_skill_applies_by_its_words_its_keywords_its_files_or_the_stack() {
        let all = || {
            vec![
                skill("migrations", "How schema migrations are written and tested", &[], &[]),
                skill("tides", "Reads tables", &["harbour"], &[]),
                skill("sql", "Formats queries", &[], &["db/**"]),
                skill("crates", "Adds dependencies", &["rust"], &[]),
                skill("letters", "Writes letters to customers", &[], &[]),
            ]
        };
        let names = |about: &About| -> Vec<String> {
            applicable(all(), about).into_iter().map(|skill| skill.name).collect()
        };
        let about = |text: &str| About { texts: vec![text.to_owned()], ..About::default() };
        assert_eq!(names(&about("Test the schema migration")), ["migrations"]);
        assert_eq!(names(&about("Show the harbours")), ["tides"]);
        assert_eq!(names(&about("Mend db/users.sql")), ["sql"]);
        assert_eq!(names(&about("Say hello")), Vec::<String>::new());
        assert_eq!(names(&About { stack: vec!["rust"], ..about("Say hello") }), ["crates"]);
    }
}
