//! A workspace for each task: a folder in Baton's state folder with the files of the target branch and a repository of its
//! own. The repository is for the agent; Baton never runs git in it again once somebody has worked there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use baton_engine::word::{AgentName, TaskId, TreeHash, TurnId};
use baton_store::durable_file;

use super::keeping::{self, content};
use super::marker::Marker;
use super::rescue::{List, Rescued};
use super::restore::Return;
use super::{Base, Digests, Listing, Rule, Workspace, WorkspaceError, reach};
use crate::file_lock;
use crate::git::{
    Branch, Difference, FileKind, Files, ObjectId, Objects, Person, Repository, Snapshots, TreeFile,
};
use crate::sandbox::protected_paths;

/// The branch that accepted work goes to where nothing else is said.
pub const TARGET_DEFAULT: &str = "baton/accepted";
/// Most changed files whose bytes are told.
pub const CHANGES_MAX: usize = 20_000;
/// Largest file whose bytes are told with a change, and how much that may be together.
pub const CHANGE_BYTES_MAX: u64 = 4 * 1024 * 1024;
pub const CHANGES_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The folder of the workspaces, in the state folder.
pub(crate) const FOLDER: &str = "work";
/// How the name of a folder begins that is not a workspace yet. No task has such a name.
const NEW: &str = ".new-";
const LOCK: &str = ".lock";

/// The workspaces of the tasks of one project.
#[derive(Debug)]
pub struct Workspaces {
    /// The person's checkout, which is only read.
    pub(super) project: PathBuf,
    /// As it was when this was opened. Its git folder lies elsewhere where the checkout is a linked worktree.
    repository: Repository,
    pub(super) state: PathBuf,
    pub(super) target: Branch,
    pub(super) person: Person,
    snapshots: Arc<Snapshots>,
    /// Commits never change, so what tasks began with is read once.
    bases: Mutex<BTreeMap<ObjectId, Arc<Base>>>,
    /// Whether a commit has the files of a snapshot.
    pub(super) beginnings: Mutex<BTreeMap<(ObjectId, TreeHash), bool>>,
    /// What is known of the files of each task.
    digests: Mutex<BTreeMap<TaskId, Arc<Digests>>>,
    /// The same of the rooms in which the work is looked at.
    rooms: Mutex<BTreeMap<TaskId, Arc<Digests>>>,
}

/// Where one task is worked on.
#[derive(Debug)]
pub struct TaskWorkspace {
    pub(super) task: TaskId,
    pub(super) state: PathBuf,
    base: ObjectId,
    renewed: Option<TreeHash>,
    turn_of: Option<AgentName>,
    pub(super) workspace: Workspace,
    pub(super) snapshots: Arc<Snapshots>,
}

/// A file that is not the same in two snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// From the root, with slashes. Bytes that are no text are shown as such.
    pub path: String,
    /// Nothing where there was no file. Cut where it is larger than [`CHANGE_BYTES_MAX`].
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
    /// Nothing of it was cut.
    pub is_whole: bool,
    /// It could be run as a program, and is a file that cannot.
    pub loses_program: bool,
}

impl Workspaces {
    /// Opens the workspaces of the project whose repository lies at `project`, for work that goes to the branch `target`.
    pub fn open(project: &Path, state: &Path, target: &str) -> Result<Self, WorkspaceError> {
        let target = Branch::new(target)?;
        let repository = readable(project, Repository::open(project)?)?;
        let canonical = fs::canonicalize(project).map_err(WorkspaceError::at(project))?;
        if repository.root() != canonical {
            let what = format!(
                "the project is a folder of a larger repository, whose top is `{}`",
                repository.root().display()
            );
            return Err(WorkspaceError::refused(what, "put `baton.toml` there, and run Baton there"));
        }
        durable_file::make_folder(&state.join(FOLDER))?;
        let state = fs::canonicalize(state).map_err(WorkspaceError::at(state))?;
        if state.starts_with(&canonical) {
            let what = format!("the state folder `{}` lies in the checkout of the project", state.display());
            return Err(WorkspaceError::refused(what, "name a folder outside with `--store`"));
        }
        let person = repository.person()?;
        let snapshots = Arc::new(Snapshots::open(&state.join("snapshots"), &canonical)?);
        let workspaces = Self {
            project: canonical,
            repository,
            state,
            target,
            person,
            snapshots,
            bases: Mutex::default(),
            beginnings: Mutex::default(),
            digests: Mutex::default(),
            rooms: Mutex::default(),
        };
        workspaces.sweep()?;
        Ok(workspaces)
    }

    /// Opens the workspace of a task; makes it where there is none.
    pub fn prepare(&self, id: &TaskId) -> Result<TaskWorkspace, WorkspaceError> {
        let folder = self.folder(id);
        if let Some(marker) = self.marker(id)? {
            return self.open_task(marker);
        }
        let _alone = self.alone()?;
        // Another process may have made it while this one waited.
        match self.marker(id)? {
            Some(marker) => self.open_task(marker),
            None => self.make(id, &folder),
        }
    }

    /// Returns what was saved for a task before something was taken away, the oldest first.
    pub fn rescued(&self, id: &TaskId) -> Result<Vec<Rescued>, WorkspaceError> {
        super::rescued(&self.state, id)
    }

    /// The git folder of the project.
    pub(crate) fn repository(&self) -> &Path {
        self.repository.folder()
    }

    /// Opens the repository of the project as it is now.
    pub(super) fn reopened(&self) -> Result<Repository, WorkspaceError> {
        readable(&self.project, self.repository.reopened()?)
    }

    /// Returns where the commit that work begins with now names other repositories, whose files no workspace has.
    pub(crate) fn submodules(&self) -> Result<Vec<String>, WorkspaceError> {
        let newest = self.newest(&self.reopened()?)?;
        Ok(self.base(newest)?.submodules.clone())
    }

    pub(super) fn folder(&self, id: &TaskId) -> PathBuf {
        self.folders().join(id.as_str())
    }

    pub(super) fn folders(&self) -> PathBuf {
        self.state.join(FOLDER)
    }

    pub(super) fn list<'a>(&'a self, task: &'a TaskId) -> List<'a> {
        List { state: &self.state, task }
    }

    pub(super) fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// Returns what a commit says of the files that count.
    fn base(&self, commit: ObjectId) -> Result<Arc<Base>, WorkspaceError> {
        let known = self.bases.lock().unwrap_or_else(PoisonError::into_inner).get(&commit).cloned();
        if let Some(base) = known {
            return Ok(base);
        }
        let repository = self.reopened()?;
        self.learn_base(commit, repository.files(commit)?, &repository)
    }

    /// Notes what a commit with these files says.
    fn learn_base(
        &self,
        commit: ObjectId,
        files: Vec<TreeFile>,
        repository: &Repository,
    ) -> Result<Arc<Base>, WorkspaceError> {
        let base = Arc::new(Base::of(files, &mut repository.objects()?)?);
        let mut bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.insert(commit, Arc::clone(&base));
        Ok(base)
    }

    fn digests(&self, id: &TaskId) -> Arc<Digests> {
        of_task(&self.digests, id)
    }

    pub(super) fn room_digests(&self, id: &TaskId) -> Arc<Digests> {
        of_task(&self.rooms, id)
    }

    pub(super) fn forget_room(&self, id: &TaskId) {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// What was known of the files of a task holds for a folder that is gone.
    pub(super) fn forget(&self, id: &TaskId) {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// Returns the marker of a task's workspace, if there is one.
    pub(super) fn marker(&self, id: &TaskId) -> Result<Option<Marker>, WorkspaceError> {
        let folder = self.folder(id);
        match Marker::read(&folder)? {
            Some(marker) if marker.task != *id => Err(WorkspaceError::refused(
                format!("`{}` is the workspace of {}, not of {id}", folder.display(), marker.task),
                "give the tasks names that differ in more than upper and lower case",
            )),
            found => Ok(found),
        }
    }

    /// Notes for which agent a person takes the next turn of a task, or that a program takes it.
    pub(crate) fn leave_turn(&self, id: &TaskId, to: Option<&AgentName>) -> Result<(), WorkspaceError> {
        match self.marker(id)? {
            Some(mut marker) if marker.turn_of.as_ref() != to => {
                marker.turn_of = to.cloned();
                marker.write(&self.folder(id))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Waits until no other process makes or removes a workspace.
    pub(super) fn alone(&self) -> Result<File, WorkspaceError> {
        let path = self.folders().join(LOCK);
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(WorkspaceError::at(&path))?;
        file_lock::wait(&file).map_err(WorkspaceError::at(&path))?;
        Ok(file)
    }

    /// The commit that work begins with now: the one that is checked out, where it has all accepted work; else where the target
    /// branch is.
    pub(super) fn newest(&self, repository: &Repository) -> Result<ObjectId, WorkspaceError> {
        let accepted = repository.branch(&self.target)?;
        match (accepted, repository.head()) {
            (Some(accepted), Some(head)) if !repository.leads_to(accepted, head)? => Ok(accepted),
            (_, Some(head)) => Ok(head),
            (Some(accepted), None) => Ok(accepted),
            (None, None) => Err(WorkspaceError::refused(
                "the repository has no commit yet",
                "make a first commit, then try again",
            )),
        }
    }

    fn make(&self, id: &TaskId, folder: &Path) -> Result<TaskWorkspace, WorkspaceError> {
        let repository = self.reopened()?;
        let base = self.newest(&repository)?;
        let new = tempfile::Builder::new().prefix(NEW).tempdir_in(self.folders());
        let new = new.map_err(WorkspaceError::at(folder))?;
        let files = Marker::files(new.path());
        let listed = repository.files_to_write(base)?;
        keeping::refuse_armed(&listed)?;
        self.learn_base(base, listed, &repository)?;
        let place = (files.join(".git"), Files::Written(files.clone()));
        repository.furnish(&place, id.as_str(), base, &self.person)?;
        // The fence of an agent covers these, and would make and remove them in every turn.
        for path in protected_paths(&files) {
            match fs::create_dir(&path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(WorkspaceError::Io(path, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        let marker = Marker::new(id, base.to_string());
        marker.write(new.path())?;
        // Half a workspace never has the name of one.
        fs::rename(new.keep(), folder).map_err(WorkspaceError::at(folder))?;
        self.open_task(marker)
    }

    fn open_task(&self, marker: Marker) -> Result<TaskWorkspace, WorkspaceError> {
        let folder = self.folder(&marker.task);
        let base = ObjectId::from_hex(marker.base.as_bytes()).ok_or_else(|| {
            let what = format!("the marker in `{}` names no commit", folder.display());
            WorkspaceError::refused(what, "move the folder aside; the next turn makes a new one")
        })?;
        let root = Marker::files(&folder);
        if !fs::symlink_metadata(&root).is_ok_and(|metadata| metadata.is_dir()) {
            let what = format!("the files of {} are gone from `{}`", marker.task, root.display());
            let next = format!("`baton recover {}` lists what was saved; move the folder aside", marker.task);
            return Err(WorkspaceError::refused(what, next));
        }
        let mut workspace = Workspace::new(root, Vec::new(), Rule::Task(self.base(base)?));
        workspace.digests = self.digests(&marker.task);
        Ok(TaskWorkspace {
            task: marker.task,
            state: self.state.clone(),
            base,
            renewed: marker.renewed,
            turn_of: marker.turn_of,
            workspace,
            snapshots: Arc::clone(&self.snapshots),
        })
    }

    /// Takes away what a process left that was ended while it made a workspace. Nobody has worked in it.
    fn sweep(&self) -> Result<(), WorkspaceError> {
        let _alone = self.alone()?;
        let folders = self.folders();
        for entry in fs::read_dir(&folders).map_err(WorkspaceError::at(&folders))? {
            let path = entry.map_err(WorkspaceError::at(&folders))?.path();
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            if name.starts_with(NEW.as_bytes()) {
                reach::remove_all(&path).map_err(WorkspaceError::at(&path))?;
            }
        }
        self.finish_removals()
    }
}

impl TaskWorkspace {
    /// The folder that the agent works in.
    pub fn root(&self) -> &Path {
        &self.workspace.root
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The commit that the work began with.
    pub fn base(&self) -> ObjectId {
        self.base
    }

    /// What the files looked like when the work was brought to a newer commit; nothing while it stands on its first one.
    pub(crate) fn renewed(&self) -> Option<&TreeHash> {
        self.renewed.as_ref()
    }

    /// The agent for whom a person takes the next turn, if the last run left it to one.
    pub(crate) fn turn_of(&self) -> Option<&AgentName> {
        self.turn_of.as_ref()
    }

    /// Returns where the commit that the work began with names other repositories.
    pub(crate) fn submodules(&self) -> &[String] {
        match &self.workspace.rule {
            Rule::Task(base) => &base.submodules,
            Rule::Checkout | Rule::Everything => &[],
        }
    }

    pub(super) fn task(&self) -> &TaskId {
        &self.task
    }

    pub(super) fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// Returns the files of a snapshot with their hashes, if they were looked at or saved last.
    pub(super) fn listing_of(&self, tree: &TreeHash) -> Option<Arc<Listing>> {
        let digests = &self.workspace.digests;
        [digests.seen(), digests.saved()].into_iter().flatten().find(|listing| listing.tree == *tree)
    }

    /// Says what the files look like now.
    pub fn measure(&self) -> Result<TreeHash, WorkspaceError> {
        self.workspace.measure()
    }

    /// Saves the files, and returns what they look like.
    pub fn keep(&self) -> Result<TreeHash, WorkspaceError> {
        keeping::keep(&self.workspace, &self.snapshots, &[])
    }

    /// Lists files that are saved and that no turn has handed over.
    pub(crate) fn note_lost(&self, tree: &TreeHash, turn: &TurnId) -> Result<(), WorkspaceError> {
        List { state: &self.state, task: &self.task }.add_lost(tree, turn)
    }

    /// Says whether files that looked so are saved, and sees to it that they stay so.
    pub(crate) fn is_kept(&self, tree: &TreeHash) -> Result<bool, WorkspaceError> {
        Ok(self.snapshots.holds(tree.as_str())?)
    }

    /// Returns the files that differ between two snapshots, by their paths.
    pub fn changes(&self, from: &TreeHash, to: &TreeHash) -> Result<Vec<FileChange>, WorkspaceError> {
        changes(&self.snapshots, from, to)
    }

    /// Puts the files of a snapshot back. What is there is saved first; returns the hash that it is kept under.
    pub fn restore(&self, tree: &TreeHash) -> Result<TreeHash, WorkspaceError> {
        let kept = keeping::kept(&self.snapshots, tree)?;
        let list = List { state: &self.state, task: &self.task };
        Return { workspace: &self.workspace, snapshots: &self.snapshots, kept: &kept, tree, list }.restore()
    }

    /// Writes the files of a snapshot into a new or empty folder.
    pub fn clean_copy(&self, tree: &TreeHash, into: &Path) -> Result<(), WorkspaceError> {
        let kept = keeping::kept(&self.snapshots, tree)?;
        keeping::copy_out(&kept, &mut self.snapshots.objects(), into)
    }
}

fn of_task(digests: &Mutex<BTreeMap<TaskId, Arc<Digests>>>, id: &TaskId) -> Arc<Digests> {
    let mut digests = digests.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(digests.entry(id.clone()).or_default())
}

/// Returns the files that differ between two snapshots, by their paths.
pub(crate) fn changes(
    snapshots: &Snapshots,
    from: &TreeHash,
    to: &TreeHash,
) -> Result<Vec<FileChange>, WorkspaceError> {
    for tree in [from, to] {
        keeping::refuse_missing(snapshots, tree)?;
    }
    let mut found = snapshots.differing(from.as_str(), to.as_str())?;
    let path = |found: &Difference| {
        found.after.as_ref().or(found.before.as_ref()).map_or(Vec::new(), |file| file.path.clone())
    };
    found.sort_by_key(path);
    let mut reader = ChangeReader { objects: snapshots.objects(), bytes_left: CHANGES_BYTES_MAX };
    let mut changes = Vec::new();
    for (number, one) in found.iter().enumerate() {
        if number == CHANGES_MAX {
            reader.bytes_left = 0;
        }
        let (before, after) = (reader.read(one.before.as_ref())?, reader.read(one.after.as_ref())?);
        let kind = |file: &Option<TreeFile>| file.as_ref().map(|file| file.kind);
        changes.push(FileChange {
            path: String::from_utf8_lossy(&path(one)).into_owned(),
            is_whole: before.is_whole && after.is_whole,
            loses_program: kind(&one.before) == Some(FileKind::Program)
                && kind(&one.after) == Some(FileKind::File),
            before: before.bytes,
            after: after.bytes,
        });
    }
    Ok(changes)
}

/// Reads the bytes of changed files, within a bound for them all.
struct ChangeReader<'a> {
    objects: Objects<'a>,
    bytes_left: u64,
}

struct ReadBytes {
    bytes: Option<Vec<u8>>,
    is_whole: bool,
}

impl ChangeReader<'_> {
    fn read(&mut self, file: Option<&TreeFile>) -> Result<ReadBytes, WorkspaceError> {
        let Some(file) = file else { return Ok(ReadBytes { bytes: None, is_whole: true }) };
        if self.bytes_left == 0 {
            return Ok(ReadBytes { bytes: Some(Vec::new()), is_whole: false });
        }
        let mut bytes = content(file, &mut self.objects)?;
        let length = bytes.len();
        bytes.truncate(CHANGE_BYTES_MAX.min(self.bytes_left) as usize);
        self.bytes_left -= bytes.len() as u64;
        Ok(ReadBytes { is_whole: bytes.len() == length, bytes: Some(bytes) })
    }
}

/// Returns the repository that was found for a project, if agents can work in a copy of it.
fn readable(project: &Path, found: Option<Repository>) -> Result<Repository, WorkspaceError> {
    let found = found.ok_or_else(|| match is_bare(project) {
        true => WorkspaceError::refused(
            format!("`{}` is a bare repository, which has no files to work on", project.display()),
            "clone it, and run Baton in the clone",
        ),
        false => WorkspaceError::refused(
            format!("`{}` is in no git repository, and agents work in a copy of one", project.display()),
            "run `git init`, make a first commit, then try again",
        ),
    })?;
    match found.borrows_objects() {
        false => Ok(found),
        true => Err(WorkspaceError::refused(
            "the repository borrows objects of another one, which Baton does not read",
            "run `git repack -a -d` in it and remove `.git/objects/info/alternates`, then try again",
        )),
    }
}

/// Says whether a folder is itself what is otherwise the folder `.git` of a checkout.
fn is_bare(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}
