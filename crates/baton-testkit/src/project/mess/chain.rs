//! What really happened in one chain: four stages, their files, their tests, their times.

use super::document::{Dialect, FilePaths, Times};
use super::event::Edit;
use super::integration::Integration;
use crate::project::moment::Moment;
use crate::project::subject;
use crate::random::Random;

pub(super) const STAGES: [&str; 4] = ["requirements", "architecture", "implementation", "qa"];
const ZONES: &[&str] = &["Z", "+01:00", "-03:00", "+05:30", "-08:00", "+09:00"];
/// The last evening of a year, in UTC: in the east it is already over.
const NEW_YEAR: Moment = Moment { second: 1_767_220_200 };

#[derive(Debug)]
pub(super) struct Chain {
    pub(super) number: usize,
    pub(super) id: String,
    pub(super) slug: String,
    pub(super) title: String,
    pub(super) dialect: Dialect,
    pub(super) integration: Integration,
    pub(super) times: Times,
    pub(super) paths: FilePaths,
    pub(super) stages: Vec<Stage>,
    pub(super) habits: Habits,
}

/// What the people of a chain do, each or not.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each habit is there or not, in any combination")]
pub(super) struct Habits {
    /// Later stages list what earlier ones created once more.
    pub(super) cumulative: bool,
    pub(super) names_commits: bool,
    pub(super) windows_line_ends: bool,
    /// The handoff is committed before the work it tells of.
    pub(super) handoff_first: bool,
    pub(super) language: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) began: Moment,
    pub(super) ended: Moment,
    pub(super) zone: &'static str,
    pub(super) person: usize,
    pub(super) is_open: bool,
    pub(super) retries: usize,
    pub(super) created: Vec<File>,
    pub(super) modified: Vec<File>,
    pub(super) deleted: Vec<File>,
    /// How many tests passed, if tests were run.
    pub(super) tests: Option<usize>,
    pub(super) edits: Vec<Edit>,
}

#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) lines: Option<usize>,
}

impl Chain {
    pub(super) fn random(number: usize, begin: Moment, random: &mut Random) -> Self {
        let slug = subject::slug(number);
        let begin = if random.chance(6) { NEW_YEAR } else { begin };
        let mut chain = Chain {
            number,
            id: format!("F{:03}", number + 1),
            title: subject::title(number),
            dialect: *random.pick(Dialect::ALL),
            integration: *random.pick(Integration::ALL),
            times: *random.pick(Times::ALL),
            paths: *random.pick(FilePaths::ALL),
            stages: Vec::new(),
            habits: Habits {
                cumulative: random.chance(25),
                names_commits: random.chance(50),
                windows_line_ends: random.chance(15),
                handoff_first: random.chance(25),
                language: random.below(4),
            },
            slug,
        };
        let in_progress = random.chance(15);
        let count = if in_progress { 3 } else { STAGES.len() };
        let mut at = begin;
        for (stage, name) in STAGES.into_iter().enumerate().take(count) {
            let began = at.plus_minutes(random.between(1, 300) as i64);
            let ended = began.plus_minutes(random.between(12, 200) as i64);
            chain.stages.push(Stage {
                name,
                began,
                ended,
                zone: random.pick::<&str>(ZONES),
                person: random.below(4),
                is_open: in_progress && stage == count - 1,
                retries: usize::from(stage == 2 && random.chance(30)),
                created: Vec::new(),
                modified: Vec::new(),
                deleted: Vec::new(),
                tests: None,
                edits: Vec::new(),
            });
            at = ended;
        }
        chain.fill_stages(random);
        chain
    }

    /// Returns the folder of the chain's handoffs.
    pub(super) fn folder(&self) -> String {
        match self.dialect {
            Dialect::Stages => format!("handoffs/{}", self.id),
            Dialect::Tasks => format!("tasks/{}", self.id),
            Dialect::Reports => format!("reports/{}", self.slug),
        }
    }

    pub(super) fn module(&self) -> String {
        format!("src/{}.rs", self.slug)
    }

    pub(super) fn test(&self) -> String {
        format!("tests/{}.rs", self.slug)
    }

    fn fill_stages(&mut self, random: &mut Random) {
        let (slug, title) = (self.slug.clone(), self.title.clone());
        let (module, test) = (self.module(), self.test());
        let functions = random.between(3, 9);
        let tests = random.between(2, 5);
        let [requirements, architecture, implementation, rest @ ..] = &mut self.stages[..] else { return };
        requirements.creates(format!("docs/spec/{slug}.md"), format!("# {title}\n\nThree rules.\n"));
        architecture
            .creates(format!("docs/design/{slug}.md"), format!("# Design of {title}\n\nOne module.\n"));
        implementation.creates(module, code(&title, functions));
        implementation.creates(test.clone(), test_code(&slug, tests));
        implementation.appends("src/lib.rs", format!("pub mod {slug};\n"));
        implementation.edits.push(Edit::Append {
            path: "Cargo.lock".to_owned(),
            text: format!("\n[[package]]\nname = \"{slug}\"\nversion = \"0.1.0\"\n"),
        });
        if random.chance(50) {
            implementation.deletes(format!("src/old/{slug}.rs"));
        }
        if random.chance(30) {
            let path = random.pick(&["dist/{}.js", ".env", "generated/{}.rs"]).replace("{}", &slug);
            if random.chance(50) {
                implementation.edits.push(Edit::Ignored { path: path.clone(), text: format!("{title}\n") });
            }
            implementation.created.push(File { path, lines: None });
        }
        implementation.tests = (!implementation.is_open).then_some(tests);
        if let [qa, ..] = rest {
            qa.appends(&test, test_code(&slug, 2));
            qa.tests = Some(tests + 2);
        }
    }
}

impl Stage {
    fn creates(&mut self, path: String, text: String) {
        self.created.push(File { path: path.clone(), lines: Some(text.lines().count()) });
        self.edits.push(Edit::Put { path, text });
    }

    fn appends(&mut self, path: &str, text: String) {
        self.modified.push(File { path: path.to_owned(), lines: None });
        self.edits.push(Edit::Append { path: path.to_owned(), text });
    }

    fn deletes(&mut self, path: String) {
        self.deleted.push(File { path: path.clone(), lines: None });
        self.edits.push(Edit::Delete { path });
    }
}

/// Returns a module with as many functions.
pub(super) fn code(title: &str, functions: usize) -> String {
    let functions =
        (0..functions).map(|number| format!("\npub fn rule_{number}() -> usize {{\n    {number}\n}}\n"));
    format!("//! {title}.\n{}", functions.collect::<String>())
}

fn test_code(slug: &str, tests: usize) -> String {
    let test =
        |number| format!("\n#[test]\nfn {slug}_{number}() {{\n    assert_eq!({number}, {number});\n}}\n");
    (0..tests).map(test).collect()
}
