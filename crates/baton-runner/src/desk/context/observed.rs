//! What Baton itself measured of work that is to be judged: its base, the changed files with their lines, the diff, receipts
//! with counts, and what its judgement of the handoff found. No word of whoever built it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use baton_engine::context::order::{Observed, ObservedCheck, ObservedDiff, ObservedFile};
use baton_engine::event::Event;
use baton_engine::fact::{CheckResult, Finding, Submission};
use baton_engine::knowledge::{self, ItemKind};
use baton_engine::state::Task;
use baton_engine::word::{TaskId, TreeHash};
use baton_engine::workflow::Role;
use baton_evidence::facts::Run;

use crate::desk::{Desk, DeskError};
use crate::git::{Seen, WorkTree};
use crate::workspace::{FileChange, changes};

/// Most files under review that a verifier is shown.
const FILES_UNDER_REVIEW_MAX: usize = 64;
/// Most ranges of changed lines that are named for one file.
const RANGES_MAX: usize = 8;
/// Most bytes of the diff that a packet holds: about 2,000 tokens.
const DIFF_BYTES_MAX: usize = 8_000;
/// Most bytes of the diff that are made at all.
const DIFF_BYTES_MADE_MAX: usize = 4 * 1024 * 1024;
/// Most findings that a verifier is shown.
const FINDINGS_MAX: usize = 16;
/// Digits by which a commit or a tree is named.
const HASH_DIGITS: usize = 12;

impl Desk {
    /// Returns what the host saw of the work that is to be judged. Only a verifier gets lines, findings and the diff.
    pub(in crate::desk) fn observed(&self, task: &Task, role: Role) -> Result<Observed, DeskError> {
        if role == Role::Verifier
            && let Some(observed) = self.seen_by_host(task)?
        {
            return Ok(observed);
        }
        let files = match &task.run.submission {
            Some(submission) => match self.changed_paths(task, submission)? {
                Some(changed) => changed,
                None => self.named_in(submission)?,
            },
            None => Vec::new(),
        };
        Ok(Observed { checks: self.observed_checks(task)?, files, ..Observed::default() })
    }

    /// Returns everything that differs between the saved files before and after the work; nothing where one of them isn't
    /// saved.
    fn seen_by_host(&self, task: &Task) -> Result<Option<Observed>, DeskError> {
        let Some((from, changes)) = self.changes_under_review(task)? else { return Ok(None) };
        let commit = self.own_workspace(&task.id)?.filter(|own| own.renewed().is_none());
        let commit =
            commit.filter(|_| task.began_with.as_ref() == Some(&from)).map(|own| own.base().to_string());
        let base = match commit {
            Some(commit) => format!("commit {}, files {}", short(&commit), short(from.as_str())),
            None => format!("files {}", short(from.as_str())),
        };
        let mut files: Vec<ObservedFile> = changes.iter().map(observed_file).collect();
        let more = files.len().saturating_sub(FILES_UNDER_REVIEW_MAX);
        files.truncate(FILES_UNDER_REVIEW_MAX);
        let rest = ObservedFile { path: format!("{more} more files"), seen: "changed too".to_owned() };
        files.extend((more > 0).then_some(rest));
        let receipt = task.run.receipt.iter();
        let findings =
            receipt.flat_map(|receipt| &receipt.findings).filter(|finding| !finding.is_contradicted());
        Ok(Some(Observed {
            checks: self.observed_checks(task)?,
            base: Some(base),
            files,
            findings: findings.take(FINDINGS_MAX).map(statement).collect(),
            diff: cut(&task.id, &whole_diff(&changes)),
        }))
    }

    /// Returns the whole diff of the work that is to be judged, where a packet holds only a part of it.
    pub(crate) fn diff_beyond_packet(&self, task: &Task) -> Result<Option<String>, DeskError> {
        let diff = self.changes_under_review(task)?.map(|(_, changes)| whole_diff(&changes));
        Ok(diff.filter(|diff| cut(&task.id, diff).is_some_and(|cut| cut.rest.is_some())))
    }

    fn changes_under_review(&self, task: &Task) -> Result<Option<(TreeHash, Vec<FileChange>)>, DeskError> {
        let (Some(submission), Some(from)) = (&task.run.submission, self.tree_at_first(task)?) else {
            return Ok(None);
        };
        let snapshots = self.snapshots()?;
        if !snapshots.has(from.as_str()) || !snapshots.has(submission.tree.as_str()) {
            return Ok(None);
        }
        let found = match from == submission.tree {
            true => Vec::new(),
            false => changes(&snapshots, &from, &submission.tree)?,
        };
        Ok(Some((from, found)))
    }

    /// Returns the paths that differ, without reading a file.
    fn changed_paths(
        &self,
        task: &Task,
        submission: &Submission,
    ) -> Result<Option<Vec<ObservedFile>>, DeskError> {
        let Some(from) = self.tree_at_first(task)? else { return Ok(None) };
        let snapshots = self.snapshots()?;
        if !snapshots.has(from.as_str()) || !snapshots.has(submission.tree.as_str()) {
            return Ok(None);
        }
        let found = snapshots.differing(from.as_str(), submission.tree.as_str())?.into_iter();
        let files = found.filter_map(|one| one.after.or(one.before)).take(FILES_UNDER_REVIEW_MAX);
        let path = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        Ok(Some(files.map(|file| ObservedFile { path: path(&file.path), seen: String::new() }).collect()))
    }

    fn observed_checks(&self, task: &Task) -> Result<Vec<ObservedCheck>, DeskError> {
        let Some(receipt) = &task.run.receipt else { return Ok(Vec::new()) };
        let runs = self.runs_of(receipt)?;
        let one = |check: &CheckResult| {
            let run = runs.iter().find(|run| run.checkpoint == check.checkpoint.as_str());
            ObservedCheck {
                checkpoint: check.checkpoint.clone(),
                verdict: receipt.verdict(&check.checkpoint),
                detail: run.and_then(outcome).unwrap_or_else(|| check.detail.clone()),
                receipt: receipt.document.id.clone(),
            }
        };
        Ok(receipt.checks.iter().map(one).collect())
    }

    /// What the files looked like when the task began: whoever judges its last stage judges all that it has changed.
    fn tree_at_first(&self, task: &Task) -> Result<Option<TreeHash>, DeskError> {
        let good = task.snapshot_good.as_ref().map(|snapshot| snapshot.tree.clone());
        if task.stage_index == 0 {
            return Ok(good);
        }
        let first = self.entries(Some(&task.id))?.into_iter().find_map(|(_, entry)| match entry.event {
            Event::SnapshotTaken { tree, .. } => Some(tree),
            _ => None,
        });
        Ok(first.or(good))
    }

    /// The files that the work names, with what is at their paths.
    fn named_in(&self, submission: &Submission) -> Result<Vec<ObservedFile>, DeskError> {
        let bytes = self.document(&submission.document.blob)?.unwrap_or_default();
        let items = knowledge::read(&bytes);
        let paths: BTreeSet<&str> = items
            .iter()
            .filter(|item| item.kind == ItemKind::File)
            .filter_map(|item| item.path.as_deref())
            .take(FILES_UNDER_REVIEW_MAX)
            .collect();
        let tree = WorkTree::new(self.root());
        let look = |path: &str| ObservedFile { path: path.to_owned(), seen: seen(tree.look(path)) };
        Ok(paths.into_iter().map(look).collect())
    }
}

/// Says how a command ended, with its counts of tests.
fn outcome(run: &Run) -> Option<String> {
    let mut text = format!("`{}`: exit {}", run.command, run.exit_code?);
    if let Some(counts) = run.counts {
        let _ = write!(text, ", {} pass, {} fail, {} skipped", counts.passed, counts.failed, counts.skipped);
    }
    Some(text)
}

/// Says a finding in Baton's own words: what sort of claim in which line, and what was found.
fn statement(finding: &Finding) -> String {
    format!(
        "{} {} in line {} of the handoff is {}: {}",
        finding.code,
        finding.claim_kind,
        finding.line,
        finding.verdict.name().replace('_', " "),
        finding.reason
    )
    .trim_start()
    .to_owned()
}

fn observed_file(change: &FileChange) -> ObservedFile {
    let ranges: Vec<String> = change
        .changed_lines()
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let more = ranges.len().saturating_sub(RANGES_MAX);
    let mut lines = ranges[..ranges.len() - more].join(", ");
    if more > 0 {
        let _ = write!(lines, " and {more} more ranges");
    }
    let seen = match (&change.before, &change.after) {
        (None, _) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    let seen = if lines.is_empty() { seen.to_owned() } else { format!("{seen} {lines}") };
    ObservedFile { path: change.path.clone(), seen }
}

fn whole_diff(changes: &[FileChange]) -> String {
    let mut text = String::new();
    for change in changes {
        if text.len() > DIFF_BYTES_MADE_MAX {
            break;
        }
        text.push_str(&change.difference());
    }
    text
}

/// Cuts a diff to what a packet holds, at the end of a line.
fn cut(id: &TaskId, diff: &str) -> Option<ObservedDiff> {
    if diff.is_empty() {
        return None;
    }
    let mut end = 0;
    for line in diff.split_inclusive('\n') {
        if end + line.len() > DIFF_BYTES_MAX {
            break;
        }
        end += line.len();
    }
    let left = diff[end..].lines().count();
    let rest = (left > 0).then(|| format!("{left} more lines of the diff: `baton task diff {id}`"));
    Some(ObservedDiff { text: diff[..end].to_owned(), rest })
}

fn short(hash: &str) -> &str {
    hash.get(..HASH_DIGITS).unwrap_or(hash)
}

fn seen(seen: Seen) -> String {
    match seen {
        Seen::File { bytes } => format!("{bytes} bytes"),
        Seen::Folder => "a folder".to_owned(),
        Seen::Missing => "missing".to_owned(),
        Seen::Link => "a link, not followed".to_owned(),
        Seen::Unreadable => "unreadable".to_owned(),
        Seen::OutsideOrNotRelative => "outside of the project".to_owned(),
    }
}
