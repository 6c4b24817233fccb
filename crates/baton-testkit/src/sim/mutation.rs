//! Wrong builds. Each bends the engine, the store or the host from outside, the way a careless change would.

use baton_engine::command::{Act, Command, Context};
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::fact::{AnswerSource, End, LeaseToken, Performer, Understanding};
use baton_engine::state::State;
use baton_engine::verdict::{Provenance, Verdict};
use baton_engine::workflow::{Plan, Role};
use baton_engine::{Effect, Event, Rejection, decide, pending};

use super::world::word;
use crate::store_bug::StoreBug;

macro_rules! mutations {
    ($($name:ident $what:literal,)*) => {
        /// One planted bug, or none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutation {
            None,
            $($name,)*
        }

        impl Mutation {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn what(self) -> &'static str {
                match self {
                    Self::None => "the build as it is",
                    $(Self::$name => $what,)*
                }
            }
        }
    };
}

mutations! {
    NoCompareAndSet "the store ignores the expected version",
    AcknowledgeBeforeSync "the store acknowledges before it syncs",
    BrokenChain "the store links an event to the wrong one",
    HalfACommand "the store keeps only the first event of a command",
    OneSequenceTwice "the store gives two events one sequence",
    LoserIsKept "the store keeps what lost a race",
    ReaderSeesOld "the store does not show its last event",
    TrustsClaimedRole "an agent that says it is a person is believed",
    NoFencing "a result counts for whatever turn is live",
    RetriesInMemory "the retry counter is forgotten in a crash",
    RetriesUnbounded "the retry bound is not read",
    ClarificationClosedByItself "an open question is answered with its first option",
    AcceptsOverOpenQuestion "open questions are not looked at",
    ReportNotBoundToTree "a report counts for whatever tree is there",
    VerifierWritesIgnored "the tree after the verifier is not compared",
    VerifierIsBuilder "the verifier's turn goes to the builder",
    EvidenceNotRequired "a pass without evidence counts",
    OmittedCriterionPasses "a criterion that the report omits counts as passed",
    ReceiptNotBoundToTree "a receipt counts for whatever tree is there",
    BuilderReceiptAccepted "the builder's claims become the receipt",
    InconclusivePasses "a check that timed out counts as passed",
    EmptyReceiptPasses "a receipt without checks counts as passed",
    EffectBeforeRecord "the agent is started before the launch is recorded",
    LaunchNotClaimed "the launch is not claimed",
    MergeNotIdempotent "a merge is done again when its record was lost",
    ApprovalNotBoundToVersion "an approval counts for whatever is there",
    GateSkipped "blocking gates only inform",
    NoBudgetCheck "nothing is set aside for a turn",
    ReplayForgetsQuestions "replay skips questions",
    ReplayForgetsEnd "replay skips the end of a task",
    NoGuidanceForVerifier "the verifier gets no guidance",
    NoReferences "decisions refer to nothing",
    PauseIgnored "the pause is not read",
    LeaseNeverExpires "leases are not ended when they run out",
    RollbackWithoutRemediation "a failed rollback says nothing",
    DependencyReleasedEarly "a dependency is released before it is done",
    DelegationCircle "the chain of delegations is not looked at",
    AcknowledgmentSkipped "the host acknowledges handoffs for the agent",
    WaiverWithoutEnd "waivers never end",
    SelfCheckedIsVerified "self-checked work ends as verified",
    CancelIgnoresProcess "a cancelled task is ended while its agent runs",
    RefusalRecordedAgain "each repeat of a refused act is an event of its own",
    AnswerByAgent "an agent's answer to its own question counts",
    PlanNotWanted "no plan is asked for before the work",
}

impl Mutation {
    /// Returns what is wrong with the log itself. The other bugs of a log are for its contract to find.
    pub(crate) fn store(self) -> StoreBug {
        match self {
            Self::NoCompareAndSet => StoreBug::IgnoresExpectedVersion,
            Self::BrokenChain => StoreBug::WrongLink,
            Self::HalfACommand => StoreBug::HalfAppend,
            Self::OneSequenceTwice => StoreBug::SameSequence,
            Self::LoserIsKept => StoreBug::KeepsTheLoser,
            Self::ReaderSeesOld => StoreBug::OldRead,
            _ => StoreBug::None,
        }
    }

    /// Says whether replay leaves this event out.
    pub(crate) fn skips(self, event: &Event) -> bool {
        match self {
            Self::ReplayForgetsQuestions => matches!(event, Event::ClarificationAsked { .. }),
            Self::ReplayForgetsEnd => matches!(event, Event::TaskEnded { .. }),
            _ => false,
        }
    }

    /// Bends what was just read from the log.
    pub(crate) fn after_replay(self, state: &mut State) {
        let Some(task) = state.task.as_mut() else { return };
        match self {
            Self::RetriesInMemory => task.run.failures = 0,
            Self::PlanNotWanted => {
                task.workflow.stages.iter_mut().for_each(|stage| stage.plan = Plan::Optional)
            }
            _ => {}
        }
    }

    /// Returns what the wrong build would find to do.
    pub(crate) fn pending(self, state: &State, context: &Context, now: i64) -> Vec<Effect> {
        if self == Self::None {
            return pending(state, context, now);
        }
        let (mut state, mut context) = (state.clone(), context.clone());
        self.bend_view(&mut state);
        self.bend_context(&mut context);
        pending(&state, &context, now)
    }

    /// Decides as the wrong build would.
    pub(crate) fn decide(
        self,
        state: &State,
        command: &Command,
        context: &Context,
    ) -> Result<Vec<Event>, Rejection> {
        if self == Self::None {
            return decide(state, command, context);
        }
        let (mut state, mut bent, mut context) = (state.clone(), command.clone(), context.clone());
        self.bend_command(&state, &mut bent);
        if matches!(bent.act, Act::Decide { .. } | Act::StartTurn { .. } | Act::AskGate { .. }) {
            self.bend_view(&mut state);
        }
        self.bend_state(&mut state, &bent);
        self.bend_context(&mut context);
        let mut events = decide(&state, &bent, &context)?;
        self.bend_events(&state, command, &mut events);
        Ok(events)
    }

    fn bend_context(self, context: &mut Context) {
        match self {
            Self::PauseIgnored => context.project.paused = None,
            Self::DependencyReleasedEarly => {
                context.standings.values_mut().for_each(|standing| standing.end = Some(End::Done));
            }
            _ => {}
        }
    }

    /// Bends what the wrong build believes about a task whenever it looks.
    fn bend_view(self, state: &mut State) {
        let Some(task) = state.task.as_mut() else { return };
        match self {
            Self::RetriesUnbounded => {
                for stage in &mut task.workflow.stages {
                    stage.limits.retries_max = 3;
                    stage.on_failure.retry = None;
                    stage.on_failure.escalate_after = None;
                }
                task.run.failures = task.run.failures.min(1);
            }
            Self::AcceptsOverOpenQuestion => {
                for clarification in task.clarifications.values_mut() {
                    clarification.answer = Some((String::new(), AnswerSource::Covenant));
                }
            }
            Self::GateSkipped => task.workflow.stages.iter_mut().for_each(|stage| stage.gates.clear()),
            Self::OmittedCriterionPasses => {
                if let Some(report) = &task.run.report {
                    task.criteria = report.criteria.iter().map(|said| said.criterion.clone()).collect();
                    task.workflow.stages.iter_mut().for_each(|stage| stage.criteria.clear());
                }
            }
            Self::WaiverWithoutEnd => task.waivers.values_mut().for_each(|waiver| waiver.until = i64::MAX),
            _ => {}
        }
    }

    fn bend_command(self, state: &State, command: &mut Command) {
        let task = state.task.as_ref();
        let live = task.and_then(|task| task.turn.as_ref());
        match (self, &mut command.act) {
            (
                Self::TrustsClaimedRole,
                Act::AnswerGate { .. } | Act::Answer { .. } | Act::Waive { .. } | Act::Cancel { .. },
            ) => {
                command.actor.kind = ActorKind::Person;
            }
            (Self::AnswerByAgent, Act::Answer { .. }) => command.actor.kind = ActorKind::Person,
            (
                Self::NoFencing,
                Act::Submit { lease, .. } | Act::RecordVerdict { lease, .. } | Act::EndTurn { lease, .. },
            ) => {
                if let Some(live) = live {
                    *lease = LeaseToken { turn: live.id.clone(), epoch: live.epoch };
                    if command.actor.kind == ActorKind::Agent {
                        command.actor =
                            Actor::new(ActorKind::Agent, live.agent.as_str()).with_turn(live.id.as_str());
                    }
                }
            }
            (Self::ReportNotBoundToTree, Act::RecordVerdict { report, .. }) => {
                if let Some(tree) = task.and_then(|task| task.tree.clone())
                    && report.tree_before == report.tree_after
                {
                    report.tree_after = tree.clone();
                    report.tree_before = tree;
                }
            }
            (Self::EvidenceNotRequired, Act::RecordVerdict { report, .. }) => {
                let receipt = task.and_then(|task| task.run.receipt.as_ref());
                for said in &mut report.criteria {
                    said.evidence = receipt.map(|receipt| receipt.document.id.clone()).into_iter().collect();
                }
            }
            (Self::VerifierWritesIgnored, Act::RecordVerdict { report, .. }) => {
                report.tree_after = report.tree_before.clone();
            }
            (Self::ReceiptNotBoundToTree, Act::RecordReceipt { receipt }) => {
                if let Some(tree) = task.and_then(|task| task.tree.clone()) {
                    receipt.tree_after = tree.clone();
                    receipt.tree_before = tree;
                }
            }
            (Self::InconclusivePasses, Act::RecordReceipt { receipt }) => {
                for check in receipt.checks.iter_mut().filter(|check| check.verdict == Verdict::Inconclusive)
                {
                    check.verdict = Verdict::Pass;
                }
            }
            (Self::EmptyReceiptPasses, Act::RecordReceipt { receipt }) if receipt.checks.is_empty() => {
                let stage = task.and_then(|task| task.stage());
                let checks = stage.into_iter().flat_map(|stage| stage.host_checkpoints());
                receipt.checks = checks
                    .map(|checkpoint| baton_engine::fact::CheckResult {
                        checkpoint: checkpoint.clone(),
                        verdict: Verdict::Pass,
                        provenance: Provenance::Observed,
                        detail: String::new(),
                        output: None,
                        hindrance: None,
                    })
                    .collect();
            }
            (Self::BuilderReceiptAccepted, Act::RecordReceipt { receipt }) => {
                receipt.checks.iter_mut().for_each(|check| check.verdict = Verdict::Pass);
            }
            (Self::ApprovalNotBoundToVersion, Act::AnswerGate { gate, shown, .. }) => {
                if let Some(asked) = task.and_then(|task| task.gates.get(gate)) {
                    *shown = asked.shown.clone();
                }
            }
            (Self::VerifierIsBuilder, Act::StartTurn { role: Role::Verifier, session, .. }) => {
                if let Some(writer) = task.and_then(|task| task.writers.iter().next()) {
                    *session = writer.session.clone();
                }
            }
            (Self::NoBudgetCheck, Act::StartTurn { performer, .. }) => *performer = Performer::Person,
            _ => {}
        }
    }

    fn bend_state(self, state: &mut State, command: &Command) {
        let Some(task) = state.task.as_mut() else { return };
        match (self, &command.act) {
            (Self::VerifierIsBuilder, _) => task.writers.clear(),
            (Self::OmittedCriterionPasses, Act::RecordVerdict { report, .. }) => {
                task.workflow.stages.iter_mut().for_each(|stage| stage.criteria.clear());
                task.criteria = report.criteria.iter().map(|said| said.criterion.clone()).collect();
            }
            (Self::DelegationCircle, Act::Delegate { .. }) => task.lineage.clear(),
            (Self::CancelIgnoresProcess, Act::Cancel { .. }) => {
                if let Some(turn) = task.turn.as_mut() {
                    turn.launched = false;
                }
            }
            (Self::LaunchNotClaimed, Act::Launch { .. }) => {
                if let Some(turn) = task.turn.as_mut() {
                    turn.launched = false;
                }
            }
            _ => {}
        }
    }

    fn bend_events(self, state: &State, command: &Command, events: &mut Vec<Event>) {
        match self {
            Self::ClarificationClosedByItself => {
                let Some(asked) = events.iter().find_map(|event| match event {
                    Event::ClarificationAsked { clarification, document, options, .. } => {
                        Some((clarification.clone(), document.clone(), options.first().cloned()))
                    }
                    _ => None,
                }) else {
                    return;
                };
                events.push(Event::ClarificationAnswered {
                    clarification: asked.0,
                    document: asked.1,
                    answer: asked.2.unwrap_or_default(),
                    source: AnswerSource::Covenant,
                    covenant_place: Some("somewhere".to_owned()),
                    expires_at: command.at,
                });
            }
            Self::NoGuidanceForVerifier => {
                let verifies = events
                    .iter()
                    .any(|event| matches!(event, Event::TurnStarted { role: Role::Verifier, .. }));
                events.retain(|event| !verifies || !matches!(event, Event::GuidanceIssued { .. }));
            }
            Self::NoReferences => {
                for event in events {
                    if let Event::DecisionMade { refs, .. } = event {
                        refs.clear();
                    }
                }
            }
            Self::RollbackWithoutRemediation => {
                for event in events {
                    if let Event::RollbackRecorded { remediation, .. } = event {
                        remediation.clear();
                    }
                }
            }
            Self::SelfCheckedIsVerified => {
                for event in events {
                    if let Event::TaskEnded { end: end @ End::DoneUnverified } = event {
                        *end = End::Done;
                    }
                }
            }
            Self::EvidenceNotRequired => {
                for event in events {
                    if let (Event::VerdictReported { report, .. }, Act::RecordVerdict { report: said, .. }) =
                        (event, &command.act)
                    {
                        *report = said.clone();
                    }
                }
            }
            Self::AcknowledgmentSkipped => acknowledge(state, events),
            _ => {}
        }
    }
}

/// Acknowledges for the agent as soon as its turn is launched.
fn acknowledge(state: &State, events: &mut Vec<Event>) {
    let Some(task) = &state.task else { return };
    let (Some(turn), Some(handoff)) = (&task.turn, &task.run.inbound) else { return };
    if task.owes_acknowledgment() && events.iter().any(|event| matches!(event, Event::TurnLaunched { .. })) {
        let id = format!("ack-{}", turn.id);
        let document = baton_engine::fact::Document {
            id: word(baton_engine::word::ArtifactId::new(id)),
            blob: handoff.blob.clone(),
        };
        events.push(Event::HandoffAcknowledged {
            turn: turn.id.clone(),
            document,
            handoff: handoff.clone(),
            understanding: Understanding::Understood,
            blockers: Vec::new(),
        });
    }
}
