//! Reads all handoffs: as they are now, and as they were.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use baton_evidence::finding::Said;
use baton_handoff::document;
use baton_handoff::judge::judge;
use baton_handoff::project::Project;

use super::dossier::{self, Dossier};
use super::recorded::Recorded;
use super::world::Archive;
use super::{AuditError, Progress, Request, Versions};
use crate::check;
use crate::file;
use crate::git::{Blob, BlobIds, ChangeKind, CommitIndex, Found as FoundCommit, History, Repository};
use crate::walk::{self, Exclude, Found};

/// What was read.
pub(super) struct Gathered {
    pub(super) dossiers: Vec<Dossier>,
    /// Files that were looked into.
    pub(super) files: usize,
}

pub(super) fn dossiers(
    request: &Request,
    exclude: &Exclude,
    project: &Project,
    root: &Path,
    repository: Option<(&Repository, &Archive<'_>)>,
    recorded: Option<&Recorded>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Gathered, AuditError> {
    let mut gathered = Gathered { dossiers: Vec::new(), files: 0 };
    let here = std::env::current_dir().unwrap_or_default();
    let read = |found: Found, buffer: &mut Vec<u8>| match found {
        Found::Problem { .. } => Vec::new(),
        Found::File { path, .. } => match file::read_bounded(&path, buffer) {
            Ok(()) => of_bytes((&path, &here.join(&path)), (root, recorded), buffer, project),
            Err(_) => Vec::new(),
        },
    };
    check::each(&request.paths, exclude, request.threads, &read, &mut |found| {
        gathered.files += 1;
        gathered.dossiers.extend(found);
        progress(Progress::Reading(gathered.files));
    });
    for path in recorded.into_iter().flat_map(Recorded::archived) {
        let is_asked = request
            .paths
            .iter()
            .any(|asked| path.starts_with(here.join(asked).canonicalize().unwrap_or_default()));
        let is_known = gathered.dossiers.iter().any(|dossier| here.join(&dossier.path) == path);
        let mut bytes = Vec::new();
        if is_asked && !is_known && file::read_bounded(&path, &mut bytes).is_ok() {
            gathered.files += 1;
            gathered.dossiers.extend(of_bytes((&path, &path), (root, recorded), &bytes, project));
        }
    }
    if let Some((repository, archive)) = repository
        && request.versions != Versions::Now
    {
        let wanted = wanted(&request.versions, repository, &archive.history)?;
        earlier(&*wanted, project, archive, &mut gathered);
    } else if request.versions != Versions::Now {
        return Err(AuditError::Versions("there is no git history to read older handoffs from".to_owned()));
    }
    Ok(gathered)
}

fn of_bytes(
    (path, absolute): (&Path, &Path),
    (root, recorded): (&Path, Option<&Recorded>),
    bytes: &[u8],
    project: &Project,
) -> Vec<Dossier> {
    let Ok(text) = document::decode(bytes) else { return Vec::new() };
    let mut read = document::read(text);
    if read.handoffs.is_empty() {
        return Vec::new();
    }
    let diagnostics = judge(&mut read, project);
    let mut dossiers = dossier::of_document(path, &read, &diagnostics);
    let blob = BlobIds::of(bytes);
    let below = below(absolute, root);
    let origin = recorded.and_then(|recorded| recorded.origin(below.as_deref(), bytes));
    if origin.is_some() {
        dossiers = Dossier::joined(dossiers).into_iter().collect();
    }
    for dossier in &mut dossiers {
        dossier.repository_path.clone_from(&below);
        dossier.blob = blob;
        dossier.recorded.clone_from(&origin);
        if let (None, Some(origin)) = (&dossier.claims.task, &origin) {
            dossier.claims.task = Some(Said::new(origin.task.as_str(), dossier.claims.origin));
        }
    }
    dossiers.into_iter().map(Dossier::named).collect()
}

/// Returns the path from the root, with forward slashes.
fn below(absolute: &Path, root: &Path) -> Option<String> {
    let is_plain = absolute.components().all(|part| part != Component::ParentDir);
    let inside = match absolute.strip_prefix(root) {
        Ok(inside) if is_plain => inside.to_owned(),
        // A folder that was named through a link or with `..`.
        _ => absolute.canonicalize().ok()?.strip_prefix(root).ok()?.to_owned(),
    };
    Some(inside.to_string_lossy().replace('\\', "/"))
}

/// Adds the handoffs as they were in the commits asked for, each version once.
fn earlier(
    wanted: &dyn Fn(CommitIndex) -> bool,
    project: &Project,
    archive: &Archive<'_>,
    gathered: &mut Gathered,
) {
    let history = &archive.history;
    let current: BTreeSet<String> =
        gathered.dossiers.iter().filter_map(|dossier| dossier.repository_path.clone()).collect();
    for commit in history.commits().filter(|index| wanted(*index)) {
        for (path, change) in history.changes_in(commit) {
            let Ok(path) = std::str::from_utf8(path) else { continue };
            let may_be = walk::may_hold_a_handoff(Path::new(path)) || current.contains(path);
            if change.kind == ChangeKind::Deleted || !may_be {
                continue;
            }
            let is_current = gathered.dossiers.iter().any(|dossier| {
                dossier.repository_path.as_deref() == Some(path) && dossier.blob.matches(&change.blob)
            });
            let limit = baton_handoff::limit::DOCUMENT_BYTES_MAX as u64;
            if is_current {
                continue;
            }
            let Ok(Blob::Bytes(bytes)) = archive.objects.borrow_mut().blob(change.blob, limit) else {
                continue;
            };
            gathered.files += 1;
            let short = history.commit(commit).id.short();
            let mut found =
                of_bytes((&PathBuf::from(path), Path::new("")), (Path::new("/"), None), &bytes, project);
            for dossier in &mut found {
                dossier.repository_path = Some(path.to_owned());
                dossier.version = Some(short.clone());
            }
            gathered.dossiers.extend(found.into_iter().map(Dossier::named));
        }
    }
}

type Wanted<'h> = Box<dyn Fn(CommitIndex) -> bool + 'h>;

fn wanted<'h>(
    versions: &Versions,
    repository: &Repository,
    history: &'h History,
) -> Result<Wanted<'h>, AuditError> {
    Ok(match versions {
        Versions::Now => Box::new(|_| false),
        Versions::Since(moment) => {
            let moment = *moment;
            Box::new(move |index| history.commit(index).committer_time >= moment)
        }
        Versions::Commits { after, until } => {
            let find = |name: &str| {
                let named = repository.commit_named(name).ok().flatten().map(|id| id.to_string());
                match history.find_commit(named.as_deref().unwrap_or(name)) {
                    FoundCommit::One(index) => Ok(index),
                    FoundCommit::Several | FoundCommit::None => Err(AuditError::Versions(format!(
                        "`{name}` names no commit of this repository; give an id, a branch or a tag"
                    ))),
                }
            };
            let until = reachable(history, find(until)?);
            let after = match after {
                Some(after) => reachable(history, find(after)?),
                None => Default::default(),
            };
            Box::new(move |index| until.contains(&index) && !after.contains(&index))
        }
    })
}

/// Returns a commit with all that it rests on.
fn reachable(history: &History, from: CommitIndex) -> BTreeSet<CommitIndex> {
    let mut seen = BTreeSet::new();
    let mut left = vec![from];
    while let Some(index) = left.pop() {
        if seen.insert(index) {
            left.extend(history.parents(index));
        }
    }
    seen
}
