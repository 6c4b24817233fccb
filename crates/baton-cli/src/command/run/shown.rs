//! What is seen of a run: on a terminal what each agent is doing now, elsewhere plain lines, or JSON.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use baton_runner::desk::Id;
use baton_runner::desk::stuck::UNPAUSE;
use baton_runner::desk::tell::dollars;
use baton_runner::drive::progress::{Progress, What};
use baton_runner::drive::summary::Summary;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{self, printable};

const TICK: Duration = Duration::from_millis(120);
/// Most causes that are told at the end, and most tasks that are named for each.
const CAUSES_MAX: usize = 10;
const NAMED_MAX: usize = 5;

/// Where people read lines, also from another thread.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    /// Nothing where nobody looks at a terminal.
    live: Option<MultiProgress>,
}

impl Screen {
    pub(super) fn line(&self, text: &str) {
        let talk = || output::talk(&format!("{text}\n"));
        match &self.live {
            Some(live) => live.suspend(talk),
            None => talk(),
        }
    }

    /// A terminal writes `^C` behind what moves, in a row of its own that nobody else knows of and that would leave one behind.
    #[cfg(unix)]
    pub(super) fn take_back_echo(&self) {
        if self.live.is_some() {
            output::talk("\r\u{1b}[K\u{1b}[1A");
        }
    }

    /// Takes away what moves; nothing is drawn after this.
    pub(super) fn close(&self) {
        if let Some(live) = &self.live {
            let _ = live.clear();
            live.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}

/// Where the events of a run are shown.
pub(super) struct Shown {
    is_json: bool,
    pub(super) screen: Screen,
    bars: BTreeMap<Id, Bar>,
}

/// What a task is at right now: an agent's turn, or checks.
struct Bar {
    bar: ProgressBar,
    /// Tokens of the task before this turn, and of this turn.
    spent_before: u64,
    spent: u64,
    doing: String,
}

impl Bar {
    fn show(&self) {
        let tokens = counted(self.spent_before.saturating_add(self.spent), "token");
        self.bar.set_message(format!("{tokens}  {}", self.doing));
    }
}

impl Shown {
    pub(super) fn new(is_json: bool) -> Self {
        let is_live = !is_json && std::io::stderr().is_terminal();
        let screen = Screen { live: is_live.then(MultiProgress::new) };
        Self { is_json, screen, bars: BTreeMap::new() }
    }

    pub(super) fn tell(&mut self, progress: &Progress) {
        if self.is_json {
            let mut out = output::json_data();
            let written = output::write_json(&mut out, &progress.json()).and_then(|()| out.write_all(b"\n"));
            let _ = written.and_then(|()| out.flush());
            return;
        }
        let text = one_line(&progress.words);
        match progress.what {
            What::Doing | What::Counted => self.update(progress, text),
            What::Checking => self.begin(progress, &format!("checks: {text}")),
            What::TurnStarted => {
                self.line(progress, &text);
                let agent = progress.data["agent"].as_str().unwrap_or_default();
                self.begin(progress, &format!("@{agent}"));
            }
            What::TurnEnded
            | What::HandedOver
            | What::Reported
            | What::Checked
            | What::Ended
            | What::Stopped
            | What::Trouble => {
                self.line(progress, &text);
                if let Some(bar) = self.bars.remove(&progress.task) {
                    bar.bar.finish_and_clear();
                }
            }
            What::Planned
            | What::Decided
            | What::Integrated
            | What::Unchanged
            | What::NotIntegrated
            | What::RolledBack
            | What::Waits
            | What::OverBudget
            | What::Asks
            | What::Informs => self.line(progress, &text),
        }
    }

    fn line(&self, progress: &Progress, text: &str) {
        let stage = printable(progress.stage.as_deref().unwrap_or_default());
        self.screen.line(&format!("{:<12} {stage:<12} {text}", progress.task.as_str()));
    }

    fn begin(&mut self, progress: &Progress, who: &str) {
        let Some(live) = &self.screen.live else { return };
        let bar = live.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        let stage = progress.stage.as_deref().unwrap_or_default();
        bar.set_prefix(printable(&format!("{} {stage} {who}", progress.task)));
        let spent_before = progress.data["task_spent_tokens"].as_u64().unwrap_or(0);
        let bar = Bar { bar, spent_before, spent: 0, doing: String::new() };
        bar.show();
        bar.bar.enable_steady_tick(TICK);
        if let Some(earlier) = self.bars.insert(progress.task.clone(), bar) {
            earlier.bar.finish_and_clear();
        }
    }

    fn update(&mut self, progress: &Progress, text: String) {
        let Some(bar) = self.bars.get_mut(&progress.task) else { return };
        match progress.data["spent_tokens"].as_u64() {
            Some(tokens) => bar.spent = tokens,
            None => bar.doing = text,
        }
        bar.show();
    }

    pub(super) fn end(&mut self, summary: &Summary) {
        self.bars.values().for_each(|bar| bar.bar.finish_and_clear());
        self.screen.close();
        if self.is_json {
            let mut out = Vec::new();
            let _ = output::write_json(&mut out, &summary.json());
            out.push(b'\n');
            output::print(&out);
        } else {
            output::print(told(summary).as_bytes());
        }
    }
}

/// What a run says that has nothing to do.
pub(super) const NOTHING_TO_DO: &str = "there is no task to work on; next: `baton task add ID TITLE`";

fn told(summary: &Summary) -> String {
    if summary.tasks.is_empty() {
        return format!("{NOTHING_TO_DO}\n");
    }
    let mut text = String::from("\n");
    for task in &summary.tasks {
        let line = format!("{:<12} {:<40} {}", task.task.as_str(), task.status, task.title);
        text.push_str(&output::one_line(&line));
        text.push('\n');
    }
    let spent = summary.spent();
    let dollars = match spent.microdollars {
        0 => String::new(),
        cost => format!(", {}", dollars(cost)),
    };
    let uncounted = match spent.uncounted_tokens {
        0 => String::new(),
        tokens => format!(", and up to {tokens} that nobody counted"),
    };
    text.push_str(&format!(
        "\n{}: {}; {}, {}{uncounted}{dollars}\n",
        counted(summary.tasks.len() as u64, "task"),
        summary.counts().join(", "),
        lasted(summary.duration),
        counted(spent.tokens.saturating_sub(spent.uncounted_tokens), "token")
    ));
    text.push_str(&told_next(summary));
    text
}

/// What whoever reads this does next: there is always something, unless there was nothing to be done.
fn told_next(summary: &Summary) -> String {
    let mut text = String::new();
    let is_cut_short = summary.was_stopped || summary.exhausted.is_some();
    let mut told: Vec<(Vec<&str>, &[String])> = Vec::new();
    let open = summary.tasks.iter().filter(|task| !task.because.is_empty());
    // What was only cut short is told once, for all.
    for task in open.filter(|task| task.waits_for_person || task.end.is_some() || !is_cut_short) {
        match told.iter_mut().find(|(_, because)| *because == task.because) {
            Some((tasks, _)) => tasks.push(task.task.as_str()),
            None => told.push((vec![task.task.as_str()], &task.because)),
        }
    }
    for (tasks, because) in told.iter().take(CAUSES_MAX) {
        let named = tasks.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
        let more = if tasks.len() > NAMED_MAX { ", …" } else { "" };
        let mut before = format!("{named}{more}: ");
        for line in *because {
            let before = if line.starts_with("next: ") { String::new() } else { std::mem::take(&mut before) };
            let margin = if before.is_empty() && !line.starts_with("next: ") { "  " } else { "" };
            text.push_str(&format!("{before}{margin}{}\n", output::one_line(line)));
        }
    }
    if told.len() > CAUSES_MAX {
        text.push_str(&format!(
            "next: `baton inbox` and `baton status` show {} more\n",
            told.len() - CAUSES_MAX
        ));
    }
    for task in &summary.tasks {
        let informed =
            task.informed.iter().map(|line| format!("{}: {}\n", task.task, output::one_line(line)));
        text.extend(informed);
    }
    if let Some(branch) = summary.branch {
        text.push_str(&format!(
            "next: `git diff HEAD...{branch}` shows the accepted work, `git merge {branch}` takes it\n"
        ));
    }
    if let Some(limit) = summary.exhausted {
        let (name, key) = (limit.name(), limit.key());
        text.push_str(&format!("{name} (`{key}`); next: `baton run` begins with a new budget\n"));
    }
    if summary.was_stopped && !summary.is_done() {
        text.push_str(&match summary.is_paused {
            true => format!("stopped, and the project is paused; next: {UNPAUSE}, then `baton run`\n"),
            false => "stopped; next: `baton run` goes on\n".to_owned(),
        });
    }
    text
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn lasted(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 60.. => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
