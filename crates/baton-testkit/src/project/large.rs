//! Honest chains at scale: many chains in flight at once, each handoff with files of its own.

mod document;

use std::fs;
use std::io;
use std::path::Path;

use super::Project;
use super::history::{Commit, FileChange, History, Mark};
use super::kind;
use super::moment::Moment;
use super::person::PEOPLE;
use document::{Chain, Part};

/// The Monday on which a large project begins: early enough for all of it to lie in the past.
const BEGIN: Moment = Moment { second: 1_672_650_000 };
/// How many chains are worked on at the same time.
const CHAINS_AT_ONCE: usize = 20;
const MINUTES_PER_HANDOFF: i64 = 20;
/// Notes that are changed by commits of no task.
const NOTES: usize = 400;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) handoffs: usize,
    pub(crate) chains: usize,
    pub(crate) commits: usize,
}

/// How the code and the handoffs share the commits there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// A commit for the code, and one for the handoff.
    Apart,
    /// One commit for both.
    Together,
}

pub(crate) fn write(folder: &Path, size: &Size) -> io::Result<Project> {
    if size.chains > size.handoffs || size.handoffs >= size.commits {
        let message =
            "a large project has at least one handoff a chain, and a commit for each and for its beginning";
        return Err(io::Error::other(message));
    }
    fs::create_dir_all(folder)?;
    let mut writer =
        Writer { history: History::begin(folder)?, documents: Vec::new(), noise: 0, noise_made: 0 };
    writer.begin()?;
    let share = if size.commits > 2 * size.handoffs { Share::Apart } else { Share::Together };
    let own = if share == Share::Apart { 2 * size.handoffs } else { size.handoffs };
    writer.noise = size.commits - own - 1;
    for (number, part) in parts(size).enumerate() {
        let end = BEGIN.plus_minutes((number as i64 + 1) * MINUTES_PER_HANDOFF);
        writer.write_part(&part, end, share)?;
        writer.write_noise(number + 1, size.handoffs, end)?;
    }
    let commits = writer.history.finish(folder)?;
    let mut documents = writer.documents;
    documents.sort();
    let root = folder.to_path_buf();
    Ok(Project { root, tasks: size.chains, handoffs: documents.len(), commits, documents })
}

/// Returns all parts of all chains in the order of time: a group of chains goes on together.
fn parts(size: &Size) -> impl Iterator<Item = Part> {
    let (each, more) = (size.handoffs / size.chains, size.handoffs % size.chains);
    let chains = size.chains;
    (0..chains).step_by(CHAINS_AT_ONCE).flat_map(move |first| {
        let group = first..(first + CHAINS_AT_ONCE).min(chains);
        (0..=each).flat_map(move |position| {
            group.clone().filter_map(move |number| {
                let parts = each + usize::from(number < more);
                (position < parts).then_some(Part { chain: Chain { number, parts }, position })
            })
        })
    })
}

struct Writer {
    history: History,
    documents: Vec<String>,
    /// How many commits of no task there are to be, and how many there are.
    noise: usize,
    noise_made: usize,
}

impl Writer {
    fn begin(&mut self) -> io::Result<()> {
        let changes: Vec<FileChange<'_>> =
            kind::BASE.iter().map(|(path, text)| FileChange::Put { path, bytes: text.as_bytes() }).collect();
        let first = Commit::plain(&PEOPLE[0], BEGIN.plus_days(-3), "Begin the project\n", &changes);
        self.history.commit(&first).map(|_| ())
    }

    fn write_part(&mut self, part: &Part, end: Moment, share: Share) -> io::Result<()> {
        let person = &PEOPLE[part.chain.number % PEOPLE.len()];
        let code = [(part.created(), part.code()), (part.modified(), part.index())];
        let message = format!("{}: part {}\n", part.chain.id(), part.position + 1);
        let mut commit: Option<Mark> = None;
        if share == Share::Apart {
            let changes = puts(&code);
            commit = Some(self.history.commit(&Commit::plain(
                person,
                end.plus_minutes(-4),
                &message,
                &changes,
            ))?);
        }
        let named = match commit.filter(|_| part.position % 3 == 2) {
            Some(mark) => Some(self.history.id(mark)?),
            None => None,
        };
        let mut files = vec![(part.path(), part.text(end, named.as_deref())?)];
        files.extend(part.log());
        if share == Share::Together {
            files.extend(code);
        }
        let message = format!("{}: hand over part {}\n", part.chain.id(), part.position + 1);
        let changes = puts(&files);
        self.history.commit(&Commit::plain(person, end.plus_minutes(1), &message, &changes))?;
        self.documents.push(part.path());
        Ok(())
    }

    /// Writes as many commits of no task as fall to the handoffs so far.
    fn write_noise(&mut self, done: usize, all: usize, end: Moment) -> io::Result<()> {
        while self.noise_made < self.noise * done / all {
            let number = self.noise_made;
            let path = format!("notes/{:02}/{:03}.md", number % 20, number % NOTES);
            let text = format!("# Note {}\n\nRevision {number}.\n", number % NOTES);
            let changes = [FileChange::Put { path: &path, bytes: text.as_bytes() }];
            let person = &PEOPLE[number % PEOPLE.len()];
            self.history.commit(&Commit::plain(person, end.plus_minutes(2), "Keep the notes\n", &changes))?;
            self.noise_made += 1;
        }
        Ok(())
    }
}

fn puts(files: &[(String, String)]) -> Vec<FileChange<'_>> {
    files.iter().map(|(path, text)| FileChange::Put { path, bytes: text.as_bytes() }).collect()
}
