//! `baton audit --run` and `baton trust`: nothing of a repository is run before a person has trusted it.

use std::path::Path;

use crate::support::{Place, Run, good};

const CONFIG: &str =
    "[checks.tests_passing]\nrun = [\"sh\", \"check.sh\"]\ntimeout_seconds = 20\nwritable = [\"~/\"]\n";

/// A committed project whose check leaves a mark and ends with this code.
fn project(code: i32) -> (Place, Place) {
    let (place, home) = (Place::new(), Place::new());
    let canary = home.file("canary");
    place.write("check.sh", format!("pwd > '{}'\nexit {code}\n", canary.display()));
    place.write("baton.toml", CONFIG);
    place.write("handoffs/F001.md", good());
    place.commit("first");
    (place, home)
}

fn baton(place: &Place, home: &Path, args: &[&str]) -> Run {
    // `run` clears the environment, so the home is set through env(1).
    let mut command = std::process::Command::new("env");
    command.arg(format!("HOME={}", home.display())).arg(env!("CARGO_BIN_EXE_baton")).args(args);
    place.run(&mut command, b"")
}

#[test]
fn nothing_is_run_without_trust() {
    let (place, home) = project(0);
    let refused = baton(&place, home.path(), &["audit", "--run"]).ends_with(7).err();
    assert!(refused.contains("baton trust") && refused.contains("baton.toml"), "{refused}");
    let nobody = baton(&place, home.path(), &["trust"]).ends_with(2).err();
    assert!(nobody.contains("not a terminal"), "{nobody}");
    baton(&place, home.path(), &["audit", "--run"]).ends_with(7);
    assert!(!home.file("canary").exists(), "the check was run");
}

#[test]
fn a_check_that_passes_is_observed() {
    let (place, home) = project(0);
    let told = baton(&place, home.path(), &["trust", "--yes"]).ends_with(0).err();
    assert!(told.contains("tests_passing") && told.contains("\"check.sh\""), "{told}");
    let answer = baton(&place, home.path(), &["audit", "--run", "--json"]).ends_with(0).out();
    assert!(answer.contains("the check passes when it is run") && answer.contains("observed"), "{answer}");
    let ran_in = home.read("canary");
    assert!(
        !Path::new(ran_in.trim()).starts_with(place.path()),
        "it ran in the user's own checkout: {ran_in}"
    );
}

#[test]
fn a_check_that_fails_contradicts_the_pass() {
    let (place, home) = project(3);
    baton(&place, home.path(), &["trust", "--yes"]).ends_with(0);
    let shown = baton(&place, home.path(), &["audit", "--run", "--all"]).ends_with(1).out();
    assert!(shown.contains("BT1012") && shown.contains("ended with 3"), "{shown}");
    // Code that changed since may fail for reasons of its own.
    place.write("src/later.rs", "fn later() {}\n");
    place.commit("second");
    let shown = baton(&place, home.path(), &["audit", "--run", "--all"]).ends_with(0).out();
    assert!(shown.contains("warning[BT1012]"), "{shown}");
}

#[test]
fn a_check_that_cannot_run_settles_nothing() {
    for config in [
        "[checks.tests_passing]\nrun = [\"no-such-program\"]\n",
        "[checks.tests_passing]\nrun = [\"sleep\", \"60\"]\ntimeout_seconds = 1\n",
    ] {
        let (place, home) = project(0);
        place.write("baton.toml", config);
        baton(&place, home.path(), &["trust", "--yes"]).ends_with(0);
        let answer = baton(&place, home.path(), &["audit", "--run", "--json"]).ends_with(0).out();
        assert!(answer.contains("settles nothing"), "{answer}");
    }
}

#[test]
fn a_changed_configuration_must_be_trusted_again() {
    let (place, home) = project(0);
    baton(&place, home.path(), &["trust", "--yes"]).ends_with(0);
    place.write("baton.toml", CONFIG.replace("20", "21"));
    baton(&place, home.path(), &["audit", "--run"]).ends_with(7);
    baton(&place, home.path(), &["trust", "--yes"]).ends_with(0);
    baton(&place, home.path(), &["audit", "--run"]).ends_with(0);
    baton(&place, home.path(), &["trust", "--revoke"]).ends_with(0);
    baton(&place, home.path(), &["audit", "--run"]).ends_with(7);
}

#[test]
fn there_must_be_something_to_run_and_to_trust() {
    let place = Place::with(&[("F001.md", &good())]);
    let refused = baton(&place, place.path(), &["audit", "--run"]).ends_with(2).err();
    assert!(refused.contains("[checks.tests_passing]"), "{refused}");
    let refused = baton(&place, place.path(), &["trust"]).ends_with(2).err();
    assert!(refused.contains("nothing to trust"), "{refused}");
    place.write("baton.toml", "[checks.tests_passing]\nrun = []\n");
    let refused = place.baton(&["check", "F001.md"]).ends_with(4).err();
    assert!(refused.contains("BT801") && refused.contains("no program"), "{refused}");
    place.write("baton.toml", "[checks.tests_passing]\nrun = [\"true\"]\ntimeout_seconds = 0\n");
    let refused = place.baton(&["check", "F001.md"]).ends_with(4).err();
    assert!(refused.contains("baton.toml:3:19"), "{refused}");
}
