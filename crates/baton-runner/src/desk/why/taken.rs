//! Which programs took the turns of a task.

use baton_engine::event::{Entry, Event};
use baton_engine::fact::AgentProgram;
use baton_engine::word::{AgentName, TurnId};

use crate::agent::Driver;
use crate::desk::tell::dollars;

/// Tells which program took a turn, and what is known of it since.
pub(super) fn taken_by(entries: &[Entry], of: &TurnId) -> Option<String> {
    let program = program_of(entries, of)?;
    let account = entries.iter().find_map(|entry| match &entry.event {
        Event::Spent { turn, account, .. } | Event::TurnEnded { turn, account, .. } if turn == of => {
            account.as_ref()
        }
        _ => None,
    });
    let model = account.and_then(|account| account.model.as_ref()).or(program.model.as_ref());
    let mut words = program.driver.clone();
    words.extend(model.map(|model| format!(" with {model}")));
    let cost = account.and_then(|account| account.cost_microdollars);
    words.extend(cost.map(|cost| format!(", for {}", dollars(cost))));
    let output = account.and_then(|account| account.output.as_ref());
    words.extend(output.map(|output| format!("; what it printed is in {}", output.id)));
    Some(words)
}

/// Says whether an agent can go on in a session: a plain command begins anew with every turn.
pub(super) fn has_session(entries: &[Entry], agent: &AgentName) -> bool {
    let mut turns = entries.iter().rev().filter_map(|entry| match &entry.event {
        Event::TurnStarted { turn, agent: whose, .. } if whose == agent => Some(turn),
        _ => None,
    });
    let driver = turns.find_map(|turn| program_of(entries, turn)).map(|program| program.driver.as_str());
    driver.and_then(Driver::named).is_none_or(|driver| driver.resumes)
}

fn program_of<'e>(entries: &'e [Entry], of: &TurnId) -> Option<&'e AgentProgram> {
    entries.iter().find_map(|entry| match &entry.event {
        Event::TurnLaunched { turn, program, .. } if turn == of => program.as_ref(),
        _ => None,
    })
}

/// Says whether who verified is of the same vendor as who built what was verified.
pub(super) fn kinship(entries: &[Entry], version: u64, verifier: &TurnId) -> Option<String> {
    let built =
        entries.iter().filter(|entry| entry.version < version).rev().find_map(|entry| {
            match &entry.event {
                Event::HandoffReceived { turn, .. } => Some(turn),
                _ => None,
            }
        })?;
    let (builder, verifier) = (program_of(entries, built)?, program_of(entries, verifier)?);
    let vendor = |program: &AgentProgram| Driver::named(&program.driver).and_then(|driver| driver.vendor);
    Some(match (vendor(builder), vendor(verifier)) {
        (Some(one), Some(other)) if one == other => {
            format!("builder and verifier are of the same vendor: {one}")
        }
        (Some(one), Some(other)) => format!("builder and verifier are of different vendors: {one}, {other}"),
        (_, _) => "whether builder and verifier are of the same vendor is not known".to_owned(),
    })
}
