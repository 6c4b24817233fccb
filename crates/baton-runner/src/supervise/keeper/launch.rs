//! Starts the child, within its bounds and its fence.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::cgroup::Cgroup;
use super::relay::{Ends, Relay};
use crate::file::open_plain;
use crate::sandbox::Fence;
use crate::supervise::descendants;
use crate::supervise::ended::{NotStarted, Reason};
use crate::supervise::order::Bounds;
use crate::supervise::wire::Task;
use crate::supervise::within::MARK;

/// Threads are counted where processes are meant, and most tools have some.
const THREADS_PER_PROCESS: u64 = 8;
/// The longest first line of a script that the kernel reads.
const SHEBANG_BYTES_MAX: u64 = 256;
/// How a program for Linux begins.
const ELF: &[u8] = b"\x7fELF";

/// A child that was started.
pub(super) struct Launched {
    /// Its number. It leads a group of processes of its own.
    pub(super) child: i32,
    /// A child that dies with its parent dies with the thread that started it, so that one stays while this does.
    _stays: Sender<()>,
}

pub(super) fn launch(
    task: &Task,
    relay: &Relay,
    cgroup: Option<&Cgroup>,
    mark: &str,
) -> Result<Launched, NotStarted> {
    let Some((program, _)) = task.argv.split_first() else {
        return Err(NotStarted::new(Reason::Missing, "the command is empty"));
    };
    let program = Path::new(program);
    examine(program, task)?;
    let Some(ends) = relay.take_ends() else {
        return Err(NotStarted::new(Reason::Other, "it was started already"));
    };
    let mut command = command(task, ends);
    command.env(MARK, mark);
    let (bounds, fence) = (task.bounds, task.fence.clone());
    let (program, folder) = (program.to_owned(), PathBuf::from(&task.folder));
    let (tell, told) = channel();
    let (stays, until) = channel();
    let within = cgroup.map(Cgroup::enter);
    // What binds a thread of Linux binds all that it starts: this one is bound, the others of the keeper are not.
    let bound = thread::Builder::new().spawn(move || {
        let started = limit(&bounds)
            .and_then(|()| fence.enter())
            .and_then(|()| command.spawn().map_err(|error| unstarted(&error, &program, &folder)));
        // It holds the ends of the child's streams, which would never run dry.
        drop(command);
        let _ = tell.send(started);
        let _ = until.recv();
    });
    let started = match bound.map(|_| told.recv()) {
        Ok(Ok(started)) => started,
        Ok(Err(_)) => Err(NotStarted::new(Reason::Other, "the thread that starts it was lost")),
        Err(error) => Err(NotStarted::new(Reason::Other, format!("no thread can be started: {error}"))),
    };
    drop(within);
    let child = i32::try_from(started?.id())
        .map_err(|_| NotStarted::new(Reason::Other, "its number is too large"))?;
    Ok(Launched { child, _stays: stays })
}

fn command(task: &Task, ends: Ends) -> Command {
    let argv: Vec<_> = match &task.fence {
        Fence::Bubblewrap { argv, .. } => argv.iter().chain(&task.argv).collect(),
        Fence::None | Fence::Landlock { .. } => task.argv.iter().collect(),
    };
    let mut command = Command::new(argv[0]);
    command
        .args(&argv[1..])
        .current_dir(&task.folder)
        .env_clear()
        .envs(task.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(ends.stdin).stdout(ends.stdout).stderr(ends.stderr);
    command.process_group(0);
    if let Some(identity) = task.identity {
        command.uid(identity.user).gid(identity.group);
    }
    command
}

/// Looks at what is to be run before it is. Behind bubblewrap nobody could tell its failure from that of the child.
fn examine(program: &Path, task: &Task) -> Result<(), NotStarted> {
    let folder = Path::new(&task.folder);
    if !folder.is_dir() {
        return Err(NotStarted::new(Reason::Folder, format!("the folder {} is not there", folder.display())));
    }
    let shown = program.display();
    if !program.is_absolute() {
        return Err(NotStarted::new(Reason::Missing, format!("`{shown}` is no absolute path")));
    }
    let missing = |_| NotStarted::new(Reason::Missing, format!("`{shown}` is not there"));
    let facts = fs::metadata(program).map_err(missing)?;
    let unrunnable =
        |why: &str| NotStarted::new(Reason::NotExecutable, format!("`{shown}` cannot be run: {why}"));
    if !facts.is_file() {
        return Err(unrunnable("it is not a file"));
    }
    if rustix::fs::access(program, Access::EXEC_OK).is_err() {
        return Err(unrunnable("it is not marked as a program"));
    }
    // What cannot be read can still be run.
    let Ok(head) = head(program) else { return Ok(()) };
    match head.strip_prefix(b"#!").map(interpreter) {
        Some(interpreter) if !interpreter.exists() => {
            Err(unrunnable("the program that its first line names is not there"))
        }
        None if matches!(task.fence, Fence::Bubblewrap { .. }) && !head.starts_with(ELF) => {
            Err(unrunnable("it is neither a program nor a script"))
        }
        Some(_) | None => Ok(()),
    }
}

fn head(program: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    open_plain(&program.canonicalize()?)?.take(SHEBANG_BYTES_MAX).read_to_end(&mut head)?;
    Ok(head)
}

/// Returns the program that a script names in its first line.
fn interpreter(after_mark: &[u8]) -> &Path {
    let line = after_mark.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_start();
    let name = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    Path::new(OsStr::from_bytes(name))
}

/// Binds this process and its children. Nothing that a keeper does itself comes near.
fn limit(bounds: &Bounds) -> Result<(), NotStarted> {
    let threads = descendants::threads();
    let threads_max = threads.saturating_add(THREADS_PER_PROCESS.saturating_mul(bounds.processes_max as u64));
    let wanted = [
        (Resource::Fsize, bounds.file_bytes_max),
        (Resource::Nofile, bounds.open_files_max),
        (Resource::Nproc, threads_max),
        (Resource::Core, 0),
    ];
    for (resource, most) in wanted {
        let now = getrlimit(resource);
        // What is bounded lower already stays so: only root may raise it.
        let lower = |value: Option<u64>| Some(value.map_or(most, |value| value.min(most)));
        let new = Rlimit { current: lower(now.current), maximum: lower(now.maximum) };
        setrlimit(resource, new).map_err(|error| {
            NotStarted::new(Reason::Other, format!("{resource:?} cannot be bounded: {error}"))
        })?;
    }
    Ok(())
}

fn unstarted(error: &io::Error, program: &Path, folder: &Path) -> NotStarted {
    let errno = Errno::from_io_error(error);
    let reason = match errno {
        Some(Errno::NOENT) if !folder.exists() => Reason::Folder,
        Some(Errno::NOENT) if !program.exists() => Reason::Missing,
        Some(Errno::NOENT | Errno::ACCESS | Errno::NOEXEC | Errno::ISDIR) => Reason::NotExecutable,
        Some(Errno::TOOBIG) => Reason::TooLong,
        Some(_) | None => Reason::Other,
    };
    NotStarted::new(reason, format!("`{}` cannot be started: {error}", program.display()))
}
