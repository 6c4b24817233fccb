//! What the contexts of all turns cost, what they left out, and what became of the tasks that were told a lesson.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::super::{Desk, DeskError};
use baton_engine::fact::ArtifactKind;
use baton_engine::state::Task;

/// The figures of all turns.
#[derive(Clone, Debug, Default)]
pub struct ContextStats {
    pub turns: Vec<TurnContext>,
    /// By the ids of lessons.
    pub lessons: BTreeMap<String, LessonUse>,
}

/// The figures of one turn.
#[derive(Clone, Debug)]
pub struct TurnContext {
    pub task: String,
    pub turn: String,
    pub role: String,
    pub tokens: usize,
    pub budget_tokens: usize,
    pub kept: usize,
    pub left_out: usize,
}

/// Who was told a lesson, and how their tasks stand.
#[derive(Clone, Debug, Default)]
pub struct LessonUse {
    pub text: String,
    pub tasks: BTreeSet<String>,
    /// How many of the tasks stand how.
    pub standings: BTreeMap<String, usize>,
}

/// As much of a kept context as the figures need.
#[derive(Deserialize)]
struct Kept {
    audience_role: String,
    budget: KeptBudget,
    fragments: Vec<KeptFragment>,
    left_out: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct KeptBudget {
    tokens: usize,
    used: usize,
}

#[derive(Deserialize)]
struct KeptFragment {
    id: Option<String>,
    standing: Option<String>,
    text: String,
}

impl ContextStats {
    /// Returns tokens per turn, whole.
    pub fn tokens_mean(&self) -> usize {
        let sum: usize = self.turns.iter().map(|turn| turn.tokens).sum();
        sum.checked_div(self.turns.len()).unwrap_or(0)
    }

    /// Returns how much of their budgets all turns used, in percent.
    pub fn used_percent(&self) -> usize {
        let used: usize = self.turns.iter().map(|turn| turn.tokens).sum();
        let allowed = self.turns.iter().fold(0_usize, |sum, turn| sum.saturating_add(turn.budget_tokens));
        used.saturating_mul(100).checked_div(allowed).unwrap_or(0)
    }
}

impl Desk {
    /// Counts over the contexts that were kept with all turns of the project.
    pub fn context_stats(&self) -> Result<ContextStats, DeskError> {
        let mut stats = ContextStats::default();
        for task in self.tasks()? {
            let envelopes =
                task.artifacts.iter().filter(|(_, artifact)| artifact.kind == ArtifactKind::ContextEnvelope);
            for (name, artifact) in envelopes {
                let bytes = self.document(&artifact.blob)?.unwrap_or_default();
                let Ok(kept) = serde_json::from_slice::<Kept>(&bytes) else { continue };
                let turn = name.as_str().trim_start_matches("context-").to_owned();
                stats.turns.push(TurnContext {
                    task: task.id.to_string(),
                    turn,
                    role: kept.audience_role.clone(),
                    tokens: kept.budget.used,
                    budget_tokens: kept.budget.tokens,
                    kept: kept.fragments.len(),
                    left_out: kept.left_out.values().sum(),
                });
                stats.told(&task, kept.fragments);
            }
        }
        Ok(stats)
    }
}

impl ContextStats {
    fn told(&mut self, task: &Task, fragments: Vec<KeptFragment>) {
        for fragment in fragments.into_iter().filter(|fragment| fragment.standing.is_some()) {
            let Some(id) = fragment.id else { continue };
            let lesson = self.lessons.entry(id).or_default();
            lesson.text = fragment.text;
            if lesson.tasks.insert(task.id.to_string()) {
                *lesson.standings.entry(task.status().kind().name().to_owned()).or_default() += 1;
            }
        }
    }
}
