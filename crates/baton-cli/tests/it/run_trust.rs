//! Nothing that a repository brings is obeyed by an agent before a person trusts it, to the byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::team::{HANDOFF, Team, all, says, works, write};

/// Settings by which the agent touches a file when it starts, in the form that several of them share.
fn settings(canary: &str) -> String {
    let hook = json!({ "type": "command", "command": format!("touch {canary}") });
    json!({ "hooks": { "SessionStart": [{ "hooks": [hook] }] } }).to_string()
}

/// An agent of a vendor, which obeys the settings of the project before it does anything, as the real ones do.
fn obedient(team: &Team, name: &str, settings: &str, says: &str) -> std::path::PathBuf {
    let folder = team.home().join("bin");
    fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join(name);
    let hook = format!("sed -n 's/.*\"command\":\"\\([^\"]*\\)\".*/\\1/p' {settings}");
    let script = format!(
        "#!/bin/sh\ncat > /dev/null\n[ -f {settings} ] && sh -c \"$({hook})\"\necho done > work.txt\ncat <<'END'\n{says}\nEND\n"
    );
    fs::write(&program, script).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    folder
}

fn result() -> String {
    json!({ "type": "result", "is_error": false, "result": HANDOFF, "session_id": "s", "usage": {} })
        .to_string()
}

#[test]
fn settings_of_agents_fire_for_nobody_before_a_person_trusts_them() {
    let team = Team::new().only("");
    fs::remove_file(team.place.file("check.sh")).expect("it was there");
    team.place.write(".gitignore", "*.log\n");
    // Where the agent itself may write in its turn.
    let canary = team.home().join(".claude/fired");
    fs::create_dir(team.home().join(".claude")).expect("a folder");
    team.place.write(".claude/settings.json", settings(&canary.display().to_string()));
    team.place.commit("begin");
    let bin = obedient(&team, "claude", ".claude/settings.json", &result());
    let baton = |words: &[&str]| {
        let mut command = team.command(words);
        let path = std::env::var("PATH").expect("a path");
        command.env("PATH", format!("{}:{path}", bin.display()));
        team.place.run_prepared(&mut command, b"")
    };
    baton(&["task", "add", "T1", "Do it", "--workflow", "session"]).ends_with(0);
    let refused = baton(&["run", "--agent", "claude"]).ends_with(7).err();
    assert!(refused.contains(".claude/settings.json") && refused.contains("baton trust"), "{refused}");
    let told = baton(&["trust", "--yes"]).ends_with(0).err();
    assert!(told.contains("hooks.SessionStart.hooks.command starts \"touch "), "{told}");

    // What is not committed is in no workspace, and what is committed is another content by its first byte.
    team.place.write(".mcp.json", "{}");
    team.place.write(".claude/settings.json", settings(&canary.display().to_string()) + "\n");
    team.place.commit("one byte more");
    baton(&["run", "--agent", "claude"]).ends_with(7);
    assert!(!canary.exists(), "nothing has fired");

    baton(&["trust", "--yes"]).ends_with(0);
    baton(&["run", "--agent", "claude"]).ends_with(0);
    assert!(canary.exists(), "the control: what is trusted does fire");
    baton(&["trust", "--revoke"]).ends_with(0);
    baton(&["task", "add", "T2", "Do it", "--workflow", "session"]).ends_with(0);
    baton(&["run", "--agent", "claude"]).ends_with(7);
}

#[test]
fn what_an_agent_writes_for_the_next_one_to_obey_is_not_obeyed() {
    for (path, text) in
        [(".gemini/settings.json", settings("x")), ("opencode.json", "{\"plugin\":[\"./x.js\"]}".to_owned())]
    {
        // It hands nothing over, so nobody looks at what it changed before the next one is started.
        let plants = vec![write(path, &text), says("That is all.\n")];
        let team = Team::new().agent("builder", "command", &[plants, works()]).ready();
        team.add("T1", "single", &[]);
        let events = team.run(9, &[]);
        assert_eq!(team.starts("builder", "T1"), 1, "{path}: {events:#?}");
        let asks = all(&events, "asks").last().expect("a person is asked")["asks"].clone();
        assert!(asks.as_str().is_some_and(|asks| asks.contains(path)), "{asks}");
        let why = team.baton(&["why", "T1"]).ends_with(0).out();
        assert!(why.contains(path) && why.contains("needs_human_input"), "{why}");
        // When it is gone from the workspace, the work goes on.
        let planted = team.files("T1").join(path);
        fs::remove_file(planted).expect("it is there");
        team.baton(&["resolve", "T1", "again", "I removed it"]).ends_with(0);
        team.run(0, &[]);
        team.holds("T1");
    }
}

#[test]
fn trust_shows_what_a_command_may_write_and_see() {
    let more = "[checks.free]\nrun = [\"true\"]\nwritable = [\"~/.ssh\"]\nconfined = false\n[agents.odd]\ndriver = \"command\"\n\
                program = \"/bin/cat\"\nwritable = [\"/\"]\nhandoff_file = \"out/h.md\"\npass_environment = [\"MY_KEY\"]\n";
    let team = Team::new().configured(more);
    let team = team.agent("builder", "command", &[works()]).ready();
    let told = team.baton(&["trust", "--yes"]).ends_with(0).err();
    for part in [
        "and it may write \"~/.ssh\"",
        "and nothing confines it",
        "and it may write \"/\"",
        "and it hands over in \"out/h.md\"",
        "and it sees MY_KEY",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    // A project without settings of agents notices nothing of all this.
    assert!(!told.contains("obey"), "{told}");
}
