//! Every command from every seat: what is let in, and with which code all else is refused.

use std::collections::BTreeMap;

use baton_engine::command::{Act, ActKind, Command, Context};
use baton_engine::envelope::{Actor, ActorKind, PROJECT_STREAM};
use baton_engine::{Entry, Rejection, State, decide, evolve};
use baton_testkit::authority::{Seat, TASK, one_of_each, opening};

/// The table, as a person reads it.
const TABLE: &str = include_str!("authority.md");

#[derive(Default)]
struct Engine {
    states: BTreeMap<String, State>,
}

impl Engine {
    fn opened(seat: Seat) -> Self {
        let mut engine = Self::default();
        for (stream, actor, act) in opening(seat) {
            let at = 1;
            let events = engine.ask(stream, &actor, &act).unwrap();
            for event in events {
                let state = engine.states.remove(stream).unwrap_or_default();
                let entry = Entry { version: state.version + 1, at, actor: actor.clone(), event };
                engine.states.insert(stream.to_owned(), evolve(state, &entry));
            }
        }
        engine
    }

    fn ask(&self, stream: &str, actor: &Actor, act: &Act) -> Result<Vec<baton_engine::Event>, Rejection> {
        let command = Command { at: 1, actor: actor.clone(), key: None, act: act.clone() };
        let empty = State::default();
        let of = |stream: &str| self.states.get(stream).unwrap_or(&empty);
        let context = Context { project: of(PROJECT_STREAM).project.clone(), ..Context::default() };
        decide(of(stream), &command, &context)
    }
}

fn stream_of(act: &Act) -> &'static str {
    if act.kind().is_for_project() { PROJECT_STREAM } else { TASK }
}

/// What each seat is answered while its turn is being taken: `yes`, or the code of the refusal.
fn table() -> (String, BTreeMap<(ActKind, &'static str), String>) {
    let mut cells = BTreeMap::new();
    for seat in Seat::ALL {
        let engine = Engine::opened(*seat);
        let acts = one_of_each(*seat);
        assert_eq!(acts.iter().map(Act::kind).collect::<Vec<_>>(), ActKind::ALL);
        for act in acts {
            let answer = match engine.ask(stream_of(&act), &seat.actor(), &act) {
                Ok(_) => "yes".to_owned(),
                Err(rejection) => format!("`{}`", rejection.refusal.name()),
            };
            cells.insert((act.kind(), seat.name()), answer);
        }
    }
    let names: Vec<&str> = Seat::ALL.iter().map(|seat| seat.name()).collect();
    let mut text = format!(
        "# Who is let in\n\nEvery command, asked of the engine from every seat while the turn of that seat is being taken \
         (for the person, the\norchestrator and the host: while a builder's is). `yes` is taken; anything else is the code \
         of the refusal.\n\n| command | {} |\n|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for act in ActKind::ALL {
        let row: Vec<&str> = names.iter().map(|name| cells[&(*act, *name)].as_str()).collect();
        text.push_str(&format!("| `{}` | {} |\n", act.name(), row.join(" | ")));
    }
    (text, cells)
}

#[test]
fn every_command_from_every_seat_is_answered_as_the_table_says() {
    let (text, cells) = table();
    println!("{text}");
    assert_eq!(cells.len(), ActKind::ALL.len() * Seat::ALL.len());
    assert!(TABLE == text, "the table above is not authority.md; read what changed, then put it there");
}

#[test]
fn whoever_is_not_on_the_list_is_refused_before_anything_else_is_looked_at() {
    let (_, cells) = table();
    for act in ActKind::ALL {
        for seat in Seat::ALL.iter().filter(|seat| !act.allowed().contains(&seat.kind())) {
            assert_eq!(cells[&(*act, seat.name())], "`not_allowed`", "{} by {}", act.name(), seat.name());
        }
    }
    // Nobody but its own role ends a turn, and only a person answers for people.
    for seat in Seat::ALL.iter().filter(|seat| seat.kind() == ActorKind::Agent) {
        let judges = *seat == Seat::Verifier;
        assert_eq!(cells[&(ActKind::RecordVerdict, seat.name())] == "yes", judges, "{}", seat.name());
        assert_eq!(cells[&(ActKind::Submit, seat.name())] == "yes", !judges, "{}", seat.name());
    }
}

/// A command that belongs to an agent is worth nothing without the token of the turn that is being taken.
#[test]
fn an_agent_without_its_turn_moves_nothing() {
    for seat in Seat::ALL.iter().filter(|seat| seat.kind() == ActorKind::Agent) {
        let engine = Engine::opened(*seat);
        let strangers = [
            Actor { turn: None, ..seat.actor() },
            Actor { name: "somebody".to_owned(), ..seat.actor() },
            seat.actor().with_turn("turn-99"),
        ];
        for (actor, act) in
            strangers.iter().flat_map(|actor| one_of_each(*seat).into_iter().map(move |act| (actor, act)))
        {
            let answer = engine.ask(stream_of(&act), actor, &act);
            answer.expect_err(act.kind().name());
        }
    }
}
