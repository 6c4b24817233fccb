//! What real agents printed once, where recordings of it are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use baton_runner::agent::{Access, Ask, Close, Driver, Fence, Settings};

/// The folder with recordings, when there is one.
const SAMPLES_VARIABLE: &str = "BATON_AGENT_SAMPLES";

fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os(SAMPLES_VARIABLE).map(PathBuf::from);
    if folder.is_none() {
        baton_testkit::announce(&format!(
            "LEFT OUT: recordings of agents; set {SAMPLES_VARIABLE} to their folder"
        ));
    }
    folder
}

fn hear(name: &str, recording: &Path) -> Close {
    let settings = Settings::default();
    let ask = Ask {
        prompt: "Go.",
        prompt_file: None,
        whole_prompt: "Go.",
        session: None,
        folder: Path::new("."),
        access: Access::Write,
        fence: Fence::Host,
        settings: &settings,
    };
    let driver = Driver::named(name).expect("a driver");
    let mut conversation = driver.launch(&ask).expect("a program").conversation;
    conversation.opening();
    let bytes = fs::read(recording).unwrap_or_else(|error| panic!("{}: {error}", recording.display()));
    for line in bytes.split(|byte| *byte == b'\n') {
        conversation.hear(line);
    }
    conversation.close()
}

#[test]
fn recorded_runs_are_understood() {
    let Some(folder) = samples() else { return };
    for (name, file, message, of_run, of_session) in [
        ("claude", "headless.stream-json.jsonl", Some("FINAL-ONE"), Some(2100), Some(2100)),
        ("claude", "hooks.stream-json.jsonl", None, None, None),
        ("claude", "kill.out.jsonl", None, None, None),
        ("codex", "headless.exec-json.jsonl", Some("FINAL-ONE"), None, Some(2250)),
        ("codex", "resume.exec-json.jsonl", Some("FINAL-TWO saw the feedback"), None, Some(3000)),
        ("gemini", "resume.stream-json.jsonl", Some("FINAL-TWO saw the feedback"), Some(1500), None),
        ("opencode", "headless.run-json.jsonl", Some("FINAL-ONE"), Some(1500), None),
        ("opencode", "resume.run-json.jsonl", Some("FINAL-TWO saw the feedback"), None, None),
    ] {
        let close = hear(name, &folder.join(name).join(file));
        assert!(close.session.is_some(), "{name} {file}: no session");
        if let Some(message) = message {
            assert_eq!(close.message.as_deref(), Some(message), "{name} {file}");
            assert!(close.is_finished && close.fault.is_none(), "{name} {file}: {close:?}");
        }
        if of_run.or(of_session).is_some() {
            let counted =
                [close.usage, close.session_usage].map(|usage| usage.map(|usage| usage.counted_tokens()));
            assert_eq!(counted, [of_run, of_session], "{name} {file}");
        }
    }
}

#[test]
fn a_run_that_was_ended_half_way_is_not_finished() {
    let Some(folder) = samples() else { return };
    for name in ["claude", "codex", "gemini"] {
        let close = hear(name, &folder.join(name).join("kill.out.jsonl"));
        assert!(!close.is_finished && close.session.is_some(), "{name}: {close:?}");
    }
}
