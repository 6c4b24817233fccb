use crate::command::{Act, Command, Context, Standing};
use crate::desk::{orchestrator, person};
use crate::envelope::Actor;
use crate::word::TaskId;
use crate::workflow::Workflow;
use crate::{Entry, Rejection, State, decide, evolve};

fn task(name: &str) -> TaskId {
    TaskId::new(name).unwrap()
}

struct Office {
    state: State,
    context: Context,
}

impl Office {
    fn new(tasks: &[&str]) -> Self {
        let standings = tasks.iter().map(|name| (task(name), Standing::default())).collect();
        Self { state: State::default(), context: Context { standings, ..Context::default() } }
    }

    fn ask(&mut self, actor: Actor, act: Act) -> Result<usize, Rejection> {
        let command = Command { at: 1, actor, key: None, act };
        let events = decide(&self.state, &command, &self.context)?;
        let count = events.len();
        for event in events {
            let entry = Entry { version: self.state.version + 1, at: 1, actor: command.actor.clone(), event };
            self.state = evolve(std::mem::take(&mut self.state), &entry);
        }
        Ok(count)
    }

    fn refused(&mut self, act: Act) -> &'static str {
        self.ask(person(), act).unwrap_err().refusal.name()
    }
}

#[test]
fn a_circle_is_refused_with_its_path() {
    let mut office = Office::new(&["A", "B", "C"]);
    for (on_whom, on) in [("A", "B"), ("B", "C")] {
        office.ask(person(), Act::DeclareDependency { task: task(on_whom), on: task(on) }).unwrap();
    }
    let refused = office.ask(person(), Act::DeclareDependency { task: task("C"), on: task("A") });
    assert_eq!(refused.unwrap_err().details, "C → A → B → C");
    assert_eq!(office.refused(Act::DeclareDependency { task: task("A"), on: task("A") }), "cycle");
    assert_eq!(
        office.refused(Act::DeclareDependency { task: task("A"), on: task("Z") }),
        "unknown_dependency"
    );
    assert_eq!(office.refused(Act::DeclareDependency { task: task("A"), on: task("B") }), "already_so");
}

#[test]
fn only_a_person_pauses_and_resumes() {
    let mut office = Office::new(&[]);
    let pause = || Act::Pause { reason: "lunch".to_owned() };
    assert_eq!(office.ask(orchestrator(), pause()).unwrap_err().refusal.name(), "not_allowed");
    assert_eq!(office.refused(Act::Resume {}), "already_so");
    office.ask(person(), pause()).unwrap();
    assert_eq!(office.refused(pause()), "already_so");
    office.ask(person(), Act::Resume {}).unwrap();
    assert_eq!(office.state.project.paused, None);
}

#[test]
fn a_workflow_that_breaks_a_bound_is_refused() {
    let mut office = Office::new(&[]);
    let mut workflow = Workflow::built_in("single").unwrap();
    office.ask(person(), Act::DefineWorkflow { workflow: workflow.clone() }).unwrap();
    workflow.stages[0].limits.retries_max = 4;
    assert_eq!(office.refused(Act::DefineWorkflow { workflow }), "bad_workflow");
}

#[test]
fn only_a_person_speaks_for_a_lesson_and_for_its_exact_words() {
    use crate::envelope::ActorKind;
    use crate::knowledge::lesson::Decreed;
    use crate::knowledge::wording;
    let mut office = Office::new(&[]);
    let lesson = wording::id("gotcha", &wording::canonical("The limit is 100/min"));
    let approve = |text: &str| Act::ApproveLesson {
        lesson: lesson.clone(),
        text: text.to_owned(),
        detail: None,
        words: String::new(),
    };
    let retire = |words: &str| Act::RetireLesson { lesson: lesson.clone(), words: words.to_owned() };
    for kind in [ActorKind::Agent, ActorKind::Orchestrator, ActorKind::Host] {
        for act in [approve("The limit is 100/min"), retire("wrong")] {
            let refused = office.ask(Actor::new(kind, "x"), act).unwrap_err();
            assert_eq!(refused.refusal.name(), "not_allowed");
        }
    }
    assert_eq!(office.refused(approve("The limit is 1000/min")), "unknown_lesson");
    office.ask(person(), approve("the limit is 100/min.")).unwrap();
    assert_eq!(office.refused(approve("the limit is 100/min.")), "already_so");
    assert_eq!(office.refused(retire(" ")), "reason_missing");
    office.ask(person(), retire("it was raised")).unwrap();
    assert_eq!(office.refused(retire("again")), "already_so");
    let decree = &office.state.project.lessons[&lesson];
    assert_eq!((&decree.standing, decree.person.as_str()), (&Decreed::Retired, "ada"));
    office.ask(person(), approve("The limit is 100/min")).unwrap();
}

#[test]
fn the_same_guidance_is_adopted_once() {
    let mut office = Office::new(&[]);
    let policy_hash = crate::word::BlobId::new("a".repeat(64)).unwrap();
    let adopt = || Act::AdoptCovenant { version: 1, policy_hash: policy_hash.clone() };
    office.ask(orchestrator(), adopt()).unwrap();
    assert_eq!(office.refused(adopt()), "already_so");
}
