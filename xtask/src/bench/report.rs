//! The table of one run, and the targets beside what was seen.

use super::corpus::Corpus;
use super::measure::{Clock, Measurement};
use super::program::Role;
use super::target::{Bound, Target};

/// The smallest folder: start-up is most of the time there.
const SMALL: usize = 100;
/// The folder against which the memory of the largest is compared.
const MIDDLE: usize = 1_000;
/// Up to this growth the memory counts as flat: allocators and page counts vary by themselves.
const FLAT_GROWTH_MAX: f64 = 1.25;
/// A shorter run ends before its memory has been looked at often enough.
const PEAK_WALL_SECONDS_MIN: f64 = 0.02;

/// All programs on one folder.
pub(super) struct Contest {
    pub(super) corpus: Corpus,
    pub(super) measurements: Vec<Measurement>,
}

impl Contest {
    fn of(&self, role: Role) -> Option<&Measurement> {
        self.measurements.iter().find(|measurement| measurement.role == role)
    }

    fn fastest_peer(&self, clock: Clock) -> Option<&Measurement> {
        self.measurements
            .iter()
            .filter(|measurement| measurement.role.is_peer())
            .min_by(|one, other| one.seconds(clock).total_cmp(&other.seconds(clock)))
    }
}

pub(super) fn print_table(contests: &[Contest], cold_start: &[Measurement]) {
    println!(
        "\n{:>9}  {:<30} {:>9} {:>9} {:>9} {:>8} {:>9} {:>9}",
        "documents", "program", "wall s", "CPU s", "docs/s", "peak MB", "wall/baton", "CPU/baton"
    );
    for contest in contests {
        let baton = contest.of(Role::Baton);
        for measurement in &contest.measurements {
            print_row(contest.corpus.documents, measurement, baton);
        }
        println!();
    }
    for measurement in cold_start {
        print_row(1, measurement, cold_start.first());
    }
}

fn print_row(documents: usize, measurement: &Measurement, baton: Option<&Measurement>) {
    let wall = measurement.seconds(Clock::Wall);
    let peak_kb = measurement.peak_kb.filter(|_| wall >= PEAK_WALL_SECONDS_MIN);
    let peak = peak_kb.map_or("-".to_owned(), |kb| format!("{:.1}", kb as f64 / 1024.0));
    let ratio =
        |clock| baton.map_or("-".to_owned(), |baton| format!("{:.2}", measurement.over(baton, clock)));
    println!(
        "{documents:>9}  {:<30} {wall:>9.4} {:>9.4} {:>9.0} {peak:>8} {:>10} {:>9}",
        measurement.role.name(),
        measurement.seconds(Clock::Cpu),
        documents as f64 / wall,
        ratio(Clock::Wall),
        ratio(Clock::Cpu),
    );
}

pub(super) fn print_targets(contests: &[Contest], cold_start: &[Measurement]) {
    println!("\ntargets, each ratio the median over rounds in which the programs took turns");
    let small = contests.iter().find(|contest| contest.corpus.documents == SMALL);
    let middle = contests.iter().find(|contest| contest.corpus.documents == MIDDLE);
    let Some(large) = contests.last() else { return };
    let count = large.corpus.documents;
    let lines = [
        peer_target(Some(large), Bound::AtLeast(2.0), &format!("the fastest peer at {count} documents")),
        peer_target(small, Bound::AtLeast(10.0), "the fastest peer at 100 documents, start-up counted"),
        floor_target(large),
        thread_target(large),
        memory_target(middle, large),
        cold_start_target(cold_start),
    ];
    for target in lines {
        println!("  {target}");
    }
    if count < 20_000 {
        println!("  (quick run: the first, third, fourth and fifth target are stated for 20000 documents)");
    }
}

fn peer_target(contest: Option<&Contest>, bound: Bound, what: &str) -> Target {
    let ratio = |clock| {
        let contest = contest?;
        Some(contest.fastest_peer(clock)?.over(contest.of(Role::Baton)?, clock))
    };
    let peer = contest.and_then(|contest| contest.fastest_peer(Clock::Wall));
    let subject = peer.map_or(what.to_owned(), |peer| format!("{what} ({})", peer.role.name()));
    Target { bound, subject, seen: ratio(Clock::Wall), cpu: ratio(Clock::Cpu) }
}

fn floor_target(large: &Contest) -> Target {
    let ratio = |clock| Some(large.of(Role::Baton)?.over(large.of(Role::FloorEvents)?, clock));
    Target {
        bound: Bound::AtMost(2.0),
        subject: format!("the time of YAML events alone at {} documents", large.corpus.documents),
        seen: ratio(Clock::Wall),
        cpu: ratio(Clock::Cpu),
    }
}

fn thread_target(large: &Contest) -> Target {
    let ratio = |clock| Some(large.of(Role::Baton)?.over(large.of(Role::BatonTwoThreads)?, clock));
    Target {
        bound: Bound::AtLeast(1.7),
        subject: "one thread, by two threads".to_owned(),
        seen: ratio(Clock::Wall),
        cpu: None,
    }
}

fn memory_target(middle: Option<&Contest>, large: &Contest) -> Target {
    let peak = |contest: &Contest| contest.of(Role::Baton)?.peak_kb.map(|kb| kb as f64);
    let growth = middle
        .filter(|middle| middle.corpus.documents < large.corpus.documents)
        .and_then(|middle| Some(peak(large)? / peak(middle)?));
    Target {
        bound: Bound::AtMost(FLAT_GROWTH_MAX),
        subject: format!("the peak memory of {MIDDLE} documents (not a time)"),
        seen: growth,
        cpu: None,
    }
}

fn cold_start_target(cold_start: &[Measurement]) -> Target {
    let ratio = |clock| match cold_start {
        [baton, empty] => Some(baton.over(empty, clock)),
        _ => None,
    };
    Target {
        bound: Bound::AtMost(3.0),
        subject: "an empty program, for `baton check` of one file".to_owned(),
        seen: ratio(Clock::Wall),
        cpu: ratio(Clock::Cpu),
    }
}
