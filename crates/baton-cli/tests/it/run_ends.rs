//! No end without a word: a run that is not through says what is in the way, and what to do about it.

use std::fs;
use std::path::Path;

use baton_testkit::script::Step;

use crate::scripted::{sh, until};
use crate::support::Run;
use crate::team::{GATED, HANDOFF, Team, all, lies, says, works, write};

/// Runs to an end that is none, and returns all that was said.
#[track_caller]
fn unfinished(team: &Team, more: &[&str]) -> String {
    let run = team.baton(&[&["run"], more].concat()).ends_with(9);
    let (out, err) = (run.out(), run.err());
    assert!(out.contains("next: "), "what to do is not said:\n{out}\n{err}");
    format!("{out}\n{err}")
}

#[track_caller]
fn says_all(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
}

#[track_caller]
fn asks(team: &Team, task: &str, words: &[&str]) {
    for command in [&["why", task][..], &["inbox"]] {
        says_all(&team.baton(command).ends_with(0).out(), words);
    }
}

#[test]
fn a_paused_project_says_so() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    team.baton(&["pause", "lunch"]).ends_with(0);
    says_all(&unfinished(&team, &[]), &["paused: lunch", "`baton pause` without a reason"]);
    says_all(&team.baton(&["why", "T1"]).ends_with(0).out(), &["paused: lunch", "next: `baton pause`"]);
    for command in ["status", "inbox"] {
        says_all(&team.baton(&[command]).ends_with(0).err(), &["paused: lunch", "next: `baton pause`"]);
    }
    let again = team.baton(&["pause", "dinner"]).ends_with(8).err();
    says_all(&again, &["the project is paused already: lunch", "hint: `baton pause` without a reason"]);
    let resumed = team.baton(&["pause"]).ends_with(0).out();
    says_all(&resumed, &["goes on; next: `baton run`"]);
    let again = team.baton(&["pause"]).ends_with(8).err();
    says_all(&again, &["the project is not paused", "hint: `baton pause REASON`"]);
    team.run(0, &[]);
}

#[test]
fn a_turn_without_a_program_says_whose_it_is() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let words = ["@verifier", "[agents.verifier]", "`baton receive T1`"];
    says_all(&unfinished(&team, &[]), &words);
    asks(&team, "T1", &words);
    let team = Team::new().configured("[agents.builder]\ndriver = \"human\"\n").ready();
    team.add("T1", "single", &[]);
    let words = ["@builder, who is a person", "next: `baton receive T1`"];
    says_all(&unfinished(&team, &[]), &words);
    asks(&team, "T1", &words);
}

#[test]
fn an_agent_for_all_others_is_looked_for_where_only_some_are_named() {
    let team = Team::new().agent("verifier", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    let programs = team.home().join("programs");
    fs::create_dir(&programs).expect("a folder");
    let claude = programs.join("claude");
    fs::copy("/bin/false", &claude).expect("a program");
    let mut command = team.command(&["run", "--once"]);
    let path = std::env::var("PATH").unwrap_or_default();
    let run = command.env("PATH", format!("{}:{path}", programs.display())).output().expect("baton runs");
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("@builder (builder, claude)"), "{told}");
}

#[test]
fn work_that_cannot_go_to_its_branch_says_why_and_what_to_do() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    team.place.git(&["checkout", "--quiet", "-b", "baton/accepted"]);
    let words = [
        "is checked out in",
        "Check out another branch there, as with `git switch main`",
        "then `baton run`",
    ];
    says_all(&unfinished(&team, &[]), &words[..2]);
    asks(&team, "T1", &words);
    team.place.git(&["checkout", "--quiet", "main"]);
    let done = team.baton(&["run"]).ends_with(0).out();
    says_all(&done, &["1 task: 1 unverified", "git diff HEAD...baton/accepted", "git merge baton/accepted"]);
    assert_eq!(team.starts("builder", "T1"), 1);

    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    team.place.git(&["branch", "baton"]);
    says_all(&unfinished(&team, &[]), &["there is one named `baton`", "rename that one"]);
    asks(&team, "T1", &["there is one named `baton`", "then `baton run`"]);
}

/// Runs the same project at another place.
#[track_caller]
fn elsewhere(team: &Team, folder: &Path, words: &[&str]) -> Run {
    let mut command = team.command(words);
    command.current_dir(folder);
    team.place.run_prepared(&mut command, b"")
}

#[test]
fn a_place_where_no_agent_can_work_says_why_and_what_to_do() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    let below = team.place.file("below");
    let bare = team.home().join("bare.git");
    let broken = team.home().join("a\nb");
    let (unborn, plain) = (team.home().join("unborn"), team.home().join("plain"));
    for folder in [&below, &broken, &unborn, &plain] {
        fs::create_dir(folder).expect("a folder");
    }
    team.place.git(&["init", "--quiet", &unborn.display().to_string()]);
    team.place.git(&["init", "--quiet", &broken.display().to_string()]);
    let inside = broken.display().to_string();
    team.place.git(&["-C", &inside, "commit", "--quiet", "--allow-empty", "--message", "begin"]);
    team.place.git(&["clone", "--quiet", "--bare", ".", &bare.display().to_string()]);
    let cases: [(&Path, &str, &str); 5] = [
        (&below, "a folder of a larger repository", "next: put `baton.toml` there"),
        (&bare, "is a bare repository", "next: clone it"),
        (&unborn, "has no commit yet", "next: make a first commit"),
        (&plain, "is in no git repository", "next: run `git init`"),
        (&broken, "line", "next: "),
    ];
    for (folder, what, next) in cases {
        fs::write(folder.join("baton.toml"), team.place.read("baton.toml")).expect("a file");
        elsewhere(&team, folder, &["trust", "--yes"]).ends_with(0);
        elsewhere(&team, folder, &["task", "add", "T1", "Do it", "--workflow", "single"]).ends_with(0);
        let run = elsewhere(&team, folder, &["run"]).ends_with(9).out();
        assert!(run.contains(what) && run.contains(next), "{folder:?}: {run}");
    }
    assert_eq!(team.starts("builder", "T1"), 0);
}

/// What an agent hands over that had nothing to change.
const READ: &str = "```yaml\noutcome: completed\nsummary: read the project\n```\n";

#[test]
fn work_that_changed_nothing_claims_no_branch() {
    let reading = "[workflows.reading]\n[[workflows.reading.stages]]\nname = \"read\"\nagent = \"builder\"\n\
                   checkpoints = [\"validation\"]\n";
    let team = Team::new().only(&format!("[checks.validation]\nrun = [\"true\"]\n{reading}"));
    let team = team.agent("builder", "command", &[vec![says(READ)]]).ready();
    team.add("T1", "reading", &[]);
    let run = team.baton(&["run"]).ends_with(0);
    let told = format!("{}{}", run.err(), run.out());
    assert!(told.contains("nothing was changed, so there is nothing to merge"), "{told}");
    assert!(!told.contains("baton/accepted"), "{told}");
    assert_eq!(team.place.git(&["branch", "--list", "baton/accepted"]), "");
    says_all(
        &run.out(),
        &[
            "T1           done-unverified (nothing changed)",
            "1 task: 1 unverified (1 with nothing changed);",
            "T1: nothing was changed: the files are as they were before the first turn\n\
             next: `baton why T1` says what was claimed and seen\n",
        ],
    );
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    says_all(
        &why,
        &["T1 is done-unverified (nothing changed)", "nothing was changed: the files are as they were"],
    );
    assert!(team.baton(&["status"]).ends_with(0).out().contains("done-unverified (nothing changed)"));
    for words in
        [["status", "--json"].as_slice(), &["why", "T1", "--json"], &["task", "show", "T1", "--json"]]
    {
        let told = team.baton(words).json();
        let told = told["tasks"].get(0).unwrap_or(&told);
        assert_eq!(told["is_unchanged"], true, "{words:?}: {told}");
    }
    assert!(!team.log("T1").contains("baton/accepted"), "{}", team.log("T1"));
    team.holds("T1");
}

#[test]
fn after_an_answer_the_next_step_is_the_run() {
    let team = Team::new().configured(GATED).agent("builder", "command", &[works()]).ready();
    team.add("T1", "gated", &[]);
    let files = team.files("T1").display().to_string();
    let words = [
        "to look at: read it",
        "changed: work.txt",
        "look at it: `baton task diff T1`; its files lie in ",
        &files,
        "seen: validation pass, nobody independent has judged it",
        "next: `baton gate approve|reject|question T1 release [WORDS]`",
    ];
    says_all(&unfinished(&team, &[]), &words);
    asks(&team, "T1", &words);
    let refused = team.baton(&["gate", "reject", "T1", "release"]).ends_with(8).err();
    says_all(&refused, &["`baton gate reject T1 release WORDS`"]);
    let answered = team.baton(&["gate", "approve", "T1", "release"]).ends_with(0).out();
    assert!(answered.contains("next: `baton run`"), "{answered}");

    let team = Team::new().agent("builder", "command", &[lies(), lies(), lies(), lies(), works()]).ready();
    team.add("T1", "single", &[]);
    let words = [
        "a person has to act",
        "seen: validation fail: `./check.sh` ended with 1",
        "next: `baton resolve T1 again",
    ];
    says_all(&unfinished(&team, &[]), &words);
    asks(&team, "T1", &words);
    let resolved = team.baton(&["resolve", "T1", "again", "look at check.sh"]).ends_with(0).out();
    assert!(resolved.contains("next: `baton run`"), "{resolved}");
    team.run(0, &[]);
}

/// Larger than a snapshot takes. Most of it is a hole.
const TOO_LARGE: &str = "300M";

#[test]
fn a_file_that_is_too_large_goes_back_to_the_agent_that_wrote_it() {
    let grows = Step::Run { argv: ["truncate", "-s", TOO_LARGE, "big.bin"].map(str::to_owned).to_vec() };
    let first = [vec![grows], works()].concat();
    let team = Team::new().agent("builder", "command", &[first, works()]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    assert_eq!(all(&events, "decided")[0]["reason"], "handoff_invalid");
    let told = team.given("builder", "T1", "prompt-2");
    assert!(told.contains("`big.bin` has 314572800 bytes") && told.contains(".gitignore"), "{told}");
    let aside = team.store().join("aside/T1/turn-1/big.bin");
    assert!(fs::metadata(aside).is_ok_and(|found| found.len() > 0), "nothing of it is lost");
    assert!(!team.files("T1").join("big.bin").exists());
    team.holds("T1");
}

#[test]
fn a_folder_that_lies_too_deep_goes_back_to_the_agent_that_made_it() {
    let deep = "deep/".repeat(140) + "file.txt";
    let first = vec![write(&deep, "down here\n"), write("work.txt", "done\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[first, works()]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    says_all(&team.given("builder", "T1", "prompt-2"), &["folders deep", "was put aside"]);
    assert_eq!(team.accepted("work.txt"), "done");
    let aside = team.store().join("aside/T1/turn-1/deep-1");
    assert_eq!(
        fs::read_to_string(aside.join("deep/".repeat(11) + "file.txt")).expect("it is kept"),
        "down here\n"
    );
}

#[test]
fn more_changed_files_than_are_looked_at_are_for_a_person_to_decide() {
    let many = "mkdir many; i=0; while [ $i -lt 20001 ]; do : > many/$i; i=$((i+1)); done";
    let handoff = HANDOFF.replace("summary:", "files_created: [{path: many, purpose: data}]\nsummary:");
    let turn = vec![sh(many), write("work.txt", "done\n"), says(&handoff)];
    let team = Team::new().agent("builder", "command", &[turn]).ready();
    team.add("T1", "single", &[]);
    says_all(
        &unfinished(&team, &[]),
        &["not_compared: 20002 files have changed", "baton waive T1 violations"],
    );
    team.baton(&["waive", "T1", "violations", "they are data"]).ends_with(0);
    team.run(0, &[]);
}

#[test]
fn a_file_of_the_project_that_is_too_large_costs_no_turn_and_can_be_mended() {
    let team = Team::new().agent("builder", "command", &[vec![says(HANDOFF)], works()]).ready();
    let big = fs::File::create(team.place.file("big.bin")).expect("a file");
    big.set_len(300 * 1024 * 1024).expect("a hole");
    team.place.git(&["-c", "core.bigFileThreshold=1m", "add", "big.bin"]);
    team.place.git(&["commit", "--quiet", "--message", "A big one"]);
    team.add("T1", "single", &[]);
    says_all(&unfinished(&team, &[]), &["`big.bin` has", "name it in `.gitignore`"]);
    assert_eq!(team.starts("builder", "T1"), 0);
    assert!(!team.log("T1").contains("turn-1"), "{}", team.log("T1"));
    team.place.git(&["rm", "--quiet", "--cached", "big.bin"]);
    team.place.write(".gitignore", ".baton/\n*.log\nbig.bin\n");
    team.place.commit("Without it");
    team.run(0, &[]);
    team.holds("T1");
}

#[test]
fn the_words_at_a_gate_are_an_argument() {
    let team = Team::new().configured(GATED).agent("builder", "command", &[works(), works()]).ready();
    team.add("T1", "gated", &[]);
    unfinished(&team, &[]);
    team.baton(&["gate", "reject", "T1", "release", "the name is wrong"]).ends_with(0);
    unfinished(&team, &["--once"]);
    assert!(team.given("builder", "T1", "prompt-2").contains("the name is wrong"));
}

#[test]
fn an_escalation_shows_what_is_asked() {
    let team = Team::new().ready();
    team.add("T1", "single", &[]);
    team.baton(&["receive", "T1"]).ends_with(0);
    team.baton(&["escalate", "T1", "human-input", "Which harbour is meant?"]).ends_with(0);
    team.baton(&["decide", "T1"]).ends_with(0);
    asks(&team, "T1", &["asked: Which harbour is meant?", "next: `baton resolve T1 again"]);
}

#[test]
fn what_a_lost_last_turn_wrote_can_be_recovered() {
    let hangs = vec![write("half.txt", "half\n"), Step::Hang];
    let team = Team::new().agent("builder", "command", &[hangs]).ready();
    team.add("T1", "single", &[]);
    let mut baton = team.start(&["run"]);
    until("it wrote", || team.files("T1").join("half.txt").exists());
    team.baton(&["task", "cancel", "T1", "not needed"]).ends_with(0);
    assert_eq!(baton.wait().expect("our own child").code(), Some(9));
    is_recovered(&team);
    let failure = team.baton(&["show", "T1", "failure-turn-1"]).ends_with(0).out();
    assert!(failure.contains("`baton recover T1`") && !failure.contains("Run the task again"), "{failure}");

    let crash = || vec![write("half.txt", "half\n"), Step::Abort];
    let team = Team::new().agent("builder", "command", &[crash(), crash(), crash(), crash()]).ready();
    team.add("T1", "single", &[]);
    unfinished(&team, &[]);
    is_recovered(&team);
}

/// The files of the last turn are listed, and can be had.
#[track_caller]
fn is_recovered(team: &Team) {
    let listed = team.baton(&["recover", "T1"]).ends_with(0).out();
    let last =
        listed.lines().rev().find(|line| line.starts_with("lost-")).unwrap_or_else(|| panic!("{listed}"));
    assert!(last.contains("  as turn-") && last.contains(" left them, which brought no handoff"), "{last}");
    let name = last.split_whitespace().next().expect("a name");
    let into = team.home().join("recovered");
    team.baton(&["recover", "T1", name, "--into", into.to_str().expect("UTF-8")]).ends_with(0);
    assert_eq!(fs::read_to_string(into.join("half.txt")).expect("it is there"), "half\n");
}

#[test]
fn an_end_that_was_there_before_is_no_news() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    assert!(team.baton(&["run", "T1"]).ends_with(0).err().contains("ended: done-unverified"));
    let again = team.baton(&["run", "T1"]).ends_with(0);
    assert!(
        !again.err().contains("ended") && again.out().contains("1 task: 1 unverified"),
        "{}",
        again.err()
    );
}

#[test]
fn no_secret_of_a_handoff_goes_into_the_files_that_people_commit() {
    let key = format!("sk-ant-api03-{}", "q7Rk2ZpW9sLx4VnB8mTc3YdF6hJg1KaE5uQo");
    let tells =
        vec![write("work.txt", "done\n"), says(&HANDOFF.replace("did it", &format!("signed in with {key}")))];
    let team = Team::new().agent("builder", "command", &[tells, works()]).ready();
    team.add("T1", "single", &[]);
    let run = team.baton(&["run"]).ends_with(0);
    assert!(
        run.err().contains("rework: handoff_invalid: BT707") && !run.err().contains(&key),
        "{}",
        run.err()
    );
    let copy = team.place.read(".baton/handoffs/T1/handoff-turn-1");
    assert!(copy.contains("signed in with") && !copy.contains(&key), "{copy}");
    team.holds("T1");
}

#[test]
fn a_name_that_git_does_not_take_goes_back_with_the_handoff() {
    let misnamed = [vec![write("sub/GIT~1", "x\n")], works()].concat();
    let renamed = vec![Step::Remove { path: "sub/GIT~1".into() }, write("sub/other", "x\n"), says(HANDOFF)];
    let team = Team::new().agent("builder", "command", &[misnamed, renamed]).ready();
    team.add("T1", "single", &[]);
    let events = team.run(0, &[]);
    let decided = all(&events, "decided");
    let feedback = decided[0]["feedback"].as_str().unwrap_or_default();
    assert!(feedback.contains("`sub/GIT~1`: git takes no file of this name"), "{decided:#?}");
    assert_eq!((team.starts("builder", "T1"), team.accepted("sub/other")), (2, "x".to_owned()));
    team.holds("T1");
}

#[test]
fn missing_trust_is_explained() {
    let team = Team::new().agent("builder", "command", &[works()]).ready();
    team.add("T1", "single", &[]);
    team.place.write("baton.toml", format!("{}# changed\n", team.place.read("baton.toml")));
    let refused = team.baton(&["run"]).ends_with(7).err();
    let code = refused.split(['[', ']']).nth(1).expect("a code").to_owned();
    let page = team.baton(&["explain", &code]).ends_with(0).out();
    assert!(page.contains("exit code 7") && page.contains("`baton trust`"), "{page}");
}
