//! The words of the canonical model: everything that any dialect can say has one name here.

/// The form a field's value has in the canonical model, whatever form a dialect gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One scalar.
    Text,
    /// A list of scalars.
    Texts,
    /// A list of records; a bare scalar item becomes a record with this one field.
    Records(Field),
    /// One record.
    Record,
    /// Anything: kept as it was written.
    Tree,
}

macro_rules! fields {
    ($($(#[doc = $doc:literal])* $field:ident $name:literal $shape:expr;)*) => {
        /// A field of the canonical model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field { $($(#[doc = $doc])* $field,)* }

        impl Field {
            pub const ALL: &'static [Field] = &[$(Field::$field,)*];

            /// Returns the canonical name, as `convert` and JSON output write it.
            pub const fn name(self) -> &'static str {
                match self { $(Field::$field => $name,)* }
            }

            pub const fn shape(self) -> Shape {
                match self { $(Field::$field => $shape,)* }
            }
        }
    };
}

use Shape::{Record, Records, Text, Texts, Tree};

fields! {
    // Identity.
    /// The id of the handoff or artifact itself.
    Id "id" Text;
    /// What sort of handoff or artifact this is.
    Sort "kind" Text;
    /// The id of the task that moves.
    Task "task" Text;
    /// The stage, phase or step of the workflow.
    Stage "stage" Text;
    Title "title" Text;
    SchemaVersion "schema_version" Text;
    Session "session" Text;
    Branch "branch" Text;
    Commit "commit" Text;

    // Who.
    From "from" Text;
    FromStep "from_step" Text;
    /// The role that produced an artifact.
    Role "role" Text;
    To "to" Text;
    ToReason "to_reason" Text;

    // When.
    StartedAt "started_at" Text;
    CompletedAt "completed_at" Text;
    /// When the document was written, if that is all it says.
    At "at" Text;

    // How it stands.
    Status "status" Text;
    /// The outcome in the words of the task file dialect.
    Outcome "outcome" Text;
    /// A judgement on the work: of a review, a verification or the orchestrator.
    Verdict "verdict" Text;
    Ready "ready" Text;
    RetryCount "retry_count" Text;
    LastFailure "last_failure" Text;
    BlockReason "block_reason" Text;
    BlockDetails "block_details" Text;
    Priority "priority" Text;

    // What was done.
    /// What was done, in prose.
    Summary "summary" Text;
    /// What was done, item by item.
    Done "done" Texts;
    FilesCreated "files_created" Records(Field::Path);
    FilesModified "files_modified" Records(Field::Path);
    FilesDeleted "files_deleted" Records(Field::Path);
    /// Files that are named without saying what happened to them.
    FilesMentioned "files_mentioned" Records(Field::Path);
    /// Files and other things produced, with their type.
    Artifacts "artifacts" Records(Field::Path);

    // What was learned.
    Patterns "patterns" Records(Field::Pattern);
    Gotchas "gotchas" Records(Field::Issue);
    Decisions "decisions" Records(Field::Decision);

    // What comes next.
    /// Files the next agent should read first.
    FilesToRead "files_to_read" Records(Field::Path);
    Questions "open_questions" Records(Field::Question);
    NextSteps "next_steps" Records(Field::Step);
    /// What is left of the plan, where that is not the same as what to do next.
    Remaining "remaining" Records(Field::Step);
    Blockers "blockers" Records(Field::Blocker);
    Deliverable "deliverable" Text;
    Constraints "constraints" Texts;
    SuccessCriteria "success_criteria" Texts;
    Dependencies "dependencies" Texts;

    // Evidence.
    Checkpoints "checkpoints" Records(Field::Name);
    Criteria "criteria" Records(Field::Criterion);
    Commands "commands" Records(Field::Command);
    Verification "verification" Texts;
    Metrics "metrics" Tree;
    SourceRefs "source_refs" Texts;
    EvidenceRefs "evidence_refs" Texts;

    // Flow.
    OnFailure "on_failure" Record;
    WorkflowState "workflow_state" Record;
    Gate "gate" Record;
    ValidationRequest "validation_request" Record;
    Context "context" Tree;

    // Artifacts of the multi-agent protocol.
    CovenantVersion "covenant_version" Text;
    PolicyHash "policy_hash" Text;
    StopConditions "stop_conditions" Texts;
    FileTargets "file_targets" Texts;
    ValidationPlan "validation_plan" Texts;
    CriterionCoverage "criterion_coverage" Tree;
    Budget "budget" Tree;
    DiffSummary "diff_summary" Text;
    CompletionClaim "completion_claim" Tree;
    ExpectedEvidence "expected_evidence" Texts;
    Doubts "unresolved_doubts" Texts;
    DecisionContext "decision_context" Tree;
    Confidence "confidence" Text;
    Options "options" Texts;
    Answer "answer" Text;
    Rationale "rationale" Text;
    UpdatedConstraints "updated_constraints" Texts;
    ReasonCode "reason_code" Text;
    ReferencedArtifacts "referenced_artifact_ids" Texts;
    StatusMutation "status_mutation" Tree;
    Remediation "remediation" Texts;
    Markers "markers" Records(Field::Name);

    // Acknowledgments.
    Received "received" Text;
    /// The task and constraints in the words of the receiver, or `partial`.
    Understood "understood" Tree;
    Starting "starting" Text;
    Action "action" Text;

    // Fields of items.
    Name "name" Text;
    Message "message" Text;
    Path "path" Text;
    Lines "lines" Text;
    Purpose "purpose" Text;
    ChangeType "change_type" Text;
    Description "description" Text;
    Reason "reason" Text;
    Type "type" Text;
    Pattern "pattern" Text;
    Location "location" Text;
    AppliesTo "applies_to" Texts;
    Issue "issue" Text;
    DiscoveredIn "discovered_in" Text;
    Mitigation "mitigation" Text;
    Severity "severity" Text;
    Decision "decision" Text;
    Question "question" Text;
    QuestionContext "question_context" Text;
    Recommendation "recommendation" Text;
    Blocking "blocking" Text;
    Step "step" Text;
    DependsOn "depends_on" Texts;
    Blocker "blocker" Text;
    Impact "impact" Text;
    SuggestedResolution "suggested_resolution" Text;
    BlockingTasks "blocking_tasks" Texts;
    Criterion "criterion" Text;
    Command "command" Text;
    ExitCode "exit_code" Text;
    Evidence "evidence" Texts;
    Retry "retry" Text;
    RouteTo "route_to" Text;
    Notify "notify" Text;
    EscalateAfter "escalate_after" Text;
    FailureContext "failure_context" Text;
    WorkflowName "workflow_name" Text;
    CurrentStep "current_step" Text;
    CompletedSteps "completed_steps" Texts;
    RemainingSteps "remaining_steps" Texts;
    Items "items" Texts;
    GateOptions "gate_options" Tree;

    // What is not data.
    /// The text around the data, kept byte for byte.
    Body "body" Text;
}
