//! Which processes there are, who began them, and how one is ended without ever meeting a stranger.
//!
//! A number alone is no identity: the kernel gives it away again. A process is its number and the moment it began, and a
//! signal goes through a handle that was checked against both.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// More processes than this are not looked at in one go; no Linux has more.
const PROCESSES_SEEN_MAX: usize = 4 * 1024 * 1024;
/// Longer is no description of a process: it has some fifty numbers, and a name of at most sixty-four characters.
const STAT_BYTES_MAX: usize = 2048;
/// Longer is no summary of the memory of a process: it has some twenty-five short lines.
const ROLLUP_BYTES_MAX: u64 = 4096;
const KIB: u64 = 1024;
/// What the kernel counts memory in where nothing else is said.
const PAGE_BYTES: u64 = 4096;

/// One process, for as long as the machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Process {
    pub(super) id: i32,
    /// In ticks of the kernel after the machine began.
    pub(super) began: u64,
}

/// A process as the kernel describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) process: Process,
    pub(super) parent: i32,
    pub(super) session: i32,
    /// It has ended, and waits to be taken note of.
    pub(super) is_over: bool,
    /// It was halted by a signal, or by whoever traces it.
    is_halted: bool,
    pub(super) threads: u64,
    pub(super) resident_bytes: u64,
}

impl Process {
    pub(super) fn of(id: i32) -> Option<Self> {
        look(id).map(|seen| seen.process)
    }

    /// Says whether it is there and has not ended.
    pub(super) fn is_alive(self) -> bool {
        look(self.id).is_some_and(|seen| seen.process == self && !seen.is_over)
    }

    /// Returns what it holds, with its part only of what it shares with others; nothing where that may not be read.
    fn proportional_bytes(self) -> Option<u64> {
        let mut rollup = String::with_capacity(ROLLUP_BYTES_MAX as usize);
        let file = File::open(format!("/proc/{}/smaps_rollup", self.id)).ok()?;
        file.take(ROLLUP_BYTES_MAX).read_to_string(&mut rollup).ok()?;
        proportional(&rollup)
    }

    /// Sends a signal to this process and no other. Says whether it went out.
    pub(super) fn signal(self, signal: Signal) -> bool {
        let Some(id) = Pid::from_raw(self.id) else { return false };
        // The handle holds on to whoever has the number now; only then is it asked who that is.
        let Ok(handle) = pidfd_open(id, PidfdFlags::empty()) else { return false };
        Self::of(self.id) == Some(self) && pidfd_send_signal(handle, signal).is_ok()
    }
}

/// Says whether a process was halted.
pub(super) fn is_halted(id: u32) -> bool {
    i32::try_from(id).ok().and_then(look).is_some_and(|seen| seen.is_halted)
}

/// Returns the session of a process. It is 0 where the session began outside of our container, which the system's own call
/// for it hands on as a number that no process can have.
pub(super) fn session(id: Pid) -> Option<i32> {
    look(id.as_raw_pid()).map(|seen| seen.session)
}

/// Returns all processes that can be seen.
pub(super) fn all() -> Vec<Seen> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.take(PROCESSES_SEEN_MAX).filter_map(look).collect()
}

/// Returns how many threads there are, at least. The kernel has counted them; where it does not tell, all are looked at.
pub(super) fn threads() -> u64 {
    let counted = fs::read_to_string("/proc/loadavg").ok();
    let counted = counted.and_then(|text| text.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok());
    counted.unwrap_or_else(|| all().iter().map(|seen| seen.threads).sum())
}

/// Returns those that descend from any of `ancestors`, without these.
pub(super) fn below(ancestors: &[i32], table: &[Seen]) -> Vec<Seen> {
    let mut children: BTreeMap<i32, Vec<&Seen>> = BTreeMap::new();
    for seen in table {
        children.entry(seen.parent).or_default().push(seen);
    }
    let mut met: BTreeSet<i32> = ancestors.iter().copied().collect();
    let mut found: Vec<Seen> = Vec::new();
    let mut next: Vec<i32> = ancestors.to_vec();
    while let Some(parent) = next.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if met.insert(child.process.id) {
                found.push(**child);
                next.push(child.process.id);
            }
        }
    }
    found
}

/// Says whether processes hold more memory than this together. What several share stands in the figure of each, so the sum of
/// these is cheap and too high: only where it is over is it counted what each has a part in, which takes a walk over all pages.
pub(super) fn take_more(tree: &[Seen], most: u64) -> bool {
    let resident: u64 = tree.iter().map(|seen| seen.resident_bytes).sum();
    let part = |seen: &Seen| seen.process.proportional_bytes().unwrap_or(seen.resident_bytes);
    resident > most && tree.iter().map(part).sum::<u64>() > most
}

fn proportional(rollup: &str) -> Option<u64> {
    let part = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    part.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(KIB)
}

pub(super) fn look(id: i32) -> Option<Seen> {
    // Without a bound it would be read in small pieces: the kernel does not say how long it is.
    let mut stat = Vec::with_capacity(STAT_BYTES_MAX);
    let file = File::open(format!("/proc/{id}/stat")).ok()?;
    file.take(STAT_BYTES_MAX as u64).read_to_end(&mut stat).ok()?;
    parse(id, &stat)
}

/// The name of the program stands in brackets and may hold anything, brackets too; what follows the last one is numbers.
fn parse(id: i32, stat: &[u8]) -> Option<Seen> {
    let after = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let text = std::str::from_utf8(stat.get(after..)?).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Seen {
        process: Process { id, began: number(19)? },
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        is_over: matches!(*fields.first()?, "Z" | "X"),
        is_halted: matches!(*fields.first()?, "T" | "t"),
        threads: number(17)?,
        resident_bytes: number(21)?.saturating_mul(PAGE_BYTES),
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_name_full_of_brackets_is_no_trap() {
        let stat = b"7 (a) Z 1 (b)) S 5 6 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 12345 0 9 0";
        let seen = parse(7, stat).unwrap();
        assert_eq!((seen.parent, seen.session, seen.threads), (5, 7, 3));
        assert_eq!((seen.process.began, seen.resident_bytes, seen.is_over), (12345, 9 * PAGE_BYTES, false));
    }

    #[test]
    fn what_a_process_has_a_part_in_is_told_by_its_own_line() {
        let rollup =
            "55bf-7ffd ---p 00000000 00:00 0 [rollup]\nRss:  1612 kB\nPss:   231 kB\nPss_Anon: 116 kB\n";
        assert_eq!(proportional(rollup), Some(231 * KIB));
        assert_eq!(proportional("Rss: 1612 kB\nPss_Anon: 116 kB\n"), None);
        let own = look(rustix::process::getpid().as_raw_pid()).unwrap();
        let part = own.process.proportional_bytes().unwrap_or(own.resident_bytes);
        assert!(part > 0 && take_more(&[own], part / 2) && !take_more(&[own], u64::MAX));
    }

    #[test]
    fn no_thread_is_missing_in_the_count() {
        let seen: u64 = all().iter().map(|seen| seen.threads).sum();
        // Some may have come since.
        assert!(seen > 0 && threads() > seen / 2);
    }

    #[test]
    fn rings_and_strangers_are_no_descendants() {
        let seen = |id, parent| Seen {
            process: Process { id, began: 1 },
            parent,
            session: 0,
            is_over: false,
            is_halted: false,
            threads: 1,
            resident_bytes: 0,
        };
        let table = [seen(2, 1), seen(3, 2), seen(4, 3), seen(9, 8), seen(8, 9)];
        let ids = |found: Vec<Seen>| found.iter().map(|seen| seen.process.id).collect::<BTreeSet<_>>();
        assert_eq!(ids(below(&[2], &table)), [3, 4].into());
        assert_eq!(ids(below(&[8], &table)), [9].into());
    }

    #[test]
    fn who_has_the_number_now_is_not_taken_for_who_had_it() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let real = Process::of(child.id() as i32).unwrap();
        let former = Process { began: real.began - 1, ..real };
        for _ in 0..10_000 {
            assert!(!former.signal(Signal::KILL));
        }
        assert!(real.is_alive() && !former.is_alive());
        assert!(real.signal(Signal::KILL));
        child.wait().unwrap();
        assert!(!real.is_alive());
    }
}
