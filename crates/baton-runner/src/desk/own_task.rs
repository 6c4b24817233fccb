//! Whether a document is about the turn that it is brought in.

use baton_engine::state::{Task, Turn};
use baton_evidence::claims;
use baton_evidence::facts::{self, Facts};
use baton_evidence::finding::Verdict;
use baton_evidence::judge;
use baton_handoff::document;
use baton_handoff::rule::audit::NOT_OF_THIS_TURN;

/// Longest name that is told.
const NAME_CHARS_MAX: usize = 100;

/// Says why a document isn't about this turn: it names another task, waypoint, stage or role. A document that names none is
/// about the turn in which it is brought.
pub(super) fn about_another(task: &Task, turn: &Turn, bytes: &[u8]) -> Option<String> {
    let read = document::read(document::decode(bytes).ok()?);
    let all = claims::of_document("handoff", &read, &[]);
    let facts = Facts { turn: Some(turn_facts(task, turn)), ..Facts::default() };
    let foreign =
        all.first().into_iter().flat_map(|claims| judge::judge(claims, &facts)).find(|finding| {
            finding.code() == Some(NOT_OF_THIS_TURN.code) && finding.verdict == Verdict::Contradicted
        })?;
    let named: String = crate::secret::mask(&foreign.claim).chars().take(NAME_CHARS_MAX).collect();
    let fix = foreign.fix.unwrap_or_default();
    Some(format!("{}: it names `{named}`, and {}. {fix}", NOT_OF_THIS_TURN.code, foreign.reason))
}

fn turn_facts(task: &Task, turn: &Turn) -> facts::Turn {
    let above = task.lineage.iter().map(|above| &above.task);
    facts::Turn {
        tasks: std::iter::once(&task.id).chain(above).map(ToString::to_string).collect(),
        stage: task.stage().map(|stage| stage.name.to_string()).unwrap_or_default(),
        stages: task.workflow.stages.iter().map(|stage| stage.name.to_string()).collect(),
        role: turn.role.name().to_owned(),
        ..facts::Turn::default()
    }
}
