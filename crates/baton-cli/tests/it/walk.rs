//! Which files of a folder are looked into.

use crate::support::{Place, good};

fn paths(place: &Place, args: &[&str]) -> Vec<String> {
    let report = place.baton(&[&["check", "--json", "--allow-empty"], args].concat()).json();
    let files = report["files"].as_array().expect("a list");
    files.iter().map(|file| file["path"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn hidden_folders_are_searched_and_ignored_ones_are_not() {
    let good = good();
    let place = Place::with(&[
        (".gitignore", "generated/\n*.draft.md\n"),
        (".ignore", "old/\n"),
        ("sub/.gitignore", "/local.md\n"),
        (".git/handoff.md", &good),
        ("sub/.git/handoff.md", &good),
        (".agents/handoff.md", &good),
        (".hidden.md", &good),
        ("generated/handoff.md", &good),
        ("one.draft.md", &good),
        ("old/handoff.md", &good),
        ("sub/local.md", &good),
        ("sub/shared.md", &good),
        ("code.rs", &good),
        ("no-ending", &good),
        ("loud.MD", &good),
        ("data.json", "{}"),
    ]);
    let found = paths(&place, &["."]);
    let expected = [".agents/handoff.md", ".hidden.md", "data.json", "loud.MD", "sub/shared.md"];
    assert_eq!(found, expected);
    let named = paths(&place, &["generated/handoff.md", "code.rs", "no-ending", ".git/handoff.md"]);
    assert_eq!(named, ["generated/handoff.md", "code.rs", "no-ending", ".git/handoff.md"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let elsewhere = Place::with(&[("secret.md", &good())]);
    let place = Place::with(&[("own/handoff.md", &good())]);
    symlink(elsewhere.path(), place.file("folder")).expect("a link");
    symlink(elsewhere.file("secret.md"), place.file("file.md")).expect("a link");
    symlink(place.path(), place.file("own/round")).expect("a link");
    symlink("nowhere", place.file("dangling.md")).expect("a link");
    assert_eq!(paths(&place, &["."]), ["own/handoff.md"]);
    assert_eq!(paths(&place, &["file.md"]), ["file.md"]);
    place.baton(&["check", "dangling.md"]).ends_with(3);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_does_not_stop_the_rest() {
    let place = Place::with(&[("good.md", &good())]);
    std::fs::create_dir(place.file("folder.md")).expect("a folder");
    let fifo = std::process::Command::new("mkfifo").arg(place.file("pipe.md")).status();
    assert!(fifo.expect("mkfifo runs").success());
    assert_eq!(paths(&place, &["."]), ["good.md"]);
}

#[test]
fn one_file_twice_is_judged_twice() {
    let place = Place::with(&[("good.md", &good())]);
    assert_eq!(paths(&place, &["good.md", "."]), ["good.md", "good.md"]);
}

#[cfg(unix)]
#[test]
fn no_pipe_and_no_device_is_read_for_rules() {
    let good = good();
    for (name, is_whole) in [("sub/.gitignore", false), ("sub/.ignore", false), (".git/info/exclude", true)] {
        for from in ["pipe", "device", "rules"] {
            let place = Place::with(&[("first.md", &good), ("sub/second.md", &good), ("rules", "x.md\n")]);
            let path = place.file(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let made = match from {
                "pipe" => std::process::Command::new("mkfifo").arg(&path).status().map(|_| ()),
                "device" => std::os::unix::fs::symlink("/dev/zero", &path),
                _ => std::os::unix::fs::symlink(place.file("rules"), &path),
            };
            made.expect("something in the way");
            let expected = match (from, is_whole) {
                ("rules", _) => vec!["first.md", "sub/second.md"],
                (_, true) => vec![path.to_str().expect("UTF-8")],
                (_, false) => vec!["first.md", name],
            };
            assert_eq!(paths(&place, &["."]), expected, "{from} as {name}");
            let told = place.baton(&["check", "."]);
            if from == "rules" {
                told.ends_with(0);
            } else {
                let told = told.ends_with(3);
                let told = told.out() + &told.err();
                assert!(told.contains("is no file of rules") && told.contains("take it away"), "{told}");
            }
        }
    }
}
