//! `ask`: ask a person where an agent would have to guess.

use super::{Call, Changes, Outcome, Parameter, Taken, Tool, failure, needed};
use crate::failure::Failure;
use crate::mcp::form::Form;

pub(super) const TOOL: Tool = Tool {
    name: "ask",
    about: "Ask a person instead of guessing. Ask again with the same words to get the answer.",
    parameters: &[
        needed("task", ""),
        needed("question", ""),
        Parameter { name: "options", about: "", form: Taken::Texts, is_needed: false },
    ],
    changes: Changes::Record,
    run,
};

fn run(call: &Call<'_>) -> Result<Outcome, Failure> {
    let (mut desk, id) = (call.desk()?, call.task()?);
    let (question, options) = (call.arguments.text("question"), call.arguments.texts("options"));
    let task = desk.task(&id).map_err(failure)?;
    let asked = task.clarifications.iter().rev().find(|(_, asked)| asked.question == question);
    if let Some((asked, (answer, source))) = asked.and_then(|(id, asked)| Some((id, asked.answer.as_ref()?)))
    {
        return Ok(Outcome::Told(format!("{asked} is answered ({}): {answer}", source.name())));
    }
    let asked = desk.clarify(&id, question, &options).map_err(failure)?;
    let told = format!(
        "asked as {asked}. A person answers with `baton answer {id} {asked} TEXT`; go on with nothing that depends on it"
    );
    Ok(Outcome::Asks { form: Box::new(Form::of_clarification(&id, &asked, question, &options)), told })
}
