//! What was acknowledged stays, whatever happens to the process, the disk or the machine. Shown on the binary as it is
//! shipped: `strace` kills it and makes its calls fail from outside, and records it so that power cuts can be played
//! through afterwards.
//!
//! Every run tries a sample, `BATON_LONG=1` a large one, `BATON_LONG=all` everything. A run that tries less than its floor
//! fails.

mod office;
mod power;
mod session;
mod sweep;

use std::thread;
use std::time::Instant;

use office::Office;
use power::{Planted, Session};
use session::Reference;
use sweep::Tally;

use crate::support;

/// How much is tried: points and images, and how many of each must have been.
struct Extent {
    points: usize,
    images: usize,
    floor: (usize, usize),
    /// How many points must have had a second fault, in what came after the first.
    twice_floor: usize,
}

const SAMPLE: Extent = Extent { points: 150, images: 150, floor: (150, 150), twice_floor: 10 };
const LONG: Extent = Extent { points: 1_600, images: 2_100, floor: (1_000, 2_000), twice_floor: 200 };
const WHOLE: Extent =
    Extent { points: usize::MAX, images: usize::MAX, floor: LONG.floor, twice_floor: LONG.twice_floor };
/// Images in which a planted bug must show.
const PLANTED_IMAGES: usize = 40;
/// Threads of which each has an office of its own.
const WORKERS_MAX: usize = 8;
/// Most findings that are told before a worker gives up.
const FINDINGS_MAX: usize = 5;
const SEED: u64 = 2_611;

#[test]
fn nothing_acknowledged_is_lost_to_faults_kills_or_power_cuts() {
    if !support::has_strace("faults and power cuts") {
        return;
    }
    let extent = extent();
    let started = Instant::now();
    // Each worker goes through the session in a place of its own: a trusted file is trusted where it lies.
    let mut workers = in_parallel(vec![(); worker_count()], |_, ()| Worker::new());

    let stage = Instant::now();
    workers = in_parallel(workers, |share, worker| worker.try_points(share, extent.points));
    let mut tally = Tally::default();
    workers.iter().for_each(|worker| tally.add(&worker.tally));
    tell("faults", &mut workers, &format!("{tally:?}"), stage);
    assert!(tally.points >= extent.floor.0, "{} points are too few to show anything", tally.points);
    assert!(tally.twice >= extent.twice_floor, "{} second faults are too few to show anything", tally.twice);
    assert!(tally.is_lively(), "a test in which little happened: {tally:?}");

    let stage = Instant::now();
    workers = in_parallel(workers, |share, worker| worker.try_images(share, extent.images));
    let images: usize = workers.iter().map(|worker| worker.images).sum();
    let opened = format!("{images} different images of the disk, each opened by the binary");
    tell("power cuts", &mut workers, &opened, stage);
    assert!(images >= extent.floor.1, "{images} images are too few to show anything");

    let stage = Instant::now();
    workers = in_parallel(workers, |share, worker| worker.plant(share));
    tell("planted bugs", &mut workers, "all found", stage);
    announce(&format!("all of it took {} s", started.elapsed().as_secs()));
}

/// Which part of the work is a worker's: one in so many.
#[derive(Clone, Copy)]
struct Share {
    number: usize,
    of: usize,
}

/// Somebody who tries things in an office of their own.
struct Worker {
    office: Office,
    reference: Reference,
    tally: Tally,
    images: usize,
    findings: Vec<String>,
}

impl Worker {
    fn new() -> Self {
        let office = Office::new();
        let reference = Reference::record(&office);
        let agrees = Session::new(&reference, Planted::Nothing).model_agrees();
        agrees.expect("the model of the disk is right about the undisturbed session");
        Worker { office, reference, tally: Tally::default(), images: 0, findings: Vec::new() }
    }

    fn try_points(mut self, share: Share, most: usize) -> Self {
        let points = sweep::points(&sweep::spots(&self.office, &self.reference), SEED);
        if share.number == 0 {
            announce(&format!("there are {} points in {} commands", points.len(), session::COMMANDS.len()));
        }
        for point in points.iter().take(most).skip(share.number).step_by(share.of) {
            if self.findings.len() >= FINDINGS_MAX {
                break;
            }
            let tried = sweep::try_point(&self.office, &self.reference, point, &mut self.tally);
            if let Err(wrong) = tried {
                let words = session::COMMANDS[point.spot.command].0;
                self.findings.push(format!("{words:?} {point:?}: {wrong}"));
            }
        }
        self
    }

    fn try_images(mut self, share: Share, most: usize) -> Self {
        let session = Session::new(&self.reference, Planted::Nothing);
        let outages: Vec<_> =
            session.outages(SEED).into_iter().skip(share.number).step_by(share.of).collect();
        let findings = &mut self.findings;
        let looked = session.each_image(&outages, most.div_ceil(share.of), |outage, image| {
            if findings.len() >= FINDINGS_MAX {
                return false;
            }
            if let Err(wrong) = session.holds(&self.office, outage, image) {
                findings.push(format!("{outage:?}: {wrong}"));
            }
            true
        });
        self.images = looked.expect("the session can be played through");
        self
    }

    /// The same check finds what is lost when flushes are missing, so that finding nothing means something.
    fn plant(mut self, share: Share) -> Self {
        for planted in Planted::BUGS.iter().skip(share.number).step_by(share.of) {
            let session = Session::new(&self.reference, *planted);
            let (mut lost, mut broken) = (0, 0);
            let looked = session.each_image(&session.outages(SEED), PLANTED_IMAGES, |outage, image| {
                let wrong = session.keeps(&self.office, outage, image).err().unwrap_or_default();
                lost += usize::from(wrong.contains("lost"));
                broken += usize::from(!wrong.is_empty() && !wrong.contains("lost"));
                true
            });
            let looked = looked.expect("the session can be played through");
            announce(&format!(
                "{planted:?}: {lost} of {looked} images lose events, {broken} are broken otherwise"
            ));
            if lost == 0 {
                self.findings.push(format!("{planted:?} is not found"));
            }
        }
        self
    }
}

fn announce(text: &str) {
    support::announce(&format!("durability: {text}"));
}

fn tell(what: &str, workers: &mut [Worker], count: &str, started: Instant) {
    let findings: Vec<String> =
        workers.iter_mut().flat_map(|worker| std::mem::take(&mut worker.findings)).collect();
    announce(&format!("{what}: {count}, {} findings, {} s", findings.len(), started.elapsed().as_secs()));
    assert!(findings.is_empty(), "{what}: {} findings\n{}", findings.len(), findings.join("\n"));
}

fn extent() -> Extent {
    match std::env::var("BATON_LONG").as_deref() {
        Ok("1") => LONG,
        Ok("all") => WHOLE,
        _ => SAMPLE,
    }
}

fn worker_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(WORKERS_MAX)
}

fn in_parallel<T: Send, U: Send>(works: Vec<T>, work: impl Fn(Share, T) -> U + Sync) -> Vec<U> {
    let of = works.len();
    thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> = works
            .into_iter()
            .enumerate()
            .map(|(number, part)| scope.spawn(move || work(Share { number, of }, part)))
            .collect();
        started.into_iter().map(|worker| worker.join().expect("a worker ends by itself")).collect()
    })
}
