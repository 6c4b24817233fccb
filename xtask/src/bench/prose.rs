//! What the synthetic documents talk about: a component, its files, and sentences about them.
//!
//! The slots `{component}`, `{folder}`, `{file}`, `{other}`, `{tests}`, `{coverage}`, `{few}` and `{ms}` are filled from the
//! subject. No sentence holds `: ` or ` #`, so that each one is also a plain YAML scalar.

use baton_testkit::random::Random;

/// What one document is about. Its numbers are said the same way wherever they are said.
pub(super) struct Subject {
    pub(super) component: &'static str,
    pub(super) folder: &'static str,
    pub(super) tag: &'static str,
    pub(super) files: Vec<String>,
    pub(super) tests: usize,
    pub(super) coverage: usize,
    day: usize,
    minute: usize,
}

struct Area {
    component: &'static str,
    folder: &'static str,
    tag: &'static str,
    extension: &'static str,
}

impl Subject {
    pub(super) fn draw(random: &mut Random) -> Self {
        let area = random.pick(AREAS);
        let wanted = random.between(3, 6);
        let files = random
            .some(FILE_NAMES, wanted)
            .into_iter()
            .map(|name| format!("{}/{name}.{}", area.folder, area.extension))
            .collect();
        Self {
            component: area.component,
            folder: area.folder,
            tag: area.tag,
            files,
            tests: random.between(12, 180),
            coverage: random.between(86, 98),
            day: random.below(336),
            minute: random.between(7 * 60, 18 * 60),
        }
    }

    pub(super) fn file<'s>(&'s self, random: &mut Random) -> &'s str {
        random.pick(self.files.as_slice()).as_str()
    }

    /// Returns a sentence of the list with its slots filled.
    pub(super) fn say(&self, random: &mut Random, from: &[&str]) -> String {
        let template = *random.pick(from);
        self.fill(random, template)
    }

    /// Returns that many sentences of the body, none of them twice.
    pub(super) fn paragraph(&self, random: &mut Random, sentences: usize) -> String {
        let chosen = random.some(SENTENCES, sentences);
        chosen.into_iter().map(|template| self.fill(random, template)).collect::<Vec<_>>().join(" ")
    }

    /// Returns an RFC 3339 time some minutes after the subject's first moment, always on the same day.
    pub(super) fn time(&self, minutes_later: usize) -> String {
        let minute = self.minute + minutes_later;
        let (month, day) = (self.day / 28 + 1, self.day % 28 + 1);
        format!("2025-{month:02}-{day:02}T{:02}:{:02}:00Z", minute / 60, minute % 60)
    }

    fn fill(&self, random: &mut Random, template: &str) -> String {
        let mut text = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, slot, after)) = next_slot(rest) {
            text.push_str(before);
            match slot {
                "component" => text.push_str(self.component),
                "folder" => text.push_str(self.folder),
                "file" => text.push_str(&self.files[0]),
                "other" => text.push_str(&self.files[1]),
                "tests" => text.push_str(&self.tests.to_string()),
                "coverage" => text.push_str(&self.coverage.to_string()),
                "few" => text.push_str(&random.between(2, 9).to_string()),
                _ => text.push_str(&random.between(3, 240).to_string()),
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (slot, after) = rest.split_once('}')?;
    Some((before, slot, after))
}

const AREAS: &[Area] = &[
    Area { component: "session store", folder: "src/session", tag: "session-store", extension: "rs" },
    Area { component: "import queue", folder: "src/imports", tag: "import-queue", extension: "ts" },
    Area { component: "invoice renderer", folder: "src/invoice", tag: "invoice-layout", extension: "ts" },
    Area { component: "search index", folder: "crates/index/src", tag: "search-index", extension: "rs" },
    Area { component: "rate limiter", folder: "internal/limit", tag: "rate-limits", extension: "go" },
    Area { component: "upload service", folder: "services/upload", tag: "uploads", extension: "py" },
    Area { component: "settings page", folder: "web/settings", tag: "settings-ui", extension: "tsx" },
    Area { component: "event bridge", folder: "src/bridge", tag: "event-bridge", extension: "rs" },
    Area { component: "report builder", folder: "lib/reports", tag: "reports", extension: "rb" },
    Area { component: "permission model", folder: "src/permission", tag: "permissions", extension: "py" },
    Area { component: "release script", folder: "tools/release", tag: "releases", extension: "py" },
    Area { component: "cache layer", folder: "internal/cache", tag: "caching", extension: "go" },
];

const FILE_NAMES: &[&str] = &[
    "reader",
    "writer",
    "planner",
    "schema",
    "retry",
    "limits",
    "clock",
    "format",
    "routes",
    "store",
    "migrate",
    "session_test",
    "limits_test",
    "reader_test",
];

pub(super) const TITLES: &[&str] = &[
    "Bound the memory of the {component}",
    "Make the {component} survive a restart",
    "Give the {component} clear errors",
    "Split reading from writing in the {component}",
    "Measure the {component} under load",
    "Retire the old format of the {component}",
];

const SENTENCES: &[&str] = &[
    "The {component} now reads its settings once at start and hands them down as plain values.",
    "Two copies of the same loop lived in {file}, so the shared part moved into one function with a name.",
    "A request that arrives while the {component} is closing is refused with a clear message instead of being dropped.",
    "The old behaviour stays behind the existing setting, so callers of `{file}` see no change.",
    "Reviewers asked for a smaller public surface, and {few} functions became private as a result.",
    "Two callers relied on the order of the results, so the {component} sorts them by name before it answers.",
    "Memory stays flat while the {component} works through a folder with {few} thousand entries.",
    "The error text names the file and the line, which turned the last support case into a matter of minutes.",
    "We measured {ms} ms for the common case on a laptop and saw no difference on the build machine.",
    "The lock in `{other}` is now held for the copy alone and never across a call to another service.",
    "Every limit has a name and stands at the top of `{file}`, where the documentation points to it.",
    "A second writer gets an answer at once and tries again with the newer version of the record.",
    "The fixture for the oldest format stays in the repository, because three installations still send it.",
    "Names in {folder} follow the glossary, so a reader meets the same word in the code and on the screen.",
    "The change touches {folder} only, and the packages around it compile without a new line.",
    "Numbers in this report come from one run on the branch with nothing else running beside it.",
    "An empty list is an ordinary answer here, and the caller shows a sentence that says so.",
    "Times are written in UTC with the zone, because a local time had moved one record to the day before.",
];

pub(super) const REQUIREMENTS: &[&str] = &[
    "The {component} answers within {ms} ms for a folder with {few} hundred entries",
    "A record that cannot be read is reported with its line and the others are still read",
    "No call of the {component} holds more than {few} MB of memory",
    "A stopped run continues at the record where it stopped",
    "The answer of the {component} is the same for the same input on every machine",
    "A person without write permission sees the list and no button",
];

pub(super) const PURPOSES: &[&str] = &[
    "Reads the records of the {component} and reports the first bad line",
    "Keeps the limits of the {component} in one place",
    "Writes the answer of the {component} in a stable order",
    "Tests the {component} against the {few} oldest fixtures",
];

pub(super) const CHANGES: &[&str] = &[
    "Moved the shared loop into one function, because two copies had drifted apart",
    "Added a bound of {few} attempts, because a dead service kept the caller waiting",
    "Renamed the fields to the words of the glossary, so that screens and code agree",
    "Removed the second cache, which gave old answers after a restart",
];

pub(super) const PATTERNS: &[&str] = &[
    "Read settings once at start and pass them as values",
    "Return the bad line together with what could be read",
    "Give every limit a name beside the code that keeps it",
    "Sort by name before an answer leaves the {component}",
];

pub(super) const ISSUES: &[&str] = &[
    "The service counts its limit per minute and per key, so {few} workers share one budget",
    "A file that is written while it is read gives a short last record",
    "The test database keeps times without a zone",
    "The sandbox account of the mail service refuses attachments above {few} MB",
];

pub(super) const MITIGATIONS: &[&str] = &[
    "Wait twice as long after each refusal and stop after {few} attempts",
    "Compare the length before and after the read and read once more when it differs",
    "Write the zone with every time and refuse one without it",
    "Send a link in place of the attachment and keep the file for {few} days",
];

pub(super) const REASONS: &[&str] = &[
    "Holds the types that the next change builds on",
    "Shows how a refused request is answered",
    "Keeps the limits that the next agent has to respect",
];

pub(super) const QUESTIONS: &[&str] = &[
    "Does the {component} keep finished records for {few} days or for ever?",
    "May the answer of the {component} be cached by a proxy?",
    "Is one writer for each folder enough for the largest customer?",
];

pub(super) const RECOMMENDATIONS: &[&str] = &[
    "Keep them for {few} days, which is what the contract asks for",
    "Forbid it until the answer carries a version",
    "Keep one writer, since the measured load is {few} % of what it bears",
];

pub(super) const STEPS: &[&str] = &[
    "Call the new reader from the list page",
    "Delete the old format after the next release",
    "Run the load test of the {component} for one hour",
    "Describe the limits of the {component} in the guide",
];

pub(super) const FAILURES: &[&str] = &[
    "{few} of the fixtures in {folder} give a different answer since the change of order",
    "The load test of the {component} stops after {ms} seconds with a refused connection",
    "The build of {folder} fails on the oldest supported compiler",
];

pub(super) const DECISIONS: &[&str] = &[
    "One writer for each folder and any number of readers",
    "Records of the {component} are appended and never changed",
    "Limits are part of the configuration and have a default",
];

pub(super) const RATIONALES: &[&str] = &[
    "Measured at {ms} ms for the slowest case, while the variant with locks needed twice that",
    "A crash between two steps then loses nothing, as the test with {few} restarts shows",
    "Three installations asked for other values and none of them for other code",
];

pub(super) const CONSTRAINTS: &[&str] = &[
    "The public functions of {folder} keep their signatures",
    "No new dependency in {folder}",
    "Answers stay below {ms} KB",
];

pub(super) const CRITERIA: &[&str] = &[
    "coverage of {folder} is above 85 %",
    "all {tests} tests of {folder} pass in CI",
    "0 warnings from the linter in {folder}",
    "the slowest request takes less than {ms} ms",
    "peak memory is below {ms} MB for 20000 records",
];
