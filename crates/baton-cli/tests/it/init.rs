//! `baton init` and `baton doctor`: what is there stays, twice is once, and undo brings back the bytes before.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Place, Run};

/// Everything in a folder, with links as what they say.
fn everything(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("readable").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
            let kind = entry.file_type().expect("a kind");
            if name == ".git" || name == ".state" {
                continue;
            }
            if kind.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                folders.push(path);
            } else if kind.is_symlink() {
                found.insert(
                    name,
                    fs::read_link(&path).expect("a link").to_string_lossy().into_owned().into_bytes(),
                );
            } else {
                found.insert(name, fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

struct Set {
    place: Place,
}

impl Set {
    fn up(files: &[(&str, &str)]) -> Self {
        let place = Place::new();
        for (path, text) in files {
            place.write(path, text);
        }
        Self { place }
    }

    fn baton(&self, args: &[&str]) -> Run {
        self.baton_in(self.place.path(), args)
    }

    fn baton_in(&self, folder: &Path, args: &[&str]) -> Run {
        let mut command = self.place.command(args);
        // Nothing that is installed on this machine shall be found.
        command.current_dir(folder).env_clear().env("PATH", self.place.file("nowhere"));
        command.env("XDG_STATE_HOME", self.place.file(".state")).env("USER", "ana");
        self.place.run_prepared(&mut command, b"")
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.place.file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Plan, apply, apply again, undo: the bytes before.
    fn round(&self, agents: &[&str]) -> BTreeMap<String, Vec<u8>> {
        let mut args = vec!["init"];
        agents.iter().for_each(|agent| args.extend(["--agent", agent]));
        let before = everything(self.place.path());
        let mut dry = args.clone();
        dry.push("--dry-run");
        self.baton(&dry).ends_with(0);
        assert_eq!(everything(self.place.path()), before, "a plan writes nothing");
        self.baton(&args).ends_with(0);
        let after = everything(self.place.path());
        let again = self.baton(&args).ends_with(0);
        assert!(again.out().contains("nothing was left to do"), "{}", again.out());
        assert_eq!(everything(self.place.path()), after, "twice is once");
        self.baton(&["init", "--undo"]).ends_with(0);
        assert_eq!(everything(self.place.path()), before, "undo brings back the bytes before");
        after
    }
}

const ALL: &[&str] = &["claude", "codex", "gemini", "opencode"];

#[test]
fn an_empty_folder_that_is_no_repository() {
    let after = Set::up(&[]).round(ALL);
    for path in [
        ".claude/settings.json",
        ".mcp.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".opencode/plugin/baton.js",
        "opencode.json",
        ".agents/skills/baton-handoff/SKILL.md",
        // Claude Code looks into no other folder for skills, and Gemini CLI reads no other guidance.
        ".claude/skills/baton-handoff/SKILL.md",
        "AGENTS.md",
        "GEMINI.md",
    ] {
        assert!(after.contains_key(path), "{path} in {:?}", after.keys());
    }
    for path in
        [".claude/settings.json", ".mcp.json", ".codex/hooks.json", ".gemini/settings.json", "opencode.json"]
    {
        serde_json::from_slice::<serde_json::Value>(&after[path])
            .unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn what_is_written_is_no_handoff() {
    let set = Set::up(&[]);
    set.baton(&["init", "--agent", "claude", "--agent", "gemini"]).ends_with(0);
    let told = set.baton(&["check"]).ends_with(6).err();
    assert!(told.contains("0 handoffs in 0 files"), "the form is taught, and nothing is handed over: {told}");
}

#[test]
fn other_hooks_stay_and_come_first() {
    let theirs = "{\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]},\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}\n    ]\n  }\n}\n";
    let set = Set::up(&[(".claude/settings.json", theirs)]);
    let after = set.round(&["claude"]);
    let text = String::from_utf8(after[".claude/settings.json"].clone()).expect("text");
    assert!(text.find("./mine.sh") < text.find("baton hook claude"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["hooks"]["Stop"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["permissions"]["allow"][0], "Bash(ls)");
}

#[test]
fn comments_and_trailing_commas_stay() {
    let theirs =
        "// ours\n{\n\t/* models */ \"model\": \"x\", // fast\n\t\"hooks\": {\n\t\t// nothing yet\n\t},\n}\n";
    let set = Set::up(&[
        (".gemini/settings.json", theirs),
        ("opencode.jsonc", "{ // mine\n  \"theme\": \"dark\" // nice\n}\n"),
    ]);
    let after = set.round(&["gemini", "opencode"]);
    let text = String::from_utf8(after[".gemini/settings.json"].clone()).expect("text");
    for part in ["// ours", "/* models */", "// fast", "// nothing yet", "baton hook gemini"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!after.contains_key("opencode.json"));
    assert!(String::from_utf8_lossy(&after["opencode.jsonc"]).contains("\"dark\", // nice"));
}

#[test]
fn line_ends_marks_and_indentation_are_those_of_the_file() {
    let set = Set::up(&[
        (".claude/settings.json", "{\r\n    \"model\": \"x\"\r\n}\r\n"),
        ("AGENTS.md", "# Guidance\r\n\r\nBe kind.\r\n"),
        (".mcp.json", "\u{feff}{\"mcpServers\": {}}"),
        ("CLAUDE.md", "no line end"),
    ]);
    let after = set.round(&["claude"]);
    for path in [".claude/settings.json", "AGENTS.md"] {
        let text = String::from_utf8(after[path].clone()).expect("text");
        assert!(!text.replace("\r\n", "").contains('\n'), "{path}: {text:?}");
    }
    assert!(after[".mcp.json"].starts_with("\u{feff}".as_bytes()));
    assert!(String::from_utf8_lossy(&after["CLAUDE.md"]).starts_with("no line end\n\n<!-- baton:begin -->"));
    assert!(
        String::from_utf8_lossy(&after[".claude/settings.json"])
            .contains("\r\n    \"hooks\": {\r\n        \"SessionStart\"")
    );
}

#[test]
#[cfg(unix)]
fn read_only_files_are_left_alone_and_said() {
    use std::os::unix::fs::PermissionsExt;
    let set = Set::up(&[(".codex/hooks.json", "{}\n"), (".codex/config.toml", "model = \"x\"\n")]);
    let path = set.place.file(".codex/hooks.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions");
    let after = set.round(&["codex"]);
    assert_eq!(after[".codex/hooks.json"], b"{}\n");
    assert!(String::from_utf8_lossy(&after[".codex/config.toml"]).contains("[mcp_servers.baton]"));
    let told = set.baton(&["init", "--agent", "codex", "--dry-run"]).out();
    assert!(told.contains("it is read-only"), "{told}");
}

#[test]
#[cfg(unix)]
fn links_inside_are_written_through_and_links_outside_are_not() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("settings.json"), "{}").expect("written");
    let set = Set::up(&[("docs/guide.md", "# Guide\n")]);
    symlink("docs/guide.md", set.place.file("AGENTS.md")).expect("a link");
    symlink("AGENTS.md", set.place.file("CLAUDE.md")).expect("a link");
    symlink(outside.path(), set.place.file(".gemini")).expect("a link");
    symlink("nothing.json", set.place.file(".mcp.json")).expect("a link");
    let after = set.round(&["claude", "gemini"]);
    let guide = String::from_utf8(after["docs/guide.md"].clone()).expect("text");
    assert_eq!(guide.matches("baton:begin").count(), 1, "{guide}");
    assert_eq!(after["CLAUDE.md"], b"AGENTS.md", "a link stays a link");
    assert_eq!(fs::read(outside.path().join("settings.json")).expect("there"), b"{}");
}

#[test]
fn what_is_no_json_is_left_alone() {
    let set =
        Set::up(&[(".claude/settings.json", "{ \"hooks\": [,] }"), (".mcp.json", "{\"mcpServers\": 3}")]);
    let after = set.round(&["claude"]);
    assert_eq!(after[".claude/settings.json"], b"{ \"hooks\": [,] }");
    assert_eq!(after[".mcp.json"], b"{\"mcpServers\": 3}");
}

#[test]
fn a_monorepo_is_set_up_at_its_root_and_a_part_with_its_own_configuration_by_itself() {
    let set = Set::up(&[
        ("services/shop/Cargo.toml", "[package]\n"),
        ("services/bank/baton.toml", ""),
        ("Cargo.toml", "[workspace]\n"),
    ]);
    set.place.commit("begin");
    set.baton_in(&set.place.file("services/shop"), &["init", "--agent", "claude"]).ends_with(0);
    assert!(
        set.place.file(".claude/settings.json").exists() && !set.place.file("services/shop/.claude").exists()
    );
    assert!(set.read("baton.toml").contains("[[workflows.session.stages]]"));
    set.baton_in(&set.place.file("services/bank"), &["init", "--agent", "claude"]).ends_with(0);
    assert!(set.place.file("services/bank/.claude/settings.json").exists());
    set.baton_in(&set.place.file("services/shop"), &["init", "--undo"]).ends_with(0);
    assert!(
        !set.place.file(".claude").exists() && set.place.file("services/bank/.claude/settings.json").exists()
    );
}

#[test]
fn a_worktree_is_a_project_of_its_own() {
    let set = Set::up(&[("readme.md", "# A\n")]);
    set.place.commit("begin");
    let other = tempfile::tempdir().expect("a folder");
    let tree = other.path().join("tree");
    let made = std::process::Command::new("git")
        .args(["worktree", "add", "--quiet", "--detach"])
        .arg(&tree)
        .current_dir(set.place.path())
        .env_remove("GIT_DIR")
        .status();
    assert!(made.expect("git runs").success());
    let before = everything(&tree);
    set.baton_in(&tree, &["init", "--agent", "codex"]).ends_with(0);
    assert!(tree.join(".codex/hooks.json").exists() && !set.place.file(".codex").exists());
    set.baton_in(&tree, &["init", "--undo"]).ends_with(0);
    assert_eq!(everything(&tree), before);
}

#[test]
fn what_a_person_changed_since_stays() {
    let set = Set::up(&[("AGENTS.md", "# Guidance\n"), (".mcp.json", "{\n  \"a\": 1\n}\n")]);
    set.baton(&["init", "--agent", "claude"]).ends_with(0);
    let text = set.read("AGENTS.md");
    set.place.write("AGENTS.md", format!("{text}\nMore of my own.\n"));
    let json = set.read(".mcp.json").replace("\"a\": 1", "\"a\": 2");
    set.place.write(".mcp.json", &json);
    set.place.write(".claude/mine.md", "mine\n");
    let told = set.baton(&["init", "--undo"]).ends_with(0).out();
    assert!(told.contains("taken out"), "{told}");
    assert_eq!(set.read("AGENTS.md"), "# Guidance\n\nMore of my own.\n");
    assert_eq!(set.read(".mcp.json"), "{\n  \"a\": 2\n}\n");
    assert_eq!(set.read(".claude/mine.md"), "mine\n");
    assert!(!set.place.file(".claude/settings.json").exists());
}

#[test]
fn checks_are_proposed_and_nothing_runs_before_a_person_trusts_them() {
    let set = Set::up(&[("Cargo.toml", "[package]\nname = \"a\"\n")]);
    let after = set.round(&["claude"]);
    let text = String::from_utf8(after["baton.toml"].clone()).expect("text");
    assert!(text.contains("[checks.tests_passing]") && text.contains("\"cargo\", \"test\""), "{text}");
    set.baton(&["init", "--agent", "claude"]).ends_with(0);
    // What is proposed is enough for the workflows with one builder.
    set.baton(&["trust", "--yes"]).ends_with(0);
    for (id, workflow) in [("A", "single"), ("B", "waypoint")] {
        let added = set.baton(&["task", "add", id, "Print the tides", "--workflow", workflow]).ends_with(0);
        assert!(!added.err().contains("no trusted check"), "{workflow}: {}", added.err());
    }
    set.baton(&["trust", "--revoke"]).ends_with(0);
    let told = set.baton(&["doctor", "--json"]).json();
    let checks = told["findings"].as_array().into_iter().flatten().find(|found| found["thing"] == "checks");
    assert_eq!(checks.expect("the checks")["state"], "person", "{told}");
}

#[test]
fn the_commands_are_shown_before_they_are_written_and_need_no_agent() {
    let set = Set::up(&[("pyproject.toml", "[tool.ruff]\n"), ("tests/test_add.py", "import unittest\n")]);
    let planned = set.baton(&["init", "--dry-run"]).ends_with(0).out();
    let shown = "check  `python3 -m unittest discover -s tests`  for tests_passing, tests_pass, validation, as \
                 `pyproject.toml` speaks for it\n\
                 check  `ruff check .`  for no_lint_errors, as `pyproject.toml` speaks for it\n\
                 \nnothing was written\n";
    assert!(
        planned.starts_with("no agent was found, so only checks are set up") && planned.ends_with(shown),
        "{planned}"
    );
    let told = set.baton(&["init", "--json"]).json();
    assert_eq!(told["checks"][1]["run"], serde_json::json!(["ruff", "check", "."]));
    let after: Vec<String> = everything(set.place.path()).into_keys().collect();
    assert_eq!(after, ["baton.toml", "pyproject.toml", "tests/", "tests/test_add.py"]);
    assert!(
        set.read("baton.toml")
            .contains("run = [\"python3\", \"-m\", \"unittest\", \"discover\", \"-s\", \"tests\"]")
    );
    let again = set.baton(&["init"]).ends_with(2).err();
    assert!(again.contains("there are no checks to write"), "{again}");
}

#[test]
fn a_file_of_results_is_asked_for_where_the_tool_writes_one() {
    let set = Set::up(&[("test_add.py", "def test_add():\n    assert True\n")]);
    let planned = set.baton(&["init"]).ends_with(0).out();
    assert!(planned.contains("as `test_add.py` speaks for it"), "{planned}");
    let text = set.read("baton.toml");
    let check = "run = [\"python3\", \"-m\", \"pytest\", \"--junitxml\", \".baton/junit.xml\"]\njunit = \".baton/junit.xml\"\n";
    assert_eq!(text.matches(check).count(), 3, "under each of its names: {text}");
}

#[test]
fn where_no_check_is_found_the_lines_to_add_are_named() {
    const LINES: &str = "  [checks.validation]\n  run = [\"PROGRAM\", \"ARGUMENT\"]\n";
    let set = Set::up(&[("notes.md", "x\n")]);
    let told = set.baton(&["init", "--agent", "claude"]).ends_with(0).out();
    assert!(told.contains("no run can pass before one is named") && told.contains(LINES), "{told}");
    let nobody = Set::up(&[]).baton(&["init"]).ends_with(2).err();
    assert!(nobody.contains("no run can pass before one is named"), "{nobody}");
    let doctor = set.baton(&["doctor"]).out();
    assert!(
        doctor.contains("and no run can pass\n") && doctor.contains("add `[checks.validation]`"),
        "{doctor}"
    );
    assert!(doctor.contains("there is no git repository here") && doctor.contains("`git init`"), "{doctor}");
    // Somebody names one, and nothing is missed any more.
    set.place.write("baton.toml", "[checks.validation]\nrun = [\"true\"]\n");
    set.baton(&["trust", "--yes"]).ends_with(0);
    assert!(set.baton(&["doctor"]).out().contains("1 is trusted"));
    let told = set.baton(&["init", "--agent", "claude"]).ends_with(0).out();
    assert!(!told.contains("no check was found"), "{told}");
}

#[test]
fn settings_that_are_not_committed_are_named_by_trust() {
    let set = Set::up(&[("notes.md", "x\n")]);
    set.place.commit("begin");
    let state = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let mut command = set.place.command(args);
        command.current_dir(set.place.path()).env_clear().env("XDG_STATE_HOME", state.path());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        set.place.run_prepared(&mut command, b"")
    };
    run(&["init", "--agent", "claude"]).ends_with(0);
    set.place.write(".claude/settings.local.json", "{\"hooks\": {}}");
    let told = run(&["trust", "--yes"]).ends_with(2).err();
    assert!(told.contains("these are not: .claude/settings.json, .mcp.json\n"), "{told}");
    assert!(told.contains("hint: commit them, and type `baton trust` then"), "{told}");
    // With commands of its own, the rest is trusted, and these are named all the same.
    set.place.write("baton.toml", "[checks.validation]\nrun = [\"true\"]\n");
    let told = run(&["trust", "--yes"]).ends_with(0).err();
    assert!(told.contains("note: settings of agents count as they are committed"), "{told}");
    fs::remove_file(set.place.file(".claude/settings.local.json")).expect("it was there");
    set.place.commit("set up");
    let told = run(&["trust", "--yes"]).ends_with(0).err();
    assert!(!told.contains("note:"), "{told}");
}

#[test]
fn nobody_there_is_said() {
    let set = Set::up(&[]);
    let run = set.baton(&["init"]).ends_with(2);
    assert!(run.err().contains("--agent"), "{}", run.err());
    set.baton(&["init", "--agent", "parrot"]).ends_with(2);
    assert!(set.baton(&["init", "--undo"]).ends_with(0).err().contains("nothing here"));
    assert!(everything(set.place.path()).is_empty());
}

#[test]
#[cfg(unix)]
fn the_doctor_sees_programs_hooks_and_what_only_a_person_can_do() {
    use std::os::unix::fs::PermissionsExt;
    let set = Set::up(&[]);
    let programs = tempfile::tempdir().expect("a folder");
    for (name, said) in
        [("claude", "2.1.325 (Claude Code)"), ("codex", "codex-cli 0.166.0"), ("baton", "baton")]
    {
        let path = programs.path().join(name);
        fs::write(&path, format!("#!/bin/sh\necho '{said}'\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    let run = |args: &[&str]| {
        let mut command = set.place.command(args);
        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        command.current_dir(set.place.path()).env_clear().env("PATH", path);
        command.env("XDG_STATE_HOME", set.place.file(".state")).env("HOME", set.place.file(".home"));
        set.place.run_prepared(&mut command, b"")
    };
    let state = |subject: &str, thing: &str| {
        let told = run(&["doctor", "--json"]).json();
        let found = told["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|found| found["subject"] == subject && found["thing"] == thing)
            .unwrap_or_else(|| panic!("{subject} {thing} in {told}"));
        (found["state"].as_str().unwrap_or_default().to_owned(), found["words"].to_string())
    };
    assert_eq!(run(&["doctor"]).code, Some(1));
    assert_eq!(state("claude", "hooks").0, "missing");
    assert!(state("claude", "program").1.contains("2.1.325"));
    assert_eq!(state("gemini", "program").0, "unused");
    run(&["init", "--agent", "claude"]).ends_with(0);
    assert_eq!((state("claude", "hooks").0, state("codex", "hooks").0), ("works".into(), "unused".into()));
    assert_eq!(run(&["doctor"]).code, Some(0), "{}", run(&["doctor"]).out());
    run(&["init"]).ends_with(0);
    assert_eq!(state("claude", "hooks").0, "works");
    assert_eq!(state("codex", "mcp").0, "works");
    assert_eq!(state("codex", "trust").0, "person");
    assert_eq!(run(&["doctor"]).code, Some(0), "{}", run(&["doctor"]).out());
    // What nothing judges is said at the next command, too.
    let warned = |agent: &str| run(&["inbox"]).err().contains(&format!("the hooks of @{agent} are off"));
    assert!(warned("codex") && !warned("claude"), "{}", run(&["inbox"]).err());
    let settings = set.place.read(".claude/settings.json");
    set.place.write(".claude/settings.local.json", "{ \"disableAllHooks\": true }\n");
    assert!(warned("claude") && run(&["doctor"]).ends_with(1).out().contains("disableAllHooks"));
    fs::remove_file(set.place.file(".claude/settings.local.json")).expect("removed");
    assert!(!warned("claude") && set.place.read(".claude/settings.json") == settings);
    // A server that does not see where the log lies would write another one.
    let entry = set.place.read(".codex/config.toml");
    set.place.write(".codex/config.toml", entry.replace("env_vars", "# env_vars"));
    let (found, words) = state("codex", "log");
    assert!(found == "missing" && words.contains(".home/.local/state/baton"), "{words}");
    assert!(run(&["doctor"]).ends_with(1).out().contains("add `env_vars = [\"XDG_STATE_HOME\"]`"));
    set.place.write(".codex/config.toml", entry);
    let elsewhere = set.place.file("elsewhere").display().to_string();
    let told = run(&["doctor", "--store", &elsewhere]).ends_with(0).out();
    assert!(told.contains("are called without `--store`"), "{told}");
    // What the review of Codex writes down.
    let hooks = set.place.path().canonicalize().expect("there").join(".codex/hooks.json");
    let identity = "{\"event_name\":\"stop\",\"hooks\":[{\"async\":false,\"command\":\"baton hook codex\",\"timeout\":600,\"type\":\"command\"}]}";
    let hash = sha256(identity.as_bytes());
    fs::create_dir_all(set.place.file(".home/.codex")).expect("a folder");
    let config =
        format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n", hooks.display());
    fs::write(set.place.file(".home/.codex/config.toml"), config).expect("written");
    assert_eq!(state("codex", "trust").0, "works");
    assert!(!warned("codex"), "{}", run(&["inbox"]).err());
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn guidance_goes_where_gemini_reads_it() {
    let named = "{\"context\": {\"fileName\": [\"AGENTS.md\"]}}\n";
    let after = Set::up(&[(".gemini/settings.json", named)]).round(&["gemini"]);
    assert!(!after.contains_key("GEMINI.md"), "its settings name another file: {:?}", after.keys());
    let after = Set::up(&[("GEMINI.md", "# Ours\n")]).round(&["gemini"]);
    let text = String::from_utf8(after["GEMINI.md"].clone()).expect("text");
    assert!(text.starts_with("# Ours\n") && text.contains("baton:begin"), "{text}");
}
