//! Files that the work changed and the handoff doesn't name.

use std::collections::BTreeSet;

use baton_handoff::dialect::Dialect;
use baton_handoff::rule::audit;

use super::Case;
use crate::claims::{Claims, FileClaim};
use crate::facts::{ChangedFile, FileFact};
use crate::finding::{Finding, Provenance, Said};

/// Most files that one finding names.
const NAMES_MAX: usize = 5;
const FIX: &str = "List every file that you created, modified or deleted.";

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    // What changed before a verifier looked is the builder's to name.
    if case.facts.turn.as_ref().is_some_and(|turn| turn.role == "verifier") {
        return;
    }
    // A verifier changes nothing, and names only what it read.
    if case.claims.is_report {
        return;
    }
    let Some(changes) = &case.facts.changes else {
        if let Some(only) = &case.claims.says_nothing_else {
            let reason = "the changes of this work aren't known here";
            findings.push(Finding::not_checkable(&audit::UNLISTED_CHANGE, "files", only, reason));
        }
        return;
    };
    let claims = case.claims;
    counted(case, &changes.files, findings);
    let listed = listed(case);
    let is_named = |file: &&ChangedFile| {
        listed.contains(&file.path)
            || changes.listed_by_others.contains(&file.path)
            || listed.iter().any(|folder| is_below(&file.path, folder))
    };
    let unnamed: Vec<&ChangedFile> =
        changes.files.iter().filter(|file| !file.is_generated && !is_named(file)).collect();
    let place = place(claims);
    if unnamed.is_empty() {
        if !changes.files.is_empty() && !claims.files.is_empty() {
            findings.push(Finding::holds("files", &place, "the work changes nothing that isn't listed"));
        }
        return;
    }
    let finding = |said: &Said, files: &[&ChangedFile], reason: &str| {
        let finding =
            Finding::of_rule(&audit::UNLISTED_CHANGE, "files", said, format!("{reason}: {}", named(files)));
        let finding = finding.from(Provenance::Observed).fix(FIX);
        match &changes.source {
            Some(source) => finding.against(source.clone()),
            None => finding,
        }
    };
    if !case.has_work() {
        // Without the turn, only a handoff that lists files at all leaves any out.
        if !claims.files.iter().all(|file| file.claim == FileClaim::Exists) {
            findings.push(finding(&place, &unnamed, "its commit changes files that it doesn't list"));
        }
        return;
    }
    if let Some(only) = &claims.says_nothing_else {
        return findings.push(finding(only, &unnamed, "it changed more than that").contradicted());
    }
    let outside: Vec<&ChangedFile> = unnamed.iter().copied().filter(|file| is_outside(case, file)).collect();
    if !outside.is_empty() {
        let reason = "it changed files outside what the task may change, and doesn't name them";
        return findings.push(finding(&place, &outside, reason).contradicted());
    }
    let added: Vec<&ChangedFile> = unnamed.iter().copied().filter(|file| file.is_added).collect();
    if claims.dialect == Dialect::Package && !added.is_empty() {
        let reason = "it created files that `artifacts` doesn't list";
        return findings.push(finding(&place, &added, reason).contradicted());
    }
    // Prose may name what no list does.
    let unmentioned: Vec<&ChangedFile> =
        unnamed.iter().copied().filter(|file| !claims.mentions(&file.path)).collect();
    let lists_nothing = claims.files.iter().all(|file| file.claim == FileClaim::Exists);
    let changed = changes.files.iter().filter(|file| !file.is_generated).count();
    // A file that is only spoken of isn't listed; an account that names most of them in prose is one.
    let names_most = (changed - unmentioned.len()) * 2 > changed;
    if claims.dialect == Dialect::Taskfile && lists_nothing && !unmentioned.is_empty() && !names_most {
        let reason = "files changed, and it lists none";
        return findings.push(finding(&place, &unmentioned, reason).contradicted());
    }
    if !unmentioned.is_empty() {
        findings.push(finding(&place, &unmentioned, "it changed files that it doesn't name").unsupported());
    }
}

/// Compares the numbers of files that the metrics claim with the files that changed.
fn counted(case: &Case<'_>, changed: &[ChangedFile], findings: &mut Vec<Finding>) {
    // A later attempt may count what an earlier one changed.
    if case.facts.turn.as_ref().is_none_or(|turn| turn.failures > 0) {
        return;
    }
    for (claim, number, said) in &case.claims.file_counts {
        let of_kind = |file: &&ChangedFile| match claim {
            FileClaim::Created => file.is_added,
            FileClaim::Deleted => file.is_removed,
            FileClaim::Modified | FileClaim::Touched | FileClaim::Exists => true,
        };
        let actual = changed.iter().filter(of_kind).count() as u64;
        let reason = format!("{actual} files changed so");
        findings.push(match *number > actual {
            false => Finding::holds("count", said, reason).from(Provenance::Observed),
            true => Finding::of_rule(&audit::COUNT_AGAINST_RECORD, "count", said, reason)
                .contradicted()
                .from(Provenance::Observed)
                .fix("Count the files in the diff of your work."),
        });
    }
}

fn is_outside(case: &Case<'_>, file: &ChangedFile) -> bool {
    case.facts.turn.as_ref().is_some_and(|turn| turn.changed_outside.contains(&file.path))
}

/// Returns the words under which the handoff lists files, or the document itself.
fn place(claims: &Claims) -> Said {
    let listed = claims.files.iter().filter(|file| file.claim != FileClaim::Exists);
    let first = listed.max_by_key(|file| matches!(file.claim, FileClaim::Modified | FileClaim::Touched));
    first.map_or_else(
        || Said::new("files", claims.origin),
        |first| Said::new(first.path.text.as_str(), first.list),
    )
}

fn listed(case: &Case<'_>) -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    for file in case.claims.files.iter().chain(&case.claims.prose_files) {
        match case.facts.file(&file.path.text) {
            Some(FileFact::Work(fact)) => {
                listed.insert(fact.path.clone());
                listed.extend(fact.moved_to.clone());
            }
            Some(FileFact::History(fact)) if fact.is_known => {
                listed.insert(fact.path.clone());
            }
            Some(FileFact::History(_) | FileFact::Unknown(_)) | None => {}
        }
    }
    listed
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn named(files: &[&ChangedFile]) -> String {
    let names: Vec<&str> = files.iter().take(NAMES_MAX).map(|file| file.path.as_str()).collect();
    let more = files.len().saturating_sub(NAMES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}
