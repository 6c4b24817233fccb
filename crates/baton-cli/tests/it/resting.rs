//! Keepers that have one program after the other, and what must not go from one to the next.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use baton_runner::sandbox::Confinement;
use baton_runner::supervise::resting::{Rest, rest};
use baton_runner::supervise::{Bound, Bounds, Ended, How, Order, Running, Stdin, Supervisor};
use baton_testkit::script::{Step, To, Way};
use tempfile::TempDir;

use crate::scripted::{LONG, Stage, start, until};
use crate::support::announce;

/// Whether keepers rest is one setting for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// A supervisor whose keepers are those of no other test.
struct House {
    folder: TempDir,
    supervisor: Supervisor,
}

impl House {
    /// Lets keepers rest, with no other test that does. Nothing where there is no fence, without which no keeper is shared.
    fn alone() -> Option<(MutexGuard<'static, ()>, Self, Rest)> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = TempDir::new().expect("a folder");
        let keeper = folder.path().join("baton");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_baton"), &keeper).expect("a link");
        let house = Self { supervisor: Supervisor::new(keeper), folder };
        match house.supervisor.ladder().best() {
            Some(_) => Some((alone, house, rest())),
            None => {
                announce("LEFT OUT: no fence can be had here, so that no keeper rests");
                None
            }
        }
    }

    fn start(&self, stage: &Stage, tweak: impl FnOnce(&mut Order)) -> Running {
        let mut order = stage.order(LONG);
        order.confinement = Confinement::ReadOnly { writable: vec![self.folder.path().to_owned()] };
        tweak(&mut order);
        self.supervisor.start(order).expect("it starts")
    }

    fn run(&self, steps: &[Step], tweak: impl FnOnce(&mut Order)) -> (u32, Ended) {
        let stage = Stage::new(steps);
        let running = self.start(&stage, tweak);
        let keeper = running.keeper_id();
        let ended = running.wait();
        assert_eq!(stage.alive(), 0, "nobody is left when it has ended");
        (keeper, ended)
    }
}

fn says(text: &str) -> Vec<Step> {
    vec![Step::Print { text: text.to_owned(), to: To::Out }]
}

fn lives(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

#[test]
fn one_keeper_keeps_one_program_after_the_other() {
    let Some((_alone, house, resting)) = House::alone() else { return };
    let (first, ended) = house.run(&says("one"), |order| order.stdin = Stdin::Whole(b"input".to_vec()));
    assert_eq!((ended.how, ended.output.bytes), (How::Code(0), b"one".to_vec()));
    for text in ["two", "three"] {
        let (keeper, ended) = house.run(&says(text), |_| {});
        assert_eq!((keeper, ended.how), (first, How::Code(0)));
        assert_eq!(ended.output.bytes, text.as_bytes(), "and nothing of the one before");
    }
    drop(resting);
    assert!(!lives(first), "nobody rests where nobody is wanted");
    let (other, _) = house.run(&says("four"), |_| {});
    assert!(other != first && !lives(other));
}

#[test]
fn what_was_meant_for_one_program_does_not_reach_the_next() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    let stage = Stage::new(&says("one"));
    let running = house.start(&stage, |_| {});
    let (keeper, stopper) = (running.keeper_id(), running.stopper());
    assert_eq!(running.wait().how, How::Code(0));
    let ready = house.folder.path().join("ready");
    let waits = Stage::new(&[
        Step::Write { path: ready.clone(), text: String::new() },
        Step::WaitFor { path: house.folder.path().join("go") },
    ]);
    let next = house.start(&waits, |_| {});
    assert_eq!(next.keeper_id(), keeper);
    until("the next program", || ready.exists());
    stopper.stop();
    fs::write(house.folder.path().join("go"), "").expect("a file");
    assert_eq!(next.wait().how, How::Code(0), "who was stopped is another");
}

#[test]
fn a_daemon_ends_before_the_next_program_starts() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    for _ in 0..3 {
        let (_, ended) = house.run(&[start(Way::Daemon, vec![Step::Hang])], |_| {});
        assert_eq!((ended.how, ended.descendants_left), (How::Code(0), 0));
    }
}

#[test]
fn a_keeper_that_is_lost_while_it_rests_is_replaced() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    let (first, _) = house.run(&says("one"), |_| {});
    let killed = Command::new("kill").args(["-KILL", &first.to_string()]).status().expect("it runs");
    assert!(killed.success());
    let (second, ended) = house.run(&says("two"), |_| {});
    assert_ne!(first, second);
    assert_eq!((ended.how, ended.output.bytes), (How::Code(0), b"two".to_vec()));
}

#[test]
fn who_could_reach_its_keeper_or_get_more_input_has_it_for_itself() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    let (free, _) = house.run(&says("free"), |order| order.confinement = Confinement::None);
    assert!(!lives(free), "without a fence it could have changed it");
    let (open, _) = house.run(&says("open"), |order| order.stdin = Stdin::Open(Vec::new()));
    assert!(!lives(open), "input may be on its way");
    let (narrow, _) = house.run(&says("narrow"), |order| {
        order.bounds = Bounds { open_files_max: 512, ..Bounds::default() };
    });
    assert!(!lives(narrow), "its bounds are not widened again");
    let (late, ended) =
        house.run(&[Step::Hang], |order| order.deadline = std::time::Duration::from_millis(300));
    assert_eq!(ended.how, How::TimedOut);
    assert!(!lives(late), "who had to be ended may have left something");
}

#[test]
fn memory_is_counted_for_each_program_and_keeps_no_keeper_from_resting() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    let within = |mib: u64| move |order: &mut Order| order.bounds.memory_bytes_max = Some(mib * 1024 * 1024);
    let (first, _) = house.run(&says("wide"), within(1024));
    let (second, ended) = house.run(&says("narrow"), within(512));
    assert_eq!((second, ended.how), (first, How::Code(0)));
    let takes = [Step::Allocate { bytes: 400 * 1024 * 1024 }, Step::Hang];
    let (third, ended) = house.run(&takes, within(200));
    assert_eq!((third, ended.how), (first, How::OverBound(Bound::Memory)));
}

#[test]
fn bounds_and_fences_are_those_of_each_program() {
    let Some((_alone, house, _resting)) = House::alone() else { return };
    let target = house.folder.path().join("written");
    let writes = [Step::Write { path: target.clone(), text: "x".to_owned() }];
    let (first, allowed) = house.run(&writes, |_| {});
    assert_eq!((allowed.how, target.exists()), (How::Code(0), true));
    fs::remove_file(&target).expect("a file");
    let (second, denied) = house.run(&writes, |order| {
        order.confinement = Confinement::ReadOnly { writable: Vec::new() };
    });
    assert_eq!((second, target.exists()), (first, false), "{denied:?}");
    assert_ne!(denied.how, How::Code(0));
    let (third, _) = house.run(&writes, |_| {});
    assert_eq!((third, target.exists()), (first, true));
}
