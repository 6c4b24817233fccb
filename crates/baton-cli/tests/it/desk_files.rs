//! The files that people read are written from the log, as little as needed, and only inside the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::desk::{IMPLEMENTATION, Office};

/// Returns every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => open.push(path),
                false => drop(all.insert(path.display().to_string(), fs::read(&path).expect("a file"))),
            }
        }
    }
    all
}

#[test]
fn what_is_written_bit_by_bit_is_what_a_rebuild_writes() {
    let office = Office::new();
    let folder = office.place.file(".baton");
    let document = office.stage("implementation", IMPLEMENTATION);
    let steps: &[&[&str]] = &[
        &["task", "add", "F001", "One", "--workflow", "single"],
        &["task", "add", "F002", "Two", "--workflow", "single", "--after", "F001"],
        &["receive", "F001", "--as", "ann"],
        &["delegate", "F001", "@tables", "A table", "--as", "ann"],
        &["receive", "F001.1", "--as", "bob"],
        &["return", "F001.1", &document, "--as", "bob"],
        &["pause", "lunch"],
        &["pause"],
        &["task", "cancel", "F001.1", "enough"],
        &["submit", "F001", &document, "--as", "ann"],
        &["task", "check", "F001"],
        &["decide", "F001"],
        &["receive", "F001", "--as", "cat"],
        &["escalate", "F001", "scope-change", "too large", "--as", "cat"],
        &["decide", "F001"],
        &["resolve", "F001", "fail", "given up"],
    ];
    for step in steps {
        office.baton(step).ends_with(0);
        let written = files(&folder);
        office.baton(&["rebuild"]).ends_with(0);
        assert_eq!(files(&folder), written, "after {step:?}");
    }
    let current: serde_json::Value =
        serde_json::from_str(&office.place.read(".baton/state/current.json")).expect("JSON");
    assert_eq!(current["tasks"].as_array().expect("a list").len(), 3);
    assert_eq!(current["handoffs"][0]["status"], "returned", "{current}");
    // A command that changes one task leaves the files of the others alone.
    let other = office.place.file(".baton/handoffs/F001/task.json");
    fs::remove_file(&other).expect("it is there");
    office.baton(&["task", "cancel", "F002", "enough"]).ends_with(0);
    assert!(!other.exists(), "only what changed is written");
    office.baton(&["rebuild"]).ends_with(0);
    assert!(other.exists());
}

#[test]
fn files_lost_between_two_commands_are_made_up_for() {
    let office = Office::new();
    office.baton(&["task", "add", "F001", "One", "--workflow", "single"]).ends_with(0);
    office.baton(&["task", "add", "F002", "Two", "--workflow", "single"]).ends_with(0);
    fs::remove_dir_all(office.place.file(".baton")).expect("it can be thrown away");
    office.baton(&["receive", "F001"]).ends_with(0);
    let current = office.place.read(".baton/state/current.json");
    assert!(current.contains("F001") && current.contains("F002"), "{current}");
}

#[test]
fn the_place_is_the_projects_choice_and_inside_of_it() {
    let office = Office::new();
    let config = office.place.read("baton.toml");
    let set = |files: &str| office.place.write("baton.toml", format!("{config}[files]\n{files}\n"));
    set("state = \"docs/now.json\"\narchive = false");
    office.baton(&["task", "add", "F001", "One", "--workflow", "single"]).ends_with(0);
    assert!(office.place.read("docs/now.json").contains("F001"));
    assert!(!office.place.file(".baton").exists());
    set("state = false\narchive = false");
    fs::remove_dir_all(office.place.file("docs")).expect("it can be thrown away");
    office.baton(&["receive", "F001"]).ends_with(0);
    assert!(!office.place.file("docs").exists() && !office.place.file(".baton").exists());

    for bad in [
        "\"../out.json\"",
        "\"/tmp/out.json\"",
        "\"\"",
        "\".git/state\"",
        "true",
        "3",
        "\"a/../../b\"",
        "\"dir/\"",
    ] {
        set(&format!("state = {bad}"));
        let refused = office.baton(&["status"]).ends_with(4).err();
        assert!(refused.contains("BT801") && refused.contains("baton.toml:8:9"), "{bad}: {refused}");
    }
    set("sate = false");
    assert!(office.baton(&["status"]).ends_with(4).err().contains("sate"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_followed_and_the_record_stands() {
    let office = Office::new();
    std::os::unix::fs::symlink(office.home.path(), office.place.file(".baton")).expect("a link");
    let told = office.baton(&["task", "add", "F001", "One", "--workflow", "single"]).ends_with(3).err();
    assert!(told.contains("it is recorded") && told.contains("do not repeat"), "{told}");
    assert!(!office.home.file("state").exists(), "nothing is written behind the link");
    fs::remove_file(office.place.file(".baton")).expect("the link");
    let status = office.baton(&["status"]).ends_with(0).out();
    assert!(status.contains("F001"), "{status}");
    office.baton(&["rebuild"]).ends_with(0);
    assert!(office.place.file(".baton/state/current.json").exists());
}
