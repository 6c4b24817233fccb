//! Any program: it gets the prompt on its standard input, or in a file, and hands over in what it prints, or in a file.

use std::collections::BTreeMap;

use super::message::{add, says};
use super::{Ask, Close, Conversation, Driver, Heard, Input, Launch};

pub(super) static DRIVER: Driver = Driver {
    name: "command",
    programs: &[],
    hint: "name its program in `baton.toml`",
    environment: &[],
    home: &[],
    moved: &[],
    counts_tokens: false,
    unknown_session: None,
    resumes: false,
    vendor: None,
    launch,
};

/// The variable with the path of the prompt.
const PROMPT_FILE: &str = "BATON_PROMPT_FILE";
/// The argument in whose place the same path is given. It has to stand alone: nothing is ever put into a longer text.
pub(crate) const PROMPT_FILE_ARGUMENT: &str = "{prompt_file}";

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let mut arguments = ask.settings.arguments.clone();
    let (mut prompt, mut environment) = (ask.prompt.to_owned(), BTreeMap::new());
    if let Some(path) = ask.prompt_file {
        prompt.clear();
        environment.insert(PROMPT_FILE, path.to_owned());
        for argument in arguments.iter_mut().filter(|argument| *argument == PROMPT_FILE_ARGUMENT) {
            path.clone_into(argument);
        }
    }
    let conversation = Box::new(Command { prompt, output: String::new() });
    Some(Launch { arguments, environment, input: Input::Once, conversation })
}

#[derive(Debug)]
struct Command {
    prompt: String,
    output: String,
}

impl Conversation for Command {
    fn opening(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.prompt).into_bytes()
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        let line = String::from_utf8_lossy(line);
        add(&mut self.output, &line);
        add(&mut self.output, "\n");
        says(&line)
    }

    /// It never says that it is finished: that it ended by itself, and well, says so.
    fn close(self: Box<Self>) -> Close {
        let message = (!self.output.trim().is_empty()).then_some(self.output);
        Close { message, is_finished: true, ..Close::default() }
    }
}
