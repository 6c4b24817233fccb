//! All snapshots of a project in one file, as git carries them from place to place, and back.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::Path;

use baton_store::durable_file;

use super::snapshots::{REFERENCES, Snapshots, move_packs, not_kept, reference};
use super::workshop::Workshop;
use super::{GitError, own_dir};

/// Longest line of the list at the head of a bundle.
const LINE_BYTES_MAX: u64 = 1024;
/// Digits of a name: the hash of a workspace, and nothing else, becomes a path.
const NAME_DIGITS: usize = 64;

/// A bundle that was read: its packs in a folder of their own, and the commit of every snapshot.
struct Opened {
    workshop: Workshop,
    commits: BTreeMap<String, String>,
}

impl Snapshots {
    /// Writes all snapshots to one file, and returns how many there are. Where there are none there is no file.
    pub fn bundle(&self, to: &Path) -> Result<usize, GitError> {
        let mut names =
            fs::read_dir(self.workshop.own.git_dir().join(REFERENCES)).map_err(|error| failed(&error))?;
        // A name that was being written when somebody was killed is none.
        if !names.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_name))) {
            return Ok(0);
        }
        let mut git = self.workshop.start(&["bundle", "create", "--quiet", "-", "--all"])?;
        git.close_stdin();
        let written = durable_file::replace_by(to, |file| io::copy(&mut git.stdout, file).map(|_| ()));
        written.map_err(|error| failed(&error))?;
        git.finish()?.map_err(|trouble| not_bundled(&trouble))?;
        // Reading it holds every object against its hash.
        Ok(self.open_bundle(to)?.commits.len())
    }

    /// Takes in all snapshots of such a file, and returns their names. What was there before stays.
    pub fn unbundle(&self, from: &Path) -> Result<Vec<String>, GitError> {
        let Opened { workshop, commits } = self.open_bundle(from)?;
        move_packs(&workshop.own.packs(), &self.workshop.own.packs()).map_err(|error| failed(&error))?;
        for (name, commit) in &commits {
            let reference = reference(&self.workshop, name);
            let written = durable_file::replace(&reference, format!("{commit}\n").as_bytes());
            written.map_err(|error| not_kept(&error.to_string()))?;
        }
        Ok(commits.into_keys().collect())
    }

    fn open_bundle(&self, from: &Path) -> Result<Opened, GitError> {
        let own = own_dir::beside(&self.workshop.own)?;
        let workshop = Workshop { own, program: self.workshop.program.clone() };
        let mut git = workshop.start(&["bundle", "unbundle", "/dev/stdin"])?;
        let mut file = File::open(from).map_err(|error| failed(&error))?;
        let sent = git.stdin.as_mut().map_or(Ok(0), |stdin| io::copy(&mut file, stdin));
        git.close_stdin();
        let mut commits = BTreeMap::new();
        loop {
            let mut line = String::new();
            let read = git.stdout.by_ref().take(LINE_BYTES_MAX).read_line(&mut line);
            if read.map_err(|error| git.error(&error))? == 0 {
                break;
            }
            commits.extend(named(&line));
        }
        git.finish()?.map_err(|trouble| not_bundled(&trouble))?;
        sent.map_err(|error| failed(&error))?;
        Ok(Opened { workshop, commits })
    }
}

/// Reads `COMMIT REFERENCE` where it is one of ours.
fn named(line: &str) -> Option<(String, String)> {
    let (commit, reference) = line.trim_end().split_once(' ')?;
    let name = reference.strip_prefix(REFERENCES)?.strip_prefix('/')?;
    (is_name(name) && is_hex(commit)).then(|| (name.to_owned(), commit.to_owned()))
}

fn is_name(name: &str) -> bool {
    name.len() == NAME_DIGITS && is_hex(name)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn not_bundled(trouble: &str) -> GitError {
    GitError::failed(format!("the snapshots were not copied: {trouble}"))
}

fn failed(error: &io::Error) -> GitError {
    not_bundled(&error.to_string())
}
