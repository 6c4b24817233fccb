//! What is seen of a run: on a terminal what each agent is doing now, elsewhere plain lines, or JSON.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use baton_runner::desk::Id;
use baton_runner::drive::progress::{Progress, What};
use baton_runner::drive::summary::Summary;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{self, printable};

const TICK: Duration = Duration::from_millis(120);

/// Where people read lines, also from another thread.
#[derive(Clone, Debug)]
pub(super) struct Screen {
    /// Nothing where nobody looks at a terminal.
    live: Option<MultiProgress>,
}

impl Screen {
    pub(super) fn line(&self, text: &str) {
        match &self.live {
            Some(live) => {
                let _ = live.println(text);
            }
            None => output::talk(&format!("{text}\n")),
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
    bars: BTreeMap<Id, ProgressBar>,
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
        if progress.what == What::Doing {
            if let Some(bar) = self.bars.get(&progress.task) {
                bar.set_message(one_line(&progress.words));
            }
            return;
        }
        self.screen.line(&format!("{:<12} {}", progress.task.as_str(), one_line(&progress.words)));
        match progress.what {
            What::TurnStarted => self.begin(progress),
            What::TurnEnded
            | What::HandedOver
            | What::Reported
            | What::Ended
            | What::Stopped
            | What::Trouble => {
                if let Some(bar) = self.bars.remove(&progress.task) {
                    bar.finish_and_clear();
                }
            }
            What::Doing
            | What::Checked
            | What::Decided
            | What::Integrated
            | What::NotIntegrated
            | What::RolledBack
            | What::Waits
            | What::OverBudget
            | What::Asks => {}
        }
    }

    fn begin(&mut self, progress: &Progress) {
        let Some(live) = &self.screen.live else { return };
        let bar = live.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(printable(progress.task.as_str()));
        bar.enable_steady_tick(TICK);
        self.bars.insert(progress.task.clone(), bar);
    }

    pub(super) fn end(&mut self, summary: &Summary) {
        self.bars.values().for_each(ProgressBar::finish_and_clear);
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
        text.push_str(&printable(&line));
        text.push('\n');
    }
    let count = summary.tasks.iter().filter(|task| task.end.is_some()).count();
    text.push_str(&format!(
        "\n{count} of {} tasks have ended, {} tokens spent\n",
        summary.tasks.len(),
        summary.spent_tokens()
    ));
    for next in summary.tasks.iter().filter_map(|task| task.next.as_ref()) {
        text.push_str(&format!("next: {}\n", printable(next)));
    }
    if summary.over_budget {
        text.push_str("run_budget_exhausted; `baton run` begins with a new budget\n");
    }
    if summary.was_stopped {
        text.push_str("stopped; `baton run` goes on\n");
    }
    text
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
