//! What was said about a stage, in three dialects and all sorts of habits.

use std::fmt::Write;
use std::io;

use super::chain::{Chain, File, STAGES, Stage};
use crate::project::moment::Moment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Stages,
    Tasks,
    Reports,
}

impl Dialect {
    pub(super) const ALL: &[Dialect] = &[Dialect::Stages, Dialect::Stages, Dialect::Tasks, Dialect::Reports];
}

/// How the times of a chain are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    WithOffset,
    /// In the local time of whoever writes, without saying so.
    WithoutOffset,
    DatesOnly,
    BeginMissing,
    EndMissing,
    Missing,
}

impl Times {
    pub(super) const ALL: &[Times] = &[
        Times::WithOffset,
        Times::WithOffset,
        Times::WithOffset,
        Times::WithoutOffset,
        Times::DatesOnly,
        Times::BeginMissing,
        Times::EndMissing,
        Times::Missing,
    ];
}

/// How the files of a chain are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilePaths {
    Plain,
    Dotted,
    OfAnotherUnix,
    OfAnotherWindows,
}

impl FilePaths {
    pub(super) const ALL: &[FilePaths] = &[
        FilePaths::Plain,
        FilePaths::Plain,
        FilePaths::Plain,
        FilePaths::Dotted,
        FilePaths::OfAnotherUnix,
        FilePaths::OfAnotherWindows,
    ];

    fn written(self, path: &str) -> String {
        match self {
            FilePaths::Plain => path.to_owned(),
            FilePaths::Dotted => format!("./{path}"),
            FilePaths::OfAnotherUnix => format!("/Users/ana/dev/harbour/{path}"),
            FilePaths::OfAnotherWindows => format!("C:\\work\\harbour\\{}", path.replace('/', "\\")),
        }
    }
}

const CHECKPOINTS: [[&str; 4]; 4] = [
    ["requirements_identified", "impact_analyzed", "acceptance_criteria_defined", "no_open_blockers"],
    ["requirements_addressed", "design_complete", "tasks_defined", "tests_planned"],
    ["tests_written", "code_complete", "tests_passing", "no_lint_errors"],
    ["criteria_verified", "tests_passing", "no_critical_bugs", "docs_updated"],
];
const PHASES: [&str; 4] = ["Research", "Planning", "Implementation", "QA"];
const AGENTS: [&str; 5] = ["@analyst", "@architect", "@builder", "@tester", "None"];
const BODIES: [&str; 4] = [
    "Everything that was agreed is in the folder of documents.",
    "Alles, was vereinbart wurde, steht im Ordner der Dokumente – auch die Maße der Liegeplätze.",
    "約束したことはすべて文書のフォルダーにあります。",
    "Todo lo acordado está en la carpeta de documentos; los números también.",
];

/// Returns the file name and the text of the handoff of a stage.
pub(super) fn handoff(chain: &Chain, number: usize) -> io::Result<(String, String)> {
    let stage = &chain.stages[number];
    let file = match chain.dialect {
        Dialect::Stages => format!("{}.md", stage.name),
        Dialect::Tasks | Dialect::Reports => format!("{:02}-{}.md", number + 1, stage.name),
    };
    let text = match chain.dialect {
        Dialect::Stages => stage_document(chain, number)?,
        Dialect::Tasks => task_file(chain, number)?,
        Dialect::Reports => report(chain, number)?,
    };
    let text = if chain.habits.windows_line_ends { text.replace('\n', "\r\n") } else { text };
    Ok((format!("{}/{file}", chain.folder()), text))
}

/// Returns the stored logs of a stage, from the folder of the handoffs, oldest first.
pub(super) fn logs(chain: &Chain, stage: &Stage) -> Vec<(String, String)> {
    let Some(tests) = stage.tests else { return Vec::new() };
    let name = |attempt: usize| format!("evidence/{}-tests-{attempt}.log", stage.name);
    let failed = (1..=stage.retries).map(|attempt| (name(attempt), log(chain, tests - 1, 1)));
    failed.chain([(name(stage.retries + 1), log(chain, tests, 0))]).collect()
}

fn log(chain: &Chain, passed: usize, failed: usize) -> String {
    let mut out = format!("     Running tests/{}.rs (target/debug/deps/{}-9b1)\n", chain.slug, chain.slug);
    let _ = writeln!(out, "\nrunning {} tests", passed + failed);
    for number in 0..passed + failed {
        let ending = if number < passed { "ok" } else { "FAILED" };
        let _ = writeln!(out, "test {}_{number} ... {ending}", chain.slug);
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    let counts = format!("{passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out");
    let _ = writeln!(out, "\ntest result: {result}. {counts}; finished in 0.01s\n");
    out
}

fn stage_document(chain: &Chain, number: usize) -> io::Result<String> {
    let stage = &chain.stages[number];
    let status = if stage.is_open { "in_progress" } else { "complete" };
    let mut out =
        format!("---\nid: {}\nstage: {}\ntitle: {}\nstatus: {status}\n", chain.id, stage.name, chain.title);
    out.push_str(&times(chain, stage, "")?);
    out.push_str(&claims(chain, number, ""));
    out.push_str("checkpoints:\n");
    let position = STAGES.iter().position(|name| *name == stage.name).unwrap_or(0);
    for name in CHECKPOINTS[position] {
        let is_open = stage.is_open && name != "tests_written";
        let _ = writeln!(out, "  - name: {name}\n    status: {}", if is_open { "fail" } else { "pass" });
        match stage.tests {
            Some(tests) if name == "tests_passing" => {
                let _ = writeln!(out, "    message: {tests} passed");
            }
            _ => {}
        }
    }
    let _ = writeln!(out, "handoff_ready: {}\nretry_count: {}", !stage.is_open, stage.retries);
    if stage.retries > 0 {
        let _ = writeln!(out, "last_failure: \"tests_passing: one test of {} failed\"", chain.slug);
    }
    let _ = writeln!(out, "---\n\n# {}: {}\n\n{}", chain.title, stage.name, BODIES[chain.habits.language]);
    Ok(out)
}

fn task_file(chain: &Chain, number: usize) -> io::Result<String> {
    let stage = &chain.stages[number];
    let outcome = if stage.is_open { "partial" } else { "completed" };
    let mut out =
        format!("# {}: {}, {}\n\n{}\n\n", chain.id, chain.title, stage.name, BODIES[chain.habits.language]);
    let _ = write!(
        out,
        "## Handoff\n\n```yaml\noutcome: {outcome}\ntask_id: {}\nstage: {}\n",
        chain.id, stage.name
    );
    out.push_str(&times(chain, stage, "")?);
    out.push_str(&claims(chain, number, ""));
    if let Some(tests) = stage.tests {
        let _ = writeln!(out, "tests_passed: {tests}");
    }
    let _ = writeln!(
        out,
        "suggested_next_steps:\n  - step: Go on with {}\n    priority: medium\n```",
        chain.title
    );
    Ok(out)
}

fn report(chain: &Chain, number: usize) -> io::Result<String> {
    let stage = &chain.stages[number];
    let status = if stage.is_open { "in_progress" } else { "complete" };
    let mut out = format!(
        "# {}: {}\n\n{}\n\n```yaml\nhandoff:\n",
        chain.title, stage.name, BODIES[chain.habits.language]
    );
    let to =
        if number + 1 == STAGES.len() { "None".to_owned() } else { format!("\"{}\"", AGENTS[number + 1]) };
    let _ = write!(
        out,
        "  phase: {}\n  from: \"{}\"\n  to: {to}\n  status: {status}\n  retry_count: {}\n",
        PHASES[number], AGENTS[number], stage.retries
    );
    if !matches!(chain.times, Times::Missing | Times::EndMissing) && !stage.is_open {
        let _ = writeln!(out, "  timestamp: {}", written(chain, stage, stage.ended)?);
    }
    if let Some(tests) = stage.tests {
        let _ = writeln!(
            out,
            "  metrics:\n    tests_total: {tests}\n    tests_passed: {tests}\n    tests_failed: 0"
        );
    }
    let _ = writeln!(out, "  context:\n    stage: {}", stage.name);
    out.push_str(&claims(chain, number, "    "));
    out.push_str("```\n");
    Ok(out)
}

fn times(chain: &Chain, stage: &Stage, indent: &str) -> io::Result<String> {
    let mut out = String::new();
    if !matches!(chain.times, Times::BeginMissing | Times::Missing) {
        let _ = writeln!(out, "{indent}started_at: {}", written(chain, stage, stage.began)?);
    }
    if stage.is_open {
        let _ = writeln!(out, "{indent}completed_at: null");
    } else if !matches!(chain.times, Times::EndMissing | Times::Missing) {
        let _ = writeln!(out, "{indent}completed_at: {}", written(chain, stage, stage.ended)?);
    }
    Ok(out)
}

fn written(chain: &Chain, stage: &Stage, at: Moment) -> io::Result<String> {
    let local = at.written(stage.zone)?;
    Ok(match chain.times {
        Times::WithoutOffset => local.chars().take("2025-03-03T08:00:00".len()).collect(),
        Times::DatesOnly => local.chars().take("2025-03-03".len()).collect(),
        _ => local,
    })
}

fn claims(chain: &Chain, number: usize, indent: &str) -> String {
    let stage = &chain.stages[number];
    let mut out = String::new();
    if chain.habits.names_commits && stage.name == "implementation" && !chain.habits.handoff_first {
        let _ = writeln!(out, "{indent}commit: {{{{commit}}}}");
    }
    let mut created: Vec<&File> = stage.created.iter().collect();
    if chain.habits.cumulative {
        created.extend(chain.stages[..number].iter().flat_map(|earlier| &earlier.created));
    }
    let purpose = ("purpose", "Part of");
    let description = ("change_type: modify\n    description", "Mentions");
    list(&mut out, chain, (indent, "files_created"), (&created, purpose));
    list(
        &mut out,
        chain,
        (indent, "files_modified"),
        (&stage.modified.iter().collect::<Vec<_>>(), description),
    );
    list(&mut out, chain, (indent, "files_deleted"), (&stage.deleted.iter().collect::<Vec<_>>(), purpose));
    let logs = logs(chain, stage);
    if !logs.is_empty() {
        let _ = writeln!(out, "{indent}evidence:");
        for (path, _) in logs {
            let _ = writeln!(out, "{indent}  - {path}");
        }
    }
    out
}

fn list(
    out: &mut String,
    chain: &Chain,
    (indent, key): (&str, &str),
    (files, words): (&[&File], (&str, &str)),
) {
    if files.is_empty() {
        return;
    }
    let _ = writeln!(out, "{indent}{key}:");
    for file in files {
        let _ = writeln!(out, "{indent}  - path: {}", chain.paths.written(&file.path));
        if let Some(lines) = file.lines {
            let _ = writeln!(out, "{indent}    lines: {}-{lines}", lines.saturating_sub(2).max(1));
        }
        let key = words.0.replace('\n', &format!("\n{indent}"));
        let _ = writeln!(out, "{indent}    {key}: {} {}", words.1, chain.title);
    }
}
