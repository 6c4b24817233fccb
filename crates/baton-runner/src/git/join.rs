//! Joins accepted files with a branch: a merge of three trees, a commit, and a pack with what the repository lacks. What the files
//! would be can be looked at before anything is made of it.
//!
//! All of it happens in folders of Baton's own. Objects are read from the repository and from the snapshots, and new ones go
//! to a workbench that is thrown away.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::checkout::read_list;
use super::child::Git;
use super::{FileKind, GitError, ObjectId, Person, Repository, Snapshots, TreeFile, program};

/// How much of git's answer is read: the names of all files in conflict.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Accepted files, and what they are joined with.
#[derive(Debug)]
pub struct Offer<'a> {
    /// The commit that the work began with.
    pub base: ObjectId,
    /// Where the branch is now.
    pub tip: ObjectId,
    /// The accepted files; their bytes are in the snapshots.
    pub files: &'a [TreeFile],
    pub person: &'a Person,
    pub message: &'a str,
}

/// What came of it.
#[derive(Debug)]
pub enum Joined {
    /// The commit and all that comes with it. Nothing of it is in the repository yet.
    Commit(ObjectId, Pack),
    /// The branch has it all.
    Nothing,
    /// Both sides changed these files.
    Conflict(Vec<Vec<u8>>),
}

/// The files that a join would give.
#[derive(Debug)]
pub struct Mixture {
    pub files: Vec<TreeFile>,
    /// The bytes of those that are neither in the snapshots nor in the repository: both sides changed them.
    pub mixed: BTreeMap<ObjectId, Vec<u8>>,
}

/// Objects on their way into a repository.
#[derive(Debug)]
pub struct Pack {
    /// Without `.pack` and `.idx`.
    path: PathBuf,
    _bench: TempDir,
}

/// Where git works on a join.
struct Bench<'a> {
    repository: &'a Repository,
    folder: &'a Path,
    borrowed: String,
    person: &'a Person,
}

impl Repository {
    pub fn join(&self, snapshots: &Snapshots, offer: &Offer<'_>) -> Result<Joined, GitError> {
        let bench = self.bench()?;
        let work = Bench::new(self, snapshots, (bench.path(), offer.person));
        Ok(match work.tree(offer)? {
            Made::Tree(tree) => {
                let commit = work.commit_tree(tree, offer.tip, offer)?;
                let path = work.pack(commit, offer.tip)?;
                Joined::Commit(commit, Pack { path, _bench: bench })
            }
            Made::Nothing => Joined::Nothing,
            Made::Conflict(files) => Joined::Conflict(files),
        })
    }

    /// Returns the files that a join would give; nothing where it would change nothing, or cannot be done.
    pub fn mix(&self, snapshots: &Snapshots, offer: &Offer<'_>) -> Result<Option<Mixture>, GitError> {
        let bench = self.bench()?;
        let work = Bench::new(self, snapshots, (bench.path(), offer.person));
        match work.tree(offer)? {
            Made::Tree(tree) => work.mixture(tree, offer).map(Some),
            Made::Nothing | Made::Conflict(_) => Ok(None),
        }
    }

    fn bench(&self) -> Result<TempDir, GitError> {
        let bench =
            tempfile::tempdir_in(self.workshop.own.folder()).map_err(|error| GitError::workshop(&error))?;
        fs::create_dir(bench.path().join("objects")).map_err(|error| GitError::workshop(&error))?;
        Ok(bench)
    }

    /// Puts a pack into the repository, so that git finds it; the index comes last, for it is what git looks for.
    pub fn receive(&self, pack: &Pack) -> Result<(), GitError> {
        let objects = self.place.common_dir.join("objects");
        let folder = objects.join("pack");
        if !super::plain::is_folder(&objects)? {
            return Err(GitError::refused(&objects, "does not exist"));
        }
        if !super::plain::is_folder(&folder)? {
            fs::create_dir(&folder).map_err(|error| GitError::unwritable(&folder, &error))?;
        }
        let name = pack.path.file_name().unwrap_or_default();
        for ending in ["pack", "idx"] {
            let to = folder.join(name).with_extension(ending);
            if super::plain::look(&to)?.is_some() {
                continue;
            }
            let from = pack.path.with_extension(ending);
            place(&from, &folder, &to).map_err(|error| GitError::unwritable(&to, &error))?;
        }
        fs::File::open(&folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| GitError::unwritable(&folder, &error))
    }

    /// Says whether a pack is where it was put: a clean-up of the repository at the same moment takes it for garbage.
    pub fn has_received(&self, pack: &Pack) -> bool {
        let name = pack.path.file_name().unwrap_or_default();
        self.place.common_dir.join("objects/pack").join(name).with_extension("idx").is_file()
    }
}

/// Copies a file under a name that git throws away when it is left over, and gives it its own name when it is whole.
fn place(from: &Path, folder: &Path, to: &Path) -> std::io::Result<()> {
    let mut new = tempfile::Builder::new().prefix("tmp_pack_").tempfile_in(folder)?;
    std::io::copy(&mut fs::File::open(from)?, new.as_file_mut())?;
    #[cfg(unix)]
    new.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o444))?;
    new.as_file().sync_all()?;
    new.persist(to).map(|_| ()).map_err(|error| error.error)
}

enum Made {
    Tree(ObjectId),
    Nothing,
    Conflict(Vec<Vec<u8>>),
}

impl<'a> Bench<'a> {
    fn new(
        repository: &'a Repository,
        snapshots: &Snapshots,
        (folder, person): (&'a Path, &'a Person),
    ) -> Self {
        // Quoted, for a path may hold what separates paths; so it is text whatever the path is.
        let borrowed = [repository.workshop.own.git_dir().join("objects"), snapshots.objects_folder()]
            .map(|path| String::from_utf8_lossy(&quoted(path.as_os_str().as_encoded_bytes())).into_owned());
        let borrowed = borrowed.join(if cfg!(windows) { ";" } else { ":" });
        Self { repository, folder, borrowed, person }
    }

    fn tree(&self, offer: &Offer<'_>) -> Result<Made, GitError> {
        let accepted = self.accepted(offer)?;
        let (of_base, of_tip) = (self.tree_of(offer.base)?, self.tree_of(offer.tip)?);
        if accepted == of_base || accepted == of_tip {
            return Ok(Made::Nothing);
        }
        let tree = match offer.tip == offer.base {
            true => accepted,
            false => match self.merge(offer, accepted)? {
                Ok(tree) => tree,
                Err(files) => return Ok(Made::Conflict(files)),
            },
        };
        Ok(if tree == of_tip { Made::Nothing } else { Made::Tree(tree) })
    }

    fn mixture(&self, tree: ObjectId, offer: &Offer<'_>) -> Result<Mixture, GitError> {
        let name = tree.to_string();
        let list = Git::start(self.command(&["ls-tree", "-r", "-z", "--full-tree", &name]))?;
        let files: Vec<TreeFile> =
            read_list(list, &name)?.into_iter().filter(|file| file.kind != FileKind::Submodule).collect();
        let of_tip = self.repository.files(offer.tip)?;
        let known: BTreeSet<ObjectId> = offer.files.iter().chain(&of_tip).map(|file| file.id).collect();
        let mut mixed = BTreeMap::new();
        for file in files.iter().filter(|file| !known.contains(&file.id)) {
            mixed.insert(file.id, self.run(&["cat-file", "blob", &file.id.to_string()], b"")?);
        }
        Ok(Mixture { files, mixed })
    }

    /// Makes the tree of the accepted files. Other repositories that the project names are not in a workspace, and stay.
    fn accepted(&self, offer: &Offer<'_>) -> Result<ObjectId, GitError> {
        let taken = |path: &[u8]| {
            let below = [path, b"/"].concat();
            offer.files.iter().any(|file| file.path == path || file.path.starts_with(&below))
        };
        let base = self.repository.files(offer.base)?;
        let others = base.iter().filter(|file| file.kind == FileKind::Submodule && !taken(&file.path));
        let mut entries = Vec::new();
        for file in offer.files.iter().filter(|file| file.kind != FileKind::Submodule).chain(others) {
            let mode = match file.kind {
                FileKind::File => "100644",
                FileKind::Program => "100755",
                FileKind::Link => "120000",
                FileKind::Submodule => "160000",
            };
            entries.extend(format!("{mode} {}\t", file.id).into_bytes());
            entries.extend_from_slice(&file.path);
            entries.push(0);
        }
        self.run(&["update-index", "-z", "--index-info"], &entries)?;
        self.refuse_lost(offer)?;
        self.id(&["write-tree"], b"")
    }

    /// Git passes over names that it takes into no tree, and says nothing.
    fn refuse_lost(&self, offer: &Offer<'_>) -> Result<(), GitError> {
        let taken = self.run(&["ls-files", "-z"], b"")?;
        let taken: BTreeSet<&[u8]> = taken.split(|byte| *byte == 0).collect();
        let lost = offer.files.iter().find(|file| !taken.contains(file.path.as_slice()));
        lost.map_or(Ok(()), |file| {
            let name = String::from_utf8_lossy(&file.path);
            let message =
                format!("git does not take an accepted file, for its name means something else: `{name}`");
            let hint = "`baton merge TASK --failed WHY` sends it back, so that it is given another name";
            Err(GitError::unsupported(message, hint))
        })
    }

    fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, GitError> {
        let missing = || GitError::failed(format!("commit {commit} is not in the repository any more"));
        self.repository.objects()?.tree_of(commit)?.ok_or_else(missing)
    }

    /// Merges three trees; answers the files that both sides changed, if it cannot be done.
    fn merge(
        &self,
        offer: &Offer<'_>,
        accepted: ObjectId,
    ) -> Result<Result<ObjectId, Vec<Vec<u8>>>, GitError> {
        let theirs = self.commit_tree(accepted, offer.base, offer)?.to_string();
        let base = format!("--merge-base={}", offer.base);
        let tip = offer.tip.to_string();
        let merge =
            ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", &base, &tip, &theirs];
        let (answer, trouble) = self.ask(&merge, b"")?;
        let mut parts = answer.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        let tree = parts.next().and_then(ObjectId::from_hex);
        let mut files: Vec<Vec<u8>> = parts.map(<[u8]>::to_vec).collect();
        files.dedup();
        match (tree, trouble) {
            (Some(tree), None) => Ok(Ok(tree)),
            (Some(_), Some(_)) if !files.is_empty() => Ok(Err(files)),
            (_, trouble) => {
                let trouble = trouble.unwrap_or_else(|| "git gave no tree".to_owned());
                let message = format!("the accepted files could not be merged: {trouble}");
                Err(GitError::unsupported(message, "Merging needs git 2.40 or newer; `git --version` tells"))
            }
        }
    }

    fn commit_tree(&self, tree: ObjectId, parent: ObjectId, offer: &Offer<'_>) -> Result<ObjectId, GitError> {
        self.id(
            &["commit-tree", &tree.to_string(), "-p", &parent.to_string(), "-F", "-"],
            offer.message.as_bytes(),
        )
    }

    fn pack(&self, commit: ObjectId, tip: ObjectId) -> Result<PathBuf, GitError> {
        let prefix = self.folder.join("pack");
        let prefix = prefix.to_str().ok_or_else(|| {
            let message = "the folder for temporary files has a name that is no text".to_owned();
            GitError::unsupported(message, "Set TMPDIR to another folder")
        })?;
        let wanted = format!("{commit}\n^{tip}\n");
        let name = self
            .run(&["pack-objects", "--quiet", "--revs", "--delta-base-offset", prefix], wanted.as_bytes())?;
        Ok(PathBuf::from(format!("{prefix}-{}", String::from_utf8_lossy(name.trim_ascii()))))
    }

    fn id(&self, arguments: &[&str], input: &[u8]) -> Result<ObjectId, GitError> {
        let answer = self.run(arguments, input)?;
        let strange = || GitError::failed(format!("git {} gave no id", arguments[0]));
        ObjectId::from_hex(answer.trim_ascii()).ok_or_else(strange)
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        match self.ask(arguments, input)? {
            (answer, None) => Ok(answer),
            (_, Some(trouble)) => Err(GitError::failed(format!("git {} failed: {trouble}", arguments[0]))),
        }
    }

    /// Runs git, and returns what it answers and what it complains of.
    fn ask(&self, arguments: &[&str], input: &[u8]) -> Result<(Vec<u8>, Option<String>), GitError> {
        let mut git = Git::start(self.command(arguments))?;
        // When git ends early, its own words say why.
        let _ = git.stdin.as_mut().map(|stdin| stdin.write_all(input));
        git.close_stdin();
        let mut answer = Vec::new();
        let read = git.stdout.by_ref().take(ANSWER_BYTES_MAX).read_to_end(&mut answer).map(|_| ());
        read.map_err(|error| git.error(&error))?;
        Ok((answer, git.finish()?.err()))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let workshop = &self.repository.workshop;
        let mut command = program::command(&workshop.program, &workshop.own);
        let Person { name, email } = self.person;
        command.args(arguments).envs([("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", email)]);
        command.envs([("GIT_COMMITTER_NAME", name), ("GIT_COMMITTER_EMAIL", email)]);
        command.env("GIT_OBJECT_DIRECTORY", self.folder.join("objects"));
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.borrowed);
        command.env("GIT_INDEX_FILE", self.folder.join("index"));
        command
    }
}

/// Writes a path so that no byte of it can be taken for anything else.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            0x20..=0x7e => quoted.push(*byte),
            _ => quoted.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}
