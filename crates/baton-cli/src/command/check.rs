//! `baton check`: judge handoffs.

use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_runner::Service;
use baton_runner::check::FileReport;
use baton_runner::file;
use indicatif::{ProgressBar, ProgressStyle};

use super::Done;
use crate::exit;
use crate::failure::Failure;
use crate::format::audit::Evidence;
use crate::format::{Detail, Format, Formatter, Summary, formatter};
use crate::output;

/// Judge the handoffs in files and folders
///
/// Folders are searched as ripgrep searches them: ignore files count, links are not followed, hidden folders are looked into
/// because agents keep their handoffs there. A file is a handoff by what it says, never by its name; files in folders that
/// are no handoffs are passed over in silence, files you name are not.
///
/// Exit code 0: no errors. 1: there are errors. 6: no handoff was found at all, which is not the same as all being well.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Files and folders; `-` is standard input
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to write the findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Hold documents against the letter of their dialect, not only its meaning
    #[arg(long)]
    strict: bool,
    /// Show notes too
    #[arg(long)]
    notes: bool,
    /// Fail on warnings as well as on errors
    #[arg(long)]
    deny_warnings: bool,
    /// Do not fail when no handoff is found, nor on files that are no handoffs
    #[arg(long)]
    allow_empty: bool,
    /// Hold what the documents claim against the repository too, as `baton audit` does
    #[arg(long)]
    evidence: bool,
    /// Fix what can be fixed safely, in place
    #[arg(long, conflicts_with_all = ["format", "json", "deny_warnings", "notes", "evidence"])]
    fix: bool,
    /// With `--fix`: show the changes and write nothing
    #[arg(long, requires = "fix")]
    diff: bool,
    /// How many threads to use; all cores when not given
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZeroUsize>,
    /// With `--evidence`: the folder of Baton's log, if it isn't in your state folder
    #[arg(long, value_name = "FOLDER", requires = "evidence")]
    store: Option<PathBuf>,
}

/// How often the progress bar is drawn.
pub(super) const PROGRESS_EVERY: Duration = Duration::from_millis(100);

pub(crate) fn run(service: &Service, args: Args) -> Done {
    let mut adjusted = service.clone();
    adjusted.project.weights.as_written |= args.strict;
    if args.fix {
        let mode = if args.diff { super::fix::Mode::Show } else { super::fix::Mode::Write };
        return super::fix::run(&adjusted, &args.paths, mode);
    }
    let format = if args.json { Format::Json } else { args.format };
    let detail = if args.notes || args.evidence { Detail::WithNotes } else { Detail::WithoutNotes };
    let mut session = Session {
        formatter: formatter(format, detail),
        out: match format {
            Format::Json => Box::new(output::json_data()),
            Format::Human | Format::Sarif | Format::Junit | Format::Github => Box::new(output::data()),
        },
        summary: Summary::default(),
        broken: None,
        progress: progress(),
    };
    session.begin();
    let threads = args.threads.map_or_else(default_threads, NonZeroUsize::get);
    let (streams, paths): (Vec<_>, Vec<_>) = args.paths.into_iter().partition(|path| path == Path::new("-"));
    for stream in streams {
        session.take(&standard_input(&adjusted, stream)?);
    }
    let mut evidence = match args.evidence {
        true => Evidence::of(&super::audit::findings_of(&adjusted, (&paths, args.store.as_ref()), threads)?),
        false => Evidence::default(),
    };
    adjusted.check(&paths, threads, &mut |mut report| {
        evidence.add_to(&mut report);
        // A commit hook names every file that changed; then being no handoff is no mistake.
        report.named &= !args.allow_empty;
        session.take(&report);
    });
    session.end(format, args.deny_warnings, args.allow_empty)
}

pub(super) fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

pub(super) fn read_standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    file::read_to_limit(io::stdin().lock().by_ref(), &mut bytes)
        .map_err(|error| Failure::io(Path::new("standard input"), "read", &error))?;
    Ok(bytes)
}

fn standard_input(service: &Service, path: PathBuf) -> Result<FileReport, Failure> {
    let bytes = read_standard_input()?;
    let name = if path == Path::new("-") { PathBuf::from("<stdin>") } else { path };
    Ok(FileReport { path: name, named: true, verdict: service.check_text(&bytes) })
}

fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() || io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} files checked, {per_sec}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(PROGRESS_EVERY);
    bar
}

struct Session {
    formatter: Box<dyn Formatter>,
    out: Box<dyn Write>,
    summary: Summary,
    /// The first error of the output; after it nothing is written.
    broken: Option<io::Error>,
    progress: ProgressBar,
}

impl Session {
    fn begin(&mut self) {
        self.broken = self.formatter.start(&mut self.out).err();
    }

    fn take(&mut self, report: &FileReport) {
        self.progress.inc(1);
        self.summary.count(report);
        if self.broken.is_none() {
            self.broken = self.formatter.file(&mut self.out, report).err();
        }
    }

    fn end(mut self, format: Format, deny_warnings: bool, allow_empty: bool) -> Done {
        self.progress.finish_and_clear();
        if self.broken.is_none() {
            let finished =
                self.formatter.finish(&mut self.out, &self.summary).and_then(|()| self.out.flush());
            self.broken = finished.err();
        }
        if let Err(code) = output::written(self.broken.map_or(Ok(()), Err)) {
            return Ok(code);
        }
        if format == Format::Human {
            output::talk(&format!("{}\n", sentence(&self.summary)));
        }
        let summary = self.summary;
        Ok(if summary.unreadable > 0 {
            exit::Code::Io
        } else if summary.errors > 0 || deny_warnings && summary.warnings > 0 {
            exit::Code::Findings
        } else if summary.documents == 0 && !allow_empty {
            return Err(Failure::no_handoff(
                "no handoff was found, so nothing was judged",
                "name a file to see why it is not taken for a handoff, or pass `--allow-empty`",
            ));
        } else {
            exit::Code::Fine
        })
    }
}

/// Says in one line what was seen.
fn sentence(summary: &Summary) -> String {
    let mut text = format!(
        "{} in {}: {}, {}",
        count(summary.handoffs, "handoff"),
        count(summary.documents, "file"),
        count(summary.errors, "error"),
        count(summary.warnings, "warning"),
    );
    if summary.notes > 0 {
        text.push_str(&format!(", {}", count(summary.notes, "note")));
    }
    if summary.not_handoffs > 0 {
        let are = if summary.not_handoffs == 1 { "is not a handoff" } else { "are not handoffs" };
        text.push_str(&format!("; {} {are}", count(summary.not_handoffs, "other file")));
    }
    if summary.passed_over > 0 {
        text.push_str(&format!(", {} of them too large or not text", summary.passed_over));
    }
    if summary.unreadable > 0 {
        text.push_str(&format!("; {} could not be read", count(summary.unreadable, "file")));
    }
    text
}

/// Returns a number with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
