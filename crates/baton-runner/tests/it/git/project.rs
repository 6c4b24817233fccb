//! Makes repositories with fixed people and times, without the configuration of whoever runs the tests.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use baton_runner::git::{ARTIFACT_BYTES_MAX, Blob, History, ObjectId, Repository};
use tempfile::TempDir;

const FIRST_COMMIT: i64 = 1_700_000_000;

/// A folder that vanishes, with a repository in `root`.
pub(crate) struct Project {
    pub(crate) home: TempDir,
    pub(crate) root: PathBuf,
    clock: Cell<i64>,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::with(&["--initial-branch=main"])
    }

    pub(crate) fn with(options: &[&str]) -> Self {
        let project = Self::empty();
        project.git(&[&["init", "--quiet"], options].concat());
        project
    }

    pub(crate) fn empty() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(home.path()).unwrap().join("root");
        fs::create_dir(&root).unwrap();
        Self { home, root, clock: Cell::new(FIRST_COMMIT) }
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A place beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }

    pub(crate) fn write(&self, relative: impl AsRef<Path>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn write_bytes(&self, relative: &[u8], text: &str) -> &Self {
        self.write(OsStr::from_bytes(relative), text)
    }

    /// Commits all that is there, a minute after the commit before.
    pub(crate) fn commit(&self, message: &str) -> ObjectId {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    pub(crate) fn id(&self, name: &str) -> ObjectId {
        ObjectId::from_hex(self.git(&["rev-parse", name]).trim().as_bytes()).unwrap()
    }

    /// Runs git and returns what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        String::from_utf8_lossy(&self.git_bytes(arguments)).into_owned()
    }

    pub(crate) fn git_bytes(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.try_git(arguments, b"");
        let trouble = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {trouble}");
        output.stdout
    }

    pub(crate) fn try_git(&self, arguments: &[&str], input: &[u8]) -> Output {
        self.clock.set(self.clock.get() + 60);
        let date = format!("{} +0200", self.clock.get());
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.root).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.home.path()).envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
            ("GIT_AUTHOR_DATE", &date),
            ("GIT_COMMITTER_DATE", &date),
        ]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        output
    }

    pub(crate) fn fast_import(&self, stream: &[u8]) {
        let output = self.try_git(&["fast-import", "--quiet", "--force"], stream);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open(&self.root).unwrap().unwrap()
    }

    pub(crate) fn history(&self) -> History {
        self.open().history(&mut |_| {}).unwrap()
    }

    /// Says why the repository is not opened.
    pub(crate) fn refusal(&self) -> String {
        Repository::open(&self.root).unwrap_err().message
    }
}

/// Uses all that Baton can do with a repository, and answers the bytes of all blobs.
pub(crate) fn read_everything(folder: &Path) -> Vec<Vec<u8>> {
    let repository = Repository::open(folder).unwrap().unwrap();
    let history = repository.history(&mut |_| {}).unwrap();
    let mut objects = repository.objects().unwrap();
    let mut blobs = Vec::new();
    let mut is_whole = true;
    for commit in history.commits() {
        for (_, change) in history.changes_in(commit) {
            match objects.blob(change.blob, ARTIFACT_BYTES_MAX).unwrap() {
                Blob::Bytes(bytes) => blobs.push(bytes),
                Blob::Missing => is_whole &= change.is_submodule || change.blob.is_zero(),
                Blob::TooLarge(_) | Blob::Unreadable => {}
            }
        }
        objects.commit_kind(&history.commit(commit).id.to_string()[..12]).unwrap();
    }
    if let Some(head) = repository.head() {
        let into = tempfile::tempdir().unwrap();
        // A tree that lacks objects cannot be checked out.
        assert_eq!(repository.checkout(head, into.path()).is_ok(), is_whole);
    }
    blobs
}
