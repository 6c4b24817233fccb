//! `baton new`: write an empty handoff to fill in.

use baton_handoff::template;

use super::Done;
use super::convert::named;
use super::schema::names;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Write an empty, correct handoff to fill in
///
/// It goes to standard output and passes `baton check` as it is: it says that the work has not ended yet.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The dialect or artifact; without it, the names are listed
    #[arg(value_name = "DIALECT")]
    dialect: Option<String>,
    /// The id of the task
    #[arg(long, value_name = "ID", default_value = "TASK-1")]
    task: String,
}

pub(crate) fn run(args: &Args) -> Done {
    let text = match &args.dialect {
        None => names(),
        Some(name) => {
            let (_, variant) = named(name)?;
            if !template::is_task_id(&args.task) {
                let message = format!("`{}` cannot be the id of a task", printable(&args.task));
                return Err(Failure::usage(
                    &message,
                    "use at most 64 letters, digits, `.`, `_` and `-`, a letter or digit first",
                ));
            }
            let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            template::template(variant.name, &args.task, &now)
        }
    };
    Ok(output::print(text.as_bytes()))
}
