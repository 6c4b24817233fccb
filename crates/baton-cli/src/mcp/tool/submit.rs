//! `submit`: hand over at the end of a turn.

use baton_runner::drive::{WITH_TOOL, handoff_form};

use super::{Call, Changes, Outcome, Tool, check, failure, needed, optional, shown};
use crate::failure::Failure;

pub(super) const TOOL: Tool = Tool {
    name: "submit",
    about: "Hand over: a handoff in any form, a verifier's report, or a build plan before the work. Baton runs the checks itself and answers accept or rework with feedback.",
    parameters: &[
        needed("task", ""),
        optional("document", "the text"),
        optional("file", "instead: its path"),
    ],
    changes: Changes::Record,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let (mut desk, id) = (call.desk()?, call.task()?);
    let Some(document) = call.arguments.document(desk.root())? else {
        return Err(Failure::usage(
            "there is no document",
            "give its text as `document`, or its path as `file`",
        ));
    };
    if let Some(taken) = desk.already_taken(&id, &document).map_err(failure)? {
        return match &taken.decided {
            Some(_) => Ok(Outcome::Told(format!(
                "{}\n{}",
                taken.words(),
                shown::standing(&desk, &id, taken.decided.as_ref())?
            ))),
            None => check::judge(call, &id, &format!("{}\n", taken.words())),
        };
    }
    if desk.is_plan(&id, &document).map_err(failure)? {
        desk.hand_in_plan(&id, &document, &call.service.project).map_err(failure)?;
        let task = desk.task(&id).map_err(failure)?;
        let form =
            task.turn.as_ref().map(|turn| handoff_form(&task, turn.role, WITH_TOOL)).unwrap_or_default();
        return Ok(Outcome::Told(format!(
            "the plan is taken; next: work within its file targets, then `submit` the handoff\n\n{form}"
        )));
    }
    desk.submit(&id, &document, &call.service.project).map_err(failure)?;
    let kept = match desk.voided(&id).map_err(failure)? {
        None => "handed over and kept\n".to_owned(),
        Some(why) => format!("kept, but it doesn't count: {why}\n"),
    };
    check::judge(call, &id, &kept)
}
