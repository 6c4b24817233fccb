//! What one handoff claims, in a form that can be compared with facts and with other handoffs.

mod added;
mod beyond;
mod commits;
mod count;
mod git_output;
mod headed;
mod judged;
mod ledger;
mod listed;
mod prose;
mod region;
pub mod sentence;
mod standing;
mod table;
mod verb;
mod whole;
mod words;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::dialect::Dialect;
use baton_handoff::document::Document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::marker::{self, Marker};
use baton_handoff::outcome::Outcome;
use baton_handoff::record::{Record, Text, Value};
use baton_handoff::rule::Code;
use baton_handoff::span::{LineIndex, Span};

use crate::finding::{Place, Said};
use crate::moment::Moment;

use region::Regions;

pub use judged::leading_id;
pub use ledger::Ended;
pub use words::number as small_number;

pub use count::{Count, CountOf, Duration, Total};

/// Findings of the document itself that are contradictions, and so belong into an audit.
const CONTRADICTIONS: &[u16] = &[202, 205, 207, 306, 504, 506, 509, 510, 703, 704, 705, 706, 711];
/// The checkpoint that says that nothing blocks.
const NO_BLOCKERS: &str = "no_open_blockers";
/// The answer to a package.
const ACKNOWLEDGMENT: &str = "acknowledgment";
/// Shortest file name that counts as a mention by itself.
const NAME_BYTES_MIN: usize = 5;
/// Shortest text, in letters and digits, that two tasks cannot share by chance.
const PASTED_CHARS_MIN: usize = 60;

/// What is said to have happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileClaim {
    Created,
    Modified,
    Deleted,
    /// Created, modified or deleted: the document does not say which.
    Touched,
    /// It is simply there.
    Exists,
}

impl FileClaim {
    pub fn kind(self) -> &'static str {
        match self {
            Self::Created => "file-created",
            Self::Modified => "file-modified",
            Self::Deleted => "file-deleted",
            Self::Touched => "file-touched",
            Self::Exists => "file-exists",
        }
    }
}

/// A file that a handoff lists.
#[derive(Clone, Debug)]
pub struct ListedFile {
    pub claim: FileClaim,
    /// Where the list begins that names it.
    pub list: Place,
    pub path: Said,
    pub lines: Option<Said>,
    /// The words beside it say that it was removed, renamed or moved away.
    pub says_removed: bool,
    /// The words beside it say that it replaces another file.
    pub says_moved: bool,
    /// The words beside it say that it was put back as it was.
    pub says_restored: bool,
}

impl ListedFile {
    fn at(claim: FileClaim, list: Place, path: Said) -> Self {
        Self { claim, list, path, lines: None, says_removed: false, says_moved: false, says_restored: false }
    }
}

/// A checkpoint or criterion with what the handoff says came of it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub name: Said,
    /// The id in front of a criterion's text, as in `AC-3`.
    pub id: Option<String>,
    pub status: Option<Said>,
    pub passes: bool,
    pub fails: bool,
    pub message: Option<Said>,
    pub evidence: Vec<Said>,
}

/// A command of a ledger.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    pub command: Said,
    /// How it ended: its exit code, or a word for it.
    pub exit_code: Option<Said>,
    pub evidence: Vec<Said>,
    /// It is an entry of a list of commands, not only words that may be one.
    pub is_stated: bool,
}

impl LedgerEntry {
    pub fn ended(&self) -> Option<Ended> {
        Ended::read(&self.exit_code.as_ref()?.text)
    }

    /// Returns the claim in words: the command with its exit code.
    pub fn said(&self) -> Said {
        match &self.exit_code {
            Some(code) => Said::new(format!("{}: {}", self.command.text, code.text.trim()), code.place),
            None => self.command.clone(),
        }
    }
}

/// A long text, by its hash.
#[derive(Clone, Copy, Debug)]
pub struct LongText {
    pub hash: u64,
    pub place: Place,
}

/// Everything that one handoff claims.
#[derive(Clone, Debug)]
pub struct Claims {
    /// What the document is called where it is quoted: its path, or its name in the log.
    pub source: String,
    pub dialect: Dialect,
    pub variant: &'static str,
    pub origin: Place,
    pub id: Option<Said>,
    pub task: Option<Said>,
    /// The waypoints that markers in it complete.
    pub completes: Vec<Said>,
    pub stage: Option<Said>,
    pub from: Option<Said>,
    pub to: Option<Said>,
    /// The role in which it says it was produced.
    pub role: Option<Said>,
    /// Others to whom the work may go when it fails.
    pub stand_ins: Vec<String>,
    pub workflow: Option<String>,
    pub started: Option<Moment>,
    pub completed: Option<Moment>,
    pub at: Option<Moment>,
    pub outcome: Outcome,
    /// It says that what its turn was for is done, in whichever way its dialect says so.
    pub finishes: bool,
    pub retry_count: Option<(i64, Place)>,
    pub files: Vec<ListedFile>,
    pub commits: Vec<Said>,
    pub checkpoints: Vec<Judged>,
    /// Where the list of checkpoints begins.
    pub checkpoints_place: Place,
    pub criteria: Vec<Judged>,
    pub criteria_place: Place,
    pub ledger: Vec<LedgerEntry>,
    pub evidence: Vec<Said>,
    pub counts: Vec<Count>,
    /// Lines of pasted output in which a tool says that it failed.
    pub failed_output: Vec<Said>,
    pub totals: Vec<Total>,
    pub durations: Vec<Duration>,
    pub long_texts: Vec<LongText>,
    pub contradictions: Vec<(Code, Severity, Said)>,
    /// It is a verifier's judgement of somebody else's work.
    pub is_report: bool,
    /// Words that say that nothing but the listed files changed.
    pub says_nothing_else: Option<Said>,
    /// What the handoff says of the result in its own words.
    pub own_words: Vec<Said>,
    /// Files that running text says were created, modified or removed.
    pub prose_files: Vec<ListedFile>,
    /// How many files the metrics count, with what they say happened to them.
    pub file_counts: Vec<(FileClaim, u64, Said)>,
    /// Open questions and blockers that hold the work up.
    pub blocking: Vec<Said>,
    /// Words that say that nothing blocks, and no question is open.
    pub says_nothing_open: Option<Said>,
    /// Everything that the document says, in lower case, to look a file name up in.
    text: String,
}

impl Claims {
    /// Yields the times that the handoff names.
    pub fn times(&self) -> impl Iterator<Item = &Moment> {
        [&self.started, &self.completed, &self.at].into_iter().flatten()
    }

    /// Yields what is given as evidence anywhere in the handoff.
    pub fn references(&self) -> impl Iterator<Item = &Said> {
        let criteria = self.criteria.iter().flat_map(|criterion| &criterion.evidence);
        let commands = self.ledger.iter().flat_map(|entry| &entry.evidence);
        self.evidence.iter().chain(criteria).chain(commands)
    }

    /// Says whether the document names a file anywhere, by its path or by a name that is long enough to be its own.
    pub fn mentions(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        let name = path.rsplit_once('/').map_or(path.as_str(), |(_, name)| name);
        self.has_word(&path) || name.len() >= NAME_BYTES_MIN && self.has_word(name)
    }

    /// Says whether the document names something by itself, and not as the end of another name.
    fn has_word(&self, name: &str) -> bool {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        self.text.match_indices(name).any(|(at, _)| !self.text[..at].ends_with(is_part))
    }

    /// Returns the last time that the handoff names for its own end.
    pub fn ended(&self) -> Option<&Moment> {
        self.completed.as_ref().or(self.at.as_ref())
    }

    /// Returns the last time that the handoff names at all.
    pub fn latest(&self) -> Option<&Moment> {
        self.ended().or(self.started.as_ref())
    }

    /// Returns the checkpoint that passes and says that nothing blocks.
    pub fn no_open_blockers(&self) -> Option<&Judged> {
        self.checkpoints.iter().find(|one| one.passes && one.name.text.trim() == NO_BLOCKERS)
    }

    /// Says whether the handoff denies that a question is open.
    pub fn denies_questions(&self) -> bool {
        self.says_nothing_open.is_some() || self.no_open_blockers().is_some()
    }

    pub fn has_work(&self) -> bool {
        !self.files.is_empty() || self.checkpoints.iter().any(|checkpoint| checkpoint.passes)
    }
}

/// Turns offsets into places.
struct Source<'a> {
    text: &'a str,
    index: LineIndex,
}

impl Source<'_> {
    fn place(&self, span: Span) -> Place {
        let at = self.index.position(self.text, span.start);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { span, line: small(at.line), column: small(at.column) }
    }

    fn said(&self, text: &Text<'_>) -> Said {
        Said::new(text.as_str(), self.place(text.span))
    }

    fn text(&self, record: &Record<'_>, field: Field) -> Option<Said> {
        record.text(field).filter(|text| !text.is_blank()).map(|text| self.said(text))
    }

    fn texts(&self, record: &Record<'_>, field: Field) -> Vec<Said> {
        match record.entry(field).map(|entry| &entry.value) {
            Some(Value::Texts(texts)) => {
                texts.iter().filter(|text| !text.is_blank()).map(|text| self.said(text)).collect()
            }
            Some(Value::Text(text)) if !text.is_blank() => vec![self.said(text)],
            _ => Vec::new(),
        }
    }

    fn marked(&self, marker: &Marker<'_>) -> Said {
        Said::new(marker.content, self.place(marker.content_span))
    }

    fn stage_marked(&self, markers: &[Marker<'_>]) -> Option<Said> {
        let marked = markers.iter().find(|marker| marker.name == "execution-stage")?;
        let named = judged::attribute(marked, &["name", "stage", "id"]);
        Some(Said::new(named.unwrap_or(marked.content), self.place(marked.span)))
    }

    fn key_place(&self, record: &Record<'_>, field: Field) -> Place {
        record.entry(field).map_or_else(|| self.place(record.span), |entry| self.place(entry.key_span))
    }
}

/// Returns the claims of every handoff in a document, with what its rules found.
pub fn of_document(source_name: &str, document: &Document<'_>, diagnostics: &[Diagnostic]) -> Vec<Claims> {
    let source = Source { text: document.source, index: LineIndex::new(document.source) };
    let mut all: Vec<Claims> =
        document.handoffs.iter().map(|handoff| of_handoff(source_name, handoff, &source)).collect();
    for found in diagnostics.iter().filter(|found| CONTRADICTIONS.contains(&found.code.0)) {
        let said = Said::new(found.message.as_str(), source.place(found.primary.span));
        let holds = |handoff: &Handoff<'_>| {
            handoff.span.start <= said.place.span.start && said.place.span.start <= handoff.span.end
        };
        let at = document.handoffs.iter().position(holds).unwrap_or(0);
        if let Some(claims) = all.get_mut(at) {
            claims.contradictions.push((found.code, found.severity, said));
        }
    }
    let known = all.iter().find_map(|claims| claims.task.clone());
    all.iter_mut().filter(|claims| claims.task.is_none()).for_each(|claims| claims.task = known.clone());
    all
}

fn of_handoff(source_name: &str, handoff: &Handoff<'_>, source: &Source<'_>) -> Claims {
    let record = &handoff.everything();
    let time = |field| source.text(record, field).and_then(Moment::read);
    let workflow = record.record(Field::WorkflowState);
    let markers = marker::scan(source.text);
    let completes = markers.iter().filter(|marker| marker.name == "waypoint-complete");
    let completes = completes.filter(|marker| !marker.content.is_empty());
    let stage = source.text(record, Field::Stage).or_else(|| source.text(record, Field::FromStep));
    let own_words = words::of_result(record, &markers, source);
    let regions = Regions::read(source.text);
    let mut claims = Claims {
        source: source_name.to_owned(),
        dialect: handoff.dialect,
        variant: handoff.variant.name,
        origin: source.place(Span { end: handoff.span.start, ..handoff.span }),
        id: source.text(record, Field::Id),
        task: source.text(record, Field::Task),
        completes: completes.map(|marker| source.marked(marker)).collect(),
        stage: stage.or_else(|| source.stage_marked(&markers)),
        from: source.text(record, Field::From),
        to: source.text(record, Field::To),
        role: source.text(record, Field::Role),
        stand_ins: stand_ins(record),
        workflow: workflow.and_then(|state| state.str(Field::WorkflowName)).map(str::to_owned),
        started: time(Field::StartedAt),
        completed: time(Field::CompletedAt),
        at: time(Field::At),
        outcome: standing::outcome(handoff),
        finishes: standing::finishes(handoff, &markers),
        retry_count: source
            .text(record, Field::RetryCount)
            .and_then(|said| Some((said.text.trim().parse().ok()?, said.place))),
        files: listed::files(handoff.dialect, record, source),
        commits: commits::of_keys(record, source),
        checkpoints: judged::listed(record, Field::Checkpoints, Field::Name, source),
        checkpoints_place: source.key_place(record, Field::Checkpoints),
        criteria: judged::listed(record, Field::Criteria, Field::Criterion, source),
        criteria_place: source.key_place(record, Field::Criteria),
        ledger: ledger::entries(record, &markers, source),
        evidence: evidence(record, source),
        counts: Vec::new(),
        failed_output: Vec::new(),
        totals: Vec::new(),
        durations: Vec::new(),
        long_texts: long_texts(record, source),
        contradictions: Vec::new(),
        is_report: handoff.variant.name == "verification-report",
        says_nothing_else: own_words.iter().find_map(words::nothing_else),
        own_words,
        prose_files: Vec::new(),
        file_counts: Vec::new(),
        blocking: words::of_blockers(record, source),
        says_nothing_open: None,
        text: source.text.to_lowercase(),
    };
    if claims.variant == ACKNOWLEDGMENT {
        claims.files.extend(listed::received(record, source));
    }
    claims.judged_beyond((record, handoff.tree.as_ref()), &markers, source);
    claims.files_beyond(source, &regions);
    claims.commits.extend(commits::of_words(&claims.own_words));
    claims.commits.extend(commits::under_headings(source));
    let mut seen = std::collections::BTreeSet::new();
    claims.commits.retain(|said| seen.insert(said.text.clone()));
    claims.evidence_of_words();
    let messages = claims.checkpoints.iter().filter(|one| one.passes).filter_map(|one| one.message.as_ref());
    let denial = claims.own_words.iter().chain(messages).find(|said| words::denies_blockers(said));
    claims.says_nothing_open = denial.cloned();
    count::gather(record, (source, &regions), &mut claims);
    claims
}

/// Returns what is given as evidence.
fn evidence(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let mut evidence = source.texts(record, Field::EvidenceRefs);
    let is_evidence = |key: &str| {
        matches!(key, "evidence" | "evidence_files" | "evidence_ref" | "evidence_refs" | "logs" | "proof")
    };
    evidence.extend(beyond::texts(record, is_evidence, source));
    evidence
}

fn stand_ins(record: &Record<'_>) -> Vec<String> {
    let Some(policy) = record.record(Field::OnFailure) else { return Vec::new() };
    [Field::RouteTo, Field::Notify].iter().filter_map(|&field| policy.str(field)).map(str::to_owned).collect()
}

fn long_texts(record: &Record<'_>, source: &Source<'_>) -> Vec<LongText> {
    let mut texts = Vec::new();
    let mut take = |text: &Text<'_>| {
        if let Some(hash) = text_hash(text.as_str()) {
            texts.push(LongText { hash, place: source.place(text.span) });
        }
    };
    for field in [Field::Summary, Field::LastFailure, Field::BlockDetails, Field::DiffSummary] {
        record.text(field).into_iter().for_each(&mut take);
    }
    record.texts(Field::Done).iter().for_each(&mut take);
    let items = [
        (Field::Checkpoints, Field::Message),
        (Field::Gotchas, Field::Issue),
        (Field::Patterns, Field::Pattern),
        (Field::FilesModified, Field::Description),
        (Field::FilesCreated, Field::Purpose),
        (Field::Blockers, Field::Blocker),
        (Field::Decisions, Field::Rationale),
    ];
    for (list, field) in items {
        record.records(list).iter().filter_map(|item| item.text(field)).for_each(&mut take);
    }
    texts
}

/// Returns the hash of the words of a long text, whatever their case and the marks between them.
fn text_hash(text: &str) -> Option<u64> {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let (mut hash, mut length) = (OFFSET, 0);
    for character in text.chars().filter(|character| character.is_alphanumeric()) {
        for folded in character.to_lowercase() {
            hash = (hash ^ u64::from(u32::from(folded))).wrapping_mul(PRIME);
            length += 1;
        }
    }
    (length >= PASTED_CHARS_MIN).then_some(hash)
}
