//! A control group for the child and all that it starts, where the kernel lets us make one: it can be ended as a whole, so
//! that even what forks faster than it is counted ends.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::process::getpid;

use crate::supervise::order::Bounds;

/// The same allowance as for the bound of a user's threads.
const THREADS_PER_PROCESS: usize = 8;
/// How long a group is tried to be removed.
const REMOVE_ROUNDS: u32 = 50;
const REMOVE_ROUND: Duration = Duration::from_millis(10);
/// How folders of ours are called.
const PREFIX: &str = "baton-keeper-";

pub(super) struct Cgroup {
    folder: PathBuf,
    home: PathBuf,
}

/// While it lives, what is started belongs to the group.
pub(super) struct Within<'c>(&'c Cgroup);

impl Cgroup {
    /// Makes a group below our own. Nothing where that cannot be done: the walk over all descendants is there always.
    pub(super) fn create(mark: &str, bounds: &Bounds) -> Option<Self> {
        let home = home()?;
        let folder = home.join(format!("{PREFIX}{mark}"));
        fs::create_dir(&folder).ok()?;
        let group = Self { folder, home };
        if !group.folder.join("cgroup.kill").exists() || group.rehearse().is_err() {
            return None;
        }
        // Only where these controllers are given to us.
        let threads_max = bounds.processes_max.saturating_mul(THREADS_PER_PROCESS);
        let _ = group.set("pids.max", &threads_max.to_string());
        if let Some(most) = bounds.memory_bytes_max {
            let _ = group.set("memory.max", &most.to_string());
        }
        Some(group)
    }

    /// Goes in and out: whoever cannot get out again would end itself.
    fn rehearse(&self) -> io::Result<()> {
        self.set("cgroup.procs", "0")?;
        self.return_home()
    }

    pub(super) fn enter(&self) -> Within<'_> {
        // Where this fails now, the child is outside, and found by the walk.
        let _ = self.set("cgroup.procs", "0");
        Within(self)
    }

    /// Says whether the kernel has ended something in it for the memory that all of it took.
    pub(super) fn has_run_out(&self) -> bool {
        fs::read_to_string(self.folder.join("memory.events")).is_ok_and(|events| tells_of_kill(&events))
    }

    /// Ends everything in it, at once.
    pub(super) fn kill(&self) {
        let me = getpid().as_raw_pid().to_string();
        let members = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        if !members.lines().any(|member| member == me) {
            let _ = self.set("cgroup.kill", "1");
        }
    }

    fn return_home(&self) -> io::Result<()> {
        existing(&self.home.join("cgroup.procs"), &getpid().as_raw_pid().to_string())
    }

    fn set(&self, file: &str, value: &str) -> io::Result<()> {
        existing(&self.folder.join(file), value)
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        let _ = self.0.return_home();
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Ends and removes the groups of keepers that are no more.
pub(in crate::supervise) fn remove_abandoned(is_abandoned: impl Fn(&str) -> bool) {
    let groups = home().and_then(|home| fs::read_dir(home).ok());
    for group in groups.into_iter().flatten().flatten() {
        let name = group.file_name();
        let mark = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if mark.is_some_and(&is_abandoned) {
            // Who is killed takes a moment to be gone.
            for _ in 0..REMOVE_ROUNDS {
                let _ = existing(&group.path().join("cgroup.kill"), "1");
                if fs::remove_dir(group.path()).is_ok() {
                    break;
                }
                thread::sleep(REMOVE_ROUND);
            }
        }
    }
}

/// Writes into a file that is there; none is ever made.
fn existing(path: &Path, value: &str) -> io::Result<()> {
    use std::io::Write;
    fs::OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes())
}

/// Returns the folder of the group that this process is in.
fn home() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    let mut fields = mount.split(' ').skip(3);
    let (root, place) = (fields.next()?, fields.next()?);
    let below = Path::new(own).strip_prefix(root).ok()?;
    let folder = Path::new(place).join(below);
    folder.join("cgroup.procs").exists().then_some(folder)
}

fn tells_of_kill(events: &str) -> bool {
    let killed = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
    killed.is_some_and(|count| count.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::tells_of_kill;

    #[test]
    fn a_kill_for_memory_is_told_by_its_own_line() {
        assert!(tells_of_kill("low 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n"));
        assert!(!tells_of_kill("max 12\noom 1\noom_kill 0\n"));
        assert!(!tells_of_kill(""));
    }
}
