//! The handoffs of a large project: stages that are tried again, task files, reports.

use std::fmt::Write;
use std::io;

use crate::project::moment::Moment;

/// As many handoffs as four stages have when two of them are tried as often as they may.
const STAGE_HANDOFFS_MAX: usize = 10;
const CHECKPOINTS: [(&str, [&str; 4]); 4] = [
    (
        "requirements",
        ["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"],
    ),
    ("architecture", ["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"]),
    ("implementation", ["tests_written", "code_complete", "tests_passing", "no_lint_errors"]),
    ("qa", ["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"]),
];
const LINES: usize = 12;
/// How long a part takes, in minutes.
const LENGTH: i64 = 15;

#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) number: usize,
    pub(super) parts: usize,
}

/// One handoff of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) chain: Chain,
    pub(super) position: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Stages,
    Tasks,
    Reports,
}

/// Which attempt at which stage a part is.
struct Attempt {
    stage: usize,
    number: usize,
    is_last: bool,
}

impl Chain {
    pub(super) fn id(self) -> String {
        format!("F{:05}", self.number + 1)
    }

    fn dialect(self) -> Dialect {
        match self.number % 4 {
            0 | 1 if self.parts <= STAGE_HANDOFFS_MAX => Dialect::Stages,
            0..=2 => Dialect::Tasks,
            _ => Dialect::Reports,
        }
    }

    /// Folders of folders keep the trees of git small.
    fn area(self) -> String {
        format!("area_{:02}/{:02}", self.number % 45, self.number / 45 % 45)
    }

    fn folder(self) -> String {
        format!("handoffs/{}/{}", self.area(), self.id())
    }
}

impl Part {
    pub(super) fn path(&self) -> String {
        format!("{}/{}.md", self.chain.folder(), self.stem())
    }

    pub(super) fn created(&self) -> String {
        format!(
            "services/{}/f{:05}/part_{:02}.rs",
            self.chain.area(),
            self.chain.number + 1,
            self.position + 1
        )
    }

    pub(super) fn modified(&self) -> String {
        format!("services/{}/f{:05}/index.rs", self.chain.area(), self.chain.number + 1)
    }

    pub(super) fn code(&self) -> String {
        let lines = (2..=LINES).map(|line| format!("pub const RULE_{line}: usize = {line};\n"));
        format!("//! Part {} of {}.\n{}", self.position + 1, self.chain.id(), lines.collect::<String>())
    }

    /// Returns the file that every part of the chain adds a line to.
    pub(super) fn index(&self) -> String {
        (0..=self.position).map(|part| format!("pub mod part_{:02};\n", part + 1)).collect()
    }

    /// Returns the stored log of a part that ran tests.
    pub(super) fn log(&self) -> Option<(String, String)> {
        let (passed, failed) = (self.tests()?, usize::from(!self.passes()));
        let result = if failed == 0 { "ok" } else { "FAILED" };
        let mut text = format!("\nrunning {} tests\n", passed + failed);
        for test in 0..passed + failed {
            let _ = writeln!(text, "test rule_{test} ... {}", if test < passed { "ok" } else { "FAILED" });
        }
        let counts = format!("{passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out");
        let _ = writeln!(text, "\ntest result: {result}. {counts}; finished in 0.00s");
        Some((format!("{}/{}-evidence/tests_passing.log", self.chain.folder(), self.stem()), text))
    }

    pub(super) fn text(&self, end: Moment, commit: Option<&str>) -> io::Result<String> {
        let (began, ended) = (end.plus_minutes(-LENGTH).written("Z")?, end.written("Z")?);
        Ok(match self.chain.dialect() {
            Dialect::Stages => self.stage_document(&began, &ended, commit),
            Dialect::Tasks => self.task_file(&began, &ended, commit),
            Dialect::Reports => self.report(&ended, commit),
        })
    }

    fn stem(&self) -> String {
        match self.chain.dialect() {
            Dialect::Stages => {
                let attempt = self.attempt();
                format!("{:02}-{}", self.position + 1, CHECKPOINTS[attempt.stage].0)
            }
            Dialect::Tasks => format!("{:02}-part", self.position + 1),
            Dialect::Reports => format!("{:02}-report", self.position + 1),
        }
    }

    /// Says how many tests passed, where tests were run and their output was kept.
    fn tests(&self) -> Option<usize> {
        let runs_tests = match self.chain.dialect() {
            Dialect::Stages => self.attempt().stage >= 2,
            Dialect::Tasks => self.position.is_multiple_of(5),
            Dialect::Reports => self.position % 2 == 1,
        };
        runs_tests.then_some(self.position + 2)
    }

    fn passes(&self) -> bool {
        self.chain.dialect() != Dialect::Stages || self.attempt().is_last
    }

    /// Deals the parts out to the stages: what is more than four are further attempts.
    fn attempt(&self) -> Attempt {
        let more = self.chain.parts.saturating_sub(4);
        let (implementations, checks) = (1 + more.div_ceil(2), 1 + more / 2);
        match self.position {
            0 | 1 => Attempt { stage: self.position, number: 0, is_last: true },
            position if position < 2 + implementations => {
                Attempt { stage: 2, number: position - 2, is_last: position == 1 + implementations }
            }
            position => {
                let number = position - 2 - implementations;
                Attempt { stage: 3, number, is_last: number + 1 == checks }
            }
        }
    }

    fn stage_document(&self, began: &str, ended: &str, commit: Option<&str>) -> String {
        let Attempt { stage, number, is_last } = self.attempt();
        let (name, checkpoints) = CHECKPOINTS[stage];
        let (status, ended) = if is_last { ("complete", ended) } else { ("failed", "null") };
        let mut out = format!("---\nid: {}\nstage: {name}\nstatus: {status}\n", self.chain.id());
        let _ = write!(out, "started_at: {began}\ncompleted_at: {ended}\n");
        self.claims(&mut out, "", commit);
        out.push_str("checkpoints:\n");
        for checkpoint in checkpoints {
            let failed = !is_last && checkpoint == "tests_passing";
            let _ =
                writeln!(out, "  - name: {checkpoint}\n    status: {}", if failed { "fail" } else { "pass" });
            if let Some(tests) = self.tests().filter(|_| checkpoint == "tests_passing") {
                let _ = writeln!(out, "    message: {tests} passed, {} failed", usize::from(failed));
            }
        }
        let _ = writeln!(out, "handoff_ready: {is_last}\nretry_count: {number}");
        if number > 0 || !is_last {
            let _ = writeln!(out, "last_failure: One rule of {} gave the wrong number", self.chain.id());
        }
        let _ = writeln!(out, "---\n\n# {}: {name}, part {}", self.chain.id(), self.position + 1);
        out
    }

    fn task_file(&self, began: &str, ended: &str, commit: Option<&str>) -> String {
        let mut out = format!("# {}: part {}\n\n## Handoff\n\n", self.chain.id(), self.position + 1);
        let _ = write!(out, "```yaml\noutcome: completed\ntask_id: {}\n", self.chain.id());
        let _ = write!(out, "started_at: {began}\ncompleted_at: {ended}\n");
        self.claims(&mut out, "", commit);
        if let Some(tests) = self.tests() {
            let _ = writeln!(out, "tests_passed: {tests}");
        }
        out.push_str("```\n");
        out
    }

    fn report(&self, ended: &str, commit: Option<&str>) -> String {
        let (phase, from, to) = match self.position % 2 {
            0 => ("Implementation", "\"@builder\"", "\"@tester\""),
            _ => ("Testing", "\"@tester\"", "\"@builder\""),
        };
        let to = if self.position + 1 == self.chain.parts { "None" } else { to };
        let mut out = format!("# {}: part {}\n\n```yaml\nhandoff:\n", self.chain.id(), self.position + 1);
        let _ = write!(
            out,
            "  phase: {phase}\n  from: {from}\n  to: {to}\n  status: complete\n  timestamp: {ended}\n"
        );
        if let Some(tests) = self.tests() {
            let _ = write!(
                out,
                "  metrics:\n    tests_total: {tests}\n    tests_passed: {tests}\n    tests_failed: 0\n"
            );
        }
        out.push_str("  context:\n");
        self.claims(&mut out, "    ", commit);
        out.push_str("```\n");
        out
    }

    fn claims(&self, out: &mut String, indent: &str, commit: Option<&str>) {
        if let Some(commit) = commit {
            let _ = writeln!(out, "{indent}commit: {commit}");
        }
        let _ = writeln!(out, "{indent}files_created:\n{indent}  - path: {}", self.created());
        let _ = writeln!(
            out,
            "{indent}    lines: 1-{LINES}\n{indent}    purpose: The rules of part {}",
            self.position + 1
        );
        match self.position {
            0 => {
                let _ = writeln!(out, "{indent}  - path: {}", self.modified());
                let _ = writeln!(out, "{indent}    purpose: Names the parts");
            }
            _ => {
                let _ = writeln!(out, "{indent}files_modified:\n{indent}  - path: {}", self.modified());
                let _ = writeln!(out, "{indent}    change_type: add");
                let _ = writeln!(out, "{indent}    description: Names part {}", self.position + 1);
            }
        }
        if self.tests().is_some() {
            let _ =
                writeln!(out, "{indent}evidence:\n{indent}  - {}-evidence/tests_passing.log", self.stem());
        }
    }
}
