//! What one handoff claims, in a form that can be held against the repository and against other handoffs.

mod count;

use std::path::{Path, PathBuf};

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::dialect::Dialect;
use baton_handoff::document::Document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::record::{Confidence, Record, Text, Value};
use baton_handoff::rule::Code;
use baton_handoff::span::{LineIndex, Span};
use baton_handoff::tree::Node;

use super::moment::Moment;
use super::row::{Place, Said};
use crate::git::BlobIds;

pub use count::{Count, CountOf, Duration, Total};

/// Findings of the document itself that are contradictions, and so belong into an audit.
const CONTRADICTIONS: &[u16] = &[202, 205, 207, 306, 504, 506, 509, 510, 703, 704, 705, 706, 711];
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
    pub exit_code: Option<Said>,
    pub evidence: Vec<Said>,
}

/// A long text, by its hash.
#[derive(Clone, Copy, Debug)]
pub struct LongText {
    pub hash: u64,
    pub place: Place,
}

/// Everything an audit needs to know of one handoff.
#[derive(Clone, Debug)]
pub struct Dossier {
    /// As it was found.
    pub path: PathBuf,
    /// From the root of the repository, with forward slashes.
    pub repository_path: Option<String>,
    /// The commit that it was read from, where it is not as it is now.
    pub version: Option<String>,
    /// What git calls the file's content.
    pub blob: BlobIds,
    pub dialect: Dialect,
    pub variant: &'static str,
    pub origin: Place,
    pub id: Option<Said>,
    pub task: Option<Said>,
    pub stage: Option<Said>,
    pub from: Option<Said>,
    pub to: Option<Said>,
    /// Others to whom the work may go when it fails.
    pub stand_ins: Vec<String>,
    pub workflow: Option<String>,
    pub started: Option<Moment>,
    pub completed: Option<Moment>,
    pub at: Option<Moment>,
    pub outcome: Outcome,
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
    pub totals: Vec<Total>,
    pub durations: Vec<Duration>,
    pub long_texts: Vec<LongText>,
    pub contradictions: Vec<(Code, Severity, Said)>,
}

impl Dossier {
    /// Returns the last time that the handoff names for its own end.
    pub fn ended(&self) -> Option<&Moment> {
        self.completed.as_ref().or(self.at.as_ref())
    }

    /// Returns the path from the root, with the commit where this is an older version.
    pub fn shown_path(&self) -> String {
        let path =
            self.repository_path.clone().unwrap_or_else(|| self.path.to_string_lossy().replace('\\', "/"));
        match &self.version {
            Some(commit) => format!("{path}@{commit}"),
            None => path,
        }
    }

    /// Returns the folder that holds the file, from the root of the repository.
    pub fn folder(&self) -> &str {
        self.repository_path
            .as_deref()
            .and_then(|path| path.rsplit_once('/'))
            .map_or("", |(folder, _)| folder)
    }

    /// Returns the last time that the handoff names at all.
    pub fn latest(&self) -> Option<&Moment> {
        self.ended().or(self.started.as_ref())
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

    fn key_place(&self, record: &Record<'_>, field: Field) -> Place {
        record.entry(field).map_or_else(|| self.place(record.span), |entry| self.place(entry.key_span))
    }
}

/// Returns the dossiers of a document with what its judgement found.
pub fn of_document(path: &Path, document: &Document<'_>, diagnostics: &[Diagnostic]) -> Vec<Dossier> {
    let source = Source { text: document.source, index: LineIndex::new(document.source) };
    let mut dossiers: Vec<Dossier> =
        document.handoffs.iter().map(|handoff| of_handoff(path, handoff, &source)).collect();
    for found in diagnostics.iter().filter(|found| CONTRADICTIONS.contains(&found.code.0)) {
        let said = Said::new(found.message.as_str(), source.place(found.primary.span));
        let holds = |handoff: &Handoff<'_>| {
            handoff.span.start <= said.place.span.start && said.place.span.start <= handoff.span.end
        };
        let at = document.handoffs.iter().position(holds).unwrap_or(0);
        if let Some(dossier) = dossiers.get_mut(at) {
            dossier.contradictions.push((found.code, found.severity, said));
        }
    }
    let known = dossiers.iter().find_map(|dossier| dossier.task.clone());
    dossiers
        .iter_mut()
        .filter(|dossier| dossier.task.is_none())
        .for_each(|dossier| dossier.task = known.clone());
    dossiers
}

fn of_handoff(path: &Path, handoff: &Handoff<'_>, source: &Source<'_>) -> Dossier {
    let record = &handoff.everything();
    let time = |field| source.text(record, field).and_then(Moment::read);
    let workflow = record.record(Field::WorkflowState);
    let mut dossier = Dossier {
        path: path.to_owned(),
        repository_path: None,
        version: None,
        blob: BlobIds::default(),
        dialect: handoff.dialect,
        variant: handoff.variant.name,
        origin: source.place(Span { end: handoff.span.start, ..handoff.span }),
        id: source.text(record, Field::Id),
        task: source.text(record, Field::Task),
        stage: source.text(record, Field::Stage).or_else(|| source.text(record, Field::FromStep)),
        from: source.text(record, Field::From),
        to: source.text(record, Field::To),
        stand_ins: stand_ins(record),
        workflow: workflow.and_then(|state| state.str(Field::WorkflowName)).map(str::to_owned),
        started: time(Field::StartedAt),
        completed: time(Field::CompletedAt),
        at: time(Field::At),
        outcome: outcome::conclude(record).outcome,
        retry_count: source
            .text(record, Field::RetryCount)
            .and_then(|said| Some((said.text.trim().parse().ok()?, said.place))),
        files: listed_files(handoff.dialect, record, source),
        commits: commits(record, source),
        checkpoints: judged(record, Field::Checkpoints, Field::Name, source),
        checkpoints_place: source.key_place(record, Field::Checkpoints),
        criteria: judged(record, Field::Criteria, Field::Criterion, source),
        criteria_place: source.key_place(record, Field::Criteria),
        ledger: ledger(record, source),
        evidence: evidence(record, source),
        counts: Vec::new(),
        totals: Vec::new(),
        durations: Vec::new(),
        long_texts: long_texts(record, source),
        contradictions: Vec::new(),
    };
    if dossier.criteria.is_empty() {
        for (list, criterion) in criteria_beyond(record, source) {
            dossier.criteria_place = list;
            dossier.criteria.push(criterion);
        }
    }
    count::gather(record, source, &mut dossier);
    dossier
}

/// Yields the scalars under the keys that are not the dialect's own and that `wanted` accepts, also under `context`.
fn beyond<'r, 's>(
    record: &'r Record<'s>,
    wanted: fn(&str) -> bool,
) -> impl Iterator<Item = (Span, &'r Node<'s>)> {
    let own =
        record.extensions.iter().map(|extension| (&extension.key, extension.key_span, &extension.value));
    let context = record.tree(Field::Context).and_then(Node::pairs).unwrap_or_default();
    let context = context.iter().map(|pair| (&pair.key, pair.key_span, &pair.value));
    let chosen = own.chain(context).filter(move |(key, _, _)| wanted(&key.to_lowercase().replace('-', "_")));
    chosen.flat_map(|(_, key_span, value)| {
        let nodes = value.items().unwrap_or(std::slice::from_ref(value));
        nodes.iter().map(move |node| (key_span, node))
    })
}

fn texts_beyond(record: &Record<'_>, wanted: fn(&str) -> bool, source: &Source<'_>) -> Vec<Said> {
    beyond(record, wanted)
        .filter_map(|(_, node)| Some(Said::new(node.text()?, source.place(node.span))))
        .collect()
}

/// Returns the ids of commits: under `commit`, and under any other key that speaks of commits.
fn commits(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let mut commits = source.texts(record, Field::Commit);
    commits.extend(texts_beyond(record, |key| key.contains("commit"), source));
    commits.retain(|said| is_commit_id(&said.text));
    commits.dedup();
    commits
}

/// Returns what is given as evidence.
fn evidence(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let mut evidence = source.texts(record, Field::EvidenceRefs);
    let is_evidence = |key: &str| matches!(key, "evidence" | "evidence_files" | "logs" | "proof");
    evidence.extend(texts_beyond(record, is_evidence, source));
    evidence
}

/// Returns criteria with ids that stand under a key which the dialect does not have.
fn criteria_beyond(record: &Record<'_>, source: &Source<'_>) -> Vec<(Place, Judged)> {
    let is_list = |key: &str| matches!(key, "acceptance_criteria" | "criteria" | "success_criteria");
    let one = |(key_span, node): (Span, &Node<'_>)| {
        let said = |keys: &[&str]| {
            let value = keys.iter().find_map(|key| node.get(key))?;
            Some(Said::new(value.text()?, source.place(value.span)))
        };
        let name = said(&["criterion", "text", "description", "name", "title"]);
        let name = name.or_else(|| Some(Said::new(node.text()?, source.place(node.span))))?;
        let id = said(&["id"]).map(|id| id.text).or_else(|| leading_id(&name.text).map(str::to_owned))?;
        let mut status = said(&["verdict", "status", "result"]);
        let reads = status.as_ref().and_then(|status| outcome::from_verdict(&status.text));
        if let Some(status) = &mut status {
            status.text = format!("{id}: {}", status.text);
        }
        let judged = Judged {
            name,
            id: Some(id),
            passes: reads == Some(Outcome::Completed),
            fails: reads == Some(Outcome::Failed),
            status,
            message: None,
            evidence: said(&["evidence"]).into_iter().collect(),
        };
        Some((source.place(key_span), judged))
    };
    beyond(record, is_list).filter_map(one).collect()
}

fn is_commit_id(text: &str) -> bool {
    let text = text.trim();
    (7..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn stand_ins(record: &Record<'_>) -> Vec<String> {
    let Some(policy) = record.record(Field::OnFailure) else { return Vec::new() };
    [Field::RouteTo, Field::Notify].iter().filter_map(|&field| policy.str(field)).map(str::to_owned).collect()
}

fn listed_files(dialect: Dialect, record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let touches = dialect == Dialect::Artifact;
    let lists = [
        (Field::FilesCreated, FileClaim::Created),
        (Field::FilesModified, if touches { FileClaim::Touched } else { FileClaim::Modified }),
        (Field::FilesDeleted, FileClaim::Deleted),
        (Field::Artifacts, FileClaim::Exists),
        (Field::FilesToRead, FileClaim::Exists),
    ];
    let mut files = Vec::new();
    for (field, claim) in lists {
        for item in record.records(field) {
            let Some(path) = item.text(Field::Path).filter(|path| is_listed(path)) else { continue };
            // Of a file that was touched the type says what happened to it; elsewhere it is about the change.
            let claim = match (claim, item.str(Field::ChangeType)) {
                (FileClaim::Touched, Some("delete")) => FileClaim::Deleted,
                (claim, _) => claim,
            };
            let list = source.key_place(record, field);
            files.push(ListedFile {
                claim,
                list,
                path: source.said(path),
                lines: source.text(item, Field::Lines),
            });
        }
    }
    files
}

/// A path that was read out of running text is a mention, not a claim.
fn is_listed(path: &Text<'_>) -> bool {
    path.confidence == Confidence::Stated && !path.is_blank() && !outcome::is_none_word(path.as_str())
}

fn judged(record: &Record<'_>, list: Field, name: Field, source: &Source<'_>) -> Vec<Judged> {
    let one = |item: &Record<'_>| {
        let name = source.text(item, name).or_else(|| source.text(item, Field::Description))?;
        let status = [Field::Status, Field::Verdict, Field::Outcome]
            .iter()
            .filter_map(|&field| item.text(field))
            .find(|text| text.confidence == Confidence::Stated);
        let reads = status.and_then(|status| outcome::from_verdict(status.as_str()));
        let own_id = item.extensions.iter().find(|extension| extension.key == "id");
        let own_id = own_id.and_then(|extension| extension.value.text());
        let id = item.str(Field::Id).or(own_id).or_else(|| leading_id(&name.text)).map(str::to_owned);
        Some(Judged {
            id,
            status: status.map(|status| {
                let claim = format!("{}: {}", name.text.trim(), status.as_str());
                Said::new(claim, source.place(status.span))
            }),
            passes: reads == Some(Outcome::Completed),
            fails: reads == Some(Outcome::Failed),
            message: message(item, source),
            evidence: source.texts(item, Field::Evidence),
            name,
        })
    };
    record.records(list).iter().filter_map(one).collect()
}

/// Returns the words beside a checkpoint, whether or not the dialect has a key for them.
fn message(item: &Record<'_>, source: &Source<'_>) -> Option<Said> {
    let beyond = || {
        let extension = item.extensions.iter().find(|extension| extension.key == "message")?;
        Some(Said::new(extension.value.text()?, source.place(extension.value.span)))
    };
    source.text(item, Field::Message).or_else(beyond)
}

/// Returns the id that a criterion begins with, as in `AC-3: the export has a header`.
pub fn leading_id(text: &str) -> Option<&str> {
    let end = text.find(|character: char| {
        !character.is_ascii_alphanumeric() && !matches!(character, '-' | '.' | '_')
    })?;
    let (id, rest) = text.split_at(end);
    let id = id.trim_end_matches('.');
    let (letters, digits) = id.split_at(id.find(|character: char| character.is_ascii_digit())?);
    let letters_fit = (1..=6).contains(&letters.trim_end_matches('-').len())
        && letters.chars().all(|character| character.is_ascii_uppercase() || character == '-');
    let digits_fit =
        digits.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | '-'));
    (letters_fit && digits_fit && rest.starts_with([':', ' ', ')', ']', '.'])).then_some(id)
}

fn ledger(record: &Record<'_>, source: &Source<'_>) -> Vec<LedgerEntry> {
    let one = |item: &Record<'_>| {
        Some(LedgerEntry {
            command: source.text(item, Field::Command)?,
            exit_code: source.text(item, Field::ExitCode),
            evidence: source.texts(item, Field::Evidence),
        })
    };
    record.records(Field::Commands).iter().filter_map(one).collect()
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
