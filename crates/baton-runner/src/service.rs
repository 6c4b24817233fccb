//! The one door for all surfaces: plain requests in, plain answers out.

use std::io;
use std::path::{Path, PathBuf};

use baton_engine::workflow::Workflow;
use baton_handoff::convert;
use baton_handoff::diagnostic::Severity;
use baton_handoff::dialect::{Definition, Variant};
use baton_handoff::document;
use baton_handoff::fix::{self, Fixed};
use baton_handoff::project::Project;
use baton_handoff::rule::Code;
use baton_handoff::write::Written;
use baton_store::durable_file;

use crate::agent_settings::AgentSettings;
use crate::audit::recorded::Recorded;
use crate::audit::report::Audit;
use crate::audit::{self, AuditError, Progress};
use crate::check::{self, FileReport, Verdict};
use crate::config::{self, Agent, Budgets, Check, ConfigError, Files, RunRules};
use crate::desk::caller::Caller;
use crate::desk::{Desk, DeskError, LOG_FILE, Visit, place};
use crate::file;
use crate::git::Repository;
use crate::hook::project_of;
use crate::supervise::within;
use crate::trust::Trust;
use crate::walk::{self, Exclude, Found};
use crate::workspace::TARGET_DEFAULT;

/// Everything a surface can ask for, under the configuration of one project.
#[derive(Clone, Debug)]
pub struct Service {
    pub project: Project,
    /// Where the configuration came from, if there is one.
    pub config: Option<PathBuf>,
    /// What the configuration passes over in folders.
    pub exclude: Exclude,
    /// The commands that settle checkpoints. They came with the repository: see [`Service::trusted_checks`].
    pub checks: Vec<Check>,
    /// The project's own workflows.
    pub workflows: Vec<Workflow>,
    /// Where the files lie that are written from the log.
    pub files: Files,
    /// How much whoever takes a turn is told.
    pub budgets: Budgets,
    /// The programs that take turns. They too came with the repository: see [`Service::trusted_agents`].
    pub agents: Vec<Agent>,
    pub run: RunRules,
    /// The MCP clients whose forms a person fills in. This too came with the repository: see [`Service::takes_answers_from`].
    pub answers_from: Vec<String>,
}

/// What to fix.
#[derive(Debug)]
pub struct FixRequest<'p> {
    pub paths: &'p [PathBuf],
    /// Whether the files are written; otherwise the answers only show what would be.
    pub write: bool,
}

/// What came of fixing one document.
#[derive(Debug)]
pub struct FixAnswer {
    /// Missing for a document that is not a file.
    pub path: Option<PathBuf>,
    pub before: String,
    pub after: String,
    pub applied: Vec<Code>,
    /// Errors that are left in it, where it is a handoff.
    pub errors_left: usize,
}

impl FixAnswer {
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// Why fixing stopped.
#[derive(Debug)]
pub enum FixError {
    /// A path cannot be walked.
    Walk { path: PathBuf, message: String },
    /// A file cannot be read or written.
    File { path: PathBuf, error: DocumentError },
}

/// Why one document could not be converted or fixed.
#[derive(Debug)]
pub enum DocumentError {
    /// The file or stream cannot be read or written.
    Io(io::Error),
    /// The document cannot be worked on; the verdict says why.
    Refused(Box<Verdict>),
}

impl Service {
    /// Opens the service for a folder, with the nearest configuration, or the one given.
    pub fn open(folder: &Path, config: Option<&Path>) -> Result<Self, ConfigError> {
        let path = config.map(Path::to_owned).or_else(|| config::find(folder));
        let settings = path.as_deref().map(config::load).transpose()?.unwrap_or_default();
        Ok(Self {
            project: settings.project,
            config: path,
            exclude: settings.exclude,
            checks: settings.checks,
            workflows: settings.workflows,
            files: settings.files,
            budgets: settings.budgets,
            agents: settings.agents,
            run: settings.run,
            answers_from: settings.answers_from,
        })
    }

    /// Judges files and folders; each report goes to `take`, in the order of the paths.
    pub fn check(&self, paths: &[PathBuf], threads: usize, take: &mut dyn FnMut(FileReport)) {
        check::check_files(paths, &self.exclude, threads, &self.project, take);
    }

    /// Holds handoffs against the repository and against each other.
    pub fn audit(
        &self,
        request: &audit::Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Audit, AuditError> {
        let recorded = self.recorded(request);
        audit::run(request, &self.exclude, &self.project, recorded.as_ref(), progress)
    }

    /// Returns the handoffs in the log of the project; nothing where there is no log, or it can't be read from here.
    fn recorded(&self, request: &audit::Request) -> Option<Recorded> {
        let start = request.paths.first()?.canonicalize().ok()?;
        let root = match self.config.as_deref().and_then(Path::parent) {
            Some(root) => root.canonicalize().ok()?,
            None => project_of(if start.is_dir() { &start } else { start.parent()? }).ok()?,
        };
        let folder = place::folder(&root, request.store.as_deref()).ok()?;
        if !folder.join(LOG_FILE).is_file() || within::is_kept_at(&folder) {
            return None;
        }
        let now = request.now.saturating_mul(1000);
        let desk = self.desk_of_person(&root, folder, "audit".to_owned(), now).ok()?;
        Recorded::read(desk).ok()
    }

    /// Returns the project's checks if a person trusts the configuration that names them, exactly as it is.
    pub fn trusted_checks(&self) -> Result<Vec<Check>, AuditError> {
        let Some(config) = self.config.as_ref().filter(|_| !self.checks.is_empty()) else {
            return Err(AuditError::NoChecks);
        };
        match holds(config)? {
            true => Ok(self.checks.clone()),
            false => Err(AuditError::Untrusted(config.clone())),
        }
    }

    /// Returns the project's agents if a person trusts the configuration that names them, exactly as it is.
    pub fn trusted_agents(&self) -> Result<Vec<Agent>, AuditError> {
        match self.config.as_ref().filter(|_| !self.agents.is_empty()) {
            Some(config) if !holds(config)? => Err(AuditError::Untrusted(config.clone())),
            Some(_) | None => Ok(self.agents.clone()),
        }
    }

    /// Returns what agents would obey by themselves in the workspaces of a project: what the commits bring that those are
    /// made of, each content once. Where there is no commit yet, what lies in the folder.
    pub fn agent_settings(&self, root: &Path) -> Result<Vec<AgentSettings>, AuditError> {
        let Ok(Some(repository)) = Repository::open(root) else {
            let found = AgentSettings::of_folder(root);
            return Ok(vec![found.map_err(|error| AuditError::Io(root.to_owned(), error))?]);
        };
        let mut all: Vec<AgentSettings> = Vec::new();
        for name in ["HEAD", TARGET_DEFAULT] {
            let found = AgentSettings::of_commit(&repository, name).map_err(AuditError::Run)?;
            if !found.is_empty() && !all.contains(&found) {
                all.push(found);
            }
        }
        Ok(all)
    }

    /// Returns the hashes of all settings of agents that a person trusts in a project, if what agents would find there is among
    /// them.
    pub fn trusted_settings(&self, root: &Path) -> Result<Vec<String>, AuditError> {
        let found = self.agent_settings(root)?;
        let trusted = Trust::open().and_then(|trust| trust.settings(root)).unwrap_or_default();
        match found.iter().find(|found| !found.is_trusted(&trusted)) {
            Some(found) => Err(AuditError::UntrustedSettings(found.names())),
            None => Ok(trusted),
        }
    }

    /// Says whether what comes back in a form of this MCP client is a person's word: the configuration names the client, and a
    /// person trusts the configuration exactly as it is.
    pub fn takes_answers_from(&self, client: &str) -> bool {
        let is_named = self.answers_from.iter().any(|known| known == client);
        is_named && self.config.as_deref().is_some_and(|config| holds(config).unwrap_or(false))
    }

    /// Opens the desk of the project at `root`, with the checks that a person trusts.
    ///
    /// A program that Baton runs comes under its own name and not under `person`, and brings no settings: it can write the
    /// configuration that it stands before.
    pub fn desk(
        &self,
        root: &Path,
        store: Option<&Path>,
        person: String,
        now: i64,
    ) -> Result<Desk, DeskError> {
        let folder = place::folder(root, store)?;
        let Some(kept) = within::kept_at(&folder) else {
            return self.desk_of_person(root, folder, person, now);
        };
        let refused = kept.refused;
        let (caller, files) = (Caller::Program(kept.pass), Files { state: None, archive: None });
        let (checks, workflows) = (Vec::new(), Vec::new());
        let (root, store, budgets) = (root.to_owned(), Some(folder), self.budgets);
        let visit = Visit { root, store, caller, now, checks, workflows, files, budgets };
        Ok(Desk::open(visit)?.refused_beside(refused))
    }

    /// Opens the same desk for whoever is known to be no program that Baton runs.
    pub(crate) fn desk_of_person(
        &self,
        root: &Path,
        store: PathBuf,
        person: String,
        now: i64,
    ) -> Result<Desk, DeskError> {
        let (caller, checks) = (Caller::Person(person), self.trusted_checks().unwrap_or_default());
        let (workflows, files) = (self.workflows.clone(), self.files.clone());
        let (root, store, budgets) = (root.to_owned(), Some(store), self.budgets);
        let visit = Visit { root, store, caller, now, checks, workflows, files, budgets };
        Ok(Desk::open(visit)?.under(self.run.clone()).among(self.agents.clone()))
    }

    /// Judges one document that is not a file.
    pub fn check_text(&self, text: &[u8]) -> Verdict {
        check::check_text(text, &self.project)
    }

    /// Fixes what can be fixed safely in a document; writes nothing.
    pub fn fix(&self, text: &str) -> Fixed {
        fix::fix(text, &self.project)
    }

    /// Fixes one document that is not a file.
    pub fn fix_text(&self, text: &str) -> FixAnswer {
        let Fixed { text: after, applied, .. } = self.fix(text);
        let errors_left = self.errors_in(&after);
        FixAnswer { path: None, before: text.to_owned(), after, applied, errors_left }
    }

    /// Fixes the files at the paths; each answer goes to `take` once its file is written. What is no text is left alone.
    pub fn fix_files(
        &self,
        request: &FixRequest<'_>,
        take: &mut dyn FnMut(FixAnswer),
    ) -> Result<(), FixError> {
        for found in walk::files(request.paths, &self.exclude) {
            let path = match found {
                Found::File { path, .. } => path,
                Found::Problem { path, message } => return Err(FixError::Walk { path, message }),
            };
            let failed = |error| FixError::File { path: path.clone(), error };
            let bytes = self.read(&path).map_err(failed)?;
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            let answer = self.fix_text(text);
            if request.write && answer.is_changed() {
                self.replace(&path, &answer.after).map_err(failed)?;
            }
            take(FixAnswer { path: Some(path), ..answer });
        }
        Ok(())
    }

    /// Counts the errors of a document that is a handoff.
    fn errors_in(&self, text: &str) -> usize {
        match self.check_text(text.as_bytes()) {
            Verdict::Judged { diagnostics, .. } => {
                diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
            }
            Verdict::NotAHandoff { .. } | Verdict::Unreadable { .. } => 0,
        }
    }

    /// Converts every handoff of a document.
    pub fn convert(
        &self,
        bytes: &[u8],
        definition: &'static Definition,
        variant: &'static Variant,
    ) -> Result<Vec<Written>, DocumentError> {
        let text = document::decode(bytes).map_err(|_| self.refused(bytes))?;
        let read = document::read(text);
        if read.handoffs.is_empty() {
            return Err(self.refused(bytes));
        }
        Ok(read.handoffs.iter().map(|handoff| convert::convert(handoff, definition, variant)).collect())
    }

    fn refused(&self, bytes: &[u8]) -> DocumentError {
        DocumentError::Refused(Box::new(self.check_text(bytes)))
    }

    /// Replaces a file with new text.
    pub fn replace(&self, path: &Path, text: &str) -> Result<(), DocumentError> {
        durable_file::replace_content(path, text.as_bytes()).map_err(DocumentError::Io)
    }

    /// Reads a file within the bound on documents.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, DocumentError> {
        let mut bytes = Vec::new();
        file::read_bounded(path, &mut bytes).map_err(DocumentError::Io)?;
        Ok(bytes)
    }
}

fn holds(config: &Path) -> Result<bool, AuditError> {
    let trust = Trust::open().map_err(AuditError::Trust)?;
    trust.holds(config).map_err(AuditError::Trust)
}
