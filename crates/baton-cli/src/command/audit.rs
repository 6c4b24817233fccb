//! `baton audit`: hold the claims of handoffs against the repository.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use baton_runner::Service;
use baton_runner::audit::baseline::Baseline;
use baton_runner::audit::finding::Said;
use baton_runner::audit::moment::Moment;
use baton_runner::audit::report::{Audit, Keep};
use baton_runner::audit::{AuditError, Progress, Request, Versions};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};

use super::Done;
use super::check::{PROGRESS_EVERY, default_threads};
use crate::exit;
use crate::failure::Failure;
use crate::format::audit::{self, Extent};
use crate::output;

/// Hold the claims of handoffs against the repository
///
/// Reads every handoff of a repository or folder, in any mix of dialects, joins them by task, and holds what they claim
/// against git, against stored logs and JUnit files, and against each other. The worst comes first. Nothing that belongs to
/// the repository is run, and nothing is written to it.
///
/// Every claim ends as one of four: contradicted (the evidence says otherwise), unsupported (the evidence that should be
/// there is not), holds, or not checkable. Only the first two are findings.
///
/// Exit code 0: nothing is contradicted. 1: something is. 6: no handoff was found at all.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Show one task: its timeline, and every claim with what came of it
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Show every finding with its place in the source, not only the worst
    #[arg(long)]
    all: bool,
    /// Say of each finding what it was held against, and why that matters
    #[arg(long)]
    explain: bool,
    /// Judge the handoffs also as they were in the commits since this date
    #[arg(long, value_name = "DATE", conflicts_with = "commits")]
    since: Option<String>,
    /// Judge the handoffs also as they were in these commits: `main`, or `v1.0..HEAD`
    #[arg(long, value_name = "RANGE")]
    commits: Option<String>,
    /// Run the checks of `baton.toml` in a clean checkout and compare; needs `baton trust` first
    #[arg(long)]
    run: bool,
    /// Leave out the findings that this file knows
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings to this file as known ones
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Fail on unsupported claims as well as on contradicted ones
    #[arg(long)]
    deny_unsupported: bool,
    /// Do not fail when no handoff is found
    #[arg(long)]
    allow_empty: bool,
    /// How many threads to use; all cores when not given
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
    /// The folder of Baton's log, if it isn't in your state folder
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

/// How the answer of an audit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One screen, for people
    Human,
    /// One JSON document with every claim
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML, for test reports
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// One page with a timeline for each task
    Html,
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    let format = if args.json { Format::Json } else { args.format };
    let wants_all = args.task.is_some() || matches!(format, Format::Json | Format::Html);
    let request = Request {
        paths: args.paths.clone(),
        threads: args.threads.map_or_else(default_threads, NonZeroUsize::get),
        now: now(),
        versions: versions(args)?,
        keep: if wants_all { Keep::All } else { Keep::Findings },
        store: args.store.clone(),
        run: if args.run { service.trusted_checks().map_err(failure)? } else { Vec::new() },
    };
    let bar = progress_bar();
    let audited = service.audit(&request, &mut |progress| show(&bar, progress));
    bar.finish_and_clear();
    let mut audit = audited.map_err(failure)?;
    if let Some(path) = &args.write_baseline {
        let baseline = Baseline::of(&audit);
        baseline.write(path).map_err(|error| Failure::io(path, "written", &error))?;
        let known = super::check::count(baseline.len(), "known finding");
        output::talk(&format!("wrote {known} to {}\n", output::printable(&path.display().to_string())));
        return Ok(exit::Code::Fine);
    }
    if let Some(path) = &args.baseline {
        let baseline =
            Baseline::read(path).map_err(|error| Failure::io(path, "read as a baseline", &error))?;
        baseline.apply(&mut audit);
    }
    if let Some(task) = args.task.as_ref().filter(|task| !audit.keep_task(task)) {
        let hint = "`baton audit --all` names every task with findings, `--json` all of them";
        return Err(Failure::no_handoff(&format!("there is no task `{}`", output::printable(task)), hint));
    }
    if audit.handoffs == 0 && !args.allow_empty {
        return Err(Failure::no_handoff(
            "no handoff was found, so nothing was judged",
            "name the folder that holds them, or pass `--allow-empty`",
        ));
    }
    let extent = match (&args.task, args.all || args.explain) {
        (Some(_), _) => Extent::Task,
        (None, true) => Extent::Findings,
        (None, false) => Extent::Screen,
    };
    let mut out = output::data();
    let written = audit::write(&mut out, &audit, format, extent, args.explain).and_then(|()| out.flush());
    if let Err(code) = output::written(written) {
        return Ok(code);
    }
    Ok(ending(&audit, args.deny_unsupported))
}

/// Audits files as they are now, and keeps what was found.
pub(super) fn findings_of(
    service: &Service,
    (paths, store): (&[PathBuf], Option<&PathBuf>),
    threads: usize,
) -> Result<Audit, Failure> {
    let request = Request {
        paths: paths.to_vec(),
        threads,
        now: now(),
        versions: Versions::Now,
        keep: Keep::All,
        store: store.cloned(),
        run: Vec::new(),
    };
    service.audit(&request, &mut |_| {}).map_err(failure)
}

fn ending(audit: &Audit, deny_unsupported: bool) -> exit::Code {
    if audit.tally.contradicted > 0 || deny_unsupported && audit.tally.unsupported > 0 {
        exit::Code::Findings
    } else {
        exit::Code::Fine
    }
}

pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn versions(args: &Args) -> Result<Versions, Failure> {
    if let Some(text) = &args.since {
        let moment = Moment::read(Said::new(text.as_str(), Default::default()));
        let Some(moment) = moment else {
            let message = format!("`{}` is not a date", output::printable(text));
            return Err(Failure::usage(&message, "write `2026-03-01` or `2026-03-01T09:00:00Z`"));
        };
        return Ok(Versions::Since(moment.earliest));
    }
    Ok(match args.commits.as_deref().map(|range| (range, range.split_once(".."))) {
        None => Versions::Now,
        Some((until, None)) => Versions::Commits { after: None, until: until.to_owned() },
        Some((_, Some((after, until)))) => {
            Versions::Commits { after: Some(after.to_owned()), until: until.to_owned() }
        }
    })
}

pub(crate) fn failure(error: AuditError) -> Failure {
    match error {
        AuditError::Io(path, error) => Failure::io(&path, "audited", &error),
        AuditError::Versions(message) => Failure::usage(&message, "`git log --oneline` lists the commits"),
        AuditError::NoRepository => Failure::usage(
            "checks are run in a clean checkout, and this is no git repository",
            "leave out `--run`, or name a folder of a repository",
        ),
        AuditError::Run(error) => {
            Failure::usage(&format!("there is no clean checkout: {error}"), "leave out `--run`")
        }
        AuditError::NoChecks => Failure::usage(
            "`--run` has nothing to run: no `baton.toml` here names a check",
            "add `[checks.tests_passing]` with `run = [\"cargo\", \"test\"]`",
        ),
        AuditError::Untrusted(config) => Failure::untrusted(&config),
        AuditError::UntrustedSettings(files) => Failure::untrusted_settings(&files),
        AuditError::Trust(error) => {
            Failure::io(&PathBuf::from("the list of what is trusted"), "read", &error)
        }
    }
}

fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(PROGRESS_EVERY);
    bar
}

fn show(bar: &ProgressBar, progress: Progress) {
    let (template, at, of) = match progress {
        Progress::History(commits) => ("{spinner} {human_pos} commits read", commits, None),
        Progress::Reading(files) => ("{spinner} {human_pos} files read", files, None),
        Progress::Running => ("{spinner} the project's checks are run in a clean checkout", 0, None),
        Progress::Judging(done, all) => {
            ("[{bar:30}] {human_pos} of {human_len} tasks judged", done, Some(all))
        }
    };
    if at <= 1
        && let Ok(style) = ProgressStyle::with_template(template)
    {
        bar.set_style(style);
    }
    if let Some(all) = of {
        bar.set_length(all as u64);
    }
    bar.set_position(at as u64);
}
