//! `[run]`: what holds for a whole `baton run`.

use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{Problem, amount};
use crate::sandbox::Demand;
use crate::workspace::Furniture;

/// What holds for every program that is started, and for all of them together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRules {
    /// What is done where confinement cannot be enforced.
    pub demand: Demand,
    /// Tokens that one run may spend; no bound when nothing is said.
    pub budget_tokens: Option<u64>,
    /// Millionths of a dollar that one run may spend.
    pub budget_microdollars: Option<u64>,
    /// How long after its beginning a run has turns taken.
    pub budget_time: Option<Duration>,
    /// Resident memory that a turn or a check may take, with all that it starts; a share of the machine when nothing is said.
    pub memory_bytes_max: Option<u64>,
    /// What checks find beside the files of the work.
    pub furniture: Furniture,
}

impl Default for RunRules {
    fn default() -> Self {
        Self {
            demand: Demand::WhereAvailable,
            budget_tokens: None,
            budget_microdollars: None,
            budget_time: None,
            memory_bytes_max: None,
            furniture: Furniture::default(),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    confinement: Words,
    budget_tokens: Option<u64>,
    budget_dollars: Option<Spanned<f64>>,
    budget_minutes: Option<Spanned<f64>>,
    memory_mib: Option<Spanned<u64>>,
    keep: Vec<Spanned<String>>,
    borrow: Vec<Spanned<String>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Words {
    #[default]
    WhereAvailable,
    Enforced,
}

impl Table {
    pub(super) fn read(self) -> Result<RunRules, Problem> {
        let demand = match self.confinement {
            Words::WhereAvailable => Demand::WhereAvailable,
            Words::Enforced => Demand::Enforced,
        };
        let furniture = Furniture { kept: inside(self.keep)?, borrowed: inside(self.borrow)? };
        let milliseconds = self.budget_minutes.as_ref().map(amount::milliseconds).transpose()?;
        Ok(RunRules {
            demand,
            budget_tokens: self.budget_tokens,
            budget_microdollars: self.budget_dollars.as_ref().map(amount::microdollars).transpose()?,
            budget_time: milliseconds.map(|ms| Duration::from_millis(ms.unsigned_abs())),
            memory_bytes_max: self.memory_mib.as_ref().map(amount::mebibytes).transpose()?,
            furniture,
        })
    }
}

/// Reads paths that lead from the root of the project to something in it.
fn inside(paths: Vec<Spanned<String>>) -> Result<Vec<String>, Problem> {
    let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let read = |path: Spanned<String>| {
        let plain = path.get_ref().trim_end_matches('/');
        match plain.split('/').all(is_name) {
            true => Ok(plain.to_owned()),
            false => Err(Problem {
                message: format!("`{}` is no path in the project", path.get_ref()),
                help: Some(
                    "write it from the root of the project, with slashes: \"web/node_modules\"".to_owned(),
                ),
                span: path.span(),
            }),
        }
    };
    paths.into_iter().map(read).collect()
}
