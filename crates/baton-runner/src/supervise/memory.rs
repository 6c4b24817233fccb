//! How much memory a program and all that it starts may take where nobody says.

use std::fs;

/// What all programs that run at once may take together, of the memory of the machine: hundredths.
const SHARE_PERCENT: u64 = 80;
/// What each of them may take at least, on a machine that has as much: builds and agents need it.
const LEAST_BYTES: u64 = 4 * 1024 * 1024 * 1024;
const KIB: u64 = 1024;

/// Returns what each of so many programs may take. Nothing where nobody knows how much there is.
pub(crate) fn share(jobs: usize) -> Option<u64> {
    machine(&fs::read_to_string("/proc/meminfo").ok()?).map(|machine| share_of(machine, jobs))
}

fn share_of(machine: u64, jobs: usize) -> u64 {
    let together = machine / 100 * SHARE_PERCENT;
    let each = together / u64::try_from(jobs.max(1)).unwrap_or(u64::MAX);
    each.max(LEAST_BYTES).min(together)
}

fn machine(meminfo: &str) -> Option<u64> {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(KIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1024 * 1024 * 1024;

    #[test]
    fn a_machine_is_shared_and_nobody_gets_too_little_to_work() {
        assert_eq!(machine("MemTotal:       16777216 kB\nMemFree: 1 kB\n"), Some(16 * GIB));
        assert_eq!(machine("MemTotal: much\n"), None);
        assert_eq!(share_of(100 * GIB, 1), 80 * GIB);
        assert_eq!(share_of(100 * GIB, 10), 8 * GIB);
        assert_eq!(share_of(100 * GIB, 32), LEAST_BYTES);
        assert_eq!(share_of(GIB * 5 / 2, 4), GIB * 5 / 2 / 100 * 80, "never more than there is");
    }
}
