//! Whether a document is about this turn: its task, its stage, and the role in which it was written.

use baton_handoff::dialect::Dialect;
use baton_handoff::project::Project;
use baton_handoff::rule::audit;

use super::Case;
use crate::facts::Turn;
use crate::finding::{Finding, Provenance, Said};

/// Roles in which a document can be produced. Other words are names of agents.
const ROLES: &[&str] = &["builder", "verifier", "repair", "specialist", "orchestrator", "human"];
/// The steps at which a package is written.
const STEPS: &[&str] = &["specification", "architecture", "implementation", "review"];

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let named = claims.task.iter().filter(|task| is_id(&task.text)).chain(&claims.completes);
    // A verdict is the verifier's alone, whatever other names there are.
    let role = claims.role.iter().filter(|role| claims.is_report || ROLES.contains(&role.text.trim()));
    let Some(turn) = &case.facts.turn else {
        let unknown = |said| {
            let reason = "the turn in which it was written isn't known here";
            Finding::not_checkable(&audit::NOT_OF_THIS_TURN, "identity", said, reason)
        };
        findings.extend(named.chain(&claims.stage).chain(role).map(unknown));
        return;
    };
    for task in named {
        let is_own = turn.tasks.iter().any(|own| can_be(own, &task.text));
        let own = turn.tasks.first().map_or("", String::as_str);
        findings.push(finding(is_own, task, ("task", own)));
    }
    findings.extend(claims.stage.as_ref().and_then(|stage| stage_finding(turn, claims.dialect, stage)));
    for role in role {
        let named = role.text.trim().trim_start_matches('@').to_lowercase();
        findings.push(finding(named == turn.role, role, ("role", &turn.role)));
    }
}

fn finding(is_own: bool, said: &Said, (what, own): (&str, &str)) -> Finding {
    match is_own {
        true => Finding::holds("identity", said, format!("it is the {what} of this turn")),
        false => {
            let reason = format!("the {what} of this turn is {own}");
            Finding::of_rule(&audit::NOT_OF_THIS_TURN, "identity", said, reason)
                .contradicted()
                .fix(format!("Write the document for this turn, with the {what} {own}."))
        }
    }
    .from(Provenance::Observed)
}

/// A stage is another one where the workflow has it too, or the dialect has both.
fn stage_finding(turn: &Turn, dialect: Dialect, said: &Said) -> Option<Finding> {
    let project = Project::default();
    let of_dialect: Vec<&str> = match dialect {
        Dialect::Frontmatter => project.stages.iter().map(|stage| stage.name.as_str()).collect(),
        Dialect::Summary => project.phases.iter().map(String::as_str).collect(),
        Dialect::Package => STEPS.to_vec(),
        _ => Vec::new(),
    };
    let is = |one: &str, other: &str| one.trim().eq_ignore_ascii_case(other.trim());
    let knows = |name: &str| of_dialect.iter().any(|one| is(one, name));
    let is_own = is(&turn.stage, &said.text);
    let is_of_workflow = turn.stages.iter().any(|one| is(one, &said.text));
    let are_of_dialect = knows(&turn.stage) && knows(&said.text);
    (is_own || is_of_workflow || are_of_dialect).then(|| finding(is_own, said, ("stage", &turn.stage)))
}

/// Says whether a name is meant as an id: words alone are what the task is about.
fn is_id(named: &str) -> bool {
    let named = named.trim();
    named.contains(|digit: char| digit.is_ascii_digit()) && !named.contains(char::is_whitespace)
}

/// Says whether what a document calls its task can be this one: in another case, or with words around it.
fn can_be(task: &str, named: &str) -> bool {
    named.to_lowercase().contains(&task.to_lowercase())
}
