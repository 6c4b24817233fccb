//! Files go back to the last good snapshot when a person asks, and nothing that was there is lost.

use std::fs;
use std::process::Command;

use crate::desk::{IMPLEMENTATION, Office};

impl Office {
    /// A task whose turn was taken; then somebody works, gives up, and a person orders the rollback.
    fn spoiled(&self, spoil: impl FnOnce(&Self)) {
        self.baton(&["task", "add", "F001", "Print", "--workflow", "single"]).ends_with(0);
        self.baton(&["receive", "F001", "--as", "ann"]).ends_with(0);
        spoil(self);
        self.baton(&["escalate", "F001", "human-input", "it went wrong", "--as", "ann"]).ends_with(0);
        self.baton(&["decide", "F001"]).ends_with(0);
        self.baton(&["resolve", "F001", "rollback", "put it back"]).ends_with(0);
    }

    fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ida", "-c", "user.email=ida@example.org"]).args(args);
        self.place.run(&mut command, b"").ends_with(0);
    }
}

#[test]
fn every_byte_goes_back_and_every_byte_can_be_had_again() {
    let office = Office::new();
    let place = &office.place;
    place.write(".gitignore", "built/\n");
    place.write("built/out", "ignored");
    place.write("tides.txt", b"06:12 low\r\n\xff\0");
    place.write("src/deep/old.txt", "old");
    place.write("strange \"name\"\t\u{e9}.txt", "strange");
    office.spoiled(|office| {
        fs::remove_file(office.place.file("src/deep/old.txt")).expect("there");
        office.place.write("new/file.txt", "new");
        office.place.write("tides.txt", "spoiled");
        // The file is ignored by now, and would be overwritten all the same.
        office.place.write(".gitignore", "built/\ntides.txt\n");
    });
    let plan = office.baton(&["rollback", "F001", "--dry-run"]).ends_with(0).out();
    for line in ["write  tides.txt", "write  src/deep/old.txt", "write  .gitignore", "remove new/file.txt"] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    assert_eq!(place.read("tides.txt"), "spoiled", "a dry run changes nothing");
    office.baton(&["rollback", "F001"]).ends_with(0);
    assert_eq!(fs::read(place.file("tides.txt")).expect("back"), b"06:12 low\r\n\xff\0");
    assert_eq!(place.read("src/deep/old.txt"), "old");
    assert_eq!(place.read("built/out"), "ignored", "what is ignored is left alone");
    assert!(!place.file("new").exists());
    let status = office.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("rolled back"), "{status}");
    office.baton(&["rollback", "F001"]).ends_with(8);

    let into = office.home.file("rescued").display().to_string();
    office.baton(&["recover", "F001", "rescue-1", "--into", &into]).ends_with(0);
    assert_eq!(office.home.read("rescued/tides.txt"), "spoiled");
    assert_eq!(office.home.read("rescued/new/file.txt"), "new");
    assert_eq!(office.home.read("rescued/strange \"name\"\t\u{e9}.txt"), "strange");
    office.baton(&["recover", "F001", "rescue-1", "--into", &into]).ends_with(8);
    office.baton(&["recover", "F001", "nothing", "--into", &into]).ends_with(2);
    let saved = office.baton(&["recover", "F001", "--json"]).ends_with(0).json();
    assert_eq!(saved["saved"].as_array().expect("a list").len(), 2, "{saved}");
    office.baton(&["replay"]).ends_with(0);
}

#[cfg(unix)]
#[test]
fn modes_and_links_go_back_too() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let office = Office::new();
    office.place.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(office.place.file("run.sh"), fs::Permissions::from_mode(0o755)).expect("ours");
    symlink("run.sh", office.place.file("link")).expect("a link");
    office.spoiled(|office| {
        fs::set_permissions(office.place.file("run.sh"), fs::Permissions::from_mode(0o644)).expect("ours");
        fs::remove_file(office.place.file("link")).expect("there");
        office.place.write("link", "a file now");
    });
    office.baton(&["rollback", "F001"]).ends_with(0);
    let mode = fs::metadata(office.place.file("run.sh")).expect("there").permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{mode:o}");
    assert_eq!(fs::read_link(office.place.file("link")).expect("a link"), std::path::Path::new("run.sh"));
}

#[test]
fn what_cannot_be_done_is_left_to_a_person_with_the_steps() {
    let office = Office::new();
    office.place.write("src/a.txt", "a");
    office.spoiled(|office| {
        fs::remove_dir_all(office.place.file("src")).expect("there");
        office.place.write("src", "a file now");
        office.place.write("more.txt", "more");
    });
    let told = office.baton(&["rollback", "F001"]).ends_with(1).out();
    for words in ["no file was changed", "`src` is no folder", "baton recover F001", "--by-hand"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(office.place.read("more.txt"), "more");
    let why = office.baton(&["why", "F001"]).ends_with(0).out();
    assert!(why.contains("rollback_failed") && why.contains("to do:"), "{why}");
    office.baton(&["resolve", "F001", "again", "no"]).ends_with(8);
    office.baton(&["rollback", "F001", "--by-hand", "restored from my editor"]).ends_with(0);
    let why = office.baton(&["why", "F001"]).ends_with(0).out();
    assert!(why.contains("F001 is rolled back") && why.contains("restored from my editor"), "{why}");
}

#[test]
fn nobody_is_rolled_back_while_others_work_in_the_same_files() {
    let office = Office::new();
    office.spoiled(|_| {});
    office.baton(&["task", "add", "F002", "Other", "--workflow", "single"]).ends_with(0);
    office.baton(&["receive", "F002", "--as", "bob"]).ends_with(0);
    let refused = office.baton(&["rollback", "F001"]).ends_with(8).err();
    assert!(refused.contains("F002") && refused.contains("bob"), "{refused}");
}

/// An office with a workflow whose work is merged.
fn that_merges() -> Office {
    let office = Office::new();
    let config = office.place.read("baton.toml");
    let workflow = "[workflows.merged]\nintegration = \"merge\"\n[[workflows.merged.stages]]\nname = \"build\"\n\
                    agent = \"builder\"\ncheckpoints = [\"validation\"]\n";
    office.place.write("baton.toml", format!("{config}{workflow}"));
    office.baton(&["trust", "--yes"]).ends_with(0);
    office
}

#[test]
fn what_was_added_before_the_check_is_kept_and_merged() {
    let office = that_merges();
    office.git(&["init", "--quiet"]);
    office.baton(&["task", "add", "F001", "Print", "--workflow", "merged"]).ends_with(0);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    office.place.write("forgotten.txt", "belongs to it\n");
    office.baton(&["task", "check", "F001"]).ends_with(0);
    office.baton(&["decide", "F001"]).ends_with(0);
    office.git(&["add", "."]);
    office.git(&["commit", "--quiet", "--message", "all"]);
    office.baton(&["merge", "F001"]).ends_with(0);
}

#[test]
fn a_merge_is_recorded_when_a_commit_has_the_accepted_files() {
    let office = that_merges();
    office.git(&["init", "--quiet"]);
    office.baton(&["task", "add", "F001", "Print", "--workflow", "merged"]).ends_with(0);
    office.baton(&["merge", "F001"]).ends_with(8);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("waiting on the host for merge"), "{decided}");
    assert!(office.baton(&["merge", "F001"]).ends_with(8).err().contains("no commit yet"));
    office.git(&["add", "AGENTS.md", "baton.toml"]);
    office.git(&["commit", "--quiet", "--message", "part"]);
    let refused = office.baton(&["merge", "F001"]).ends_with(8).err();
    assert!(refused.contains("not committed: tides.txt") && !refused.contains("AGENTS.md"), "{refused}");
    // The files that Baton writes may be committed along; other commits may come on top.
    office.git(&["add", "."]);
    office.git(&["commit", "--quiet", "--message", "all"]);
    office.place.write("later.txt", "later\n");
    office.git(&["add", "later.txt"]);
    office.git(&["commit", "--quiet", "--message", "later"]);
    let merged = office.baton(&["merge", "F001"]).ends_with(0).out();
    assert!(merged.contains("has the accepted files") && merged.contains("done-unverified"), "{merged}");
}

#[test]
fn work_that_cannot_be_merged_is_worked_on_again() {
    let office = that_merges();
    office.baton(&["task", "add", "F001", "Print", "--workflow", "merged"]).ends_with(0);
    office.hand_over_work("ann", &office.stage("implementation", IMPLEMENTATION));
    office.baton(&["decide", "F001"]).ends_with(0);
    office.baton(&["merge", "F001", "--failed", " "]).ends_with(8);
    office.baton(&["merge", "F001", "--failed", "conflicts with main"]).ends_with(0);
    let decided = office.baton(&["decide", "F001"]).ends_with(0).out();
    assert!(decided.contains("merge_conflict") && decided.contains("conflicts with main"), "{decided}");
}
