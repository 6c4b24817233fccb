//! What is left when a keeper was killed: found, and ended.
//!
//! Everything below a keeper carries its mark in the environment: the keeper's number, the moment it began, and in which
//! space of numbers. Whoever carries the mark of a keeper that is no more is an orphan. A process that wiped its
//! environment is still found by its session, and as a child that Baton never had: Baton adopts what a keeper loses.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, waitpid};

use super::descendants::{self, Process, Seen};
use super::keeper::cgroup;
use super::within::MARK;

/// How long ending them may take, where the machine is fast enough for `ROUNDS_MIN` in that time.
const END_MAX: Duration = Duration::from_secs(5);
/// Rounds before anybody is given up. On a busy machine one round takes seconds, and those it killed are dead in the next.
const ROUNDS_MIN: u32 = 20;
const ROUND: Duration = Duration::from_millis(10);
/// Rounds in which nobody is found before it is believed: what was halfway through a fork shows up in the next.
const EMPTY_ROUNDS: u8 = 2;
/// The most of an environment that is looked at.
const ENVIRONMENT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The kernel does not say how long an environment is; without this it would be read in small pieces.
const ENVIRONMENT_BYTES_USUAL: usize = 8 * 1024;

/// The keepers of this process that live. They are its only children in other sessions.
static KEEPERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a keeper and notes it, with nobody looking in between.
pub(super) fn register(start: impl FnOnce() -> std::io::Result<Child>) -> std::io::Result<Child> {
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let child = start()?;
    keepers.insert(child.id());
    Ok(child)
}

pub(super) fn strike(keeper: u32) {
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&keeper);
}

/// Returns the mark of a keeper.
pub(super) fn mark(keeper: Option<Process>) -> String {
    let keeper = keeper.unwrap_or(Process { id: 0, began: 0 });
    format!("{}.{}.{}", keeper.id, keeper.began, space())
}

/// Returns the name of the space in which numbers of processes count: containers have their own.
fn space() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    String::from_utf8_lossy(link.as_os_str().as_bytes()).chars().filter(char::is_ascii_digit).collect()
}

/// Ends what a lost keeper of ours has left. Returns how many were ended, and how many could not be.
pub(super) fn end_kept_by(keeper: u32, mark: Option<&str>) -> (u32, u32) {
    let session = i32::try_from(keeper).unwrap_or_default();
    let is_its = |carried: &str| mark == Some(carried);
    let counts = end(|seen| {
        let is_adopted = || seen.parent == getpid().as_raw_pid() && is_foreign(seen);
        seen.session == session || is_adopted() || carries(seen).is_some_and(|carried| is_its(&carried))
    });
    cgroup::remove_abandoned(is_its);
    counts
}

/// Says whether it is a child that we never started: in another session, and no keeper that we know.
fn is_foreign(seen: &Seen) -> bool {
    let own = descendants::session(getpid());
    let keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    Some(seen.session) != own && !u32::try_from(seen.process.id).is_ok_and(|id| keepers.contains(&id))
}

/// Ends all processes of this user whose keeper is no more, from whatever run of Baton. Returns how many were ended, and how
/// many could not be.
///
/// A keeper ends what it kept when Baton dies. This is for the day on which both were killed.
pub fn end_orphans() -> (u32, u32) {
    let space = space();
    let is_abandoned = |mark: &str| keeper(mark, &space).is_some_and(|keeper| !keeper.is_alive());
    let counts = end(|seen| carries(seen).is_some_and(|mark| is_abandoned(&mark)));
    cgroup::remove_abandoned(is_abandoned);
    counts
}

/// Returns the keeper that a mark names; nothing where its number means nothing here.
fn keeper(mark: &str, here: &str) -> Option<Process> {
    let (id, rest) = mark.split_once('.')?;
    let (began, space) = rest.split_once('.')?;
    let keeper = Process { id: id.parse().ok()?, began: began.parse().ok()? };
    (space == here && keeper.id > 0).then_some(keeper)
}

/// Returns the mark that a process carries.
fn carries(seen: &Seen) -> Option<String> {
    let variables = variables(seen.process.id)?;
    String::from_utf8(value(&variables, MARK)?.to_vec()).ok()
}

/// Returns the environment that a process was started with, where it may be read.
pub(super) fn variables(id: i32) -> Option<Vec<u8>> {
    use std::io::Read;
    let file = fs::File::open(format!("/proc/{id}/environ")).ok()?;
    let mut variables = Vec::with_capacity(ENVIRONMENT_BYTES_USUAL);
    file.take(ENVIRONMENT_BYTES_MAX).read_to_end(&mut variables).ok()?;
    Some(variables)
}

pub(super) fn value<'v>(variables: &'v [u8], name: &str) -> Option<&'v [u8]> {
    let mut all = variables.split(|&byte| byte == 0);
    all.find_map(|variable| variable.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// Ends all that `is_meant`, and all below them, until there are none.
fn end(is_meant: impl Fn(&Seen) -> bool) -> (u32, u32) {
    let until = Instant::now() + END_MAX;
    let me = getpid().as_raw_pid();
    let mut ended = BTreeSet::new();
    let mut empty = 0;
    let mut rounds = 0;
    loop {
        rounds += 1;
        let table = descendants::all();
        let roots: Vec<Seen> =
            table.iter().filter(|seen| seen.process.id != me && is_meant(seen)).copied().collect();
        let ids: Vec<i32> = roots.iter().map(|seen| seen.process.id).collect();
        let tree = descendants::below(&ids, &table);
        let mut alive = 0;
        for seen in roots.iter().chain(&tree).filter(|seen| seen.process.id != me) {
            if !seen.is_over && seen.process.signal(Signal::KILL) {
                ended.insert(seen.process);
                alive += 1;
            }
            if seen.parent == me
                && let Some(id) = Pid::from_raw(seen.process.id)
            {
                // Adopted: nobody else takes note of its end.
                let _ = waitpid(Some(id), WaitOptions::NOHANG);
            }
        }
        empty = if alive == 0 { empty + 1 } else { 0 };
        if empty >= EMPTY_ROUNDS || (rounds >= ROUNDS_MIN && Instant::now() >= until) {
            return (u32::try_from(ended.len()).unwrap_or(u32::MAX), alive);
        }
        thread::sleep(ROUND);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_mark_from_elsewhere_names_nobody() {
        let here = space();
        let me = Process::of(getpid().as_raw_pid());
        assert_eq!(keeper(&mark(me), &here), me);
        assert_eq!(keeper(&mark(me), "another space"), None);
        for nonsense in ["", "1", "1.", ".2", "x.2", "1.x", "-1.2", "0.0"] {
            assert_eq!(keeper(&format!("{nonsense}.{here}"), &here), None, "{nonsense}");
        }
    }

    #[test]
    fn a_child_of_our_own_session_is_no_stranger() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let table = descendants::all();
        let seen = table.iter().find(|seen| seen.process.id == id).unwrap();
        assert!(!is_foreign(seen), "{seen:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// In a container the session may have begun outside, and then it has no number here.
    #[test]
    fn a_session_that_began_outside_of_the_container_is_ours_too() {
        let inner = "supervise::orphan::tests::a_child_of_our_own_session_is_no_stranger";
        let container = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
        if !Command::new("unshare").args(container).arg("true").status().is_ok_and(|status| status.success())
        {
            eprintln!("left out: no container can be made here");
            return;
        }
        let output = Command::new("unshare")
            .args(container)
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", inner])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}
