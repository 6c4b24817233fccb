//! The keys of each artifact. All begin with the same seven.

use crate::dialect::Variant;
use crate::field::Field;
use crate::key::{Form, Key, Vocabulary, optional, recommended, required};

const TOUCHED: &[Key] = &[
    required("path", Field::Path, Form::Path, "The file, from the project's root"),
    optional(
        "change_type",
        Field::ChangeType,
        Form::Choice(&["add", "modify", "delete", "refactor"]),
        "What sort of change",
    ),
];

const COMMAND: &[Key] = &[
    required("command", Field::Command, Form::Text, "The command line"),
    required("exit_code", Field::ExitCode, Form::Integer, "How it ended"),
    required("evidence_ref", Field::Evidence, Form::Each(&Form::Text), "Where its output is kept"),
];

const CLAIM: &[Key] = &[
    required("criterion", Field::Criterion, Form::Text, "The criterion"),
    required("claim", Field::Status, Form::Text, "What the builder says of it"),
    optional("evidence", Field::Evidence, Form::Each(&Form::Text), "What would show it"),
];

const CRITERION: &[Key] = &[
    required("criterion", Field::Criterion, Form::Text, "The criterion"),
    optional("id", Field::Id, Form::Id, "Its id"),
];

const JUDGED: &[Key] = &[
    required("criterion", Field::Criterion, Form::Text, "The criterion"),
    required("verdict", Field::Verdict, Form::Choice(&["pass", "fail", "inconclusive"]), "The verdict"),
    required("evidence", Field::Evidence, Form::Each(&Form::Text), "What shows it"),
    optional("reason", Field::Reason, Form::Text, "Why the verdict is what it is"),
];

const CHECK: &[Key] = &[
    required("name", Field::Name, Form::Text, "The checkpoint"),
    required("status", Field::Status, Form::Choice(&["pass", "fail", "inconclusive"]), "How it ended"),
    optional("message", Field::Message, Form::Text, "Why"),
];

const GRAPH: &[Key] = &[
    optional("current_step", Field::CurrentStep, Form::Text, "The step it is at"),
    optional("completed_steps", Field::CompletedSteps, Form::Each(&Form::Text), "Steps behind"),
    optional("remaining_steps", Field::RemainingSteps, Form::Each(&Form::Text), "Steps ahead"),
];

const BLOCKER: &[Key] = &[required("blocker", Field::Blocker, Form::Text, "What stands in the way")];

const COMMON_COUNT: usize = 7;

pub(super) const COMMON: [Key; COMMON_COUNT] = [
    required("schema_version", Field::SchemaVersion, Form::Text, "The version of the artifact's schema"),
    recommended("artifact_type", Field::Sort, Form::Text, "Which artifact this is"),
    required("artifact_id", Field::Id, Form::Id, "The artifact's own id"),
    required("waypoint_id", Field::Task, Form::Id, "The task it belongs to"),
    required("produced_by_role", Field::Role, Form::Word(Vocabulary::Roles), "The role that made it"),
    required("produced_at", Field::At, Form::Time, "When it was made"),
    required("source_refs", Field::SourceRefs, Form::Each(&Form::Text), "What it was made from"),
];

/// Puts the common keys before the artifact's own.
const fn with_common<const OWN: usize, const ALL: usize>(own: [Key; OWN]) -> [Key; ALL] {
    let mut all = [COMMON[0]; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < COMMON_COUNT { COMMON[at] } else { own[at - COMMON_COUNT] };
        at += 1;
    }
    all
}

const GUIDANCE_PACKET: &[Key] = &with_common::<4, 11>([
    required("covenant_version", Field::CovenantVersion, Form::Text, "The version of the covenant"),
    required("policy_hash", Field::PolicyHash, Form::Text, "The hash of the policy in force"),
    required("role_constraints", Field::Constraints, Form::Each(&Form::Text), "What this role must keep to"),
    required("stop_conditions", Field::StopConditions, Form::Each(&Form::Text), "When this role must stop"),
]);

const BUILD_PLAN: &[Key] = &with_common::<4, 11>([
    required("file_targets", Field::FileTargets, Form::Each(&Form::Path), "The files it means to touch"),
    required(
        "validation_plan",
        Field::ValidationPlan,
        Form::Each(&Form::Text),
        "How it means to check the work",
    ),
    required("criterion_coverage", Field::CriterionCoverage, Form::Tree, "Which step covers which criterion"),
    required("budget", Field::Budget, Form::Tree, "What it may spend"),
]);

const BUILD_ARTIFACT: &[Key] = &with_common::<5, 12>([
    required("touched_files", Field::FilesModified, Form::Items(TOUCHED), "The files it really touched"),
    required("diff_summary", Field::DiffSummary, Form::Text, "What changed, in short"),
    required("command_ledger", Field::Commands, Form::Items(COMMAND), "The commands it ran"),
    required("criterion_claims", Field::Criteria, Form::Items(CLAIM), "The criteria it claims to meet"),
    required("completion_claim", Field::CompletionClaim, Form::Tree, "The payload of its completion marker"),
]);

const VERIFICATION_REQUEST: &[Key] = &with_common::<3, 10>([
    required("criteria", Field::Criteria, Form::Items(CRITERION), "The criteria under review"),
    required(
        "expected_evidence",
        Field::ExpectedEvidence,
        Form::Each(&Form::Text),
        "The evidence that should be there",
    ),
    required(
        "policy_constraints",
        Field::Constraints,
        Form::Each(&Form::Text),
        "The policy the verifier works under",
    ),
]);

const VERIFICATION_REPORT: &[Key] = &with_common::<4, 11>([
    optional(
        "verification_plan",
        Field::ValidationPlan,
        Form::Each(&Form::Text),
        "What would have to be true of each criterion, written before the change was read",
    ),
    required("criterion_verdicts", Field::Criteria, Form::Items(JUDGED), "The verdict on each criterion"),
    required("evidence_refs", Field::EvidenceRefs, Form::Each(&Form::Text), "The evidence it looked at"),
    optional("unresolved_doubts", Field::Doubts, Form::Each(&Form::Text), "What it could not settle"),
]);

const CLARIFICATION_REQUEST: &[Key] = &with_common::<4, 11>([
    required("blocking_question", Field::Question, Form::Text, "The question"),
    required("decision_context", Field::DecisionContext, Form::Tree, "What hangs on the answer"),
    required("confidence", Field::Confidence, Form::Text, "How sure the asker is of its own reading"),
    required("requested_options", Field::Options, Form::Each(&Form::Text), "The answers it can think of"),
]);

const CLARIFICATION_RESPONSE: &[Key] = &with_common::<3, 10>([
    required("answer", Field::Answer, Form::Text, "The option chosen, or the answer in words"),
    required("rationale", Field::Rationale, Form::Text, "Why"),
    optional(
        "updated_constraints",
        Field::UpdatedConstraints,
        Form::Each(&Form::Text),
        "Constraints that changed with it",
    ),
]);

const ORCHESTRATOR_DECISION: &[Key] = &with_common::<5, 12>([
    required(
        "disposition",
        Field::Verdict,
        Form::Choice(&["accept", "rework", "rollback", "escalate"]),
        "The decision",
    ),
    required("reason_code", Field::ReasonCode, Form::Text, "Why, as a code"),
    required(
        "referenced_artifact_ids",
        Field::ReferencedArtifacts,
        Form::Each(&Form::Id),
        "The artifacts it rests on",
    ),
    optional("status_mutation", Field::StatusMutation, Form::Tree, "The change of status, if one was made"),
    optional(
        "remediation",
        Field::Remediation,
        Form::Each(&Form::Text),
        "What a person must do when rollback is not automatic",
    ),
]);

const CONTEXT_ENVELOPE: &[Key] = &with_common::<3, 10>([
    required("audience_role", Field::To, Form::Word(Vocabulary::Roles), "The role it is for"),
    required("fragments", Field::Context, Form::Tree, "What the role gets to read"),
    optional("budget", Field::Budget, Form::Tree, "The token budget it was packed for"),
]);

const CHECKLIST_RECEIPT: &[Key] = &with_common::<3, 10>([
    required("command_ledger", Field::Commands, Form::Items(COMMAND), "The commands the host ran"),
    required("checkpoints", Field::Checkpoints, Form::Items(CHECK), "What each of them settled"),
    optional("evidence_refs", Field::EvidenceRefs, Form::Each(&Form::Text), "The output, by reference"),
]);

const PROJECT_MANAGEMENT_CONTEXT: &[Key] = &with_common::<4, 11>([
    required("completion_graph", Field::WorkflowState, Form::Map(GRAPH), "Steps behind and ahead"),
    optional("dependencies", Field::Dependencies, Form::Each(&Form::Id), "What it depends on"),
    optional("blockers", Field::Blockers, Form::Items(BLOCKER), "What stands in the way"),
    optional("budget", Field::Budget, Form::Tree, "What was spent and is left"),
]);

const fn variant(name: &'static str, about: &'static str, keys: &'static [Key]) -> Variant {
    Variant { name, about, wrapper: None, keys }
}

pub(super) const VARIANTS: &[Variant] = &[
    variant("guidance-packet", "The guidance that goes with every turn", GUIDANCE_PACKET),
    variant("build-plan", "What a builder means to do", BUILD_PLAN),
    variant("build-artifact", "What a builder did", BUILD_ARTIFACT),
    variant("verification-request", "What a verifier is asked", VERIFICATION_REQUEST),
    variant("verification-report", "What a verifier found", VERIFICATION_REPORT),
    variant(
        "clarification-request",
        "A question that must be answered before work goes on",
        CLARIFICATION_REQUEST,
    ),
    variant("clarification-response", "The answer to a clarification request", CLARIFICATION_RESPONSE),
    variant("orchestrator-decision", "What the orchestrator decided", ORCHESTRATOR_DECISION),
    variant("context-envelope", "The scoped, read-only context of a role", CONTEXT_ENVELOPE),
    variant("checklist-receipt", "What the host itself ran and saw", CHECKLIST_RECEIPT),
    variant("project-management-context", "Where the whole project stands", PROJECT_MANAGEMENT_CONTEXT),
];
