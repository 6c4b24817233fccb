//! A reader that goes away, and a disk that is full.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{FORMATS, Place, bad};

#[test]
fn a_reader_that_leaves_is_no_failure_of_ours() {
    let place = Place::new();
    for at in 0..300 {
        place.write(&format!("{at}.md"), bad());
    }
    let all: Vec<_> = FORMATS.iter().map(|format| vec!["check", "--format", *format, "."]).collect();
    let more = [
        vec!["explain", "--list"],
        vec!["explain", "BT201"],
        vec!["schema", "package"],
        vec!["man"],
        vec!["completions", "bash"],
    ];
    for args in all.into_iter().chain(more) {
        let mut command = place.command(&args);
        command.current_dir(place.path()).env_clear().stdin(Stdio::null());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("standard output")).read_line(&mut line).expect("a line");
        let mut talk = String::new();
        child.stderr.take().expect("standard error").read_to_string(&mut talk).expect("readable");
        let status = child.wait().expect("it ends");
        assert!(!talk.contains("panicked") && !talk.contains("error["), "{args:?}: {talk}");
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}: {status}: {talk}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let place = Place::with(&[("bad.md", &bad())]);
    let commands = [
        &["check", "--json", "bad.md"][..],
        &["check", "bad.md"],
        &["check", "--format", "sarif", "bad.md"],
        &["check", "--format", "junit", "bad.md"],
        &["check", "--fix", "--diff", "bad.md"],
        &["convert", "--to", "package", "bad.md"],
        &["explain", "BT201"],
        &["schema", "package"],
        &["new", "package"],
        &["man"],
        &["completions", "bash"],
    ];
    let mut wrong = Vec::new();
    for args in commands {
        let full = File::options().write(true).open("/dev/full").expect("the device is there");
        let mut command = place.command(args);
        command.current_dir(place.path()).env_clear().stdin(Stdio::null()).stdout(full);
        let output = command.stderr(Stdio::piped()).output().expect("the binary runs");
        let talk = String::from_utf8_lossy(&output.stderr);
        let nothing_to_write = args.contains(&"--diff") && talk.contains("nothing to fix");
        if output.status.code() != Some(3) && !nothing_to_write || talk.contains("panicked") {
            wrong.push(format!("{args:?} ends with {:?}: {talk}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
