//! Two processes on one store.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use baton_store::Log;

use crate::support::{Place, is_long};

#[test]
fn two_processes_decide_nothing_twice_and_lose_nothing() {
    let tasks = if is_long() { 5_000 } else { 1_000 };
    let place = Place::new();
    let mut racers: Vec<_> = ["left", "right"]
        .iter()
        .map(|label| place.session("race", label, tasks).stdout(Stdio::piped()).spawn().unwrap())
        .collect();
    let (mut won, mut lost, mut raised) = (0, 0, 0);
    for racer in &mut racers {
        let lines = BufReader::new(racer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let last = lines.last().unwrap();
        let numbers: Vec<usize> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [wins, losses, raises] = numbers[..] else { panic!("{last}") };
        (won, lost, raised) = (won + wins, lost + losses, raised + raises);
        assert!(racer.wait().unwrap().success());
    }
    println!(
        "{tasks} tasks, 2 processes: {won} decided, {lost} races lost, the counter raised {raised} times"
    );
    assert_eq!((won, lost, raised), (tasks, tasks, 2 * tasks));
    let log = place.open();
    for task in 0..tasks {
        assert_eq!(log.read(&format!("task-{task}"), 0).unwrap().len(), 1);
    }
    let counter = log.read("counter", 0).unwrap();
    assert_eq!(counter.len(), 2 * tasks);
    for (event, count) in counter.iter().zip(1..) {
        let body = String::from_utf8_lossy(&event.body);
        assert!(body.contains(&format!("\"note\":\"{count}\"")), "an update was lost: {body} at {count}");
    }
    let verified = log.check().unwrap().unwrap();
    assert_eq!(verified.unanchored, 0, "both ended well, so all is anchored");
}
