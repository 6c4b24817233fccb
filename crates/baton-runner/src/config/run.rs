//! `[run]`: what holds for a whole `baton run`.

use serde::Deserialize;

use crate::sandbox::Demand;

/// What holds for every program that is started, and for all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunRules {
    /// What is done where confinement cannot be enforced.
    pub demand: Demand,
    /// Tokens that one run may spend; no bound when nothing is said.
    pub budget_tokens: Option<u64>,
}

impl Default for RunRules {
    fn default() -> Self {
        Self { demand: Demand::WhereAvailable, budget_tokens: None }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    confinement: Words,
    budget_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Words {
    #[default]
    WhereAvailable,
    Enforced,
}

impl Table {
    pub(super) fn read(self) -> RunRules {
        let demand = match self.confinement {
            Words::WhereAvailable => Demand::WhereAvailable,
            Words::Enforced => Demand::Enforced,
        };
        RunRules { demand, budget_tokens: self.budget_tokens }
    }
}
