//! A project whose tasks are taken by scripted agents, through the real binary.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use baton_testkit::script::Step;
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::scripted;
use crate::support::{Place, Run, announce};

/// Only stops what hangs: many turns of many tasks, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(3_000);
/// The check of every project here: what the task asked for is in the file.
const CHECK: &str = "#!/bin/sh\ngrep -q done work.txt\n";
/// A user who is nobody in particular.
const NOBODY: u32 = 65_534;
/// One stage, judged by another agent, merged when it is accepted.
const VERIFIED: &str = "[workflows.verified]\nintegration = \"merge\"\n[[workflows.verified.stages]]\nname = \"build\"\n\
                        agent = \"builder\"\ncheckpoints = [\"validation\"]\nreview = \"verifier\"\n";

/// One stage with a gate: a person has a look before it is accepted.
pub(crate) const GATED: &str = "[workflows.gated]\n[[workflows.gated.stages]]\nname = \"build\"\nagent = \"builder\"\n\
                                checkpoints = [\"validation\"]\ngates = [{ name = \"release\", items = [\"read it\"] }]\n";

/// A project, and beside it the bench of its agents.
pub(crate) struct Team {
    pub(crate) place: Place,
    bench: TempDir,
    config: String,
    /// Who runs Baton, where that is somebody else than who runs the test.
    user: Option<u32>,
}

impl Team {
    pub(crate) fn new() -> Self {
        let place = Place::with(&[("work.txt", "begin\n"), ("check.sh", CHECK)]);
        let check = place.file("check.sh");
        fs::set_permissions(&check, fs::Permissions::from_mode(0o755)).expect("a program");
        let config = format!("[checks.validation]\nrun = [\"./check.sh\"]\n{VERIFIED}");
        Self { place, bench: TempDir::new().expect("a folder"), config, user: None }
    }

    pub(crate) fn configured(mut self, more: &str) -> Self {
        self.config.push_str(more);
        self
    }

    /// With this configuration and no other.
    pub(crate) fn only(self, config: &str) -> Self {
        Self { config: config.to_owned(), ..self }
    }

    /// The folder for what a person keeps outside of the project.
    pub(crate) fn state(&self) -> PathBuf {
        self.bench.path().join("state")
    }

    /// Lets an agent do these steps in the turns of one task: `turn-1`, or `always`; or, for all tasks, once it was told of a
    /// failed check: `corrected`. `FILES` stands for the files that the steps write.
    pub(crate) fn script(&self, agent: &str, path: &str, steps: &[Step]) {
        let file = self.bench.path().join(agent).join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let lines: Vec<String> =
            steps.iter().map(|step| serde_json::to_string(step).expect("a step")).collect();
        fs::write(file, lines.join("\n").replace("FILES", &written(steps))).expect("a script");
    }

    /// Adds an agent that does one script a turn, for every task anew. Where it is asked for a plan first, it does `plan-1` and
    /// so on, or `plan`, which is a good one. `RECEIPT` stands for the receipt in its prompt.
    pub(crate) fn agent(mut self, name: &str, driver: &str, turns: &[Vec<Step>]) -> Self {
        let folder = self.bench.path().join(name);
        fs::create_dir(&folder).expect("a folder");
        for (number, steps) in turns.iter().enumerate() {
            self.script(name, &format!("turn-{}", number + 1), steps);
        }
        self.script(name, "plan", &[plans(&["work.txt"])]);
        let program = folder.join("run.sh");
        let bench = folder.display();
        let script = format!(
            "#!/bin/sh\ncat > \"$TMPDIR/prompt\"\n\
             task=$(sed -n 's/.*[Tt]ask \\([A-Z][0-9]*\\).*/\\1/p' \"$TMPDIR/prompt\" | head -1)\n\
             own={bench}/of-$task; mkdir -p $own\n\
             step=$(grep -o '^# Plan task' \"$TMPDIR/prompt\"); echo \"$BATON_TURN $step\" >> $own/starts\n\
             if grep -q '^# Plan task' \"$TMPDIR/prompt\"; then\n\
             number=$(($(cat $own/plans 2>/dev/null || echo 0) + 1)); echo $number > $own/plans\n\
             cp \"$TMPDIR/prompt\" $own/plan-prompt-$number; echo \"$*\" > $own/plan-arguments-$number\n\
             for file in {bench}/$task/plan-$number {bench}/plan-$number {bench}/$task/plan {bench}/plan; do\n\
             [ -f $file ] && break; done\n\
             sed \"s/TASK/$task/g\" $file > $own/plan-script-$number\n\
             exec {agent} $own/plan-script-$number\n\
             fi\n\
             number=$(($(cat $own/count 2>/dev/null || echo 0) + 1)); echo $number > $own/count\n\
             cp \"$TMPDIR/prompt\" $own/prompt-$number; echo \"$*\" > $own/arguments-$number\n\
             receipt=$(grep -o 'receipt-[0-9]*-[0-9]*' \"$TMPDIR/prompt\" | head -1)\n\
             grep -qE 'checks_failed|validation fail:|^### Checkpoint: validation' \"$TMPDIR/prompt\" && touch $own/corrected\n\
             told={bench}/none; [ -f $own/corrected ] && told={bench}/corrected\n\
             for file in $told {bench}/$task/turn-$number {bench}/$task/always {bench}/turn-$number {bench}/always; do\n\
             [ -f $file ] && break; done\n\
             sed \"s/RECEIPT/$receipt/g; s/TASK/$task/g\" $file > $own/script-$number\n\
             exec {agent} $own/script-$number\n",
            agent = scripted::agent().display()
        );
        fs::write(&program, script).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        let _ = write!(
            self.config,
            "[agents.{name}]\ndriver = \"{driver}\"\nprogram = {program:?}\nwritable = [{folder:?}]\n"
        );
        self
    }

    /// Lets an agent write wherever the project keeps its own, also where a sandbox would stop it.
    pub(crate) fn unfenced(mut self, name: &str) -> Self {
        let own = format!("writable = [{:?}]", self.bench.path().join(name));
        self.config = self.config.replace(&own, &format!("writable = [{:?}]", self.bench.path()));
        self
    }

    /// Commits the project and lets a person trust it.
    pub(crate) fn ready(self) -> Self {
        self.place.write("baton.toml", &self.config);
        self.place.write(".gitignore", ".baton/\n*.log\n");
        self.place.commit("begin");
        self.baton(&["trust", "--yes"]).ends_with(0);
        self
    }

    /// Lets somebody run Baton who is not root: root may read and write whatever its mode is. Nothing where that cannot be.
    pub(crate) fn of_no_root(mut self) -> Option<Self> {
        if fs::metadata(self.place.path()).expect("a folder").uid() != 0 {
            return Some(self);
        }
        give(self.place.path());
        give(self.bench.path());
        self.user = Some(NOBODY);
        match self.command(&["--version"]).stdout(Stdio::null()).status() {
            Ok(done) if done.success() => Some(self),
            done => {
                announce(&format!("LEFT OUT: the user {NOBODY} cannot run Baton here: {done:?}"));
                None
            }
        }
    }

    pub(crate) fn add(&self, task: &str, workflow: &str, more: &[&str]) {
        let mut words = vec!["task", "add", task, "Do it", "--workflow", workflow];
        words.extend(more);
        self.baton(&words).ends_with(0);
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.command(words);
        command.current_dir(self.place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("XDG_STATE_HOME", self.state()).env("HOME", self.bench.path());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    pub(crate) fn baton(&self, words: &[&str]) -> Run {
        self.place.run_prepared(&mut self.command(words), b"")
    }

    /// Runs, and returns the events and the summary.
    #[track_caller]
    pub(crate) fn run(&self, code: i32, more: &[&str]) -> Vec<Value> {
        let mut words = vec!["run", "--json"];
        words.extend(more);
        let heard = self.bench.path().join("heard");
        let (out, err) = (heard.with_extension("out"), heard.with_extension("err"));
        let mut command = self.command(&words);
        command.stdin(Stdio::null()).stdout(File::create(&out).expect("a file"));
        let mut baton = Started::new(command.stderr(File::create(&err).expect("a file")));
        let begun = Instant::now();
        let ended = loop {
            if let Some(ended) = baton.try_wait().expect("our own child") {
                break ended;
            }
            assert!(begun.elapsed() < PATIENCE, "it takes longer than {PATIENCE:?}");
            thread::sleep(Duration::from_millis(5));
        };
        let (out, err) = (fs::read_to_string(out).expect("text"), fs::read_to_string(err).expect("text"));
        assert_eq!(ended.code(), Some(code), "standard output:\n{out}\nstandard error:\n{err}");
        out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Returns what an agent was given, or how it was called: `prompt-1`, `arguments-2`.
    #[track_caller]
    pub(crate) fn given(&self, agent: &str, task: &str, what: &str) -> String {
        fs::read_to_string(self.bench(agent, task).join(what)).expect("it was given")
    }

    /// The home of whoever runs Baton here.
    pub(crate) fn home(&self) -> &Path {
        self.bench.path()
    }

    pub(crate) fn bench(&self, agent: &str, task: &str) -> PathBuf {
        self.bench.path().join(agent).join(format!("of-{task}"))
    }

    /// Where Baton keeps what belongs to the project and lies outside of it.
    pub(crate) fn store(&self) -> PathBuf {
        let folder = self.bench.path().join("state/baton/projects");
        let mut projects = fs::read_dir(&folder).expect("the state of the projects");
        projects.next().expect("one project").expect("a folder").path()
    }

    /// The files of a task, in the workspace that it has for itself.
    pub(crate) fn files(&self, task: &str) -> PathBuf {
        self.store().join("work").join(task).join("files")
    }

    /// Starts a command and returns while it runs; [`Self::heard`] has what it says to people.
    pub(crate) fn start(&self, words: &[&str]) -> Started {
        let mut command = self.command(words);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Started::new(command.stderr(File::create(self.said()).expect("a file")))
    }

    /// Returns what the command has said by now that was started last.
    pub(crate) fn heard(&self) -> String {
        fs::read_to_string(self.said()).expect("text")
    }

    fn said(&self) -> PathBuf {
        self.bench.path().join("started.err")
    }

    /// How often an agent was started for a task.
    pub(crate) fn starts(&self, agent: &str, task: &str) -> usize {
        let count = fs::read_to_string(self.bench(agent, task).join("count")).unwrap_or_default();
        count.trim().parse().unwrap_or(0)
    }

    /// Returns the content of a file on the branch of accepted work.
    pub(crate) fn accepted(&self, path: &str) -> String {
        self.place.git(&["-c", "safe.directory=*", "show", &format!("baton/accepted:{path}")])
    }

    /// Returns the lines of a task's log.
    pub(crate) fn log(&self, task: &str) -> String {
        self.baton(&["log", task]).ends_with(0).out()
    }

    /// Returns when the events of one kind happened to a task, as it is recorded.
    pub(crate) fn recorded(&self, task: &str, kind: &str) -> Vec<Timestamp> {
        let log: Value = self.baton(&["log", task, "--json"]).ends_with(0).json();
        let events = log["events"].as_array().expect("events").iter();
        let events = events.filter(|event| event["kind"] == kind);
        events.map(|event| event["at"].as_str().and_then(|at| at.parse().ok()).expect("a time")).collect()
    }

    /// The log holds, replays, and no turn was launched twice.
    #[track_caller]
    pub(crate) fn holds(&self, task: &str) {
        self.all_hold(&[task]);
    }

    /// The same for several tasks.
    #[track_caller]
    pub(crate) fn all_hold(&self, tasks: &[&str]) {
        self.baton(&["audit-log", "verify"]).ends_with(0);
        self.baton(&["replay"]).ends_with(0);
        tasks.iter().for_each(|task| self.are_launched_once(task));
    }

    #[track_caller]
    fn are_launched_once(&self, task: &str) {
        let log = self.log(task);
        let mut launched: Vec<&str> = log.lines().filter(|line| line.ends_with(" launched")).collect();
        let count = launched.len();
        launched.sort_unstable_by_key(|line| line.split_whitespace().rev().nth(1).map(str::to_owned));
        launched.dedup_by_key(|line| line.split_whitespace().rev().nth(1).map(str::to_owned));
        assert_eq!(launched.len(), count, "a turn was launched twice:\n{log}");
        self.are_started_once(task);
    }

    /// No turn of a task was really started twice, as the agents themselves have noted outside of the workspace.
    #[track_caller]
    fn are_started_once(&self, task: &str) {
        for agent in fs::read_dir(self.bench.path()).expect("the bench").flatten() {
            let starts = agent.path().join(format!("of-{task}")).join("starts");
            let starts = fs::read_to_string(starts).unwrap_or_default();
            let once: BTreeSet<&str> = starts.lines().collect();
            assert_eq!(once.len(), starts.lines().count(), "a turn of {task} was started twice:\n{starts}");
        }
    }
}

/// A program that works while the test goes on. It does not outlive a test that stops at a surprise.
#[derive(Debug)]
pub(crate) struct Started(Child);

impl Started {
    pub(crate) fn new(command: &mut Command) -> Self {
        Self(command.spawn().expect("it starts"))
    }
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Most have ended and were waited for by now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Names the files that an agent writes, as it names them in its handoff.
fn written(steps: &[Step]) -> String {
    let mut paths = BTreeSet::new();
    for step in steps {
        match step {
            Step::Write { path, .. } | Step::Append { path, .. } | Step::Remove { path } => {
                paths.insert(path.display().to_string());
            }
            Step::Start { steps, .. } => {
                paths.insert(written(steps));
            }
            _ => {}
        }
    }
    paths.into_iter().collect::<Vec<_>>().join(" and ")
}

/// Makes a folder that of [`NOBODY`], with all that is in it.
fn give(folder: &Path) {
    lchown(folder, Some(NOBODY), Some(NOBODY)).expect("only root comes here");
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.file_type().expect("a kind").is_dir() {
            true => give(&entry.path()),
            false => lchown(entry.path(), Some(NOBODY), Some(NOBODY)).expect("only root comes here"),
        }
    }
}

/// Does the work and says so.
pub(crate) fn works() -> Vec<Step> {
    vec![write("work.txt", "done\n"), says(HANDOFF)]
}

/// Does the work, and names another file that it changed.
pub(crate) fn works_also(path: &str) -> Vec<Step> {
    vec![write("work.txt", "done\n"), says(&HANDOFF.replace("FILES", &format!("FILES and {path}")))]
}

/// Says that the work is done, and leaves it as it is.
pub(crate) fn lies() -> Vec<Step> {
    vec![says(HANDOFF)]
}

pub(crate) const HANDOFF: &str =
    "All checks pass.\n\n```yaml\noutcome: completed\nsummary: did it in FILES\n```\n";

/// Says that the work is done, in words that name the file of it, where no script fills it in.
pub(crate) fn handoff_of_work() -> String {
    HANDOFF.replace("FILES", "work.txt")
}

/// Tells a person that the agent cannot go on, so that the task lies with them.
pub(crate) const BLOCKED: &str = "```yaml\noutcome: blocked\nsummary: stuck\nblockers: [{blocker: somebody must say which tide}]\n\
    block_reason: needs_human_input\nblock_details: which tide\n```\n";

/// A build plan for the one criterion that changes these files.
pub(crate) fn plan(targets: &[&str]) -> Value {
    json!({
        "artifact_type": "build-plan",
        "waypoint_id": "TASK",
        "file_targets": targets,
        "validation_plan": ["`./check.sh` ends with 0"],
        "criterion_coverage": { "works": "The line in work.txt, shown by the check" },
        "budget": { "tokens": 1000 },
    })
}

/// Hands in such a plan.
pub(crate) fn plans(targets: &[&str]) -> Step {
    says(&format!("I will do this.\n\n```json\n{:#}\n```\n", plan(targets)))
}

/// A report that finds the one criterion met.
pub(crate) fn approves() -> Vec<Step> {
    let report = json!({
        "artifact_type": "verification-report",
        "waypoint_id": "TASK",
        "criterion_verdicts": [{ "criterion": "works", "verdict": "pass", "evidence": ["RECEIPT"] }],
        "unresolved_doubts": [],
    });
    vec![says(&format!("```json\n{report}\n```\n"))]
}

pub(crate) fn says(text: &str) -> Step {
    Step::Print { text: text.to_owned(), to: baton_testkit::script::To::Out }
}

pub(crate) fn write(path: &str, text: &str) -> Step {
    Step::Write { path: path.into(), text: text.to_owned() }
}

/// What Claude Code prints at the end of a run.
pub(crate) fn claude(result: &str, more: Value) -> Step {
    let mut line = json!({
        "type": "result",
        "is_error": false,
        "result": result,
        "session_id": "5e55-10",
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    says(&format!("{line}\n"))
}

/// Returns the events of one task.
pub(crate) fn of<'e>(events: &'e [Value], task: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["task"] == task).collect()
}

/// Returns the events of one sort.
pub(crate) fn all<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}
