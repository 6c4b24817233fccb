use baton_testkit::random::Random;

use crate::command::Act;
use crate::desk::{Desk, host, orchestrator, person, tree};
use crate::fact::GateChoice;
use crate::policy::{NotYet, consider};
use crate::verdict::Verdict;
use crate::workflow::GateWeight;
use crate::{Entry, Event, State, fold, pending};

const SEED: u64 = 4;
const SHUFFLES: usize = 300;

/// Carries a task through its workflow, with everybody doing what they should.
pub(crate) fn carry(desk: &mut Desk) {
    for number in 1.. {
        match consider(desk.task(), desk.now) {
            Ok(_) => drop(desk.settle_by_policy()),
            Err(NotYet::Work) => {
                desk.launch();
                desk.submit(tree(number));
            }
            Err(NotYet::Checks) => desk.check(Verdict::Pass),
            Err(NotYet::Verification) => desk.verify(Verdict::Pass),
            Err(NotYet::Gate(gate)) => {
                let (shown, document) = (desk.task().shown().unwrap(), desk.document());
                let weight = GateWeight::Blocking;
                let ask = Act::AskGate { gate, weight, items: Vec::new(), shown, document, lease: None };
                desk.go(orchestrator(), ask);
            }
            Err(NotYet::GateAnswer(gate)) => {
                let (choice, shown) = (GateChoice::Approve, desk.task().shown().unwrap());
                desk.go(person(), Act::AnswerGate { gate, choice, shown, words: String::new() });
            }
            Err(NotYet::LiesWithHost) => {
                let tree = desk.task().tree.clone().unwrap();
                desk.go(
                    host(),
                    Act::RecordMerge { tree, merged: true, details: String::new(), receipt: None },
                );
            }
            Err(_) => return,
        }
    }
}

/// The logs of tasks that went well, badly, and through the hands of many.
fn logs() -> Vec<Vec<Entry>> {
    let mut logs = Vec::new();
    for name in crate::workflow::built_in_names() {
        let mut desk = Desk::with(name);
        carry(&mut desk);
        logs.push(desk.log);
        let mut desk = Desk::with(name);
        for number in 0..4 {
            desk.launch();
            desk.submit(tree(number));
            let mut receipt = desk.receipt(Verdict::Fail);
            receipt.violations.extend((number == 3).then(|| "outside".to_owned()));
            receipt.danger = (number == 2).then_some(crate::fact::Danger::Regression);
            desk.go(host(), Act::RecordReceipt { receipt });
            let reworked = consider(desk.task(), desk.now).is_ok() && desk.settle_by_policy().0 == "rework";
            if !reworked && consider(desk.task(), desk.now) != Err(NotYet::Work) {
                break;
            }
        }
        // Where nothing is checked, nothing fails.
        if desk.task().end.is_none() {
            desk.go(person(), Act::Cancel { reason: "enough".to_owned() });
        }
        logs.push(desk.log);
    }
    logs
}

#[test]
fn the_same_events_give_the_same_state_also_through_their_bytes() {
    for log in logs() {
        let state = fold(State::default(), &log);
        assert_eq!(fold(State::default(), &log), state);
        let reread: Vec<Entry> = log
            .iter()
            .map(|entry| {
                let event = Event::read(entry.event.kind(), entry.event.schema(), &entry.event.body());
                Entry { event, ..entry.clone() }
            })
            .collect();
        assert_eq!(reread, log);
        assert_eq!(fold(State::default(), &reread), state);
        let (first, second) = log.split_at(log.len() / 2);
        assert_eq!(fold(fold(State::default(), first), second), state);
    }
}

/// Whatever order events come in, and however often: folding, asking what is owed and checking never fail.
#[test]
fn any_order_of_events_can_be_folded() {
    let all: Vec<Entry> = logs().into_iter().flatten().collect();
    for index in 0..SHUFFLES {
        let random = &mut Random::numbered(SEED, index);
        let mut state = State::default();
        let mut log: Vec<Entry> = Vec::new();
        if random.chance(80) {
            log.push(all[0].clone());
        }
        for _ in 0..random.between(1, 60) {
            log.push(random.pick(&all).clone());
        }
        for entry in &log {
            state = crate::evolve(state, entry);
            let _owed = pending(&state, &crate::Context::default(), entry.at);
            let _status = state.task.as_ref().map(|task| task.status());
        }
        let _broken = crate::invariant::violation(&log);
        assert_eq!(fold(State::default(), &log), state);
    }
}
