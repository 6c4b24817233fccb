//! Writes commits with `git fast-import`, which makes tens of thousands of them in seconds.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::git;
use super::moment::Moment;
use super::person::Person;

/// A commit that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(usize);

/// What a commit does to one file.
#[derive(Clone, Debug)]
pub(crate) enum FileChange<'a> {
    Put { path: &'a str, bytes: &'a [u8] },
    Delete { path: &'a str },
}

#[derive(Debug)]
pub(crate) struct Commit<'a> {
    pub(crate) branch: &'a str,
    /// The parent, if it is not the tip of the branch.
    pub(crate) from: Option<Mark>,
    pub(crate) merge: Option<Mark>,
    pub(crate) author: String,
    pub(crate) committer: String,
    pub(crate) message: &'a str,
    pub(crate) changes: &'a [FileChange<'a>],
}

impl<'a> Commit<'a> {
    /// Returns a commit of one person on the main branch.
    pub(crate) fn plain(
        person: &Person,
        at: Moment,
        message: &'a str,
        changes: &'a [FileChange<'a>],
    ) -> Self {
        let (author, committer) = (person.stamp(at), person.stamp(at));
        Commit { branch: "main", from: None, merge: None, author, committer, message, changes }
    }
}

pub(crate) struct History {
    importer: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    tips: BTreeMap<String, Mark>,
    commits: usize,
}

impl History {
    /// Makes an empty repository in the folder, which must exist.
    pub(crate) fn begin(folder: &Path) -> io::Result<Self> {
        git::run(folder, &["init", "--quiet"])?;
        let mut importer = git::command(folder)
            .args(["fast-import", "--quiet", "--done"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = importer.stdin.take().zip(importer.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("git fast-import has no pipes"))?;
        let (input, output) = (BufWriter::new(input), BufReader::new(output));
        Ok(History { importer, input, output, tips: BTreeMap::new(), commits: 0 })
    }

    pub(crate) fn commit(&mut self, commit: &Commit<'_>) -> io::Result<Mark> {
        self.commits += 1;
        let mark = Mark(self.commits);
        let input = &mut self.input;
        writeln!(input, "commit refs/heads/{}\nmark :{}", commit.branch, mark.0)?;
        writeln!(input, "author {}\ncommitter {}", commit.author, commit.committer)?;
        data(input, commit.message.as_bytes())?;
        if let Some(from) = commit.from {
            writeln!(input, "from :{}", from.0)?;
        }
        if let Some(merged) = commit.merge {
            writeln!(input, "merge :{}", merged.0)?;
        }
        for change in commit.changes {
            match change {
                FileChange::Put { path, bytes } => {
                    writeln!(input, "M 100644 inline {path}")?;
                    data(input, bytes)?;
                }
                FileChange::Delete { path } => writeln!(input, "D {path}")?,
            }
        }
        writeln!(input)?;
        self.tips.insert(commit.branch.to_owned(), mark);
        Ok(mark)
    }

    /// Returns the id of a commit.
    pub(crate) fn id(&mut self, mark: Mark) -> io::Result<String> {
        writeln!(self.input, "get-mark :{}", mark.0)?;
        self.input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        match line.trim() {
            "" => Err(io::Error::other("git fast-import stopped")),
            id => Ok(id.to_owned()),
        }
    }

    /// Returns the last commit of a branch.
    pub(crate) fn tip(&self, branch: &str) -> Option<Mark> {
        self.tips.get(branch).copied()
    }

    pub(crate) fn tag(&mut self, name: &str, mark: Mark) -> io::Result<()> {
        writeln!(self.input, "reset refs/tags/{name}\nfrom :{}\n", mark.0)
    }

    /// Ends the import, checks out the main branch, and returns how many commits were written.
    pub(crate) fn finish(mut self, folder: &Path) -> io::Result<usize> {
        writeln!(self.input, "done")?;
        self.input.flush()?;
        drop(self.input);
        if !self.importer.wait()?.success() {
            return Err(io::Error::other("git fast-import failed"));
        }
        git::run(folder, &["reset", "--quiet", "--hard", "main"])?;
        Ok(self.commits)
    }
}

fn data(input: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    writeln!(input, "data {}", bytes.len())?;
    input.write_all(bytes)?;
    writeln!(input)
}
