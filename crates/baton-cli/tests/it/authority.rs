//! Every command that changes something, from everybody who can call the binary: a person, an agent in its turn, an agent
//! that hides what it is, and a check that an agent has written. What is not theirs is refused, and is in the log.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Run, announce};
use crate::team::{Team, handoff_of_work};

/// The table, as a person reads it.
const TABLE: &str = include_str!("authority.md");

/// The commands. `TASK` is the task that is spoken of, `PAPER` a file with a handoff, `PLAN` one with a plan, `SPARE` a folder that is not there.
const COMMANDS: &[(&str, &[&str])] = &[
    ("task add", &["task", "add", "NEW", "More work"]),
    ("task depend", &["task", "depend", "TASK", "LAST"]),
    ("task check", &["task", "check", "TASK"]),
    ("task cancel", &["task", "cancel", "TASK", "enough"]),
    ("receive", &["receive", "TASK"]),
    ("ack", &["ack", "TASK"]),
    ("plan", &["plan", "TASK", "PLAN"]),
    ("submit", &["submit", "TASK", "PAPER"]),
    ("delegate", &["delegate", "TASK", "@helper", "a part of it"]),
    ("return", &["return", "TASK", "PAPER"]),
    ("clarify", &["clarify", "TASK", "Which one?"]),
    ("answer", &["answer", "TASK", "q1", "This one"]),
    ("escalate", &["escalate", "TASK", "scope-change", "too large"]),
    ("decide", &["decide", "TASK"]),
    ("gate approve", &["gate", "approve", "TASK", "release"]),
    ("gate reject", &["gate", "reject", "TASK", "release"]),
    ("resolve", &["resolve", "TASK", "again", "try once more"]),
    ("waive", &["waive", "TASK", "checkpoint:validation", "not now", "--until", "2199-01-01"]),
    ("merge", &["merge", "TASK"]),
    ("merge --failed", &["merge", "TASK", "--failed", "it does not fit"]),
    ("rollback", &["rollback", "TASK"]),
    ("rollback --by-hand", &["rollback", "TASK", "--by-hand", "done"]),
    ("pause WHY", &["pause", "stop it all"]),
    ("pause", &["pause"]),
    ("knowledge approve", &["knowledge", "approve", "gotcha-1"]),
    ("knowledge retire", &["knowledge", "retire", "gotcha-1", "wrong"]),
    ("run", &["run", "TASK"]),
    ("trust", &["trust", "--yes"]),
    ("trust --revoke", &["trust", "--revoke"]),
    ("restore", &["restore", "BACKUP", "--into", "SPARE"]),
];
/// What an agent does in its own turn, each in a task of its own: most of it ends the turn.
const OWN: &[(&str, &str)] = &[
    ("ack", "A1"),
    ("plan", "A2"),
    ("submit", "A3"),
    ("delegate", "A4"),
    ("clarify", "A5"),
    ("escalate", "A6"),
];
/// The callers that Baton runs, as the scripts name them.
const PROGRAMS: &[&str] = &["own", "other", "hidden", "forged", "check"];

/// What was answered, by the command and who gave it.
type Cells = BTreeMap<(String, String), String>;

/// How the commands of one caller are called, in shell.
fn calls(team: &Team, caller: &str, task: &str) -> String {
    let project = team.place.path().display();
    let bare =
        format!("env -i PATH=\"$PATH\" HOME=\"$HOME\" USER=ida XDG_STATE_HOME='{}' ", team.state().display());
    let before = match caller {
        "hidden" | "check" => format!("cd '{project}'; call='{bare}'"),
        "forged" => format!("cd '{project}'; call='env BATON_TURN=P1/turn-1/builder/{} '", "0".repeat(64)),
        _ => "call=".to_owned(),
    };
    let mut script = format!("{before}\n");
    for (name, words) in COMMANDS {
        if caller == "own" && OWN.iter().any(|(own, _)| own == name) {
            continue;
        }
        script.push_str(&format!("try '{caller}|{name}' $call {}\n", spoken(team, words, task)));
    }
    script
}

fn spoken(team: &Team, words: &[&str], task: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("'{}'", filled(team, word, task))).collect();
    format!("'{}' {}", env!("CARGO_BIN_EXE_baton"), words.join(" "))
}

fn filled(team: &Team, word: &str, task: &str) -> String {
    let file = |name: &str| team.state().with_file_name(name).display().to_string();
    match word {
        "TASK" => task.to_owned(),
        "PAPER" => file("paper.md"),
        "PLAN" => file("plan.json"),
        "BACKUP" => file("backup.sqlite"),
        "SPARE" => file("spare"),
        word => word.to_owned(),
    }
}

/// Runs a command, and notes how it ended and with which code it was refused.
fn trying(answers: &Path) -> String {
    format!(
        "try() {{ name=$1; shift; said=$(mktemp); \"$@\" > $said 2>&1 < /dev/null; code=$?\n\
         echo \"$name|$code|$(grep -o '\\[[a-z_]*\\]' $said | head -1)\" >> '{}'\n}}\n",
        answers.display()
    )
}

fn program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}")).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// A project in which an agent tries everything in T1, does its own acts in the others, and writes a check that tries too.
fn attempted() -> (Team, Cells) {
    let team = Team::new();
    let bench = team.state().with_file_name("builder");
    fs::create_dir(&bench).expect("a folder");
    let answers = bench.join("answers");
    fs::write(bench.with_file_name("paper.md"), handoff_of_work()).expect("a handoff");
    let plan = json!({
        "artifact_type": "build-plan", "file_targets": ["work.txt"], "validation_plan": ["./check.sh"],
        "criterion_coverage": {}, "budget": { "minutes": 5 },
    });
    fs::write(bench.with_file_name("plan.json"), plan.to_string()).expect("a plan");
    let own: String = OWN
        .iter()
        .map(|(name, task)| {
            let (_, words) = COMMANDS.iter().find(|(known, _)| known == name).expect("a command");
            format!("{task}) try 'own|{name}' {};;\n", spoken(&team, words, task))
        })
        .collect();
    let tries: String = ["own", "other", "hidden", "forged"]
        .iter()
        .map(|caller| {
            let task = if *caller == "own" { "T1" } else { "P1" };
            format!("(\n{}) &\n", calls(&team, caller, task))
        })
        .collect();
    let script = format!(
        "cat > \"$TMPDIR/prompt\"\n{}\
         task=$(sed -n 's/.*[Tt]ask \\([A-Z][0-9]*\\).*/\\1/p' \"$TMPDIR/prompt\" | head -1)\n\
         case \"$task\" in\nT1)\n{tries}wait;;\n{own}esac\n\
         echo done > work.txt\ncat '{}'\n",
        trying(&answers),
        bench.with_file_name("paper.md").display()
    );
    program(&bench.join("run.sh"), &script);
    let check = format!(
        "TMPDIR=$(mktemp -d)\n{}if [ ! -e '{done}' ]; then touch '{done}'; {} fi\ngrep -q done work.txt\n",
        trying(&answers),
        format_args!("(\n{})\n", calls(&team, "check", "P1")),
        done = bench.join("checked").display(),
    );
    program(&bench.join("check.sh"), &check);
    // As if nothing confined it: its folder is all that holds the log and the list of what is trusted.
    let writable = team.state().parent().expect("a folder").to_owned();
    let config = format!(
        "[checks.validation]\nrun = [{:?}]\nconfined = false\n[agents.builder]\ndriver = \"command\"\nprogram = {:?}\nwritable = [{writable:?}]\n",
        bench.join("check.sh"),
        bench.join("run.sh"),
    );
    let team = team.only(&config).ready();
    for task in ["T1", "LAST", "P1", "A1", "A2", "A3", "A4", "A5", "A6"] {
        team.add(task, "single", &[]);
    }
    team.baton(&["receive", "P1", "--as", "ida"]).ends_with(0);
    team.baton(&["backup", &filled(&team, "BACKUP", "")]).ends_with(0);
    let tasks = ["run", "T1", "A1", "A2", "A3", "A4", "A5", "A6", "--once", "--jobs", "1", "--json"];
    let run = team.baton(&tasks);
    assert!(matches!(run.code, Some(0 | 9)), "{}\n{}", run.out(), run.err());
    let said = fs::read_to_string(&answers).expect("the agent was started");
    let mut cells = BTreeMap::new();
    for line in said.lines() {
        let [caller, name, code, word] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let word = word.trim_matches(['[', ']']);
        let cell = if word.is_empty() { ended(code) } else { format!("`{word}`") };
        cells.insert((name.to_owned(), caller.to_owned()), cell);
    }
    (team, cells)
}

fn ended(code: &str) -> String {
    if code == "0" { "yes".to_owned() } else { format!("exit {code}") }
}

fn ida(team: &Team, words: &[&str]) -> Run {
    team.place.run_prepared(team.command(words).env("USER", "ida"), b"")
}

/// The same commands by a person, each on a task whose turn they have taken.
fn by_person(team: &Team) -> BTreeMap<String, String> {
    let mut cells = BTreeMap::new();
    let mut task = String::new();
    for ((name, words), number) in COMMANDS.iter().zip(1..) {
        if task.is_empty() {
            task = format!("N{number}");
            team.add(&task, "single", &[]);
            ida(team, &["receive", &task]).ends_with(0);
        }
        let words: Vec<String> = words.iter().map(|word| filled(team, word, &task)).collect();
        let run = ida(team, &words.iter().map(String::as_str).collect::<Vec<_>>());
        if run.code == Some(0) && words.contains(&task) {
            task.clear();
        }
        let said = run.err();
        let word = said.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word);
        let cell = match (run.code, word) {
            (Some(0), _) => "yes".to_owned(),
            // The agents ran, and the turn of a person is still theirs.
            (Some(9), None) if *name == "run" => "yes".to_owned(),
            (code, None) => format!("exit {}", code.unwrap_or(-1)),
            (_, Some(word)) => format!("`{word}`"),
        };
        cells.insert((*name).to_owned(), cell);
    }
    cells
}

#[test]
fn what_is_not_a_programs_to_do_is_refused_to_it_and_remembered() {
    let (team, cells) = attempted();
    // Nothing of it has happened: the turn of the person is theirs, and nothing was added, paused, trusted or restored.
    let status = team.baton(&["status", "--json"]).ends_with(0).out();
    assert!(!status.contains("\"NEW\""), "{status}");
    assert!(!Path::new(&filled(&team, "SPARE", "")).exists());
    team.baton(&["submit", "P1", &filled(&team, "PAPER", ""), "--as", "ida"]).ends_with(0);
    // With the turn of the person the last one is over, and all repeats are counted.
    let entries = team.baton(&["log", "--json"]).ends_with(0).json();
    check_memory(&cells, &refusals(&entries));
    team.holds("T1");
    let person = by_person(&team);
    let text = table(&cells, &person);
    println!("{text}");
    assert!(person.values().all(|cell| cell != "`not_allowed`"), "{text}");
    assert!(TABLE == text, "the table above is not authority.md; read what changed, then put it there");
}

/// Wipes its own environment out of its memory, and calls what it is told.
const WIPES: &str = "import ctypes, subprocess, sys\n\
    fields = open('/proc/self/stat').read().rsplit(')', 1)[1].split()\n\
    start, end = int(fields[47]), int(fields[48])\n\
    ctypes.memset(start, 0, end - start)\n\
    sys.exit(subprocess.run(sys.argv[1:], env={}).returncode)\n";

/// An agent behind its fence and the top of a check that has none try to be taken for a person.
#[test]
fn whoever_wipes_what_it_carries_or_hides_in_a_namespace_is_known_all_the_same() {
    let team = Team::new();
    let bench = team.state().with_file_name("builder");
    fs::create_dir(&bench).expect("a folder");
    fs::write(bench.join("wipes.py"), WIPES).expect("a program");
    let answers = bench.join("answers");
    let (home, state) = (team.home().display().to_string(), team.state().display().to_string());
    let pause = team.command(&["pause", "x"]);
    let called = format!(
        "cd '{}' && env -i PATH=\"$PATH\" HOME='{home}' XDG_STATE_HOME='{state}'",
        team.place.path().display()
    );
    let tries = |who: &str| -> String {
        let ways = ["", "unshare --user ", "unshare --user --map-root-user "].map(|way| {
            let said =
                format!("$({called} {way}{} pause x 2>&1 | tr '\\n' ' ')", pause.get_program().display());
            format!("echo \"{who} {way}|{said}\" >> '{}'\n", answers.display())
        });
        ways.concat()
    };
    program(
        &bench.join("check.sh"),
        &format!("PATH=/usr/bin:/bin\n{}grep -q done work.txt\n", tries("check")),
    );
    let paper = bench.join("paper.md");
    fs::write(&paper, handoff_of_work()).expect("a handoff");
    let works =
        format!("cat > /dev/null\n{}echo done > work.txt\ncat '{}'\n", tries("agent"), paper.display());
    program(&bench.join("run.sh"), &works);
    let config = format!(
        "[checks.validation]\nrun = [\"python3\", {:?}, {:?}]\nconfined = false\n[agents.builder]\ndriver = \"command\"\n\
         program = {:?}\nwritable = [{home:?}]\n",
        bench.join("wipes.py"),
        bench.join("check.sh"),
        bench.join("run.sh"),
    );
    let team = team.only(&config).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    let said = fs::read_to_string(&answers).expect("both were run");
    assert_eq!(said.lines().count(), 6, "{said}");
    let refused = said.lines().filter(|line| line.contains("not_allowed")).count();
    // Not every machine lets everybody make a namespace.
    let left_out: Vec<&str> = said.lines().filter(|line| line.contains("unshare:")).collect();
    if !left_out.is_empty() {
        announce(&format!("LEFT OUT: no namespace can be made here: {left_out:?}"));
    }
    assert_eq!((refused + left_out.len(), refused >= 2), (6, true), "{said}");
    assert!(!team.baton(&["log"]).ends_with(0).out().contains(" paused"), "{said}");
    team.baton(&["pause", "by a person"]).ends_with(0);
}

fn table(cells: &Cells, person: &BTreeMap<String, String>) -> String {
    let mut text = "# Who may ask for what at the command line\n\n\
         Every command that changes something, by everybody who can call the binary. The person has taken the turn of the task;\n\
         the agent is in its own turn and speaks of its own task, or of one whose turn a person has taken; it hides what it is \
         by\nan empty environment, or shows a pass that it made itself; the check is run by Baton after the turn, with an \
         empty\nenvironment. `yes` is done; anything else is the code of the refusal. Every `not_allowed` is in the log, \
         under the name\nof who asked.\n\n\
         | command | person | agent | at another task | hidden | forged pass | check |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for (name, _) in COMMANDS {
        let cell = |caller: &&str| {
            let cell = cells.get(&((*name).to_owned(), (*caller).to_owned()));
            cell.unwrap_or_else(|| panic!("{caller} did not try {name}")).clone()
        };
        let row: Vec<String> = PROGRAMS.iter().map(cell).collect();
        text.push_str(&format!("| `{name}` | {} | {} |\n", person[*name], row.join(" | ")));
    }
    text
}

/// Returns under which names how many commands were refused as not allowed.
fn refusals(log: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in log["events"].as_array().expect("events") {
        let words = event["words"].as_str().unwrap_or_default();
        if event["kind"] == "command_refused" && words.contains("not_allowed") {
            let actor = &event["actor"];
            let name = format!("{} {}", actor["kind"], actor["name"]).replace('"', "");
            let again =
                words.split_once(" again, ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            *counts.entry(name).or_default() += again.unwrap_or(1);
        }
    }
    counts
}

/// Every refusal for who asked is in the log: of the agent under its name, of all others as a program.
fn check_memory(cells: &Cells, refused: &BTreeMap<String, usize>) {
    let of = |callers: &[&str]| {
        let hit = |((_, caller), cell): &(&(String, String), &String)| {
            callers.contains(&caller.as_str()) && *cell == "`not_allowed`"
        };
        cells.iter().filter(hit).count()
    };
    assert_eq!(refused.get("agent builder"), Some(&of(&["own", "other", "hidden"])), "{refused:?}");
    assert_eq!(refused.get("agent program"), Some(&of(&["forged", "check"])), "{refused:?}");
    println!("{refused:?}");
}
