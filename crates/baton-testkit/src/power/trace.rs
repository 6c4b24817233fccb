//! Reads what `strace -f -qq -y -xx -s BYTES` wrote about the calls by which bytes and names reach the disk.

use std::collections::BTreeMap;

/// The calls to be recorded. Those that the model does not know are recorded too: one of them on a watched file is an error,
/// because a model that leaves something out proves nothing.
pub const CALLS: &[&str] = &[
    "openat",
    "open",
    "creat",
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "pwritev2",
    // Reading moves the place at which the descriptor writes next.
    "read",
    "readv",
    "lseek",
    "ftruncate",
    "truncate",
    "fallocate",
    "copy_file_range",
    "sendfile",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "sync",
    "syncfs",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "mkdirat",
    // These say whose descriptors a thread uses.
    "clone",
    "clone3",
];
/// Longest piece of data that a recording must hold whole; one that was cut is an error.
pub const BYTES_MAX: usize = 16 * 1024 * 1024;
const STANDARD_OUTPUT: &str = "1";

/// One call that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How many steps were over when this one began: a flush is sure to cover those, and no later ones.
    pub began: usize,
    pub call: Call,
}

/// An open file, by its number in the process that opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Descriptor {
    pub process: u32,
    pub number: u32,
}

/// What a call does to the disk. Paths begin with the name of the watched folder they are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Open {
        path: String,
        descriptor: Descriptor,
        opening: Opening,
    },
    Write {
        path: String,
        descriptor: Descriptor,
        /// Where in the file; after the last write of the descriptor when not given.
        at: Option<u64>,
        bytes: Vec<u8>,
    },
    /// The next write of the descriptor goes there.
    Seek {
        descriptor: Descriptor,
        at: u64,
    },
    Read {
        descriptor: Descriptor,
        count: u64,
    },
    Cut {
        path: String,
        size: u64,
    },
    Flush {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    Link {
        from: String,
        to: String,
    },
    Remove {
        path: String,
    },
    MakeFolder {
        path: String,
    },
    /// Something was said on standard output: whoever listens now counts on what it says.
    Say,
}

/// What opening a file does to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    pub creates: bool,
    pub empties: bool,
    pub appends: bool,
}

/// The folders whose files are watched, each with the name that stands for it.
#[derive(Clone, Debug)]
pub struct Watched<'a> {
    pub folders: &'a [(&'a str, &'a str)],
    /// Where the program was started.
    pub working_folder: &'a str,
    /// Folders in them for what is needed for a moment only: nobody was promised that it stays.
    pub passing: &'a [&'a str],
}

/// Returns the calls on watched files, in the order in which they were over.
pub fn read(text: &str, watched: &Watched<'_>) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    let mut unfinished: BTreeMap<&str, (String, usize)> = BTreeMap::new();
    let processes = Processes::of(text)?;
    for line in text.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if rest.starts_with("---") || rest.starts_with("+++") {
            continue;
        }
        if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
            unfinished.insert(thread, (begun.to_owned(), steps.len()));
            continue;
        }
        let (whole, began) = match rest.strip_prefix("<... ") {
            Some(resumed) => {
                let (begun, began) =
                    unfinished.remove(thread).ok_or_else(|| format!("resumed and never begun: {rest}"))?;
                let end = resumed.split_once("resumed>").map_or("", |(_, end)| end);
                (format!("{begun}{end}"), began)
            }
            None => (rest.to_owned(), steps.len()),
        };
        if let Some(call) = one(&whole, watched, processes.whose(thread)?)? {
            steps.push(Step { began, call });
        }
    }
    Ok(steps)
}

/// Which process each thread is of.
struct Processes {
    /// The one that was started; all others were started by it.
    first: u32,
    threads: BTreeMap<u32, u32>,
}

/// Who makes a call.
#[derive(Clone, Copy)]
struct Caller {
    process: u32,
    /// Whether it is the program that was recorded, and not one that it started.
    is_first: bool,
}

impl Processes {
    /// Reads the whole recording for it: a thread can make calls before the one that started it hears of it.
    fn of(text: &str) -> Result<Self, String> {
        let mut begun: BTreeMap<u32, bool> = BTreeMap::new();
        let mut processes = Processes { first: 0, threads: BTreeMap::new() };
        for line in text.lines() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            let thread = small(thread)?;
            if processes.first == 0 {
                processes.first = thread;
            }
            let rest = rest.trim_start();
            if !rest.starts_with("clone") && !rest.starts_with("<... clone") {
                continue;
            }
            let is_thread = rest.contains("CLONE_THREAD") || begun.remove(&thread) == Some(true);
            match rest.rsplit_once(" = ") {
                None => drop(begun.insert(thread, is_thread)),
                Some((_, child)) if is_thread && !child.starts_with(['-', '?']) => {
                    let process = processes.whose_number(thread);
                    processes.threads.insert(small(child.trim())?, process);
                }
                Some(_) => {}
            }
        }
        Ok(processes)
    }

    fn whose_number(&self, thread: u32) -> u32 {
        self.threads.get(&thread).copied().unwrap_or(thread)
    }

    fn whose(&self, thread: &str) -> Result<Caller, String> {
        let process = self.whose_number(small(thread)?);
        Ok(Caller { process, is_first: process == self.first })
    }
}

/// Reads one whole line. A call that failed, or that touches nothing watched, is nothing.
fn one(line: &str, watched: &Watched<'_>, caller: Caller) -> Result<Option<Call>, String> {
    let Some((before, result)) = line.rsplit_once(" = ") else { return Ok(None) };
    let Some((name, arguments)) = before.trim_end().split_once('(') else { return Ok(None) };
    let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
    if !CALLS.contains(&name) || result.starts_with('-') || result.starts_with('?') {
        return Ok(None);
    }
    // Every string is written in base 16, so that no comma or bracket stands inside of one.
    let arguments: Vec<&str> = arguments.split(", ").map(str::trim_end).collect();
    let call = Arguments { name, arguments: &arguments, result, watched, caller };
    call.read().map_err(|wrong| format!("{wrong} in `{}`", line.chars().take(400).collect::<String>()))
}

/// A path among the arguments, and before it the folder that it is in, where the call has one.
type Place = (Option<usize>, usize);

struct Arguments<'a> {
    name: &'a str,
    arguments: &'a [&'a str],
    result: &'a str,
    watched: &'a Watched<'a>,
    caller: Caller,
}

impl Arguments<'_> {
    fn read(&self) -> Result<Option<Call>, String> {
        match self.name {
            "openat" => self.opened(),
            "write" if self.says()? => Ok(Some(Call::Say)),
            "write" => self.written(None),
            "pwrite64" => self.written(Some(self.number(3)?)),
            "lseek" => {
                let at = number(self.result.trim())?;
                Ok(self.file(0)?.map(|(descriptor, _)| Call::Seek { descriptor, at }))
            }
            "read" | "readv" => {
                let count = number(self.result.trim())?;
                Ok(self.file(0)?.map(|(descriptor, _)| Call::Read { descriptor, count }))
            }
            "ftruncate" => {
                let size = self.number(1)?;
                Ok(self.file(0)?.map(|(_, path)| Call::Cut { path, size }))
            }
            "fsync" | "fdatasync" => Ok(self.file(0)?.map(|(_, path)| Call::Flush { path })),
            "rename" => self.renamed((None, 0), (None, 1)),
            "renameat" | "renameat2" => self.renamed((Some(0), 1), (Some(2), 3)),
            "link" => self.linked((None, 0), (None, 1)),
            "linkat" => self.linked((Some(0), 1), (Some(2), 3)),
            "unlink" | "rmdir" => Ok(self.path((None, 0))?.map(|path| Call::Remove { path })),
            "unlinkat" => Ok(self.path((Some(0), 1))?.map(|path| Call::Remove { path })),
            "mkdir" => Ok(self.path((None, 0))?.map(|path| Call::MakeFolder { path })),
            "mkdirat" => Ok(self.path((Some(0), 1))?.map(|path| Call::MakeFolder { path })),
            // What a link leads to is only its text.
            "symlink" if self.path((None, 1))?.is_none() => Ok(None),
            "clone" | "clone3" => Ok(None),
            _ => self.unknown(),
        }
    }

    /// A call that the model does not know may not touch a watched file.
    fn unknown(&self) -> Result<Option<Call>, String> {
        for index in 0..self.arguments.len() {
            let text = self.arguments[index];
            let touched = match text.starts_with('"') {
                true => self.path((None, index))?.is_some(),
                false => text.contains('<') && self.file(index)?.is_some(),
            };
            if touched {
                return Err(format!("the model of the disk knows no {}", self.name));
            }
        }
        Ok(None)
    }

    fn opened(&self) -> Result<Option<Call>, String> {
        let flags: Vec<&str> = self.argument(2)?.split('|').collect();
        let has = |flag| flags.contains(&flag);
        let opening = Opening { creates: has("O_CREAT"), empties: has("O_TRUNC"), appends: has("O_APPEND") };
        let Some(path) = self.path((Some(0), 1))? else { return Ok(None) };
        let descriptor = self.descriptor(self.result.split('<').next().unwrap_or_default())?;
        Ok(Some(Call::Open { path, descriptor, opening }))
    }

    fn written(&self, at: Option<u64>) -> Result<Option<Call>, String> {
        let Some((descriptor, path)) = self.file(0)? else { return Ok(None) };
        let mut bytes = string(self.argument(1)?)?;
        let count = number(self.result.trim())?;
        bytes.truncate(usize::try_from(count).map_err(|error| error.to_string())?);
        Ok(Some(Call::Write { path, descriptor, at, bytes }))
    }

    /// What programs say that were started by the recorded one goes to the recorded one.
    fn says(&self) -> Result<bool, String> {
        Ok(self.caller.is_first && self.argument(0)?.split('<').next() == Some(STANDARD_OUTPUT))
    }

    fn renamed(&self, from: Place, to: Place) -> Result<Option<Call>, String> {
        Ok(self.pair(from, to)?.map(|(from, to)| Call::Rename { from, to }))
    }

    fn linked(&self, from: Place, to: Place) -> Result<Option<Call>, String> {
        Ok(self.pair(from, to)?.map(|(from, to)| Call::Link { from, to }))
    }

    fn pair(&self, from: Place, to: Place) -> Result<Option<(String, String)>, String> {
        match (self.path(from)?, self.path(to)?) {
            (Some(from), Some(to)) => Ok(Some((from, to))),
            (None, None) => Ok(None),
            _ => Err("a name goes into or out of the watched folders".to_owned()),
        }
    }

    fn argument(&self, index: usize) -> Result<&str, String> {
        self.arguments.get(index).copied().ok_or_else(|| format!("{} has no argument {index}", self.name))
    }

    fn number(&self, index: usize) -> Result<u64, String> {
        number(self.argument(index)?)
    }

    /// Returns an open file, unless it is not watched or has no name any more.
    fn file(&self, index: usize) -> Result<Option<(Descriptor, String)>, String> {
        let text = self.argument(index)?;
        let Some((descriptor, rest)) = text.split_once('<') else { return Ok(None) };
        let Some((path, after)) = rest.split_once('>') else { return Ok(None) };
        if after.contains("deleted") {
            return Ok(None);
        }
        let path = String::from_utf8_lossy(&unescape(path)?).into_owned();
        // Pipes and sockets have words for a path.
        let named = if path.starts_with('/') { self.named(&path) } else { None };
        let Some(path) = named else { return Ok(None) };
        Ok(Some((self.descriptor(descriptor)?, path)))
    }

    fn descriptor(&self, text: &str) -> Result<Descriptor, String> {
        Ok(Descriptor { process: self.caller.process, number: small(text)? })
    }

    fn path(&self, (folder, index): Place) -> Result<Option<String>, String> {
        let path = String::from_utf8_lossy(&string(self.argument(index)?)?).into_owned();
        if path.starts_with('/') {
            return Ok(self.named(&path));
        }
        let folder = match folder {
            Some(folder) => self.folder(folder)?,
            None if self.caller.is_first => self.watched.working_folder.to_owned(),
            None => return Err(format!("nobody knows in which folder {path} is")),
        };
        Ok(self.named(&format!("{folder}/{path}")))
    }

    /// Returns the folder that a path is relative to.
    fn folder(&self, index: usize) -> Result<String, String> {
        let text = self.argument(index)?;
        let inner = text.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
        let (path, _) = inner.ok_or_else(|| format!("`{text}` is no open folder"))?;
        Ok(String::from_utf8_lossy(&unescape(path)?).into_owned())
    }

    /// Returns the path with the name of its watched folder instead of where that lies.
    fn named(&self, path: &str) -> Option<String> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let plain = format!("/{}", parts.join("/"));
        let is_below = |folder: &&str| plain.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        if self.watched.passing.iter().any(is_below) {
            return None;
        }
        self.watched.folders.iter().find_map(|(name, folder)| {
            let inside = plain.strip_prefix(folder)?;
            (inside.is_empty() || inside.starts_with('/')).then(|| format!("{name}{inside}"))
        })
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn small(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|error| error.to_string())
}

fn string(text: &str) -> Result<Vec<u8>, String> {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    unescape(
        inner.ok_or_else(|| {
            format!("`{}` is not a whole string", text.chars().take(40).collect::<String>())
        })?,
    )
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    for digits in text.split("\\x").skip(1) {
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no byte in base 16"))?);
    }
    match text.len() == bytes.len() * 4 {
        true => Ok(bytes),
        false => Err("a string that is not all in base 16".to_owned()),
    }
}

#[cfg(test)]
mod tests;
