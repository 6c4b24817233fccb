//! `check --fix` changes what it says, and nothing else.

use std::fs;

use crate::support::{Place, good};

/// A document with fixable findings among comments and odd spacing.
fn fixable() -> String {
    good()
        .replace("status: complete\n", "status:   done   # said by the builder\n")
        .replace("retry_count: 0", "# counted by hand\nretry_count: \"0\"")
        .replace("title: Sign in with a link", "title:  'Sign in with a link'")
}

#[test]
fn only_what_is_said_changes_and_comments_stay() {
    let place = Place::with(&[("a.md", &fixable()), ("b.md", &good()), ("c.md", "# The ferry\n")]);
    let run = place.baton(&["check", "--fix", "."]).ends_with(0);
    assert!(run.err().contains("BT115"), "{}", run.err());
    let expected = fixable()
        .replace("retry_count: \"0\"", "retry_count: 0")
        .replace("status:   done ", "status:   complete ");
    let fixed = place.read("a.md");
    assert!(
        fixed == expected || fixed == fixable().replace("retry_count: \"0\"", "retry_count: 0"),
        "{fixed}"
    );
    assert_eq!(place.read("b.md"), good());
    assert_eq!(place.read("c.md"), "# The ferry\n");
    let again = place.baton(&["check", "--fix", "."]).ends_with(0);
    assert_eq!(again.err(), "nothing to fix\n");
    assert_eq!(place.read("a.md"), fixed);
    assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 3, "no file is left behind");
}

#[test]
fn the_difference_is_shown_and_nothing_is_written() {
    let place = Place::with(&[("a.md", &fixable())]);
    let run = place.baton(&["check", "--fix", "--diff", "a.md"]).ends_with(0);
    assert!(run.out().contains("-retry_count: \"0\"\n+retry_count: 0\n"), "{}", run.out());
    assert!(run.err().contains("would be fixed"), "{}", run.err());
    assert_eq!(place.read("a.md"), fixable());
}

#[test]
fn a_stream_is_fixed_to_standard_output() {
    let place = Place::with(&[("a.md", &fixable())]);
    let run = place.baton_with_input(&["check", "--fix", "-"], fixable().as_bytes()).ends_with(0);
    place.baton(&["check", "--fix", "a.md"]).ends_with(0);
    assert_eq!(run.out(), place.read("a.md"));
}

#[test]
fn a_stream_that_cannot_be_read_whole_is_not_cut_or_changed() {
    let place = Place::new();
    let long = format!("{}{}", fixable(), "x".repeat(2 * 1024 * 1024));
    let bytes = [fixable().as_bytes(), b"\xff\n"].concat();
    for input in [long.as_bytes(), &bytes] {
        let run = place.baton_with_input(&["check", "--fix", "-"], input);
        let same = run.stdout == input;
        assert!(
            same || run.code != Some(0) && run.stdout.is_empty(),
            "{:?}: {} bytes",
            run.code,
            run.stdout.len()
        );
    }
}

#[test]
fn files_that_are_too_large_or_no_text_stay_as_they_are() {
    let place = Place::new();
    let long = [fixable().into_bytes(), vec![b'x'; 2 * 1024 * 1024]].concat();
    let odd = [fixable().as_bytes(), b"\xff\n"].concat();
    place.write("long.md", &long);
    place.write("odd.md", &odd);
    place.baton(&["check", "--fix", "."]).ends_with(0);
    assert_eq!(fs::read(place.file("long.md")).expect("there"), long);
    assert_eq!(fs::read(place.file("odd.md")).expect("there"), odd);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_outlive_a_fix() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::with(&[("real.md", &fixable())]);
    fs::set_permissions(place.file("real.md"), fs::Permissions::from_mode(0o640)).expect("set");
    symlink("real.md", place.file("link.md")).expect("a link");
    place.baton(&["check", "--fix", "link.md"]).ends_with(0);
    assert!(place.file("link.md").is_symlink());
    assert!(place.read("real.md").contains("retry_count: 0\n"));
    let mode = fs::metadata(place.file("real.md")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn a_key_in_quotes_keeps_them() {
    let place = Place::new();
    let empty = place.baton(&["new", "build-artifact", "--task", "T1"]).ends_with(0).out();
    let claim = "[{ \"criterion\": \"AC-1\", \"status\": \"pass\", \"evidence\": [\"log\"] }]";
    let written = empty.replace("\"criterion_claims\": []", &format!("\"criterion_claims\": {claim}"));
    place.write("a.json", &written);
    let run = place.baton(&["check", "--fix", "a.json"]).ends_with(0);
    assert!(run.err().contains("BT105"), "{}", run.err());
    let fixed = place.read("a.json");
    let value: serde_json::Value =
        serde_json::from_str(&fixed).unwrap_or_else(|error| panic!("{error}: {fixed}"));
    assert_eq!(value["criterion_claims"][0]["claim"], "pass");
}
