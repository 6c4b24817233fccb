//! `cargo xtask bench context`: what the next agent is sent, and what it learns from it, beside other ways to hand over.
//!
//! Each scenario of ten stages goes through every contestant with scripted models; `benches/context/README.md` says what is
//! counted. The scripts write what was sent, `judge.py` counts all of it with one tokenizer, and this file prints it.

mod judged;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::target::{Bound, Target};
use super::{cargo_build, peer};
use judged::{Contestant, Judged};

/// The files of `benches/context/scenarios`.
const SCENARIOS: [&str; 2] = ["berths", "step-free"];
const BATON: &str = "Baton";
/// The peer whose tokens are the measure: it hands over the whole history, as most do.
const DEFAULT: &str = "OpenAI Agents, default";
const SHARE_MAX: f64 = 0.02;
/// Handoffs whose tokens show the growth: the first after which something could be left out, and the last.
const GROWTH: (usize, usize) = (2, 9);
/// The peers, with the scripts that send the scenario through them.
const PEERS: [(&str, &str); 2] =
    [("LangGraph", "langgraph_peer.py"), ("OpenAI Agents SDK", "openai_peer.py")];

pub(super) fn run(root: &Path, target: &Path) -> Result<(), String> {
    eprintln!("building baton");
    cargo_build(root, &["--package", "baton-cli"])?;
    let sources = root.join("benches").join("context");
    let python = peer::install_python(&sources, &target.join("bench").join("context-peers"))?;
    let scratch = target.join("bench").join("context");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    }
    let bench = Bench { sources, python, scratch, baton: target.join("release").join("baton") };
    for scenario in SCENARIOS {
        let judged = bench.contest(scenario)?;
        println!("\n{scenario}: {}\n", judged.scenario);
        print_tokens(&judged);
        print_growth(&judged);
        print_missing(&judged);
        print_targets(&judged);
    }
    Ok(())
}

struct Bench {
    sources: PathBuf,
    python: PathBuf,
    scratch: PathBuf,
    baton: PathBuf,
}

impl Bench {
    /// Sends one scenario through all contestants.
    fn contest(&self, scenario: &str) -> Result<Judged, String> {
        eprintln!("{scenario}");
        let sent = self.scratch.join(scenario).join("sent");
        fs::create_dir_all(&sent).map_err(|error| format!("{}: {error}", sent.display()))?;
        let project = sent.with_file_name("project");
        peer::succeed(
            self.script("baton_peer.py", scenario).arg(sent.join("baton.json")).arg(&self.baton).arg(project),
        )?;
        for (name, script) in PEERS {
            let file = sent.join(script).with_extension("json");
            if let Err(reason) = peer::succeed(self.script(script, scenario).arg(file)) {
                eprintln!("left out: {name}, because {reason}");
            }
        }
        self.judge(scenario, &sent)
    }

    /// Python leaves nothing beside the sources.
    fn script(&self, name: &str, scenario: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(self.sources.join(name)).arg(scenario).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    fn judge(&self, scenario: &str, sent: &Path) -> Result<Judged, String> {
        let out = self
            .script("judge.py", scenario)
            .arg(sent)
            .output()
            .map_err(|error| format!("judge.py does not start: {error}"))?;
        if !out.status.success() {
            return Err(format!("judge.py said {}", String::from_utf8_lossy(&out.stderr).trim()));
        }
        judged::read(&out.stdout)
    }
}

fn print_tokens(judged: &Judged) {
    let handoffs = judged.contestants.first().map_or(0, |one| one.handoffs.len());
    let numbers: String = (1..=handoffs).map(|number| format!("{number:>7}")).collect();
    println!(
        "{:<42}{numbers}{:>9}{:>8}{:>11}{:>9}{:>7}",
        "tokens at each handoff", "all", "share", "facts", "missing", "extra"
    );
    let default = judged.named(DEFAULT).map(Contestant::tokens);
    for one in &judged.contestants {
        let tokens: String = one.handoffs.iter().map(|handoff| format!("{:>7}", handoff.tokens)).collect();
        let share = default.map_or("-".to_owned(), |all| format!("{:.1} %", 100.0 * one.tokens() / all));
        let facts = format!("{}/{}", one.present(), one.needed());
        println!(
            "{:<42}{tokens}{:>9}{share:>8}{facts:>11}{:>9}{:>7}",
            one.name,
            one.tokens(),
            one.needed() - one.present(),
            one.extra()
        );
    }
}

fn print_growth(judged: &Judged) {
    let (first, last) = GROWTH;
    println!(
        "\n{:<42}{:>9}{:>16}{:>16}",
        format!("growth from handoff {first} to {last}"),
        "times",
        "fit to log2(n)",
        "fit to n"
    );
    for one in &judged.contestants {
        let times = one.growth(GROWTH).map_or("-".to_owned(), |times| format!("{times:.2}"));
        println!("{:<42}{times:>9}{:>16.3}{:>16.3}", one.name, one.fit(f64::log2), one.fit(|number| number));
    }
}

fn print_missing(judged: &Judged) {
    let Some(baton) = judged.named(BATON) else { return };
    for handoff in baton.handoffs.iter().filter(|handoff| !handoff.missing.is_empty()) {
        println!("\nmissing in what Baton gave stage {}", handoff.stage);
        for fact in &handoff.missing {
            println!("  {fact}");
        }
    }
}

fn print_targets(judged: &Judged) {
    let Some(baton) = judged.named(BATON) else { return };
    let facts = baton.present() as f64;
    let target = |bound, subject: &str, seen| Target { bound, subject: subject.to_owned(), seen, cpu: None };
    let share = judged.named(DEFAULT).map(|default| baton.tokens() / (SHARE_MAX * default.tokens()));
    let fullest = judged.lossy_beside(baton).map(Contestant::present).max();
    let leanest = judged.lossy_beside(baton).map(Contestant::tokens).reduce(f64::min);
    let growth =
        format!("the tokens of handoff {}, at handoff {}: a logarithm grows so much", GROWTH.0, GROWTH.1);
    let lines = [
        target(
            Bound::AtLeast(1.0),
            "the facts that matter to the next stage",
            Some(facts / baton.needed() as f64),
        ),
        target(
            Bound::AtMost(1.0),
            &format!("{:.0} % of the tokens of {DEFAULT}, all handoffs", 100.0 * SHARE_MAX),
            share,
        ),
        target(Bound::AtMost(logarithmic(GROWTH)), &growth, baton.growth(GROWTH)),
        target(
            Bound::AtLeast(1.0),
            "the facts that the fullest of the lossy peers keeps",
            fullest.map(|present| facts / present as f64),
        ),
        target(
            Bound::AtMost(1.0),
            "the tokens of the leanest of the lossy peers",
            leanest.map(|tokens| baton.tokens() / tokens),
        ),
    ];
    println!("\ntargets");
    for line in lines {
        println!("  {line}");
    }
}

/// How much the logarithm of the number of stages so far grows; the next stage counts, so that the first is not zero.
fn logarithmic((first, last): (usize, usize)) -> f64 {
    let ratio = ((last + 1) as f64).log2() / ((first + 1) as f64).log2();
    (ratio * 100.0).round() / 100.0
}
