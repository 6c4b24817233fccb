//! Any program: it gets the prompt on its standard input and hands over in what it prints, or in a file.

use std::collections::BTreeMap;

use super::message::{add, says};
use super::{Ask, Close, Conversation, Counting, Driver, Heard, Input, Launch};

pub(super) static DRIVER: Driver = Driver {
    name: "command",
    programs: &[],
    hint: "name its program in `baton.toml`",
    environment: &[],
    home: &[],
    moved: &[],
    counting: Counting::Nothing,
    unknown_session: None,
    vendor: None,
    launch,
};

fn launch(ask: &Ask<'_>) -> Option<Launch> {
    let conversation = Box::new(Command { prompt: ask.prompt.to_owned(), output: String::new() });
    Some(Launch {
        arguments: ask.settings.arguments.clone(),
        environment: BTreeMap::new(),
        input: Input::Once,
        conversation,
    })
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
