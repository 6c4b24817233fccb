//! Judges the handoffs of a repository by the repository and beside each other.
//!
//! Reading order: [`dossier`], [`chain`], [`world`], `evidence`, `history`, [`mod@report`]. The judgement itself is that
//! of `baton-evidence`; here the facts are gathered.

pub mod baseline;
pub mod chain;
pub mod dossier;
mod evidence;
mod gather;
pub(crate) mod history;
mod pasted;
pub mod recorded;
pub mod report;
mod rerun;
pub mod world;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use baton_handoff::project::Project;

use baton_evidence::chain::{self as evidence_chain, Member};
use baton_evidence::judge::judge;
pub use baton_evidence::{finding, moment};

use crate::config::Check;
use crate::git::{GitError, Repository, WorkTree};
use crate::walk::Exclude;
use chain::Chain;
use dossier::Dossier;
use history::Subject;
use recorded::Recorded;
use report::{Audit, Keep, Rows};
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
    /// Where Baton's log is, if not in the state folder of the user.
    pub store: Option<PathBuf>,
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
    recorded: Option<&Recorded>,
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
    let gathered = gather::dossiers(request, exclude, project, &root, place, recorded, progress)?;
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
    pasted::judge(&dossiers, &chains, &mut shared);
    report.take(shared);
    for (number, chain) in chains.iter().enumerate() {
        let mut rows = judged(&dossiers, chain, project, (&world, recorded));
        rerun::compare(&world, &chain.members, &observations, &mut rows);
        report.take(rows);
        progress(Progress::Judging(number + 1, chains.len()));
    }
    Ok(report.finish(gathered.files, world.history().map_or(0, crate::git::History::len), root, notes))
}

/// Judges the handoffs of one task, each by itself and beside the others.
fn judged(
    dossiers: &[Dossier],
    chain: &Chain,
    project: &Project,
    (world, recorded): (&World<'_>, Option<&Recorded>),
) -> Rows {
    let mut rows = Rows::default();
    for &at in &chain.members {
        // What the log knows of a turn says more than the history of the repository.
        let own = recorded.zip(dossiers[at].recorded.as_ref());
        let own = own.and_then(|(recorded, origin)| recorded.facts(origin, &dossiers[at].claims).ok());
        let facts = own.unwrap_or_else(|| Subject { dossiers, chain, world, at }.facts());
        judge(&dossiers[at].claims, &facts).into_iter().for_each(|finding| rows.push(at, finding));
    }
    let members = chain.members.iter().zip(&chain.ranks);
    let members: Vec<Member<'_>> =
        members.map(|(&at, &rank)| Member { claims: &dossiers[at].claims, rank }).collect();
    let changed =
        |earlier: usize, later: usize| world.changed_between(chain.members[earlier], chain.members[later]);
    let together = evidence_chain::Chain { members: &members, project, changed_between: &changed };
    for (member, finding) in evidence_chain::judge(&together) {
        rows.push(chain.members[member], finding);
    }
    rows
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
