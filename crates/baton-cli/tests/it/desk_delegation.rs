//! Work goes to somebody else while the caller waits, and comes back.

use crate::desk::{IMPLEMENTATION, Office};

fn office() -> Office {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
    office
}

#[test]
fn the_caller_waits_and_gets_the_result() {
    let office = office();
    let document = office.stage("implementation", IMPLEMENTATION);
    let said = office.baton(&["delegate", "F001", "@tables", "A table", "--as", "ann"]).ends_with(0).out();
    assert!(said.contains("F001 waits for F001.1"), "{said}");
    let status = office.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("waiting on @tables for delegated work in F001.1"), "{status}");
    for args in [
        &["submit", "F001", &document, "--as", "ann"][..],
        &["decide", "F001"],
        &["task", "cancel", "F001", "x"],
    ] {
        let refused = office.baton(args).ends_with(8).err();
        assert!(refused.contains("delegated"), "{args:?}: {refused}");
    }
    let received = office.baton(&["receive", "F001.1", "--as", "bob"]).ends_with(0).out();
    assert!(
        received.contains("delegated by @builder of F001") && received.contains("baton return"),
        "{received}"
    );
    // The host sees that the table is missing: nothing comes back yet.
    let back = office.baton(&["return", "F001.1", &document, "--as", "bob"]).ends_with(0).out();
    assert!(
        back.contains("rework because of claim_contradicted") && back.contains("F001 still waits"),
        "{back}"
    );
    office.place.write("tides.txt", "06:12 low\n");
    office.baton(&["receive", "F001.1", "--as", "bob"]).ends_with(0);
    let again = office.stage_again("implementation", IMPLEMENTATION, 1);
    let back = office.baton(&["return", "F001.1", &again, "--as", "bob"]).ends_with(0).out();
    assert!(back.contains("F001 has the result"), "{back}");
    let result = office.baton(&["show", "F001", "result-d1"]).ends_with(0).json();
    assert_eq!((&result["end"], &result["child"]), (&"done_unverified".into(), &"F001.1".into()));
    assert_eq!(
        result["result"],
        office.home.read("implementation.md"),
        "the handoff comes back as it was written"
    );
    let document = office.stage("implementation", IMPLEMENTATION);
    office.baton(&["submit", "F001", &document, "--as", "ann"]).ends_with(0);
    office.baton(&["task", "check", "F001"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
    let why = office.baton(&["why", "F001"]).ends_with(0).out();
    assert!(why.contains("delegated work came back as done_unverified"), "{why}");
    office.baton(&["replay"]).ends_with(0);
}

#[test]
fn what_was_cancelled_or_given_up_comes_back_as_that() {
    let office = office();
    office.baton(&["delegate", "F001", "@tables", "A table", "--as", "ann"]).ends_with(0);
    office.baton(&["task", "cancel", "F001.1", "not needed"]).ends_with(0);
    let result = office.baton(&["show", "F001", "result-d1"]).ends_with(0).json();
    assert_eq!((&result["end"], &result["result"]), (&"cancelled".into(), &serde_json::Value::Null));
    let status = office.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("working"), "the caller goes on: {status}");
}

#[test]
fn chains_are_bounded_and_the_path_is_named() {
    let office = office();
    for args in [
        &["delegate", "F001", "@builder", "x", "--as", "ann"][..],
        &["delegate", "F404", "@tables", "x"],
        &["delegate", "F001", "@tables", "x", "--as", "ann", "--workflow", "none"],
        &["delegate", "F001", "@tables", "x", "--as", "ann", "--budget", "99999999999"],
        &["delegate", "F001", "@verifier", "x", "--as", "ann", "--workflow", "waypoint"],
        &["return", "F001", &office.stage("implementation", IMPLEMENTATION), "--as", "ann"],
    ] {
        office.baton(args).ends_with(8);
    }
    office.baton(&["delegate", "F001", "not a name", "x", "--as", "ann"]).ends_with(2);
    let mut id = "F001".to_owned();
    for (depth, agent) in ["a", "b", "c", "d"].iter().enumerate() {
        let holder = format!("p{depth}");
        let holder = if depth == 0 { "ann" } else { holder.as_str() };
        office.baton(&["delegate", &id, agent, "part", "--as", holder]).ends_with(0);
        id.push_str(".1");
        office.baton(&["receive", &id, "--as", &format!("p{}", depth + 1)]).ends_with(0);
    }
    let circle = office.baton(&["delegate", &id, "@b", "part", "--as", "p4"]).ends_with(8).err();
    assert!(circle.contains("F001 → F001.1 → F001.1.1"), "too deep comes first: {circle}");
    office.baton(&["task", "cancel", &id, "x"]).ends_with(0);
    let above = id.strip_suffix(".1").expect("a child");
    let circle = office.baton(&["delegate", above, "@b", "part", "--as", "p3"]).ends_with(8).err();
    assert!(circle.contains("@b → @c → @b"), "{circle}");
}

/// One after the other, for a turn waits for each: neither their number nor what they may spend grows beyond its bound.
#[test]
fn k3_the_number_and_the_budget_of_delegations_are_bounded() {
    let office = office();
    let mut made = 0;
    let refused = loop {
        let run = office.baton(&["delegate", "F001", "@tables", "part", "--budget", "1000", "--as", "ann"]);
        if run.code != Some(0) {
            break run.ends_with(8).err();
        }
        made += 1;
        office.baton(&["task", "cancel", &format!("F001.{made}"), "enough"]).ends_with(0);
    };
    assert_eq!(made, 16, "{refused}");
    assert!(refused.contains("delegation_too_wide"), "{refused}");
    office.baton(&["replay"]).ends_with(0);
}

#[test]
fn k3_children_spend_from_the_budget_of_their_caller() {
    let office = office();
    let half: &[&str] = &["delegate", "F001", "@tables", "part", "--as", "ann"];
    office.baton(half).ends_with(0);
    office.baton(&["receive", "F001.1", "--as", "p1"]).ends_with(0);
    // A child has half of what its caller had left, and can give no more away than that.
    let mut id = "F001.1".to_owned();
    let mut budgets = vec![budget(&office, "F001", "delegation-1")];
    for (depth, agent) in ["b", "c"].iter().enumerate() {
        let holder = format!("p{}", depth + 1);
        let more = (budgets[depth] + 1).to_string();
        let refused =
            office.baton(&["delegate", &id, agent, "part", "--budget", &more, "--as", &holder]).ends_with(8);
        assert!(refused.err().contains("budget_exhausted"), "{}", refused.err());
        office.baton(&["delegate", &id, agent, "part", "--as", &holder]).ends_with(0);
        budgets.push(budget(&office, &id, "delegation-1"));
        id.push_str(".1");
        office.baton(&["receive", &id, "--as", &format!("p{}", depth + 2)]).ends_with(0);
    }
    assert!(budgets.windows(2).all(|pair| pair[1] <= pair[0] / 2), "{budgets:?}");
}

fn budget(office: &Office, task: &str, document: &str) -> u64 {
    let paper = office.baton(&["show", task, document]).ends_with(0).json();
    paper["budget_tokens"].as_u64().expect("a number")
}
