//! The keys that agents are given are nowhere in what Baton keeps or shows, however somebody writes them down.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::team::{Team, all, approves, claude, says, write};

/// By its looks nobody would take it for a secret, and every way to write it is another.
const KEY: &str = "coffee/house\"tür&more?";
/// Given by a name that says nothing.
const LICENCE: &str = "L7k-9Qz2-Xw4v-Bt8n";
/// A variable that is given in the same way and is no secret.
const MODE: &str = "production";
const BESIDE: &str = "beside-the-key";
/// What stands before the key in a header, and how that is written as long as nothing of the key is in it. It is no secret.
const USER: &str = "user:";
const USER_BASE64: &str = "dXNlcj";
/// So much of a secret, however it is written, is a leak.
const PART_BYTES: usize = 12;

fn base64(bytes: &[u8], last: [char; 2]) -> String {
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(last).collect();
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    let groups = bits.chunks(6).map(|group| (0..6).fold(0, |sum, at| sum << 1 | group.get(at).unwrap_or(&0)));
    groups.map(|group| letters[usize::from(group)]).collect()
}

fn hex(value: &str, before: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "{before}{byte:02x}").expect("a text grows");
        out
    })
}

/// Returns a secret in every way in which programs write it.
fn ways(value: &str) -> Vec<String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~".contains(letter);
    let percent = value.chars().map(|letter| match plain(letter) {
        true => letter.to_string(),
        false => hex(&letter.to_string(), "%").to_uppercase(),
    });
    let quoted = json!(value).to_string();
    let header = format!("{USER}{value}");
    vec![
        value.to_owned(),
        base64(value.as_bytes(), ['+', '/']),
        base64(value.as_bytes(), ['-', '_']),
        base64(header.as_bytes(), ['+', '/']),
        hex(value, ""),
        hex(value, "").to_uppercase(),
        percent.collect(),
        quoted[1..quoted.len() - 1].to_owned(),
    ]
}

fn printed(value: &str) -> String {
    format!("{BESIDE}\n  {}\n", ways(value).join("\n  "))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Returns which parts of these stand in a text, in any way.
fn leaks(bytes: &[u8], values: &[&str]) -> Vec<String> {
    let read: HashSet<&[u8]> = bytes.windows(PART_BYTES).collect();
    let ways = values.iter().flat_map(|value| ways(value));
    let parts = ways.flat_map(|way| {
        let secret = way.strip_prefix(USER_BASE64).unwrap_or(&way);
        secret.as_bytes().windows(PART_BYTES).map(<[u8]>::to_vec).collect::<Vec<_>>()
    });
    parts
        .filter(|part| read.contains(&**part))
        .map(|part| String::from_utf8_lossy(&part).into_owned())
        .collect()
}

#[test]
fn keys_that_agents_and_checks_print_are_kept_nowhere() {
    let handoff =
        format!("Done.\n\n```yaml\noutcome: completed\nsummary: |\n  did it in FILES, {}```\n", printed(KEY));
    let speaks =
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": printed(KEY) }] } });
    let turn =
        |text: &str| vec![write("work.txt", text), says(&format!("{speaks}\n")), claude(&handoff, json!({}))];
    let mut judges = vec![says(&printed(LICENCE)), says(&format!("in the mode {MODE}\n"))];
    judges.extend(approves());
    let team = Team::new()
        .agent("builder", "claude", &[turn("half\n"), turn("done\n")])
        .agent("verifier", "command", &[judges])
        .configured("pass_environment = [\"MY_LICENCE\", \"MY_MODE\"]\n");
    let check = "#!/bin/sh\ngrep -q done work.txt || { cat \"$HOME/printed\"; exit 1; }\n";
    team.place.write("check.sh", check);
    fs::write(team.home().join("printed"), printed(KEY)).expect("a file");
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);

    let mut command = team.command(&["run", "--json"]);
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    command.env("MY_LICENCE", LICENCE).env("MY_MODE", MODE);
    let run = team.place.run_prepared(&mut command, b"").ends_with(0);
    let events = run.events();
    assert_eq!(all(&events, "handed_over").len(), 2, "handoffs are read with stars in them: {events:#?}");
    assert_eq!(leaks(format!("{}{}", run.out(), run.err()).as_bytes(), &[KEY, LICENCE]), [""; 0]);

    let mut kept = files(&team.state());
    kept.extend(files(&team.place.file(".baton")));
    let mut stands_beside = 0;
    for path in &kept {
        let bytes = fs::read(path).expect("a file");
        assert_eq!(leaks(&bytes, &[KEY, LICENCE]), [""; 0], "{}", path.display());
        stands_beside += usize::from(bytes.windows(BESIDE.len()).any(|part| part == BESIDE.as_bytes()));
    }
    assert!(stands_beside >= 2, "the log and the archive hold what was printed beside it: {kept:#?}");
    for document in ["output-turn-1", "handoff-turn-1", "handoff-turn-2"] {
        let shown = team.baton(&["show", "T1", document]).ends_with(0).out();
        assert!(shown.contains(BESIDE) && shown.contains("******"), "{document}: {shown}");
    }
    let report = team.baton(&["show", "T1", "output-turn-3"]).ends_with(0).out();
    assert!(report.contains(&format!("in the mode {MODE}")), "a word is no secret: {report}");
}
