//! Other words that people and agents use for the fields of the model.

use crate::field::Field;
use crate::freeform;
use crate::tree::Node;

/// Sorted by the normalised key; a word that means different things in different places is left out.
const FIELDS: &[(&str, Field)] = &[
    ("acceptance", Field::SuccessCriteria),
    ("acceptance_criteria", Field::SuccessCriteria),
    ("accepted_criteria", Field::SuccessCriteria),
    ("accion_siguiente", Field::NextSteps),
    ("accomplished", Field::Done),
    ("accomplishments", Field::Done),
    ("actions_taken", Field::Done),
    ("active_blockers", Field::Blockers),
    ("agent", Field::From),
    ("agent_id", Field::From),
    ("agent_name", Field::From),
    ("anti_patterns", Field::Gotchas),
    ("architectural_notes", Field::Patterns),
    ("ask", Field::Deliverable),
    ("assigned_to", Field::To),
    ("author", Field::From),
    ("blocked_by", Field::Blockers),
    ("blocked_on", Field::Blockers),
    ("blocker", Field::Blockers),
    ("blockers", Field::Blockers),
    ("blocking", Field::Blockers),
    ("blocking_bugs", Field::Blockers),
    ("blocking_issues", Field::Blockers),
    ("bloqueadores", Field::Blockers),
    ("bloqueios", Field::Blockers),
    ("branch", Field::Branch),
    ("caveats", Field::Gotchas),
    ("changed_files", Field::FilesModified),
    ("checkpoints", Field::Checkpoints),
    ("checks", Field::Checkpoints),
    ("commands", Field::Commands),
    ("commands_run", Field::Commands),
    ("commit", Field::Commit),
    ("commit_hash", Field::Commit),
    ("completed_agent", Field::From),
    ("completed_at", Field::CompletedAt),
    ("completed_by", Field::From),
    ("completed_date", Field::CompletedAt),
    ("completed_tasks", Field::Done),
    ("completed_work", Field::Done),
    ("completion_state", Field::Status),
    ("concerns", Field::Gotchas),
    ("constraints", Field::Constraints),
    ("constraints_discovered", Field::Gotchas),
    ("context_for_next", Field::Gotchas),
    ("context_for_next_agent", Field::Gotchas),
    ("context_notes", Field::Gotchas),
    ("created_at", Field::At),
    ("created_by", Field::From),
    ("current_agent", Field::From),
    ("current_branch", Field::Branch),
    ("current_phase", Field::Stage),
    ("current_risks", Field::Gotchas),
    ("current_status", Field::Status),
    ("current_task", Field::Task),
    ("date", Field::At),
    ("decision", Field::Verdict),
    ("decisiones", Field::Decisions),
    ("decisions", Field::Decisions),
    ("decisions_made", Field::Decisions),
    ("decisoes", Field::Decisions),
    ("deliverable", Field::Deliverable),
    ("dependencies", Field::Dependencies),
    ("depends_on", Field::Dependencies),
    ("destino", Field::To),
    ("discovered_by", Field::From),
    ("do_not_touch", Field::Gotchas),
    ("done", Field::Done),
    ("dont", Field::Gotchas),
    ("ended_at", Field::CompletedAt),
    ("entregable", Field::Deliverable),
    ("entregavel", Field::Deliverable),
    ("estado", Field::Status),
    ("etapa", Field::Stage),
    ("executor", Field::From),
    ("fase", Field::Stage),
    ("files", Field::FilesMentioned),
    ("files_added", Field::FilesCreated),
    ("files_changed", Field::FilesModified),
    ("files_created", Field::FilesCreated),
    ("files_deleted", Field::FilesDeleted),
    ("files_edited", Field::FilesModified),
    ("files_modified", Field::FilesModified),
    ("files_new", Field::FilesCreated),
    ("files_removed", Field::FilesDeleted),
    ("files_to_read", Field::FilesToRead),
    ("files_touched", Field::FilesModified),
    ("files_updated", Field::FilesModified),
    ("finished_at", Field::CompletedAt),
    ("focus_for_next", Field::NextSteps),
    ("follow_up", Field::NextSteps),
    ("follow_ups", Field::NextSteps),
    ("followups", Field::NextSteps),
    ("from", Field::From),
    ("from_agent", Field::From),
    ("from_pod", Field::From),
    ("from_role", Field::From),
    ("generated_at", Field::At),
    ("generated_by", Field::From),
    ("gotchas", Field::Gotchas),
    ("handoff_date", Field::At),
    ("handoff_from", Field::From),
    ("handoff_id", Field::Id),
    ("handoff_notes", Field::Gotchas),
    ("handoff_ready", Field::Ready),
    ("handoff_to", Field::To),
    ("human_actions_pending", Field::Questions),
    ("id_entrega", Field::Id),
    ("implementation_tasks", Field::NextSteps),
    ("important_notes", Field::Gotchas),
    ("key_decisions", Field::Decisions),
    ("key_files", Field::FilesMentioned),
    ("known_issues", Field::Gotchas),
    ("known_limitations", Field::Gotchas),
    ("known_risks", Field::Gotchas),
    ("last_error", Field::LastFailure),
    ("last_failure", Field::LastFailure),
    ("last_updated", Field::At),
    ("last_updated_by", Field::From),
    ("lessons_learned", Field::Patterns),
    ("merge_verdict", Field::Verdict),
    ("metrics", Field::Metrics),
    ("missing_required", Field::Blockers),
    ("modified_files", Field::FilesModified),
    ("must_read", Field::FilesToRead),
    ("naechste_schritte", Field::NextSteps),
    ("new_files", Field::FilesCreated),
    ("next", Field::NextSteps),
    ("next_action", Field::NextSteps),
    ("next_actions", Field::NextSteps),
    ("next_actor", Field::To),
    ("next_agent", Field::To),
    ("next_owner", Field::To),
    ("next_phase_owner", Field::To),
    ("next_prompt", Field::NextSteps),
    ("next_session", Field::NextSteps),
    ("next_session_tasks", Field::NextSteps),
    ("next_step", Field::NextSteps),
    ("next_steps", Field::NextSteps),
    ("next_task", Field::NextSteps),
    ("next_tasks", Field::NextSteps),
    ("offene_fragen", Field::Questions),
    ("on_failure", Field::OnFailure),
    ("open_blockers", Field::Blockers),
    ("open_issues", Field::Gotchas),
    ("open_items", Field::Remaining),
    ("open_questions", Field::Questions),
    ("outcome", Field::Outcome),
    ("outstanding", Field::Remaining),
    ("overall", Field::Verdict),
    ("overall_status", Field::Status),
    ("owner_agent", Field::From),
    ("papel_destino", Field::To),
    ("papel_origem", Field::From),
    ("patterns", Field::Patterns),
    ("patterns_discovered", Field::Patterns),
    ("patterns_established", Field::Patterns),
    ("pending", Field::Remaining),
    ("pending_decisions", Field::Questions),
    ("pending_tasks", Field::Remaining),
    ("pending_work", Field::Remaining),
    ("phase", Field::Stage),
    ("previous_agent", Field::From),
    ("priority", Field::Priority),
    ("priority_actions", Field::NextSteps),
    ("problems", Field::Gotchas),
    ("produced_by", Field::From),
    ("proxima_acao", Field::NextSteps),
    ("proximo_paso", Field::NextSteps),
    ("proximos_pasos", Field::NextSteps),
    ("proximos_passos", Field::NextSteps),
    ("qa_decision", Field::Verdict),
    ("qa_status", Field::Verdict),
    ("quality_gates", Field::Checkpoints),
    ("questions", Field::Questions),
    ("recommended_action", Field::Verdict),
    ("recommended_next_steps", Field::NextSteps),
    ("reference_files", Field::FilesToRead),
    ("remaining", Field::Remaining),
    ("remaining_tasks", Field::Remaining),
    ("remaining_work", Field::Remaining),
    ("result", Field::Verdict),
    ("resultado", Field::Verdict),
    ("retry_count", Field::RetryCount),
    ("review_decision", Field::Verdict),
    ("reviewer", Field::From),
    ("risks", Field::Gotchas),
    ("risks_identified", Field::Gotchas),
    ("route_to_agent", Field::To),
    ("session_id", Field::Session),
    ("stage", Field::Stage),
    ("started_at", Field::StartedAt),
    ("state", Field::Status),
    ("status", Field::Status),
    ("story", Field::Task),
    ("story_id", Field::Task),
    ("success_criteria", Field::SuccessCriteria),
    ("suggested_next_steps", Field::NextSteps),
    ("summary", Field::Summary),
    ("target_agent", Field::To),
    ("task", Field::Task),
    ("task_id", Field::Task),
    ("tasks_completed", Field::Done),
    ("tasks_remaining", Field::Remaining),
    ("technical_notes", Field::Patterns),
    ("tests_run", Field::Verification),
    ("ticket", Field::Task),
    ("timestamp", Field::At),
    ("title", Field::Title),
    ("to", Field::To),
    ("to_agent", Field::To),
    ("to_do", Field::NextSteps),
    ("to_pod", Field::To),
    ("to_role", Field::To),
    ("todo", Field::NextSteps),
    ("todos", Field::NextSteps),
    ("touched_files", Field::FilesModified),
    ("uncommitted_files", Field::FilesModified),
    ("unfinished_business", Field::Remaining),
    ("updated_at", Field::At),
    ("updated_by", Field::From),
    ("validation", Field::Verification),
    ("verdict", Field::Verdict),
    ("verification", Field::Verification),
    ("verification_commands", Field::Verification),
    ("warnings", Field::Gotchas),
    ("what_was_done", Field::Done),
    ("work_completed", Field::Done),
    ("work_done", Field::Done),
    ("work_item", Field::Task),
    ("work_summary", Field::Summary),
    ("жду", Field::Blockers),
    ("статус", Field::Status),
    ("下一步", Field::NextSteps),
    ("状态", Field::Status),
];

/// Words for the main text of an item, whatever list it stands in.
#[rustfmt::skip]
const ITEM_TEXTS: &[&str] = &[
    "title", "name", "task", "what", "action", "step", "issue", "blocker", "decision", "question", "pattern",
    "path", "file", "filename", "criterion", "command", "gotcha", "warning", "risk", "problem", "topic",
    "ask", "choice", "text", "item", "summary", "description", "detail", "details", "message",
    "note", "content", "reason", "type", "id",
];

/// Words for the other fields of an item.
const ITEM_FIELDS: &[(&str, Field)] = &[
    ("applies_to", Field::AppliesTo),
    ("blocking", Field::Blocking),
    ("blocks", Field::Impact),
    ("change", Field::Description),
    ("change_type", Field::ChangeType),
    ("depends_on", Field::DependsOn),
    ("exit_code", Field::ExitCode),
    ("impact", Field::Impact),
    ("lines", Field::Lines),
    ("location", Field::Location),
    ("message", Field::Message),
    ("mitigation", Field::Mitigation),
    ("priority", Field::Priority),
    ("purpose", Field::Purpose),
    ("rationale", Field::Rationale),
    ("recommendation", Field::Recommendation),
    ("severity", Field::Severity),
    ("status", Field::Status),
    ("suggested_resolution", Field::SuggestedResolution),
    ("why", Field::Rationale),
    ("workaround", Field::SuggestedResolution),
];

/// Keys whose mapping holds fields of the handoff itself.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "handoff", "handover", "metadata", "meta", "session", "session_info", "current_state", "state",
    "status", "project", "report", "result", "work", "completion", "next", "context", "payload", "carga",
    "work_status", "progress", "last_session", "current", "summary", "machine_summary", "outcome", "agent",
    "story", "task", "changes",
];

/// Returns the field that a normalised key stands for.
pub(crate) fn field(normalised: &str) -> Option<Field> {
    FIELDS.binary_search_by_key(&normalised, |(word, _)| word).ok().map(|at| FIELDS[at].1)
}

/// Returns the field of files that are listed under nothing but what happened to them, as in `modified: [a.py]`. The same words
/// stand above times and flags, so the value has to be a list of paths.
pub(crate) fn field_of_files(normalised: &str, value: &Node<'_>) -> Option<Field> {
    let items = value.items().filter(|items| !items.is_empty() && !normalised.contains('_'))?;
    let path = |item: &Node<'_>| {
        item.text().is_some_and(freeform::is_path)
            || ["path", "file", "filename", "file_path"].iter().any(|key| item.get(key).is_some())
    };
    let group = if normalised == "changes" { "changed" } else { normalised };
    items.iter().all(path).then(|| field(&format!("files_{group}"))).flatten()
}

/// Returns the field that the words of a normalised key hint at, for keys that the table does not know.
pub(crate) fn field_by_words(normalised: &str) -> Option<Field> {
    let words: Vec<&str> = normalised.split('_').filter(|word| !word.is_empty()).collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    let last = words.last().copied().unwrap_or_default();
    if has(&["blocker", "blockers", "bloqueios", "bloqueos"]) && !has(&["resolved", "cleared", "no"]) {
        return Some(Field::Blockers);
    }
    if words.first() == Some(&"next") {
        return match last {
            "agent" | "actor" | "owner" | "role" | "assignee" => Some(Field::To),
            "phase" | "stage" => None,
            _ => Some(Field::NextSteps),
        };
    }
    if has(&["pending", "remaining", "outstanding", "open", "unfinished", "todo", "upcoming"])
        && words.len() > 1
    {
        return match last {
            "decisions" | "questions" | "question" => Some(Field::Questions),
            "issues" | "risks" | "bugs" | "problems" => Some(Field::Gotchas),
            "tasks" | "work" | "items" | "steps" | "actions" | "todos" | "open" | "features" => {
                Some(Field::Remaining)
            }
            _ => None,
        };
    }
    if has(&["gotcha", "gotchas", "caveat", "pitfalls", "warning"])
        || has(&["known", "discovered", "current", "active"])
            && has(&["issues", "risks", "bugs", "problems", "limitations"])
    {
        return Some(Field::Gotchas);
    }
    if has(&["completed", "done", "finished", "recent", "accomplished"])
        && has(&["tasks", "work", "items", "changes", "steps", "features"])
    {
        return Some(Field::Done);
    }
    if has(&["question", "questions"]) {
        return Some(Field::Questions);
    }
    if has(&["decisions"]) {
        return Some(Field::Decisions);
    }
    if has(&["patterns", "learnings", "lessons"]) {
        return Some(Field::Patterns);
    }
    if last == "by"
        && has(&[
            "updated",
            "verified",
            "completed",
            "created",
            "generated",
            "written",
            "reviewed",
            "produced",
        ])
    {
        return Some(Field::From);
    }
    if has(&["tests", "checks", "qa", "lint", "build"])
        && has(&["results", "result", "tests", "checks", "run", "commands"])
    {
        return Some(Field::Verification);
    }
    match last {
        "verdict" | "decision" => Some(Field::Verdict),
        "status" | "progress" => Some(Field::Status),
        _ => None,
    }
}

/// Returns how good a normalised key is as the main text of an item that has `primary` as its main field: 0 is best.
pub(crate) fn item_text_rank(primary: Field, normalised: &str) -> Option<usize> {
    if normalised == primary.name() {
        return Some(0);
    }
    ITEM_TEXTS.iter().position(|word| *word == normalised).map(|at| at + 1)
}

pub(crate) fn item_field(normalised: &str) -> Option<Field> {
    ITEM_FIELDS.iter().find(|(word, _)| *word == normalised).map(|(_, field)| *field)
}

pub(crate) fn is_container(normalised: &str) -> bool {
    CONTAINERS.contains(&normalised)
}
