//! What agents leave in their workspaces, and what is found there.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_testkit::random::Random;

/// Files of one tree.
const FILES_MAX: usize = 12;
const SEED: u64 = 4_711;
const CONTENT_SEED: u64 = 815;
/// How the folder of git is named in what `baton recover` writes.
const DISARMED: &str = ".git.saved";

pub(super) type Files = BTreeMap<PathBuf, Found>;

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    File {
        bytes: Vec<u8>,
        is_program: bool,
    },
    /// Where it leads.
    Link(Vec<u8>),
    EmptyFolder,
}

impl Found {
    pub(super) fn file(bytes: &[u8]) -> Self {
        Self::File { bytes: bytes.to_vec(), is_program: false }
    }

    pub(super) fn bytes_count(&self) -> usize {
        match self {
            Self::File { bytes, .. } | Self::Link(bytes) => bytes.len(),
            Self::EmptyFolder => 0,
        }
    }
}

/// Names that are awkward on the way through git, shells and lists.
fn name(random: &mut Random) -> PathBuf {
    const PARTS: &[&str] = &[
        "a",
        "B",
        "ä ö",
        "-f",
        "x.log",
        "new\nline",
        "q\"uote",
        "deep/er/est",
        ".hidden",
        "src/lib.rs",
        "%41",
        "~",
    ];
    let number = random.below(1_000);
    PathBuf::from(format!("{}{number}", random.pick(PARTS)))
}

/// Leaves files, links and folders behind whose names end like this. What is in the files is drawn apart: trees of one number have
/// the same names and sizes, and other bytes.
fn mess(folder: &Path, (random, content): (&mut Random, &mut Random), ending: &str) {
    for _ in 0..=random.below(FILES_MAX) {
        let mut path = folder.join(name(random)).into_os_string();
        path.push(ending);
        let path = PathBuf::from(path);
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| content.below(256) as u8).collect();
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        if made.is_err() || path.is_dir() {
            continue;
        }
        match random.below(8) {
            0 => drop(std::os::unix::fs::symlink("nowhere/at all", &path)),
            1 => drop(fs::create_dir(&path)),
            2 => {
                drop(fs::write(&path, bytes));
                drop(fs::set_permissions(&path, fs::Permissions::from_mode(0o755)));
            }
            _ => drop(fs::write(&path, bytes)),
        }
    }
}

/// Leaves a mess that is no part of the work, for it is ignored, and returns all that lies there now.
pub(super) fn dirty_beside_the_work(folder: &Path, (tree, copy): (usize, usize)) -> Files {
    let (random, content) = (&mut Random::numbered(SEED, tree), &mut Random::numbered(CONTENT_SEED, copy));
    mess(folder, (random, content), ".log");
    in_its_own_repository(folder, (tree, copy));
    gathered(folder)
}

/// Leaves a mess in a folder, and returns all that lies there now, ignored files and the folder of git too.
pub(super) fn dirty(folder: &Path, (tree, copy): (usize, usize)) -> Files {
    let (random, content) = (&mut Random::numbered(SEED, tree), &mut Random::numbered(CONTENT_SEED, copy));
    mess(folder, (random, content), "");
    match random.below(4) {
        0 => drop(fs::remove_file(folder.join("check.sh"))),
        1 => fs::write(folder.join(".gitignore"), "*\n").expect("hidden"),
        2 => {
            drop(fs::remove_file(folder.join("work.txt")));
            drop(fs::create_dir(folder.join("work.txt")));
            drop(fs::write(folder.join("work.txt/inside"), "a folder where a file was\n"));
        }
        _ => {}
    }
    in_its_own_repository(folder, (tree, copy));
    gathered(folder)
}

/// The agent commits, stashes, and leaves something in the folder of git that git knows nothing of.
fn in_its_own_repository(folder: &Path, (tree, copy): (usize, usize)) {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "core.hooksPath=/dev/null"]).args(words);
        let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("git runs");
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["commit", "--quiet", "--allow-empty", "--message", &format!("own {tree}.{copy}")]);
    git(&["update-ref", "refs/stash", "HEAD"]);
    fs::write(folder.join(".git/note of the agent"), format!("{tree}.{copy}\n")).expect("a note");
}

/// Returns all files below a folder with what they may, where links lead, and folders in which nothing lies. The folder of git
/// has its own name also where it was disarmed.
pub(super) fn gathered(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open: Vec<PathBuf> = folder.is_dir().then(|| folder.to_owned()).into_iter().collect();
    let inside = |path: &Path| -> PathBuf {
        let path = path.strip_prefix(folder).expect("inside");
        path.iter().map(|part| if part == DISARMED { ".git".as_ref() } else { part }).collect()
    };
    while let Some(next) = open.pop() {
        let entries: Vec<_> = fs::read_dir(&next).expect("a folder").flatten().collect();
        if entries.is_empty() && next != folder {
            files.insert(inside(&next), Found::EmptyFolder);
        }
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type().expect("its kind");
            if kind.is_dir() {
                open.push(path);
                continue;
            }
            let found = match kind.is_symlink() {
                true => Found::Link(fs::read_link(&path).expect("a link").as_os_str().as_bytes().to_vec()),
                false => {
                    let mode = entry.metadata().expect("its mode").permissions().mode();
                    Found::File { bytes: fs::read(&path).expect("a file"), is_program: mode & 0o111 != 0 }
                }
            };
            files.insert(inside(&path), found);
        }
    }
    files
}
