//! Backups hold the log and the saved workspaces, and both come back.

use std::fs;

use crate::desk::Office;

/// A project with one task whose turn was taken: the files before it are saved.
fn office() -> Office {
    let office = Office::new();
    office.place.write("tides.txt", "06:12 low\n");
    office.place.write("bin/print", "#!/bin/sh\n");
    office.baton(&["task", "add", "F001", "Print the tides"]).ends_with(0);
    office.baton(&["receive", "F001"]).ends_with(0);
    office
}

#[test]
fn saved_workspaces_come_back_with_the_log() {
    let office = office();
    let file = office.home.file("backup.sqlite").display().to_string();
    let said = office.baton(&["backup", &file]).ends_with(0).out();
    assert!(said.contains("and 1 saved workspaces copied"), "{said}");
    office.place.write("tides.txt", "overwritten\n");
    let store = office.home.file("elsewhere").display().to_string();
    let said = office.baton(&["restore", &file, "--into", &store]).ends_with(0).out();
    assert!(said.contains("and 1 saved workspaces restored and verified"), "{said}");
    // Nothing of the first state folder is needed.
    fs::remove_dir_all(office.home.file(".local")).expect("the state folder");
    let into = office.home.file("recovered");
    let into_text = into.display().to_string();
    office.baton(&["recover", "F001", "before-turn-1", "--into", &into_text, "--store", &store]).ends_with(0);
    assert_eq!(fs::read_to_string(into.join("tides.txt")).expect("the file"), "06:12 low\n");
    assert_eq!(fs::read_to_string(into.join("bin/print")).expect("the file"), "#!/bin/sh\n");
    office.baton(&["audit-log", "--store", &store, "verify"]).ends_with(0);
}

#[test]
fn a_damaged_copy_of_saved_workspaces_is_not_restored() {
    let office = office();
    let file = office.home.file("backup.sqlite").display().to_string();
    office.baton(&["backup", &file]).ends_with(0);
    let beside = office.home.file("backup.sqlite.snapshots");
    let whole = fs::read(&beside).expect("the saved workspaces");
    for (number, at) in [whole.len() / 2, whole.len() - 1].into_iter().enumerate() {
        let mut spoiled = whole.clone();
        spoiled[at] ^= 1;
        fs::write(&beside, spoiled).expect("written");
        let store = office.home.file(&format!("spoiled-{number}"));
        office.baton(&["restore", &file, "--into", &store.display().to_string()]).ends_with(3);
        assert!(!store.join("log.sqlite").exists(), "half a backup is none");
    }
    fs::write(&beside, &whole[..whole.len() / 2]).expect("written");
    let store = office.home.file("cut");
    office.baton(&["restore", &file, "--into", &store.display().to_string()]).ends_with(3);
    assert!(!store.join("log.sqlite").exists());
    // What was tried leaves nothing in the way of the good one.
    fs::write(&beside, &whole).expect("written");
    office.baton(&["restore", &file, "--into", &store.display().to_string()]).ends_with(0);
}

#[test]
fn a_backup_without_saved_workspaces_is_one_file() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "Print the tides"]).ends_with(0);
    let file = office.home.file("backup.sqlite").display().to_string();
    office.baton(&["backup", &file]).ends_with(0);
    assert!(!office.home.file("backup.sqlite.snapshots").exists());
    let store = office.home.file("elsewhere").display().to_string();
    let said = office.baton(&["restore", &file, "--into", &store]).ends_with(0).out();
    assert!(said.contains("and 0 saved workspaces"), "{said}");
}

/// A git that was cut short leaves a folder; the next one removes it, if nobody is in there.
#[test]
fn what_an_import_left_behind_is_removed_once_nobody_uses_it() {
    let office = office();
    let projects = office.home.file(".local/state/baton/projects");
    let project = fs::read_dir(projects).expect("a folder").next().expect("one project").expect("an entry");
    let snapshots = project.path().join("snapshots");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let left = |name: &str| {
        let folder = snapshots.join(name);
        fs::create_dir(&folder).expect("a folder");
        let lock = fs::File::create_new(folder.join("in-use")).expect("a file");
        fs::File::open(&folder).and_then(|open| open.set_modified(old)).expect("an old folder");
        (folder, lock)
    };
    let (gone, _) = left("new-gone");
    let (used, lock) = left("new-used");
    lock.lock().expect("a lock");
    let fresh = snapshots.join("new-fresh");
    fs::create_dir(&fresh).expect("a folder");
    // Other files, so that there is something to save.
    office.place.write("tides.txt", "12:20 high\n");
    let handoff = office.stage("requirements", &[]);
    office.baton(&["submit", "F001", &handoff]).ends_with(0);
    assert!(!gone.exists(), "nobody used it");
    assert!(used.exists() && fresh.exists(), "somebody may use it");
}
