//! Where the commit names another repository, or keeps a pointer to a file, work that puts something else there is seen.

use serde_json::json;

use crate::team::{HANDOFF, Team, all, says, write};

const POINTER: &str = "version https://git-lfs.github.com/spec/v1\n\
                       oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

/// A project whose commit names another repository at `sub`, and which borrows what `[run]` says.
fn team(steps: Vec<baton_testkit::script::Step>, run: &str) -> Team {
    let team = Team::new().configured(run).agent("builder", "command", &[steps]);
    team.place.write("picture.png", POINTER);
    let team = team.ready();
    let inner = team.place.git(&["rev-parse", "HEAD"]);
    team.place.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{inner},sub")]);
    team.place.git(&["commit", "--quiet", "--message", "inner"]);
    team.place.write("sub/lib.txt", "theirs\n");
    team.add("T1", "single", &[]);
    team
}

#[test]
fn files_in_the_place_of_another_repository_go_to_a_person() {
    let steps = vec![
        write("work.txt", "done\n"),
        write("sub/new.txt", "x\n"),
        write("sub/other.txt", "x\n"),
        write("picture.png", "bytes\n"),
        says(HANDOFF),
    ];
    let team = team(steps, "");
    let events = team.run(9, &[]);
    let seen = json!([
        "submodule_replaced: sub/new.txt: the commit names another repository at sub, and a merge puts files in its place",
        "pointer_replaced: picture.png: it was a pointer of Git LFS, and is none any more",
    ]);
    assert_eq!(all(&events, "checked")[0]["violations"], seen);
    assert_eq!(all(&events, "decided")[0]["reason"], "policy_conflict");
}

#[test]
fn a_run_says_once_which_submodules_are_not_there_and_checks_may_borrow_them() {
    let honest = vec![write("work.txt", "done\n"), write("subway.txt", "x\n"), says(HANDOFF)];
    let told = "note: submodules are not in the workspaces and rooms: sub; checks that need one name it in `[run] borrow`\n";
    let alone = team(honest.clone(), "");
    let ran = alone.baton(&["run"]).ends_with(0);
    assert_eq!(ran.err().matches(told).count(), 1, "{}", ran.err());
    assert!(alone.place.git(&["ls-tree", "baton/accepted", "sub"]).starts_with("160000 commit"));
    assert!(!alone.baton(&["run"]).ends_with(0).err().contains("submodules"), "nothing is left to do");

    let borrowing = team(honest, "[run]\nborrow = [\"sub\"]\n");
    borrowing.place.write("check.sh", "#!/bin/sh\ngrep -q done work.txt && grep -q theirs sub/lib.txt\n");
    borrowing.place.git(&["commit", "--quiet", "--all", "--message", "needs it"]);
    let ran = borrowing.baton(&["run"]).ends_with(0);
    assert!(!ran.err().contains("submodules"), "{}", ran.err());
}
