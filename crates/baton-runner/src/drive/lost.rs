//! A turn that brought nothing is ended with a handoff that the host makes in its place.

use std::time::Duration;

use baton_engine::fact::{Ending, Performer};
use baton_engine::state::Turn;
use baton_engine::word::TaskId;
use baton_engine::workflow::Role;
use baton_handoff::visible::is_invisible;
use serde_json::json;

use super::Drive;
use super::outcome::{LAST_LINE_CHARS_MAX, millis, told};
use super::over::OverLimit;
use super::progress::{Progress, What};
use super::session::{Cost, Sessions};
use super::turn::TurnDone;
use crate::desk::DeskError;
use crate::desk::failure::{Change, Changes, Failure, left};
use crate::desk::program::Over;
use crate::supervise::How;
use crate::workspace::FileChange;

/// Most characters of the last message of an agent that are told.
const SAID_CHARS_MAX: usize = 300;

/// How a turn ended that brought nothing to judge.
#[derive(Debug)]
pub(super) struct Lost {
    ending: Ending,
    /// What is wrong with what it brought, where it brought something.
    wrong: Option<String>,
}

impl Lost {
    pub(super) fn by(ending: Ending) -> Self {
        Self { ending, wrong: None }
    }

    /// It ended well, and what it said last is no handoff.
    pub(super) fn unread(error: &DeskError) -> Self {
        let wrong = match error {
            DeskError::Document { what, .. } => what.clone(),
            error => error.to_string(),
        };
        Self { ending: Ending::NoHandoff, wrong: Some(wrong) }
    }

    /// Its handoff was read, and not taken.
    pub(super) fn refused(why: String) -> Self {
        Self { ending: Ending::HandoffRefused, wrong: Some(why) }
    }

    /// It was asked for its plan, and what it brought was not taken.
    pub(super) fn plan_refused(why: String) -> Self {
        Self { ending: Ending::PlanRefused, wrong: Some(why) }
    }

    fn why(self, done: &TurnDone) -> String {
        if let (Ending::HandoffRefused | Ending::PlanRefused, Some(wrong)) = (self.ending, &self.wrong) {
            return wrong.clone();
        }
        let how = match (done.over, &done.close.fault, &done.ended.how) {
            (Some(over), _, _) => format!("its program was ended, for it {}", over.told()),
            (None, Some(fault), _) => fault.to_string(),
            (None, None, How::NotStarted(why)) => why.to_string(),
            (None, None, how) => format!("its program {}{}", how.told(), last_line(done)),
        };
        // Whoever ends with plain words may have asked something.
        let said = said(done).filter(|_| self.ending == Ending::NoHandoff);
        let said = said.map(|said| format!("it said: \"{said}\""));
        std::iter::once(how).chain(self.wrong).chain(said).collect::<Vec<_>>().join("; ")
    }
}

impl Drive<'_> {
    /// Nobody else runs: a program's turn that was launched has lost its process with the run that began it.
    pub(super) fn end_lost_turns(&mut self) -> Result<(), DeskError> {
        for id in &self.tasks.clone() {
            let task = self.desk.task(id)?;
            let Some(turn) = task.turn.filter(|turn| turn.launched && turn.performer == Performer::Program)
            else {
                continue;
            };
            if let Err(error) = self.put_back(id, &turn) {
                self.set_aside(id, error)?;
                continue;
            }
            let words = format!("{} was cut short when Baton ended", turn.id);
            self.end_turn(id, &turn, Over::of(Ending::Crash, None), &words)?;
            // What it cost is the spending of the run that began it. A task that was cancelled has ended with its turn.
            let task = self.desk.task(id)?;
            if task.end.is_none() {
                self.settle_cost(&task, &turn.id)?;
            }
            self.say(Progress::new(id, What::TurnEnded, words));
        }
        Ok(())
    }

    pub(super) fn without_handoff(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        done: &TurnDone,
        (lost, cost): (Lost, Cost),
    ) -> Result<(), DeskError> {
        let ending = lost.ending;
        let cost = match cost.tokens {
            None if is_free(ending, done) => {
                let plan = Sessions::open(self.desk.folder(), id).of_plan(&turn.id);
                let microdollars = cost.microdollars.or(plan.microdollars);
                Cost { tokens: plan.tokens.or(Some(0)), microdollars, ..cost }
            }
            _ => cost,
        };
        let spent_tokens = cost.tokens;
        let why = crate::secret::mask(&lost.why(done)).into_owned();
        let (how, told) = (Some(done.ended.how.code()), told(done, cost));
        match self.end_turn(id, turn, Over { ending, spent_tokens, how, told }, &why) {
            Ok(()) => {}
            // It gave part of its work away and did not wait for it: the turn stays open, and runs out.
            Err(DeskError::Refused(rejection)) => {
                self.set_aside.insert(id.clone());
                self.say(Progress::new(id, What::Trouble, format!("{} stays open: {rejection}", turn.id)));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        if ending == Ending::AccessRefused {
            self.note_refused(id, turn, &why);
        }
        let words = format!("{} of @{} {}: {}: {why}", turn.id, turn.agent, left(ending), ending.name());
        let data = json!({
            "turn": turn.id.as_str(),
            "ending": ending.name(),
            "how": done.ended.how.code(),
            "limit": done.over.map(OverLimit::name),
            "spent_tokens": spent_tokens,
            "duration_ms": millis(done.ended.duration),
        });
        self.say(Progress::new(id, What::TurnEnded, words).with(data));
        Ok(())
    }

    /// Ends a turn that brought nothing, with a handoff that the host makes in its place.
    pub(super) fn end_turn(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        over: Over<'_>,
        why: &str,
    ) -> Result<(), DeskError> {
        let task = self.desk.task(id)?;
        // Whoever asked in the middle of its turn and did not stay for the answer has not failed.
        let is_asking = task.open_clarifications().any(|(_, asked)| asked.turn == turn.id);
        let ending = match is_asking && task.cancel_requested_at.is_none() {
            true => Ending::Asked,
            false => over.ending,
        };
        let (changes, aside) = self.changes_of(id, turn);
        let why = std::iter::once(why.to_owned()).chain(aside).collect::<Vec<_>>().join("; ");
        let why = crate::secret::mask(&why).into_owned();
        let failure = Failure { task: id, turn, ending, why, changes };
        self.desk.end_turn(id, turn, Over { ending, ..over }, &failure)
    }

    /// Says which files of the work git would not take into the branch.
    pub(super) fn misnamed(&self, id: &TaskId) -> Vec<String> {
        self.desk.own_workspace(id).ok().flatten().map(|own| own.misnamed()).unwrap_or_default()
    }

    /// Moves files that are too large to be saved out of the work, and says what became of them.
    pub(super) fn put_aside(&self, id: &TaskId, turn: &Turn) -> Vec<String> {
        let own = self.desk.own_workspace(id).ok().flatten().filter(|_| turn.role != Role::Verifier);
        own.and_then(|own| own.put_aside(turn.id.as_str()).ok()).unwrap_or_default()
    }

    /// Returns what a turn has changed, if that can be measured now, and what was too large to be saved. A verifier works in a
    /// copy.
    fn changes_of(&self, id: &TaskId, turn: &Turn) -> (Option<Changes>, Vec<String>) {
        let Some(before) = turn.snapshot.as_ref() else { return (None, Vec::new()) };
        if turn.role == Role::Verifier {
            return (Some(Changes::new()), Vec::new());
        }
        let Ok(Some(own)) = self.desk.own_workspace(id) else { return (None, Vec::new()) };
        let (kept, aside) = match own.keep() {
            Ok(kept) => (Some(kept), Vec::new()),
            Err(_) => {
                let aside = self.put_aside(id, turn);
                (own.keep().ok(), aside)
            }
        };
        // Nobody has handed these files over, so nothing else in the record names them.
        let kept = kept.filter(|kept| own.note_lost(kept, &turn.id).is_ok());
        (kept.and_then(|kept| sorted(own.changes(&before.tree, &kept).ok()?)), aside)
    }
}

/// Says whether a turn of which nobody counted has cost nothing: its provider failed or let nobody in, or its program ended by
/// itself before its model was heard. What was stopped or ran out of time may have been in the middle of a costly answer.
fn is_free(ending: Ending, done: &TurnDone) -> bool {
    let has_ended_itself = matches!(done.ended.how, How::Code(_));
    ending.is_provider_fault()
        || ending == Ending::AccessRefused
        || done.ended.duration == Duration::ZERO
        || has_ended_itself && done.never_began()
}

fn sorted(changes: Vec<FileChange>) -> Option<Changes> {
    let sort = |change: &FileChange| match (&change.before, &change.after) {
        (None, _) => Change::Added,
        (Some(_), None) => Change::Removed,
        (Some(_), Some(_)) => Change::Changed,
    };
    Some(changes.into_iter().map(|change| (change.path.clone(), sort(&change))).collect())
}

/// Returns what a program said last when it did not end well: there it says why. Of an agent that speaks in a protocol, its own
/// last words.
fn last_line(done: &TurnDone) -> String {
    let text = String::from_utf8_lossy(&done.ended.output.bytes);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let words = match (&done.ended.how, last) {
        (How::Code(0), _) | (_, None) => None,
        (_, Some(line)) if is_object(line) => said(done),
        // Masked as a whole: half of a secret does not look like one.
        (_, Some(line)) => Some(crate::secret::mask(line).chars().take(LAST_LINE_CHARS_MAX).collect()),
    };
    words.map(|words| format!(", and said: {words}")).unwrap_or_default()
}

fn is_object(line: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
}

/// Returns the end of the last message of an agent as one line, within a bound and without secrets: there it asks, if it does.
fn said(done: &TurnDone) -> Option<String> {
    let message = done.close.message.as_deref()?;
    let visible = crate::secret::mask(message).replace(is_invisible, " ");
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth_back(SAID_CHARS_MAX) {
        Some((at, first)) => Some(format!("…{}", &words[at + first.len_utf8()..])),
        None => Some(words).filter(|words| !words.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::{NotStarted, Reason};

    #[test]
    fn a_secret_at_the_end_of_what_is_told_is_masked_before_it_is_cut() {
        let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
        let before = "x ".repeat((LAST_LINE_CHARS_MAX - 20) / 2);
        let mut done = TurnDone::not_started(NotStarted::new(Reason::Other, ""));
        done.ended.how = How::Code(1);
        done.ended.output.bytes = format!("{before}{token} was refused\n").into_bytes();
        let told = last_line(&done);
        assert!(told.ends_with(&"*".repeat(20)) && !told.contains("ghp_"), "{told}");
        let line = told.strip_prefix(", and said: ").expect("it said something");
        assert_eq!(line.chars().count(), LAST_LINE_CHARS_MAX);
    }
}
