//! Who comes to the desk: a person, an agent that a person started, or a program that Baton itself runs.
//!
//! A program is let in with the pass of its turn, signed with the key of the log, and does in its turn what an agent may do.
//! Everything else is turned away by the same rules as everywhere, and remembered.

use baton_engine::command::ActKind;
use baton_engine::envelope::{Actor, ActorKind, PROJECT_STREAM};
use baton_engine::fact::Performer;
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::Turn;
use baton_engine::word::{AgentName, SessionId, TaskId, TurnId};
use baton_store::anchor::Key;

use super::{As, Desk, DeskError};

/// Between the words of a pass; no name has it.
const BETWEEN: char = '/';
/// The name in the log of a program that takes no turn: a check, or one with a pass that is none.
const NO_TURN: &str = "program";

/// Whoever comes, by their own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    Person(String),
    /// A program that Baton runs, with what it shows for its turn.
    Program(Option<String>),
}

/// Whoever comes, as far as it is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Visitor {
    Person(String),
    /// An agent that a person started, known by its session.
    Guest(SessionId),
    Turn {
        task: TaskId,
        turn: TurnId,
        agent: AgentName,
    },
    /// It holds no turn, and is no person.
    Program,
}

impl Visitor {
    pub(super) fn admit(caller: &Caller, key: &Key) -> Self {
        match caller {
            Caller::Person(name) => Self::Person(name.clone()),
            Caller::Program(pass) => {
                pass.as_deref().and_then(|pass| read(pass, key)).unwrap_or(Self::Program)
            }
        }
    }

    pub(super) fn is_person(&self) -> bool {
        matches!(self, Self::Person(_))
    }

    /// An agent that a person started.
    pub(super) fn is_guest(&self) -> bool {
        matches!(self, Self::Guest(_))
    }

    /// A program that Baton runs; what it may do is what its turn lets it.
    pub(super) fn is_program(&self) -> bool {
        matches!(self, Self::Turn { .. } | Self::Program)
    }

    pub(super) fn with_guest(self, session: SessionId) -> Self {
        match self {
            Self::Person(_) | Self::Guest(_) => Self::Guest(session),
            Self::Turn { .. } | Self::Program => self,
        }
    }

    pub(super) fn performer(&self) -> Performer {
        match self {
            Self::Person(_) => Performer::Person,
            Self::Guest(_) => Performer::Guest,
            Self::Turn { .. } | Self::Program => Performer::Program,
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Person(name) => name,
            Self::Guest(session) => session.as_str(),
            Self::Turn { agent, .. } => agent.as_str(),
            Self::Program => NO_TURN,
        }
    }

    pub(super) fn actor(&self) -> Actor {
        match self {
            Self::Person(name) => Actor::new(ActorKind::Person, name.as_str()),
            Self::Guest(session) => Actor::new(ActorKind::Agent, session.as_str()),
            Self::Turn { turn, agent, .. } => {
                Actor::new(ActorKind::Agent, agent.as_str()).with_turn(turn.as_str())
            }
            Self::Program => Actor::new(ActorKind::Agent, NO_TURN),
        }
    }

    /// Returns who they are towards the turn that is being taken. Turns of two tasks can have the same name, so a pass
    /// for another task is none.
    pub(super) fn holder(&self, id: &TaskId, live: &Turn) -> Actor {
        match self {
            Self::Person(_) | Self::Guest(_) => self.actor().with_turn(live.id.as_str()),
            Self::Turn { task, .. } if task == id => self.actor(),
            Self::Turn { .. } | Self::Program => Actor { turn: None, ..self.actor() },
        }
    }

    /// Says whether the turn is theirs.
    pub(super) fn holds(&self, id: &TaskId, live: &Turn) -> bool {
        match self {
            Self::Person(_) | Self::Guest(_) => {
                live.performer == self.performer() && live.session.as_str() == self.name()
            }
            Self::Turn { task, turn, .. } => task == id && *turn == live.id,
            Self::Program => false,
        }
    }
}

fn read(pass: &str, key: &Key) -> Option<Visitor> {
    let (words, signature) = pass.rsplit_once(BETWEEN)?;
    if !key.accepts_pass(words, signature) {
        return None;
    }
    let [task, turn, agent] = words.split(BETWEEN).collect::<Vec<_>>()[..] else { return None };
    Some(Visitor::Turn {
        task: TaskId::new(task).ok()?,
        turn: TurnId::new(turn).ok()?,
        agent: AgentName::new(agent).ok()?,
    })
}

impl Desk {
    /// Returns the pass of a turn.
    pub(crate) fn pass(&self, id: &TaskId, turn: &Turn) -> String {
        let words = [id.as_str(), turn.id.as_str(), turn.agent.as_str()].join(&BETWEEN.to_string());
        let signature = self.key.sign_pass(&words);
        format!("{words}{BETWEEN}{signature}")
    }

    /// Turns away programs that Baton runs from what the desk does for people only, and remembers that they tried.
    pub(crate) fn only_for_people(&mut self, stream: &str, kind: ActKind) -> Result<(), DeskError> {
        self.turn_away(stream, kind.name())
    }

    /// The same for what is no act of a task.
    pub fn only_people(&mut self, command: &str) -> Result<(), DeskError> {
        self.turn_away(PROJECT_STREAM, command)
    }

    /// Turns away programs whose turn it is not, before anything is looked at for them. What people may do the engine says.
    pub(super) fn only_for_holder(
        &mut self,
        id: &TaskId,
        live: &Turn,
        kind: ActKind,
    ) -> Result<(), DeskError> {
        match !self.visitor.is_program() || self.visitor.holds(id, live) {
            true => Ok(()),
            false => self.refuse(id.as_str(), kind.name(), format!("{} belongs to @{}", live.id, live.agent)),
        }
    }

    fn turn_away(&mut self, stream: &str, command: &str) -> Result<(), DeskError> {
        match self.visitor.is_program() {
            false => Ok(()),
            true => self.refuse(stream, command, format!("`{command}` is not for programs that Baton runs")),
        }
    }

    fn refuse(&mut self, stream: &str, command: &str, details: String) -> Result<(), DeskError> {
        let rejection = Rejection::new(Refusal::NotAllowed, details);
        self.remember_refusal(stream, (&self.actor(As::Visitor), command), &rejection)?;
        Err(rejection.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_worth_nothing_with_one_letter_changed_or_at_another_log() {
        let folder = tempfile::tempdir().unwrap();
        let key = |name: &str| Key::load_or_create(&folder.path().join(name)).unwrap();
        let (own, other) = (key("own"), key("other"));
        let pass = format!("T1/turn-1/builder/{}", own.sign_pass("T1/turn-1/builder"));
        let admit = |pass: &str, key: &Key| Visitor::admit(&Caller::Program(Some(pass.to_owned())), key);
        let Visitor::Turn { task, turn, agent } = admit(&pass, &own) else { panic!("it is good") };
        assert_eq!((task.as_str(), turn.as_str(), agent.as_str()), ("T1", "turn-1", "builder"));
        assert_eq!(admit(&pass, &other), Visitor::Program);
        for at in 0..pass.len() {
            let changed = if pass.as_bytes()[at] == b'1' { "2" } else { "1" };
            let mut forged = pass.clone();
            forged.replace_range(at..=at, changed);
            assert_eq!(admit(&forged, &own), Visitor::Program, "{forged}");
        }
        for nonsense in ["", "/", "T1", "T1/turn-1", "T1/turn-1/builder/"] {
            assert_eq!(admit(nonsense, &own), Visitor::Program, "{nonsense}");
        }
        assert_eq!(Visitor::admit(&Caller::Program(None), &own), Visitor::Program);
    }
}
