use super::*;

/// Clocks that differ by hours: order is by sequence, and whoever looks is told.
#[test]
fn a_clock_that_jumps_orders_nothing_and_is_named() {
    for (name, jump, is_named) in [
        ("an hour back", -HOUR, true),
        ("a day ahead, and back again", 24 * HOUR, true),
        ("1970", -NOON, true),
        ("a leap second", -1_000, false),
        ("drift", 90_000, false),
    ] {
        let project = Project::new();
        project.visit("ann", NOON).add_task(new_task("single")).unwrap();
        project.visit("ann", NOON + jump).receive(&id()).unwrap();
        let rules = baton_handoff::project::Project::default();
        project.visit("ann", NOON).submit(&id(), HANDOFF.as_bytes(), &rules).unwrap();
        let mut desk = project.visit("ida", NOON);
        let entries = desk.entries(None).unwrap();
        let sequences: Vec<u64> = entries.iter().map(|(recorded, _)| recorded.sequence).collect();
        assert_eq!(sequences, (1..=entries.len() as u64).collect::<Vec<_>>(), "{name}");
        let named = entries.windows(2).filter_map(|pair| tell::clock_anomaly(pair[0].1.at, pair[1].1.at));
        assert_eq!(named.count() > 0, is_named, "{name}");
        checked(&mut desk);
        desk.decide(&id()).unwrap();
        assert!(desk.task(&id()).unwrap().end.is_some(), "{name}");
        assert!(desk.verify().unwrap().is_ok() && desk.replay().unwrap().violations.is_empty(), "{name}");
    }
}

#[test]
fn a_log_that_ends_in_the_future_is_told() {
    let project = Project::new();
    project.visit("ann", NOON + HOUR).add_task(new_task("single")).unwrap();
    let told = project.visit("ann", NOON).clock_anomaly().unwrap();
    assert!(told.is_some_and(|told| told.starts_with("clock_anomaly: ")));
    assert_eq!(project.visit("ann", NOON + HOUR).clock_anomaly().unwrap(), None);
}

/// One who took a turn stands still past the lease, another takes over, the first goes on; their clocks are two hours apart.
#[test]
fn whoever_slept_past_the_lease_changes_nothing() {
    for skew in [-HOUR, 0, HOUR] {
        let project = Project::new();
        let rules = baton_handoff::project::Project::default();
        let mut ann = project.visit("ann", NOON + skew);
        ann.add_task(new_task("single")).unwrap();
        let lease_end = ann.receive(&id()).unwrap().turn.expires_at;
        let mut ben = project.visit("ben", lease_end - 1);
        assert_eq!(code(ben.receive(&id())), "not_now", "the lease holds");
        let mut ben = project.visit("ben", lease_end);
        ben.receive(&id()).unwrap();
        assert_eq!(code(ann.submit(&id(), HANDOFF.as_bytes(), &rules)), "not_allowed");
        ben.submit(&id(), HANDOFF.as_bytes(), &rules).unwrap();
        assert_eq!(code(ann.submit(&id(), HANDOFF.as_bytes(), &rules)), "not_now");
        let handoffs = ben.entries(Some(&id())).unwrap();
        let handoffs =
            handoffs.iter().filter(|(_, entry)| matches!(entry.event, Event::HandoffReceived { .. }));
        assert_eq!(handoffs.count(), 1);
        assert!(ben.replay().unwrap().violations.is_empty());
    }
}
