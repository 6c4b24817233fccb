//! What one handoff claims, in a form that can be compared with facts and with other handoffs.

mod count;
mod prose;
pub mod sentence;
mod words;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::dialect::Dialect;
use baton_handoff::document::Document;
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::marker;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::record::{Confidence, Record, Text, Value};
use baton_handoff::rule::Code;
use baton_handoff::span::{LineIndex, Span};
use baton_handoff::tree::Node;

use crate::finding::{Place, Said};
use crate::moment::Moment;
use crate::path;

pub use count::{Count, CountOf, Duration, Total};

/// Findings of the document itself that are contradictions, and so belong into an audit.
const CONTRADICTIONS: &[u16] = &[202, 205, 207, 306, 504, 506, 509, 510, 703, 704, 705, 706, 711];
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
    pub exit_code: Option<Said>,
    pub evidence: Vec<Said>,
}

impl LedgerEntry {
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
    let mut claims = Claims {
        source: source_name.to_owned(),
        dialect: handoff.dialect,
        variant: handoff.variant.name,
        origin: source.place(Span { end: handoff.span.start, ..handoff.span }),
        id: source.text(record, Field::Id),
        task: source.text(record, Field::Task),
        completes: marker::completed(source.text).iter().map(|text| source.said(text)).collect(),
        stage: source.text(record, Field::Stage).or_else(|| source.text(record, Field::FromStep)),
        from: source.text(record, Field::From),
        to: source.text(record, Field::To),
        role: source.text(record, Field::Role),
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
        is_report: handoff.variant.name == "verification-report",
        says_nothing_else: None,
        own_words: words::of_result(record, source),
        prose_files: Vec::new(),
        file_counts: Vec::new(),
        blocking: words::of_blockers(record, source),
        text: source.text.to_lowercase(),
    };
    claims.prose_files = prose::files(&claims.own_words, claims.origin);
    claims.prose_files.extend(prose::under_headings(source, claims.origin));
    claims.prose_files.extend(prose::in_messages(&claims.checkpoints, claims.origin));
    claims.prose_files.retain(|named| claims.files.iter().all(|file| file.path.text != named.path.text));
    claims.commits.extend(prose::commits(&claims.own_words));
    claims.says_nothing_else = claims.own_words.iter().find_map(words::nothing_else);
    if claims.criteria.iter().all(|criterion| criterion.status.is_none()) {
        let beyond = criteria_beyond(record, source);
        if !beyond.is_empty() {
            claims.criteria.clear();
        }
        for (list, criterion) in beyond {
            claims.criteria_place = list;
            claims.criteria.push(criterion);
        }
    }
    count::gather(record, source, &mut claims);
    claims
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
        let said = |keys: &[&str]| said_under(node, keys, source);
        let name = said(&["criterion", "text", "description", "name", "title"]);
        let name = name.or_else(|| Some(Said::new(node.text()?, source.place(node.span))));
        let name = name.or_else(|| said(&["id"]))?;
        let id = said(&["id"]).map(|id| id.text).or_else(|| leading_id(&name.text).map(str::to_owned))?;
        let mut status = said(&["verdict", "status", "result", "claim", "met"]);
        let reads = status.as_ref().and_then(|status| reading(&status.text));
        if let Some(status) = &mut status {
            status.text = format!("{id}: {}", status.text);
        }
        let judged = Judged {
            name,
            id: Some(id),
            passes: reads == Some(Outcome::Completed),
            fails: reads == Some(Outcome::Failed),
            status,
            message: said(&["message", "note", "notes", "reason"]),
            evidence: said(&["evidence", "evidence_ref", "test"]).into_iter().collect(),
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
        let list = source.key_place(record, field);
        for item in record.records(field) {
            let Some(path) = item.text(Field::Path).filter(|path| is_listed(path)) else { continue };
            let lines = source.text(item, Field::Lines);
            // Of a whole file the type says what happened to it; of some lines, what happened to them.
            let is_whole = lines.as_ref().is_none_or(|lines| lines.text.trim() == "all");
            let claim = match (claim, item.str(Field::ChangeType)) {
                (FileClaim::Touched, Some("delete")) => FileClaim::Deleted,
                (FileClaim::Modified, Some("delete")) if is_whole => FileClaim::Deleted,
                (claim, _) => claim,
            };
            let words::OfFile { removed: says_removed, moved: says_moved, restored: says_restored } =
                words::of_file(item);
            match path::read_rename(path.as_str()) {
                None => files.push(ListedFile {
                    lines,
                    says_removed,
                    says_moved,
                    says_restored,
                    ..ListedFile::at(claim, list, source.said(path))
                }),
                Some(sides) => files.extend(renamed(sides, list, source.place(path.span))),
            }
        }
    }
    for (list, node) in beyond(record, |key| key.contains("renamed") || key.contains("moved")) {
        let side = |keys| said_under(node, keys, source);
        let sides = (side(&["from", "old", "old_path"]), side(&["to", "new", "new_path"]));
        if let (Some(old), Some(new)) = sides {
            files.extend(renamed((&old.text, &new.text), source.place(list), old.place));
        } else if let Some(sides) = node.text().and_then(path::read_rename) {
            files.extend(renamed(sides, source.place(list), source.place(node.span)));
        }
    }
    files.extend(locations(record, source));
    files
}

/// Returns both sides of a rename: the old file is gone, and the new one is there.
fn renamed((old, new): (&str, &str), list: Place, place: Place) -> [ListedFile; 2] {
    let side = |text: &str, claim| ListedFile::at(claim, list, Said::new(text.trim_matches('`'), place));
    let old = ListedFile { says_removed: true, ..side(old, FileClaim::Deleted) };
    [old, ListedFile { says_moved: true, ..side(new, FileClaim::Exists) }]
}

/// Returns the files where patterns and gotchas are said to be.
fn locations(record: &Record<'_>, source: &Source<'_>) -> Vec<ListedFile> {
    let fields = [(Field::Patterns, Field::Location), (Field::Gotchas, Field::DiscoveredIn)];
    let mut files = Vec::new();
    for (list, field) in fields {
        for item in record.records(list) {
            let Some(text) = item.text(field).filter(|path| is_listed(path)) else { continue };
            let (path, lines) = match text.as_str().trim().split_once(':') {
                Some((path, lines)) if lines.starts_with(|first: char| first.is_ascii_digit()) => {
                    (path, Some(lines))
                }
                _ => (text.as_str().trim(), None),
            };
            if path.contains('/') && prose::is_path(path) {
                let place = source.place(text.span);
                files.push(ListedFile {
                    lines: lines.map(|lines| Said::new(lines, place)),
                    ..ListedFile::at(
                        FileClaim::Exists,
                        source.key_place(record, list),
                        Said::new(path, place),
                    )
                });
            }
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
        let own_claim = item.extensions.iter().find(|own| own.key == "claim" || own.key == "met");
        let own_claim = own_claim.and_then(|own| Some((own.value.text()?, own.value.span)));
        let status = status.map(|text| (text.as_str(), text.span)).or(own_claim);
        let reads = status.and_then(|(status, _)| reading(status));
        let own_id = item.extensions.iter().find(|extension| extension.key == "id");
        let own_id = own_id.and_then(|extension| extension.value.text());
        let id = item.str(Field::Id).or(own_id).or_else(|| leading_id(&name.text)).map(str::to_owned);
        Some(Judged {
            id,
            status: status.map(|(status, span)| {
                let claim = format!("{}: {status}", name.text.trim());
                Said::new(claim, source.place(span))
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

/// Reads how a checkpoint or criterion stands.
fn reading(status: &str) -> Option<Outcome> {
    match status.trim().to_ascii_lowercase().replace(['_', '-'], " ").as_str() {
        "met" | "true" | "yes" | "satisfied" => Some(Outcome::Completed),
        "not met" | "unmet" | "false" | "no" => Some(Outcome::Failed),
        _ => outcome::from_verdict(status),
    }
}

/// Returns the words beside a checkpoint, whether or not the dialect has a key for them.
fn message(item: &Record<'_>, source: &Source<'_>) -> Option<Said> {
    let beyond = || {
        let is_message = |key: &str| {
            matches!(key, "message" | "note" | "notes" | "comment" | "reason" | "detail" | "details")
        };
        let extension = item.extensions.iter().find(|extension| is_message(&extension.key))?;
        Some(Said::new(extension.value.text()?, source.place(extension.value.span)))
    };
    source.text(item, Field::Message).or_else(|| source.text(item, Field::Reason)).or_else(beyond)
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
    let own: Vec<LedgerEntry> = record.records(Field::Commands).iter().filter_map(one).collect();
    if !own.is_empty() {
        return own;
    }
    let is_ledger = |key: &str| matches!(key, "commands" | "commands_run" | "command_ledger" | "ledger");
    let entry = |(_, node): (Span, &Node<'_>)| {
        Some(LedgerEntry {
            command: said_under(node, &["command", "run", "cmd"], source)?,
            exit_code: said_under(node, &["exit_code", "exit", "code", "exit_status"], source),
            evidence: said_under(node, &["evidence", "evidence_ref", "log"], source).into_iter().collect(),
        })
    };
    beyond(record, is_ledger).filter_map(entry).collect()
}

/// Returns the text under the first of several keys of a mapping.
fn said_under(node: &Node<'_>, keys: &[&str], source: &Source<'_>) -> Option<Said> {
    let value = keys.iter().find_map(|key| node.get(key))?;
    Some(Said::new(value.text()?, source.place(value.span)))
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
