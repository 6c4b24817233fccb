//! Kills and errors at the calls by which commands write, injected from outside.

use std::collections::{BTreeMap, BTreeSet};

use baton_testkit::random::Random;

use super::office::Office;
use super::session::{COMMANDS, Ending, Reference};

/// Everything by which bytes and names reach the disk.
const CALLS: &[&str] = &[
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fallocate",
    "openat",
    "mkdir",
    "rename",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
];
const FAULTS: &[&str] = &["signal=KILL", "error=EIO", "error=ENOSPC"];
const STICKY_FAULTS: &[&str] = &["error=EIO", "error=ENOSPC"];
/// Of so many points one is tried with an error that stays, and one with a fault in what comes after it too.
const STICKY_ONE_IN: usize = 8;
const TWICE_ONE_IN: usize = 2;

/// A call of a command, counted by thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) command: usize,
    call: &'static str,
    when: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    what: &'static str,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Once,
    /// Every call from then on.
    Sticky,
}

/// One thing to try: a fault, and where it is to be two, another one in the first command afterwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) spot: Spot,
    fault: Fault,
    second: Option<(Spot, Fault)>,
}

/// What happened at all points.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) points: usize,
    pub(super) killed: usize,
    pub(super) refused: usize,
    pub(super) acknowledged: usize,
    pub(super) sticky: usize,
    pub(super) twice: usize,
    /// A flush failed once.
    pub(super) flushes: usize,
    pub(super) flushes_refused: usize,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Tally) {
        self.points += other.points;
        self.killed += other.killed;
        self.refused += other.refused;
        self.acknowledged += other.acknowledged;
        self.sticky += other.sticky;
        self.twice += other.twice;
        self.flushes += other.flushes;
        self.flushes_refused += other.flushes_refused;
    }

    /// Says whether every kind of thing happened that was to be tried.
    pub(super) fn is_lively(&self) -> bool {
        let happened =
            [self.killed, self.refused, self.acknowledged, self.sticky, self.twice, self.flushes_refused];
        happened.iter().all(|count| *count > 0)
    }

    fn count(&mut self, point: &Point, ending: &Ending) {
        self.points += 1;
        let refused = matches!(ending, Ending::Refused(_));
        match ending {
            Ending::Acknowledged => self.acknowledged += 1,
            Ending::Refused(_) => self.refused += 1,
            Ending::Cut => self.killed += 1,
        }
        self.sticky += usize::from(point.fault.form == Form::Sticky);
        self.twice += usize::from(point.second.is_some());
        if point.spot.call == "fsync" && point.fault.what == "error=EIO" {
            self.flushes += 1;
            self.flushes_refused += usize::from(refused);
        }
    }
}

/// Lists the calls of every command: those of the busiest thread, because faults are counted by thread.
pub(super) fn spots(office: &Office, reference: &Reference) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (command, (words, code)) in COMMANDS.iter().enumerate() {
        office.put(&reference.before[command]);
        office.work(command);
        office.watched(&["-e", &format!("trace={}", CALLS.join(","))], words).ends_with(*code);
        let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let mut found = BTreeSet::new();
        for line in office.recording().lines() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            let Some((name, _)) = rest.trim_start().split_once('(') else { continue };
            let Some(call) = CALLS.iter().find(|call| **call == name) else { continue };
            let count = counts.entry((call, thread.to_owned())).or_default();
            *count += 1;
            if *call != "openat" || rest.contains("O_CREAT") {
                found.insert((*call, *count));
            }
        }
        spots.extend(found.into_iter().map(|(call, when)| Spot { command, call, when }));
    }
    spots
}

/// Lists everything there is to try, in an order in which any beginning of the list is a fair sample.
pub(super) fn points(spots: &[Spot], seed: u64) -> Vec<Point> {
    let random = &mut Random::numbered(seed, 0);
    let mut points = Vec::new();
    for spot in spots.iter().copied() {
        for what in FAULTS {
            points.push(Point { spot, fault: Fault { what, form: Form::Once }, second: None });
        }
        if random.below(STICKY_ONE_IN) == 0 {
            let fault = Fault { what: random.pick::<&str>(STICKY_FAULTS), form: Form::Sticky };
            points.push(Point { spot, fault, second: None });
        }
        if random.below(TWICE_ONE_IN) == 0 {
            let same: Vec<Spot> =
                spots.iter().copied().filter(|other| other.command == spot.command).collect();
            let second = (*random.pick(&same), Fault { what: random.pick::<&str>(FAULTS), form: Form::Once });
            let fault = Fault { what: "signal=KILL", form: Form::Once };
            points.push(Point { spot, fault, second: Some(second) });
        }
    }
    for place in (1..points.len()).rev() {
        points.swap(place, random.below(place + 1));
    }
    points
}

/// Tries one point on what the disk held before its command.
pub(super) fn try_point(
    office: &Office,
    reference: &Reference,
    point: &Point,
    tally: &mut Tally,
) -> Result<(), String> {
    office.put(&reference.before[point.spot.command]);
    let mut ending = disturbed(office, point.spot, point.fault);
    tally.count(point, &ending);
    if matches!(ending, Ending::Refused(_)) && is_mute(office) {
        ending = Ending::Cut;
    }
    if let Some((spot, fault)) = point.second.filter(|_| !matches!(ending, Ending::Acknowledged)) {
        // Whoever gives a command again that was done already is refused, with a reason.
        ending = disturbed(office, spot, fault);
        if let Ending::Refused(said) = &ending
            && !said.contains("error")
            && !is_mute(office)
        {
            return Err(format!("in the first command afterwards it ended without a reason: {said:?}"));
        }
        ending = if matches!(ending, Ending::Acknowledged) { ending } else { Ending::Cut };
    }
    reference.holds(office, point.spot.command, &ending)
}

/// Says whether the reason itself was hit: faults are counted by thread, and the thread that tells of the first may meet the
/// second. Then there is no reason to see; all the rest must hold.
fn is_mute(office: &Office) -> bool {
    let is_hit = |line: &str| line.contains("write(2,") && line.ends_with("(INJECTED)");
    office.recording().lines().any(is_hit)
}

fn disturbed(office: &Office, spot: Spot, fault: Fault) -> Ending {
    office.work(spot.command);
    let plus = if fault.form == Form::Sticky { "+" } else { "" };
    let inject = format!("inject={}:{}:when={}{plus}", spot.call, fault.what, spot.when);
    let run =
        office.watched(&["-e", &format!("trace={}", spot.call), "-e", &inject], COMMANDS[spot.command].0);
    Ending::of(&run, spot.command)
}
