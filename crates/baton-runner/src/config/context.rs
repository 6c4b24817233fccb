//! `[context]`: how many tokens whoever takes a turn is told at most, by role.

use baton_engine::context::budget;
use baton_engine::workflow::Role;
use serde::Deserialize;
use toml::Spanned;

use super::Problem;

/// Fewer would hold no more than the guidance.
const TOKENS_MIN: usize = 200;
/// More than this is no packet any more.
const TOKENS_MAX: usize = 100_000;

/// The most tokens of a packet, by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    builder: usize,
    verifier: usize,
    repair: usize,
    specialist: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            builder: budget::default_tokens(Role::Builder),
            verifier: budget::default_tokens(Role::Verifier),
            repair: budget::default_tokens(Role::Repair),
            specialist: budget::default_tokens(Role::Specialist),
        }
    }
}

impl Budgets {
    pub fn tokens(self, role: Role) -> usize {
        match role {
            Role::Builder => self.builder,
            Role::Verifier => self.verifier,
            Role::Repair => self.repair,
            Role::Specialist => self.specialist,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    builder_tokens: Option<Spanned<usize>>,
    verifier_tokens: Option<Spanned<usize>>,
    repair_tokens: Option<Spanned<usize>>,
    specialist_tokens: Option<Spanned<usize>>,
}

impl Table {
    pub(super) fn read(self) -> Result<Budgets, Problem> {
        let usual = Budgets::default();
        Ok(Budgets {
            builder: tokens(self.builder_tokens, usual.builder)?,
            verifier: tokens(self.verifier_tokens, usual.verifier)?,
            repair: tokens(self.repair_tokens, usual.repair)?,
            specialist: tokens(self.specialist_tokens, usual.specialist)?,
        })
    }
}

fn tokens(said: Option<Spanned<usize>>, usual: usize) -> Result<usize, Problem> {
    match said {
        None => Ok(usual),
        Some(said) if (TOKENS_MIN..=TOKENS_MAX).contains(said.get_ref()) => Ok(said.into_inner()),
        Some(said) => Err(Problem {
            message: "a packet cannot have this many tokens".to_owned(),
            help: Some(format!("write a number of tokens from {TOKENS_MIN} to {TOKENS_MAX}")),
            span: said.span(),
        }),
    }
}
