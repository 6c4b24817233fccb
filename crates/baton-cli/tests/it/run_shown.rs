//! What a person sees of a run: plain lines, what moves on a terminal, and the summary.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::script::Step;
use serde_json::json;

use crate::scripted::{sh, supervisor, until};
use crate::support::announce;
use crate::team::{HANDOFF, Team, approves, claude, lies, says, works, write};

/// The width of a terminal that does not say how wide it is.
const COLUMNS: usize = 80;
/// Stops what hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Takes out what is another every time: hashes and seconds.
fn steady(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(|character| matches!(character, '(' | ')' | ',' | ';'));
        let is_hash = bare.len() == 12 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_number = bare.contains('.') && bare.parse::<f64>().is_ok();
        if is_hash || is_number { word.replace(bare, "#") } else { word.to_owned() }
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn plain_lines_name_the_stage_and_the_reason_and_the_summary_counts() {
    let team = Team::new().agent("builder", "command", &[lies(), works()]).agent(
        "verifier",
        "command",
        &[approves()],
    );
    team.place
        .write("check.sh", "#!/bin/sh\ngrep -q done work.txt || { echo 'work.txt is not done'; exit 1; }\n");
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let run = team.baton(&["run"]).ends_with(0);
    assert_eq!(
        steady(&run.err()),
        "T1           build        turn-1 @builder (builder, command), attempt 1\n\
         T1           build        @builder hands over and claims completed (# s)\n\
         T1           build        validation fail: work.txt is not done\n\
         T1           build        rework: checks_failed\n\
         T1           build        turn-2 @builder (builder, command), attempt 2\n\
         T1           build        @builder hands over and claims completed (# s)\n\
         T1           build        validation pass\n\
         T1           build        turn-3 @verifier (verifier, command), attempt 2\n\
         T1           build        @verifier reports 1 of 1 criteria as met (# s)\n\
         T1           build        accept: all_criteria_pass\n\
         T1                        is on baton/accepted at #\n\
         T1                        ended: done"
    );
    assert_eq!(
        steady(&run.out()),
        "\nT1           done                                     Do it\n\n\
         1 task: 1 verified; # s, 0 tokens\n\
         next: `git diff HEAD...baton/accepted` shows the accepted work, `git merge baton/accepted` takes it"
    );
}

#[test]
fn the_summary_counts_what_came_of_each_task() {
    let tells = vec![write("work.txt", "done\n"), claude(HANDOFF, json!({}))];
    let team = Team::new().agent("builder", "claude", &[tells]).agent("liar", "command", &[lies()]);
    let liar = "[workflows.liar]\n[[workflows.liar.stages]]\nname = \"build\"\nagent = \"liar\"\n\
                checkpoints = [\"validation\"]\n[workflows.waived]\n[[workflows.waived.stages]]\nname = \"build\"\n\
                agent = \"builder\"\ncheckpoints = [\"missing\"]\n";
    let team = team.configured(liar).ready();
    team.script("liar", "always", &lies());
    // Where it begins after T1, the same words as there would change nothing.
    team.script("builder", "T3/always", &[write("other.txt", "done\n"), claude(HANDOFF, json!({}))]);
    team.add("T1", "single", &[]);
    team.add("T2", "liar", &[]);
    team.add("T3", "waived", &[]);
    team.baton(&["waive", "T3", "checkpoint:missing", "we know", "--until", "2999-01-01"]).ends_with(0);
    team.add("T4", "single", &["--after", "T2"]);
    let run = team.baton(&["run"]).ends_with(9);
    let out = steady(&run.out());
    let line =
        "4 tasks: 2 unverified (1 with a waiver), 1 waiting for a person, 1 not finished; # s, 30 tokens";
    assert!(out.contains(line), "{out}");
    assert!(
        out.contains("T2: a person has to act: ") && out.contains("next: `baton resolve T2 again"),
        "{out}"
    );
    assert!(!out.contains("done_unverified") && !run.err().contains("done_unverified"), "{out}");
    assert!(run.err().contains("ended: done-unverified"), "{}", run.err());
}

/// A run on a terminal of its own, whose whole output is heard as it comes.
struct Terminal {
    script: Child,
    heard: PathBuf,
}

impl Terminal {
    /// Nothing where no terminal can be made.
    fn run(team: &Team) -> Option<Self> {
        let heard = team.home().join("typescript");
        let baton = team.command(&[]).get_program().to_str().expect("UTF-8").to_owned();
        let mut command = Command::new("script");
        command.args(["--quiet", "--flush", "--return", "--command", &format!("exec {baton} run")]);
        command.arg(&heard).current_dir(team.place.path()).env("TERM", "xterm").env("SHELL", "/bin/sh");
        command.env("XDG_STATE_HOME", team.state()).env("HOME", team.home());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(script) => Some(Self { script, heard }),
            Err(error) => {
                announce(&format!("LEFT OUT: no terminal can be made without `script`: {error}"));
                None
            }
        }
    }

    fn heard(&self) -> String {
        fs::read(&self.heard).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// Presses Ctrl-C, and waits for the answer.
    fn interrupt(&mut self, answer: &str) {
        let keyboard = self.script.stdin.as_mut().expect("a keyboard");
        keyboard.write_all(b"\x03").and_then(|()| keyboard.flush()).expect("it is pressed");
        until(answer, || self.heard().contains(answer));
    }

    #[track_caller]
    fn ends(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(ended) = self.script.try_wait().expect("our own child") {
                return ended.code();
            }
            assert!(begun.elapsed() < PATIENCE, "it goes on:\n{}", self.heard());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns what is left on a screen of [`COLUMNS`]: what was cleared or written over is gone.
fn screen(heard: &str) -> Vec<String> {
    let mut rows: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0_usize, 0_usize);
    // The first line is that of `script`.
    let mut rest = heard.split_once('\n').map_or("", |(_, rest)| rest);
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\n' => row += 1,
            '\r' => column = 0,
            '\u{1b}' => {
                let sequence = rest.strip_prefix('[').unwrap_or(rest);
                let end = sequence.find(|end: char| end.is_ascii_alphabetic()).unwrap_or(0);
                let count = sequence[..end].parse::<usize>().unwrap_or(1);
                match sequence[end..].chars().next() {
                    Some('A') => row = row.saturating_sub(count),
                    Some('B') => row += count,
                    Some('K') if count == 2 => rows[row].clear(),
                    Some('K') => rows[row].truncate(column),
                    Some(_) | None => {}
                }
                rest = &sequence[(end + 1).min(sequence.len())..];
            }
            character => {
                if column == COLUMNS {
                    (row, column) = (row + 1, 0);
                }
                rows.resize_with(rows.len().max(row + 1), Vec::new);
                let cells = rows[row].len().max(column + 1);
                rows[row].resize(cells, ' ');
                rows[row][column] = character;
                column += 1;
            }
        }
        rows.resize_with(rows.len().max(row + 1), Vec::new);
    }
    rows.into_iter().map(|row| row.into_iter().collect::<String>().trim_end().to_owned()).collect()
}

#[test]
fn a_terminal_shows_what_each_task_is_at_also_while_checks_run() {
    let team = Team::new();
    let (worked, checked) = (team.home().join("worked"), team.home().join("checked"));
    let check = format!(
        "#!/bin/sh\nuntil [ -e {} ]; do sleep 0.05; done\ngrep -q done work.txt\n",
        checked.display()
    );
    team.place.write("check.sh", check);
    let waits = [vec![says("reading the code\n"), Step::WaitFor { path: worked.clone() }], works()].concat();
    let team = team.agent("builder", "command", &[waits]).ready();
    team.add("T1", "single", &[]);
    let Some(mut terminal) = Terminal::run(&team) else { return };
    until("the agent is shown", || terminal.heard().contains("T1 build @builder 0s 0 tokens"));
    fs::write(worked, "").expect("a sign");
    until("the check is shown", || terminal.heard().contains("T1 build checks: validation 0s 0 tokens"));
    fs::write(checked, "").expect("a sign");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.heard());
    let rows = screen(&terminal.heard());
    no_frame_is_left(&rows);
    let summary =
        rows.iter().position(|row| row.starts_with("T1           done-unverified")).expect("a summary");
    let above = [&rows[summary - 1], &rows[summary - 2]];
    assert!(above[0].is_empty() && above[1].contains("ended: done-unverified"), "{rows:#?}");
}

#[test]
fn an_agent_cannot_write_to_the_terminal_of_the_person() {
    let paints = sh(
        "for terminal in /dev/tty /dev/pts/[0-9]*; do printf '\\033]0;FORGED\\007' > $terminal; done; true",
    );
    let team = Team::new().agent("builder", "command", &[[vec![paints], works()].concat()]).ready();
    team.add("T1", "single", &[]);
    if supervisor().ladder().best().is_none() {
        announce("LEFT OUT: no fence can be had here, so that agents can write everywhere");
        return;
    }
    let Some(mut terminal) = Terminal::run(&team) else { return };
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.heard());
    assert!(!terminal.heard().contains("FORGED"), "{}", terminal.heard());
}

/// Whatever moved is gone at the end.
#[track_caller]
fn no_frame_is_left(rows: &[String]) {
    assert!(
        !rows.iter().any(|row| row.contains("T1 build @") || row.contains("T1 build checks")),
        "{rows:#?}"
    );
}

#[test]
fn an_interruption_at_a_terminal_leaves_no_frame_behind() {
    let team = Team::new().agent("builder", "command", &[vec![Step::Hang]]).ready();
    team.add("T1", "single", &[]);
    let Some(mut terminal) = Terminal::run(&team) else { return };
    until("the agent is shown", || terminal.heard().contains("T1 build @builder 0s"));
    terminal.interrupt("once more ends them");
    terminal.interrupt("once more leaves at once");
    assert_eq!(terminal.ends(), Some(9), "{}", terminal.heard());
    let rows = screen(&terminal.heard());
    no_frame_is_left(&rows);
    let has = |words: &str| rows.iter().any(|row| row.contains(words));
    assert!(
        has("turn-1 @builder") && has("stopping: ") && has("stopped; next: `baton run` goes on"),
        "{rows:#?}"
    );
}
