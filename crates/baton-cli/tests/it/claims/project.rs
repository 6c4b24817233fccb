//! A project for one case: its files, its history, and the work and the words of its agents.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use jiff::{SignedDuration, Timestamp};

use super::case::{Case, Change};
use super::doors::REFUSED;
use crate::support::{Place, Run};

/// The files of the base commit.
const BASE: &[(&str, &str)] = &[
    ("AGENTS.md", "# Shop\n\nKeep functions short. Add a test for every change.\n"),
    ("README.md", "# Shop\n\nA cart with totals.\n\nRun `sh scripts/test.sh`.\n"),
    ("docs/cart.md", "# Cart\n\n`add` puts a price into the cart, `total` sums them.\n"),
    ("docs/old-guide.md", "# Old guide\n\nHow carts worked before 2.0.\n\nNobody links here.\n"),
    ("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"2.0.0\"\n"),
    ("scripts/lint.sh", "#!/bin/sh\n! grep -rn 'import \\*' shop\n"),
    ("scripts/test.sh", TEST),
    (
        "shop/cart.py",
        "\"\"\"The cart of the shop.\"\"\"\n\n\nclass Cart:\n    \"\"\"Holds prices.\"\"\"\n\n    def __init__(self):\n        \
         self.prices = []\n\n    def add(self, price):\n        self.prices.append(price)\n\n    def total(self):\n        \
         return sum(self.prices)\n\n    def clear(self):\n        self.prices = []\n",
    ),
    (
        "shop/legacy.py",
        "\"\"\"Carts before 2.0.\"\"\"\n\n\ndef legacy_total(prices):\n    return sum(prices)\n",
    ),
    ("shop/prices.py", "CURRENCY = \"EUR\"\nVAT = 0.19\n"),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_empty():\n    assert Cart().total() == 0\n\n\ndef test_total():\n    \
         cart = Cart()\n    cart.add(3)\n    cart.add(4)\n    assert cart.total() == 7\n\n\ndef test_clear():\n    \
         cart = Cart()\n    cart.add(3)\n    cart.clear()\n    assert cart.total() == 0\n",
    ),
    ("uv.lock", "version = 1\n"),
    (".gitignore", ".baton/\n"),
];

/// Stands in for pytest: a test fails while the code raises `NotImplementedError("NAME")` for its name.
const TEST: &str = r#"#!/bin/sh
mkdir -p .baton
total=0; failed=0; cases=
for name in $(sed -n 's/^def test_\([a-z_0-9]*\).*/\1/p' tests/*.py); do
    total=$((total + 1))
    if grep -qF "NotImplementedError(\"$name\")" shop/*.py; then
        failed=$((failed + 1)); echo "FAILED tests::test_$name"
        cases="$cases<testcase name=\"test_$name\"><failure message=\"NotImplementedError\"/></testcase>"
    else
        cases="$cases<testcase name=\"test_$name\"/>"
    fi
done
echo "<testsuite name=\"shop\" tests=\"$total\" failures=\"$failed\" errors=\"0\">$cases</testsuite>" > .baton/junit.xml
if [ "$failed" -gt 0 ]; then echo "$failed failed, $((total - failed)) passed in 0.02s"; exit 1; fi
echo "$total passed in 0.02s"
"#;

/// A stage whose agent may leave every file as it is.
const READING: &str = "[workflows.reading]\n[[workflows.reading.stages]]\nname = \"research\"\nagent = \"builder\"\n\
                       checkpoints = [\"validation\"]\n";

const CONFIG: &str = r#"
[checks.validation]
run = ["sh", "scripts/test.sh"]
junit = ".baton/junit.xml"
[checks.tests_passing]
run = ["sh", "scripts/test.sh"]
junit = ".baton/junit.xml"
[checks.no_lint_errors]
run = ["sh", "scripts/lint.sh"]
[workflows.stage]
[[workflows.stage.stages]]
name = "implementation"
agent = "builder"
must_change = true
checkpoints = ["tests_passing", "no_lint_errors"]
asserted = ["tests_written", "code_complete"]
[workflows.quality]
[[workflows.quality.stages]]
name = "qa"
agent = "builder"
checkpoints = ["tests_passing"]
asserted = ["criteria_verified", "no_critical_bugs", "docs_updated"]
[workflows.plan]
[[workflows.plan.stages]]
name = "requirements"
agent = "builder"
asserted = ["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"]
[workflows.phase]
[[workflows.phase.stages]]
name = "Implementation"
agent = "builder"
must_change = true
checkpoints = ["validation"]
[workflows.step]
[[workflows.step.stages]]
name = "implementation"
agent = "builder"
must_change = true
checkpoints = ["validation"]
[workflows.judged]
[[workflows.judged.stages]]
name = "build"
agent = "builder"
must_change = true
checkpoints = ["validation"]
review = "verifier"
"#;

/// Does what `work-N` says and prints `handoff-N`, with the times and the receipt filled in.
const AGENT: &str = r#"#!/bin/sh
cat > "$TMPDIR/prompt"
number=$(($(cat BENCH/count 2>/dev/null || echo 0) + 1)); echo $number > BENCH/count
receipt=$(grep -o 'receipt-[0-9]*-[0-9]*' "$TMPDIR/prompt" | head -1)
. BENCH/work-$number || exit 70
at() { date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ; }
sed -e "s/{{now}}/$(at now)/g" -e "s/{{start}}/$(at '-5 minutes')/g" -e "s/{{earlier}}/$(at '-2 hours')/g" -e "s/{{yesterday}}/$(at '-26 hours')/g" \
    -e "s/{{later}}/$(at '+3 hours')/g" -e "s/{{tomorrow}}/$(at '+26 hours')/g" -e "s/{{receipt}}/$receipt/g" \
    -e "s|{{root}}|$PWD|g" BENCH/handoff-$number
"#;

/// The project of a case, the home of its user, and the bench of its agents.
pub(super) struct Project {
    pub(super) place: Place,
    pub(super) home: Place,
    head: String,
}

impl Project {
    pub(super) fn new() -> Self {
        // A sandbox has a `/dev` of its own, so the programs of agents are on a disk.
        let mut project = Self { place: Place::in_memory(), home: Place::new(), head: String::new() };
        BASE.iter().for_each(|(path, text)| project.place.write(path, text));
        let agent = project.home.file("agent.sh");
        fs::write(&agent, AGENT.replace("BENCH", &project.bench())).expect("a program");
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("a program");
        let mut config = format!("{CONFIG}{READING}");
        for name in ["builder", "verifier"] {
            let bench = project.bench();
            let _ = write!(
                config,
                "[agents.{name}]\ndriver = \"command\"\nprogram = {agent:?}\nwritable = [{bench:?}]\n"
            );
        }
        project.place.write("baton.toml", config);
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.git(&["add", "--all"]);
        project.git(&["commit", "--quiet", "--message", "Add carts"]);
        project.head = project.git(&["rev-parse", "HEAD"]);
        project.baton(&["trust", "--yes"]).ends_with(0);
        project
    }

    fn bench(&self) -> String {
        let bench = self.home.file("bench");
        fs::create_dir_all(&bench).expect("a folder");
        bench.display().to_string()
    }

    /// Runs git with a clock that is three days late, so that the base commit is older than the work.
    fn git(&self, words: &[&str]) -> String {
        let date = (Timestamp::now() - SignedDuration::from_hours(72)).to_string();
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ida", "-c", "user.email=ida@shop.example"]).args(words);
        command.current_dir(self.place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let run = command.output().expect("git is installed");
        assert!(run.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8_lossy(&run.stdout).trim().to_owned()
    }

    /// Brings the checkout back to the base commit.
    pub(super) fn reset(&self) {
        self.git(&["reset", "--quiet", "--hard", "HEAD"]);
        self.git(&["clean", "--quiet", "-fd"]);
        let _ = fs::remove_dir_all(self.place.file(".baton/inbox"));
    }

    /// Prepares the command, without the surroundings of whoever runs the tests.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.place.command(words);
        command.current_dir(self.place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", self.home.path()).env("USER", "ana");
        command
    }

    pub(super) fn baton(&self, words: &[&str]) -> Run {
        self.place.run_prepared(&mut self.command(words), b"")
    }

    /// Adds the task of a case for one door.
    pub(super) fn add(&self, case: &Case, task: &str) {
        let mut words = vec!["task", "add", task, "Add a discount", "--workflow", &case.workflow];
        words.extend(case.task.iter().map(String::as_str));
        self.baton(&words).ends_with(0);
    }

    /// Does the work of a case in the checkout.
    pub(super) fn work(&self, case: &Case) {
        let script = self.home.file("work");
        fs::write(&script, self.script(case)).expect("a script");
        let mut command = Command::new("sh");
        command.arg(&script);
        self.place.run(&mut command, b"").ends_with(0);
    }

    /// Returns the work of a case as a shell script.
    fn script(&self, case: &Case) -> String {
        let mut script = "set -e\n".to_owned();
        for (at, (path, change)) in case.work.iter().enumerate() {
            let kept = self.home.file(&format!("bench/content-{at}"));
            let content = kept.display();
            let folder = |path: &str| path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
            let line = match change {
                Change::Write(text) | Change::Append(text) => {
                    fs::write(&kept, text).expect("the content");
                    let into = if matches!(change, Change::Write(_)) { ">" } else { ">>" };
                    format!("mkdir -p '{}'; cat '{content}' {into} '{path}'", folder(path))
                }
                Change::Delete => format!("rm '{path}'"),
                Change::Rename(to) => format!("mkdir -p '{}'; mv '{path}' '{to}'", folder(to)),
                Change::Restore => {
                    let base = BASE.iter().find(|(known, _)| known == path).expect("a file of the base");
                    fs::write(&kept, base.1).expect("the content");
                    format!("cat '{content}' > '{path}'")
                }
            };
            script.push_str(&line);
            script.push('\n');
        }
        script
    }

    /// Gives the agents of `baton run` their turns.
    pub(super) fn give(&self, case: &Case, task: &str) {
        let work = self.script(case);
        let turns = if case.is_report {
            vec![(work, builders(case)), (String::new(), case.handoff.clone())]
        } else if case.is_second_attempt {
            vec![(String::new(), REFUSED.to_owned()), (work, case.handoff.clone())]
        } else {
            vec![(work, case.handoff.clone())]
        };
        for (at, (work, handoff)) in turns.into_iter().enumerate() {
            let number = at + 1;
            fs::write(self.home.file(&format!("bench/work-{number}")), work).expect("the work");
            let text = self.without_ids(&handoff, task);
            fs::write(self.home.file(&format!("bench/handoff-{number}")), text).expect("the handoff");
        }
    }

    fn without_ids(&self, text: &str, task: &str) -> String {
        text.replace("{{task}}", task).replace("{{head}}", &self.head)
    }

    /// Returns a document as an agent writes it now in the checkout.
    pub(super) fn written(&self, text: &str, task: &str, receipt: &str) -> String {
        let now = Timestamp::now();
        let at = |minutes: i64| {
            (now + SignedDuration::from_mins(minutes)).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
        };
        let text = self.without_ids(text, task).replace("{{receipt}}", receipt);
        let text = text.replace("{{now}}", &at(0)).replace("{{start}}", &at(-5));
        let text = text.replace("{{earlier}}", &at(-120)).replace("{{later}}", &at(180));
        let text = text.replace("{{yesterday}}", &at(-26 * 60)).replace("{{tomorrow}}", &at(26 * 60));
        text.replace("{{root}}", &self.place.path().display().to_string())
    }
}

/// Writes an honest handoff for the work of a case.
pub(super) fn builders(case: &Case) -> String {
    let mut text = "The work is done.\n\n```yaml\noutcome: completed\n".to_owned();
    let is_old = |path: &str| BASE.iter().any(|(known, _)| *known == path);
    let (old, new): (Vec<_>, Vec<_>) = case.work.iter().partition(|(path, _)| is_old(path));
    for (at, (path, _)) in new.iter().enumerate() {
        let head = if at == 0 { "files_created:\n" } else { "" };
        let _ = writeln!(text, "{head}  - path: {path}\n    purpose: Part of the discount\n    lines: all");
    }
    for (at, (path, _)) in old.iter().enumerate() {
        let head = if at == 0 { "files_modified:\n" } else { "" };
        let _ = writeln!(
            text,
            "{head}  - path: {path}\n    change_type: modify\n    lines: all\n    description: Adds the discount"
        );
    }
    text.push_str("```\n");
    text
}
