//! Listed files: whether they are there, and whether what the handoff says of them happened.

use baton_handoff::rule::audit;

use super::Case;
use crate::claims::{FileClaim, ListedFile};
use crate::facts::{FileFact, HistoryFile, Presence, WorkFile};
use crate::finding::{Against, Finding, Provenance};

const NOT_LOOKED_UP: &str = "the files of this work aren't known here";

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    // What running text says of files can be judged only by the files themselves.
    let prose = case.claims.prose_files.iter().filter(|_| case.has_work());
    for file in case.claims.files.iter().chain(prose) {
        let kind = file.claim.kind();
        findings.push(match case.facts.file(&file.path.text) {
            Some(FileFact::Work(fact)) => of_work(file, fact),
            Some(FileFact::History(fact)) => of_history(file, fact),
            Some(FileFact::Unknown(reason)) => {
                Finding::not_checkable(rule_of(file.claim), kind, &file.path, reason.as_str())
            }
            None => Finding::not_checkable(rule_of(file.claim), kind, &file.path, NOT_LOOKED_UP),
        });
    }
}

fn rule_of(claim: FileClaim) -> &'static baton_handoff::rule::Rule {
    match claim {
        FileClaim::Created => &audit::NOT_CREATED,
        FileClaim::Modified | FileClaim::Touched => &audit::NOT_MODIFIED,
        FileClaim::Deleted => &audit::NOT_DELETED,
        FileClaim::Exists => &audit::FILE_MISSING,
    }
}

/// Judges a claim by the files before and after the work.
fn of_work(file: &ListedFile, fact: &WorkFile) -> Finding {
    use Presence::Absent;
    let kind = file.claim.kind();
    let holds = |reason: &str| Finding::holds(kind, &file.path, reason).from(Provenance::Observed);
    let wrong = |rule, reason: &str, fix: &str| {
        Finding::of_rule(rule, kind, &file.path, reason)
            .contradicted()
            .from(Provenance::Observed)
            .against(Against::file(fact.path.as_str(), None, ""))
            .fix(fix)
    };
    let missing = |reason: &str| {
        wrong(&audit::FILE_MISSING, reason, &format!("Create `{}`, or take it off the list.", fact.path))
    };
    if let Some(now) = fact.moved_to.as_deref().filter(|_| fact.after == Absent) {
        return holds(&format!("it was moved to {now}"));
    }
    let says_gone = file.claim == FileClaim::Deleted || file.says_removed;
    match (file.claim, fact.before, fact.after) {
        (_, before, Absent) if says_gone && before.is_there() => holds("it was there and was removed"),
        (FileClaim::Deleted, Absent, Absent) => Finding::of_rule(
            &audit::NOT_DELETED,
            kind,
            &file.path,
            "it was there neither before nor after the work",
        )
        .unsupported()
        .from(Provenance::Observed),
        (FileClaim::Deleted, _, _) => wrong(
            &audit::NOT_DELETED,
            "the file is still there",
            &format!("Delete `{}`, or take it off the list.", fact.path),
        ),
        (_, Absent, Absent) => missing("the file doesn't exist, and didn't before the work"),
        (_, _, Absent) => missing("the file was there before the work and is gone"),
        (FileClaim::Exists, _, _) => holds("it is there"),
        (FileClaim::Created, Absent, _) => holds("the work added it"),
        (FileClaim::Created, _, _) if says_gone || file.says_moved => holds("it is there"),
        (FileClaim::Created, _, _) => {
            let what = if fact.is_changed { "the work changed it" } else { "the work didn't change it" };
            let reason = format!("the file was there before the work; {what}");
            wrong(&audit::NOT_CREATED, &reason, "List it under the files that you modified, if you did.")
        }
        (FileClaim::Modified | FileClaim::Touched, Absent, _) => holds("the work added it"),
        (FileClaim::Modified | FileClaim::Touched, _, _) if fact.is_changed => holds("the work changed it"),
        (FileClaim::Modified | FileClaim::Touched, _, _) if file.says_restored => {
            holds("it is as it was before")
        }
        (FileClaim::Modified | FileClaim::Touched, Presence::Folder, _) => wrong(
            &audit::NOT_MODIFIED,
            "nothing in this folder changed",
            "Take it off the list, or do the work.",
        ),
        (FileClaim::Modified | FileClaim::Touched, _, _) => wrong(
            &audit::NOT_MODIFIED,
            "the file is the same as before the work",
            "Take it off the list, or make the change that you report.",
        ),
    }
}

/// Judges a claim by the history of the repository.
fn of_history(file: &ListedFile, fact: &HistoryFile) -> Finding {
    let kind = file.claim.kind();
    if !fact.is_known {
        let reason = "the file exists neither now nor in any commit of any branch";
        return Finding::of_rule(&audit::FILE_MISSING, kind, &file.path, reason);
    }
    let holds = |reason: &str| Finding::holds(kind, &file.path, reason);
    let mut finding = match file.claim {
        FileClaim::Exists if fact.is_there => holds("it is there").from(Provenance::Observed),
        FileClaim::Exists => holds("it was there, and was removed later"),
        FileClaim::Created => created(file, fact),
        FileClaim::Modified | FileClaim::Touched => modified(file, fact),
        FileClaim::Deleted => deleted(file, fact),
    };
    if fact.is_by_suffix {
        finding.reason.push_str("; matched by the end of its path");
    }
    finding
}

fn reported(file: &ListedFile, by: &Against) -> Finding {
    Finding::holds(file.claim.kind(), &file.path, "an earlier handoff of the task reports it")
        .from(Provenance::Inherited)
        .against(by.clone())
}

fn created(file: &ListedFile, fact: &HistoryFile) -> Finding {
    let holds = |reason: &str| Finding::holds("file-created", &file.path, reason);
    if let Some(commit) = &fact.added {
        let reason = format!("a commit of this work added it, found {}", fact.how);
        return holds(&reason).against(commit.clone());
    }
    if !fact.has_start {
        return holds("it is known; the handoff does not say when it began");
    }
    let Some(commit) = &fact.existed else { return holds("it was not there before") };
    if let Some(other) = &fact.reported_by {
        return reported(file, other);
    }
    let reason = "the file was there before the work began";
    Finding::of_rule(&audit::NOT_CREATED, "file-created", &file.path, reason).against(commit.clone())
}

fn modified(file: &ListedFile, fact: &HistoryFile) -> Finding {
    let kind = file.claim.kind();
    let holds = |reason: &str| Finding::holds(kind, &file.path, reason);
    let unknown = |reason: &str| Finding::not_checkable(&audit::NOT_MODIFIED, kind, &file.path, reason);
    if let Some(commit) = &fact.changed {
        let reason = format!("a commit of this work changes it, found {}", fact.how);
        return holds(&reason).against(commit.clone());
    }
    if fact.is_there && fact.is_dirty {
        return holds("it is changed in the work tree").from(Provenance::Observed);
    }
    if !fact.has_history {
        return unknown("it is there; without git nobody can tell what changed it");
    }
    if !fact.has_start {
        return unknown("the handoff does not say when its work began");
    }
    if let Some(other) = &fact.reported_by {
        return reported(file, other);
    }
    if let Some(commit) = &fact.changed_with_others {
        let reason = "a later commit changes it together with other files of this handoff";
        return holds(reason).against(commit.clone());
    }
    if !fact.is_complete {
        return unknown("the history is not complete");
    }
    let finding = |reason: &str| Finding::of_rule(&audit::NOT_MODIFIED, kind, &file.path, reason);
    if let Some(commit) = &fact.changed_later {
        let reason = "no commit of this time changes it; the next change came later";
        return finding(reason).unsupported().against(commit.clone());
    }
    let finding = finding("no commit since the work began changes it, nor does the work tree");
    match &fact.last {
        Some((commit, is_doubtful)) => {
            let finding = finding.against(commit.clone());
            if *is_doubtful { finding.unsupported() } else { finding }
        }
        None => finding.unsupported(),
    }
}

fn deleted(file: &ListedFile, fact: &HistoryFile) -> Finding {
    if !fact.is_there || fact.was_removed {
        return Finding::holds("file-deleted", &file.path, "a commit removed it");
    }
    if !fact.is_complete || fact.is_by_suffix {
        let reason = "it is there; the history is not complete";
        return Finding::not_checkable(&audit::NOT_DELETED, "file-deleted", &file.path, reason);
    }
    let reason = "the file is still there, and no commit ever removed it";
    Finding::of_rule(&audit::NOT_DELETED, "file-deleted", &file.path, reason)
        .from(Provenance::Observed)
        .against(Against::file(fact.path.as_str(), None, "is there"))
}
