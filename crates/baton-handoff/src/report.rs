//! Where findings are gathered: bounded, and weighed as the project wants them.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Severity};
use crate::limit;
use crate::rule::{Code, Level, bt005_limit};

/// What a project makes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Off,
    Severity(Severity),
}

/// Which rules count, and how much.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    pub rules: BTreeMap<Code, Weight>,
    /// Whether the letter of a dialect counts as much as its meaning.
    pub as_written: bool,
}

impl Weights {
    /// Returns the severity of a rule, or nothing where it is off.
    pub fn severity(&self, code: Code) -> Option<Severity> {
        let rule = code.rule();
        match self.rules.get(&code) {
            Some(Weight::Off) => None,
            Some(Weight::Severity(severity)) => Some(*severity),
            None if self.as_written && rule.level == Level::Written => Some(Severity::Error),
            None => Some(rule.severity),
        }
    }

    /// Returns the severity of a finding: the rule may have weighed it less, a project has the last word.
    fn weigh(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        let code = diagnostic.code;
        let severity = self.severity(code)?;
        let is_set = self.rules.contains_key(&code) || severity > code.rule().severity;
        Some(if is_set { severity } else { severity.min(diagnostic.severity) })
    }
}

/// The findings of one document.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Report {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        match limit::DIAGNOSTICS_MAX.saturating_sub(self.diagnostics.len()) {
            0 => {}
            // The last place says that there are more: nothing is left out in silence.
            1 => {
                let at = diagnostic.primary.span;
                self.diagnostics.push(bt005_limit::diagnostic(
                    at,
                    "findings in one document",
                    limit::DIAGNOSTICS_MAX - 1,
                ));
            }
            _ => self.diagnostics.push(diagnostic),
        }
    }

    /// Returns the findings in the order of their places, weighed.
    pub(crate) fn finish(mut self, weights: &Weights) -> Vec<Diagnostic> {
        self.diagnostics.retain_mut(|diagnostic| match weights.weigh(diagnostic) {
            Some(severity) => {
                diagnostic.severity = severity;
                true
            }
            None => false,
        });
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.primary.span, diagnostic.code));
        self.diagnostics
            .dedup_by(|a, b| a.code == b.code && a.primary.span == b.primary.span && a.message == b.message);
        self.diagnostics
    }
}
