//! What is missing before there can be a decision, and the command that brings it.

use baton_engine::fact::Performer;
use baton_engine::policy::NotYet;
use baton_engine::state::{Dependency, Task};
use baton_engine::word::TaskId;

pub(super) fn missing_words(task: &Task, missing: &NotYet) -> Vec<String> {
    let id = &task.id;
    let next = match missing {
        NotYet::Ended => return Vec::new(),
        NotYet::Dependencies(on) => {
            let first = on.first().map(|on| format!("next: `baton why {on}`"));
            return std::iter::once(missing.words()).chain(first).collect();
        }
        NotYet::LiesWithPerson => {
            let failed = |(on, dependency): (&TaskId, &Dependency)| match dependency {
                Dependency::Failed(end) => Some(format!(
                    "{on} ended as {}; next: `baton waive {id} dependency:{on} REASON --until DATE`, or cancel",
                    end.name()
                )),
                Dependency::Waiting | Dependency::Released(_) => None,
            };
            return task.dependencies.iter().filter_map(failed).collect();
        }
        NotYet::Turn if is_programs(task) => "wait for the run that takes it".to_owned(),
        NotYet::Turn if task.owes_acknowledgment() => format!("`baton ack {id}`"),
        NotYet::Turn if task.owes_plan() => format!("`baton plan {id} FILE`"),
        NotYet::Turn if !task.lineage.is_empty() => format!("`baton return {id} FILE` ends it"),
        NotYet::Turn => format!("`baton submit {id} FILE` ends it"),
        NotYet::Work | NotYet::Verification => format!("`baton receive {id}`"),
        NotYet::Checks => format!("`baton task check {id}`"),
        NotYet::Gate(_) => format!("`baton decide {id}`"),
        NotYet::GateAnswer(gate) => {
            let items = task.gates.get(gate).map_or(&[][..], |asked| asked.items.as_slice());
            let items = items.iter().map(|item| format!("to look at: {item}"));
            let next = format!("next: `baton gate approve|reject|question {id} {gate} [WORDS]`");
            return std::iter::once(missing.words()).chain(items).chain([next]).collect();
        }
        NotYet::Clarification(question) => {
            let asked = task.clarifications.get(question);
            let words = asked.map_or("", |asked| asked.question.as_str());
            let options = asked.into_iter().flat_map(|asked| &asked.options);
            let options = options.map(|option| format!("it could be: {option}"));
            let next = format!("next: `baton answer {id} {question} TEXT`");
            let first = format!("the question {question} is open: {words}");
            return std::iter::once(first).chain(options).chain([next]).collect();
        }
        NotYet::LiesWithHost if is_programs(task) => "`baton run` stops its turn".to_owned(),
        NotYet::LiesWithHost | NotYet::Delegation | NotYet::Usage(_) => return vec![missing.words()],
    };
    vec![missing.words(), format!("next: {next}")]
}

fn is_programs(task: &Task) -> bool {
    task.turn.as_ref().is_some_and(|turn| turn.performer == Performer::Program)
}
