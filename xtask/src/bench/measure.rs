//! Runs programs side by side and keeps what each run cost.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::program::{Program, Role};

const STDERR_SHOWN_MAX: usize = 2_000;

pub(super) struct Measurement {
    pub(super) role: Role,
    pub(super) wall: Vec<f64>,
    pub(super) cpu: Vec<f64>,
    pub(super) peak_kb: Option<u64>,
    /// What the last run printed.
    pub(super) stdout: String,
}

#[derive(Clone, Copy)]
pub(super) enum Clock {
    Wall,
    Cpu,
}

impl Measurement {
    pub(super) fn seconds(&self, clock: Clock) -> f64 {
        median(self.runs(clock).to_vec())
    }

    /// Returns how many times as long as `other` this took: the median over the rounds, each compared with itself.
    pub(super) fn over(&self, other: &Self, clock: Clock) -> f64 {
        median(self.runs(clock).iter().zip(other.runs(clock)).map(|(own, others)| own / others).collect())
    }

    fn runs(&self, clock: Clock) -> &[f64] {
        match clock {
            Clock::Wall => &self.wall,
            Clock::Cpu => &self.cpu,
        }
    }
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

pub(super) struct Bench<'b> {
    /// The script that starts the programs and reads their cost.
    pub(super) script: &'b Path,
    /// Where the output of the programs goes.
    pub(super) scratch: &'b Path,
    pub(super) rounds: usize,
}

impl Bench<'_> {
    /// Runs every program `rounds` times, interleaved.
    pub(super) fn run(&self, programs: &[Program]) -> Result<Vec<Measurement>, String> {
        fs::create_dir_all(self.scratch)
            .map_err(|error| format!("cannot create {}: {error}", self.scratch.display()))?;
        let entries: Vec<Value> = programs
            .iter()
            .map(|program| {
                let (stdout, stderr) = (self.output(program.role, "out"), self.output(program.role, "err"));
                json!({ "argv": program.argv, "stdout": stdout, "stderr": stderr })
            })
            .collect();
        let answer = self.ask(&json!({ "rounds": self.rounds, "programs": entries }))?;
        programs
            .iter()
            .enumerate()
            .map(|(position, program)| self.read(program.role, &answer[position]))
            .collect()
    }

    fn output(&self, role: Role, ending: &str) -> PathBuf {
        self.scratch.join(format!("{role:?}.{ending}"))
    }

    fn ask(&self, job: &Value) -> Result<Value, String> {
        let failed = |error: &dyn std::fmt::Display| format!("the measuring script failed: {error}");
        let mut child = Command::new("python3")
            .arg(self.script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        // Dropping the handle closes the pipe, which is how the script knows that the job is complete.
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(job.to_string().as_bytes()).map_err(|error| failed(&error))?;
        }
        let output = child.wait_with_output().map_err(|error| failed(&error))?;
        if !output.status.success() {
            return Err(failed(&output.status));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
    }

    fn read(&self, role: Role, answer: &Value) -> Result<Measurement, String> {
        let runs = answer["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
        if runs.len() != self.rounds {
            return Err(format!("{}: {} runs measured in place of {}", role.name(), runs.len(), self.rounds));
        }
        if let Some(code) =
            runs.iter().find_map(|run| run[2].as_i64().filter(|&code| !role.accepts_exit(code)))
        {
            let stderr = fs::read_to_string(self.output(role, "err")).unwrap_or_default();
            let shown: String = stderr.chars().take(STDERR_SHOWN_MAX).collect();
            return Err(format!("{} ended with exit code {code}\n{shown}", role.name()));
        }
        let column = |number: usize| runs.iter().filter_map(|run| run[number].as_f64()).collect();
        let path = self.output(role, "out");
        let stdout =
            fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Ok(Measurement { role, wall: column(0), cpu: column(1), peak_kb: answer["peak_kb"].as_u64(), stdout })
    }
}
