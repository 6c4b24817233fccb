//! A handoff that comes again: whoever lost the answer to it gets the answer, and nothing is judged twice.

use baton_engine::event::{Entry, Event};
use baton_engine::fact::{Disposition, Document, Performer};
use baton_engine::feedback::Feedback;
use baton_engine::word::{ArtifactId, SessionId, TaskId, TurnId};
use baton_store::BlobId;
use baton_store::view::handoffs;

use super::caller::Visitor;
use super::decision::Decided;
use super::{Desk, DeskError};

/// Most of the last handoffs of all tasks that are compared with what a session brings.
const LATEST_MAX: usize = 24;

/// A handoff that was taken before, byte for byte.
#[derive(Clone, Debug)]
pub struct AlreadyTaken {
    pub task: TaskId,
    pub document: ArtifactId,
    /// What was decided on it; nothing where that is still due.
    pub decided: Option<Decided>,
}

impl AlreadyTaken {
    /// Says what was taken, and what was decided on it.
    pub fn words(&self) -> String {
        let taken = format!("already taken as {}", self.document);
        let Some(decided) = &self.decided else { return format!("{taken}; nothing is decided on it yet") };
        let feedback = decided.feedback.as_ref().map(|feedback| format!("\n\n{}", feedback.trim()));
        let (what, why) = (decided.disposition.name(), decided.reason.name());
        format!("{taken}: {what} because of {why}{}", feedback.unwrap_or_default())
    }

    /// Says whether nothing is left to do for whoever handed it over.
    pub(crate) fn is_settled(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.disposition != Disposition::Rework)
    }
}

impl Desk {
    /// Returns what became of a document that the caller handed over in a turn that is over, where it is the same to the byte.
    pub fn already_taken(&self, id: &TaskId, bytes: &[u8]) -> Result<Option<AlreadyTaken>, DeskError> {
        if self.task(id)?.turn.is_some_and(|turn| self.visitor.holds(id, &turn)) {
            return Ok(None);
        }
        let entries = self.entries_of(id)?;
        Ok(answer(id, &entries, &blob_of(bytes), &|turn| match &self.visitor {
            Visitor::Turn { task, turn: own, .. } => task == id && own == turn,
            Visitor::Person(name) => has_taken(&entries, turn, (Performer::Person, name)),
            Visitor::Guest(session) => has_taken(&entries, turn, (Performer::Guest, session.as_str())),
            Visitor::Program => false,
        }))
    }

    /// Returns the same for a session, in whichever of its tasks.
    pub(crate) fn taken_in_session(
        &self,
        session: &SessionId,
        bytes: &[u8],
    ) -> Result<Option<AlreadyTaken>, DeskError> {
        let blob = blob_of(bytes);
        for handed in handoffs::latest(&self.log, LATEST_MAX)?.into_iter().rev() {
            if handed.blob != blob {
                continue;
            }
            let id = TaskId::new(handed.task.as_str())?;
            let entries = self.entries_of(&id)?;
            let is_own = |turn: &TurnId| has_taken(&entries, turn, (Performer::Guest, session.as_str()));
            if let Some(taken) = answer(&id, &entries, &blob, &is_own) {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    fn entries_of(&self, id: &TaskId) -> Result<Vec<Entry>, DeskError> {
        Ok(self.entries(Some(id))?.into_iter().map(|(_, entry)| entry).collect())
    }
}

/// Returns the id that the store has for a document that is handed over: it is kept without its secrets.
fn blob_of(bytes: &[u8]) -> String {
    BlobId::of(&crate::secret::mask_known(bytes.to_vec())).to_string()
}

fn has_taken(entries: &[Entry], turn: &TurnId, who: (Performer, &str)) -> bool {
    entries.iter().any(|entry| {
        matches!(&entry.event, Event::TurnStarted { turn: own, performer, session, .. }
            if own == turn && (*performer, session.as_str()) == who)
    })
}

/// Finds the last handoff with these bytes in an own turn, and the first decision after it.
fn answer(
    id: &TaskId,
    entries: &[Entry],
    blob: &str,
    is_own: &dyn Fn(&TurnId) -> bool,
) -> Option<AlreadyTaken> {
    let (at, document) = entries.iter().enumerate().rev().find_map(|(at, entry)| {
        let (turn, document): (_, &Document) = match &entry.event {
            Event::HandoffReceived { turn, submission, .. } => (turn, &submission.document),
            Event::VerdictReported { turn, report } | Event::VerdictVoided { turn, report, .. } => {
                (turn, &report.document)
            }
            _ => return None,
        };
        (document.blob.as_str() == blob && is_own(turn)).then_some((at, document))
    })?;
    let decided = entries[at..].iter().find_map(|entry| match &entry.event {
        Event::DecisionMade { disposition, reason, feedback, .. } => Some(Decided {
            disposition: *disposition,
            reason: *reason,
            feedback: feedback.as_ref().map(Feedback::text),
        }),
        _ => None,
    });
    Some(AlreadyTaken { task: id.clone(), document: document.id.clone(), decided })
}
