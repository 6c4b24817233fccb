//! Values that other readers turn into something else, and counts that nobody can have.

use super::{Case, going_on, summary};

pub(super) fn add(cases: &mut Vec<Case>) {
    norway(cases);
    retries(cases);
}

fn norway(cases: &mut Vec<Case>) {
    let to = summary("@tester", "").replace("\"@release-manager\"", "no");
    cases.push(Case::either("A8", "receiver `no`", to).keeps("to", "no"));
    let phase = summary("@tester", "").replace("Testing", "012");
    cases.push(Case::refused("A8", "phase `012`", phase, &["BT103"]).says(&["`012`"]).keeps("stage", "012"));
    let id = going_on(&[("id", "1e3")]);
    cases.push(Case::read("A8", "id `1e3`", id).keeps("task", "1e3"));
    let id = going_on(&[("id", "0o17")]);
    cases.push(Case::read("A8", "id `0o17`", id).keeps("task", "0o17"));
    let id = going_on(&[("id", "12:30:45")]);
    cases.push(Case::refused("A8", "id `12:30:45`", id, &["BT107"]).keeps("task", "12:30:45"));
    let digits = "123456789012345678901234567890";
    cases.push(Case::read("A8", "id of 30 digits", going_on(&[("id", digits)])).keeps("task", digits));
    let count = going_on(&[("retry_count", digits)]);
    cases.push(
        Case::refused("A8", "count of 30 digits", count, &["BT116"]).says(&["retry_count"]).at_lines(&[18]),
    );
    let count = going_on(&[("retry_count", "1.0")]);
    cases.push(
        Case::refused("A8", "count `1.0`", count, &["BT115"]).says(&["retry_count", "1.0"]).at_lines(&[18]),
    );
    let date = going_on(&[("completed_at", "2026-01-16")]);
    cases.push(
        Case::refused("A8", "time `2026-01-16`", date, &["BT108"]).says(&["completed_at"]).at_lines(&[7]),
    );
    for word in ["yes", "on", "Y", "~", "1"] {
        let ready = going_on(&[("handoff_ready", word)]);
        cases.push(Case::either("A8", format!("flag `{word}`"), ready));
    }
    let status = going_on(&[("status", "yes")]);
    cases.push(Case::refused("A8", "status `yes`", status, &["BT103"]));
}

fn retries(cases: &mut Vec<Case>) {
    for (count, code) in [
        ("-1", "BT116"),
        ("4", "BT116"),
        ("99999999999", "BT116"),
        ("-99999999999999999999", "BT116"),
        ("\"3\"", "BT115"),
        ("NaN", "BT115"),
        (".nan", "BT115"),
        (".inf", "BT115"),
        ("0x3", "BT115"),
        ("3e0", "BT115"),
        ("03", "BT115"),
        ("+3", "BT115"),
        ("1_0", "BT115"),
        ("٣", "BT115"),
    ] {
        let text = going_on(&[("retry_count", count)]);
        let case = Case::refused("A9", format!("retry_count `{count}`"), text, &[code]);
        cases.push(case.says(&["retry_count"]).at_lines(&[18]));
    }
    for (nothing, code) in [("null", "BT101"), ("~", "BT101"), ("", "BT101"), ("\"\"", "BT113")] {
        let text = going_on(&[("retry_count", nothing)]);
        cases.push(Case::refused("A9", format!("retry_count `{nothing}`"), text, &[code]));
    }
    for list in ["[3]", "{count: 3}"] {
        let text = going_on(&[("retry_count", list)]);
        cases.push(Case::refused("A9", format!("retry_count `{list}`"), text, &["BT102"]));
    }
    let text = summary("@tester", "  retry_count: -1\n");
    cases.push(Case::refused("A9", "retry_count `-1` in a summary", text, &["BT116"]).at_lines(&[6]));
}
