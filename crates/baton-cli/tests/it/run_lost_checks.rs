//! A check that Baton itself loses sight of says nothing about the work: it is run once more, and nothing is recorded of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::team::{Team, all, of, works};

const WORKFLOW: &str = "[workflows.watched]\n[[workflows.watched.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                        checkpoints = [\"watched\"]\n";

/// A project whose check kills its keeper as long as there is a reason to, each time using up one; the reasons are the lines
/// of the file that is returned. A check that is confined would not find its keeper.
fn team() -> (Team, PathBuf) {
    let team = Team::new().configured(WORKFLOW).agent("builder", "command", &[works()]);
    let reasons = team.home().join("reasons");
    let program = format!(
        "#!/bin/sh\nif [ -s {0} ]; then sed -i 1d {0}; kill -9 $PPID; sleep 60; fi\necho ran >> {0}-ran\n\
         grep -q done work.txt\n",
        reasons.display()
    );
    team.place.write("watched.sh", program);
    fs::set_permissions(team.place.file("watched.sh"), fs::Permissions::from_mode(0o755)).expect("a program");
    let team = team.configured("[checks.watched]\nrun = [\"./watched.sh\"]\nconfined = false\n").ready();
    team.add("T1", "watched", &[]);
    (team, reasons)
}

#[test]
fn a_check_whose_keeper_is_lost_is_run_once_more() {
    let (team, reasons) = team();
    fs::write(&reasons, "once\n").expect("a file");
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "checked")[0]["checks"][0]["verdict"], "pass");
    assert!(all(&events, "trouble").is_empty(), "{events:?}");
    assert_eq!(fs::read_to_string(&reasons).expect("a file"), "");
    assert_eq!(team.log("T1").matches(": watched ").count(), 1, "{}", team.log("T1"));
    team.holds("T1");
}

#[test]
fn a_check_whose_keeper_is_lost_again_is_left_to_a_person_and_nothing_is_recorded() {
    let (team, reasons) = team();
    fs::write(&reasons, "1\n2\n3\n4\n").expect("a file");
    let events = team.run(9, &[]);
    let own = of(&events, "T1");
    let trouble = own.iter().find(|event| event["event"] == "trouble").expect("it is told");
    let words = trouble["words"].as_str().unwrap_or_default();
    let lost = "`./watched.sh` lost the process that watched over it, twice";
    assert!(words.contains(lost) && words.contains("nothing was recorded"), "{words}");
    assert!(words.contains("baton task check T1"), "{words}");
    assert!(!own.iter().any(|event| event["event"] == "checked" || event["event"] == "decided"), "{own:?}");
    // Whoever checks by hand is told the same.
    let refused = team.baton(&["task", "check", "T1"]).ends_with(8).err();
    assert!(refused.contains(lost) && refused.contains("nothing was recorded"), "{refused}");
    assert_eq!(fs::read_to_string(&reasons).expect("a file"), "", "each tried twice");
    let (log, why) = (team.log("T1"), team.baton(&["why", "T1"]).ends_with(0).out());
    assert!(
        !log.contains(": watched ") && why.contains("the host has not checked this tree"),
        "{log}\n{why}"
    );
    // The work was kept, and nobody has to do it again.
    team.run(0, &[]);
    assert_eq!(team.starts("builder", "T1"), 1);
    assert!(team.log("T1").contains("task ended: done_unverified"), "{}", team.log("T1"));
    team.holds("T1");
}
