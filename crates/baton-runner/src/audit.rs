//! Holds the handoffs of a repository against the repository and against each other.
//!
//! Reading order: [`row`], [`moment`], [`dossier`], [`chain`], [`world`], [`evidence`], `inspect`, [`mod@report`].

pub mod baseline;
pub mod chain;
pub mod dossier;
pub mod evidence;
mod gather;
mod inspect;
pub mod moment;
pub mod report;
mod rerun;
pub mod row;
pub mod world;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use baton_handoff::project::Project;

use crate::config::Check;
use crate::git::{GitError, Repository, WorkTree};
use crate::walk::Exclude;
use inspect::{Case, Rows};
use report::{Audit, Keep};
use world::{Archive, World};

/// Which versions of the handoffs are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Versions {
    /// As they are now.
    Now,
    /// Also as they were in the commits since this moment.
    Since(i64),
    /// Also as they were in these commits: one, or a range such as `v1..v2`.
    Commits { after: Option<String>, until: String },
}

/// What to audit.
#[derive(Clone, Debug)]
pub struct Request {
    pub paths: Vec<PathBuf>,
    pub threads: usize,
    /// The present, in seconds.
    pub now: i64,
    pub versions: Versions,
    pub keep: Keep,
    /// The checks to run in a clean checkout. They come from the repository: only what a person trusts may be here.
    pub run: Vec<Check>,
}

/// How far an audit is.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// Files read so far.
    Reading(usize),
    /// Commits read so far.
    History(usize),
    /// The project's checks are being run.
    Running,
    /// Chains judged so far, of so many.
    Judging(usize, usize),
}

/// Why an audit could not be made.
#[derive(Debug)]
pub enum AuditError {
    /// No such file or folder.
    Io(PathBuf, std::io::Error),
    /// The versions asked for cannot be had.
    Versions(String),
    /// Checks can only be run on what is committed.
    NoRepository,
    /// A clean checkout could not be made.
    Run(GitError),
    /// There is nothing to run: the configuration names no checks.
    NoChecks,
    /// Nobody trusts this configuration as it is.
    Untrusted(PathBuf),
    /// Nobody trusts these settings of agents as they are; their files.
    UntrustedSettings(String),
    /// What is trusted cannot be looked up.
    Trust(std::io::Error),
}

/// Audits.
pub fn run(
    request: &Request,
    exclude: &Exclude,
    project: &Project,
    progress: &mut dyn FnMut(Progress),
) -> Result<Audit, AuditError> {
    let start = request.paths.first().map_or(Path::new("."), PathBuf::as_path);
    let folder = start.canonicalize().map_err(|error| AuditError::Io(start.to_owned(), error))?;
    let folder =
        if folder.is_dir() { folder } else { folder.parent().map(Path::to_owned).unwrap_or_default() };
    let mut notes = Vec::new();
    let repository = Repository::open(&folder).unwrap_or_else(|error| {
        notes.push(format!("the repository is not read: {error}"));
        None
    });
    let root = repository.as_ref().map_or(folder.as_path(), Repository::root).to_owned();
    let archive = repository.as_ref().and_then(|repository| match open(repository, progress) {
        Ok(archive) => {
            notes.extend(shortcomings(repository, &archive));
            Some(archive)
        }
        Err(error) => {
            notes.push(format!("the history is not read: {error}"));
            None
        }
    });
    let place = repository.as_ref().zip(archive.as_ref());
    let gathered = gather::dossiers(request, exclude, project, &root, place, progress)?;
    let dossiers = gathered.dossiers;
    let chains = chain::join(&dossiers, project);
    let world = World::new(&dossiers, &chains, project, WorkTree::new(&root), archive, request.now);
    let mut report = report::Builder::new(&dossiers, &chains, project, request.keep);
    let observations = match (&repository, request.run.is_empty()) {
        (Some(repository), false) => {
            progress(Progress::Running);
            rerun::observe(repository, &request.run).map_err(AuditError::Run)?
        }
        (None, false) => return Err(AuditError::NoRepository),
        (_, true) => Vec::new(),
    };
    let mut shared = Rows::default();
    inspect::texts(&dossiers, &chains, &mut shared);
    report.take(shared);
    for (number, chain) in chains.iter().enumerate() {
        let case = Case { dossiers: &dossiers, chain, project, world: &world };
        let mut rows = inspect::chain(&case);
        rerun::compare(&world, &chain.members, &observations, &mut rows);
        report.take(rows);
        progress(Progress::Judging(number + 1, chains.len()));
    }
    Ok(report.finish(gathered.files, world.history().map_or(0, crate::git::History::len), root, notes))
}

fn open<'r>(repository: &'r Repository, progress: &mut dyn FnMut(Progress)) -> Result<Archive<'r>, GitError> {
    let history = repository.history(&mut |commits| progress(Progress::History(commits)))?;
    Ok(Archive { history, objects: RefCell::new(repository.objects()?) })
}

/// Says what keeps the history from being complete.
fn shortcomings(repository: &Repository, archive: &Archive<'_>) -> Option<String> {
    if archive.history.is_complete() {
        return None;
    }
    let reason = match (repository.is_shallow(), repository.borrows_objects()) {
        (true, _) => "the clone is shallow",
        (false, true) => "the repository borrows objects from another, which is not read",
        (false, false) => "the history is longer than is read",
    };
    Some(format!("{reason}: what may lie beyond is not checkable"))
}
