//! `[agents.NAME]`: which program takes the turns of an agent.

use std::collections::BTreeMap;
use std::path::{Component, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::Problem;
use crate::agent::{self, Driver, PROMPT_FILE_ARGUMENT, PromptBy};

/// The name under which stands what holds for every agent that has no table of its own.
pub const EVERYBODY: &str = "default";

/// A program that takes the turns of an agent.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The agent as workflows name it, or [`EVERYBODY`].
    pub name: String,
    pub driver: &'static Driver,
    /// Where it is not the usual one of its driver.
    pub program: Option<String>,
    pub settings: agent::Settings,
    /// Variables that it gets to see beyond those of its driver.
    pub pass_environment: Vec<String>,
    /// Folders and files outside of its workspace that it may write; `~` stands for the home of the user.
    pub writable: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    driver: Spanned<String>,
    program: Option<Spanned<String>>,
    model: Option<String>,
    #[serde(default)]
    arguments: Vec<Spanned<String>>,
    #[serde(default)]
    pass_environment: Vec<String>,
    handoff_file: Option<Spanned<PathBuf>>,
    #[serde(default)]
    prompt_file: bool,
    #[serde(default)]
    writable: Vec<String>,
}

pub(super) fn read(tables: BTreeMap<String, Table>) -> Result<Vec<Agent>, Problem> {
    tables.into_iter().map(|(name, table)| one(name, table)).collect()
}

impl Agent {
    /// An agent of which nothing is said but its driver.
    pub fn of(driver: &'static Driver) -> Self {
        Self {
            name: EVERYBODY.to_owned(),
            driver,
            program: None,
            settings: agent::Settings::default(),
            pass_environment: Vec::new(),
            writable: Vec::new(),
        }
    }
}

fn one(name: String, table: Table) -> Result<Agent, Problem> {
    let span = table.driver.span();
    let driver = Driver::named(table.driver.get_ref()).ok_or_else(|| {
        let known: Vec<&str> = agent::ALL.iter().map(|driver| driver.name).collect();
        Problem {
            message: format!("there is no driver `{}`", table.driver.get_ref()),
            help: Some(format!("write one of {}", known.join(", "))),
            span: span.clone(),
        }
    })?;
    if driver.name == "command" && table.program.is_none() {
        return Err(Problem {
            message: format!("the agent `{name}` has no program"),
            help: Some("add `program = \"…\"`: a name in the PATH, or an absolute path".to_owned()),
            span,
        });
    }
    if driver.name != "command" && table.prompt_file {
        return Err(Problem {
            message: format!("`prompt_file` says nothing to the driver `{}`", driver.name),
            help: Some("leave it out: only a program of the driver `command` is told by a file".to_owned()),
            span,
        });
    }
    let misplaced = table.arguments.iter().find_map(|argument| misplaced(argument, table.prompt_file));
    if let Some(problem) = misplaced.filter(|_| driver.name == "command") {
        return Err(problem);
    }
    let is_inside = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
    if let Some(outside) = table.handoff_file.as_ref().filter(|path| !is_inside(path.get_ref())) {
        return Err(Problem {
            message: "the file with the handoff lies outside of the agent's folder".to_owned(),
            help: Some("write a path below it, such as \"handoff.md\"".to_owned()),
            span: outside.span(),
        });
    }
    Ok(Agent {
        name,
        driver,
        program: table.program.map(Spanned::into_inner),
        settings: agent::Settings {
            model: table.model,
            arguments: table.arguments.into_iter().map(Spanned::into_inner).collect(),
            handoff_file: table.handoff_file.map(Spanned::into_inner),
            prompt_by: if table.prompt_file { PromptBy::File } else { PromptBy::Stdin },
        },
        pass_environment: table.pass_environment,
        writable: table.writable,
    })
}

/// Says why an argument would reach a program as it is though it was meant for the path of the prompt.
fn misplaced(argument: &Spanned<String>, has_file: bool) -> Option<Problem> {
    let text = argument.get_ref();
    let (message, help) = match (text.contains(PROMPT_FILE_ARGUMENT), text == PROMPT_FILE_ARGUMENT) {
        (true, true) if has_file => return None,
        (true, true) => (
            format!("there is no file that `{PROMPT_FILE_ARGUMENT}` could stand for"),
            "add `prompt_file = true`".to_owned(),
        ),
        (true, false) => (
            format!("`{PROMPT_FILE_ARGUMENT}` stands in a longer argument, where no path is put"),
            "write it as an argument of its own; its path is also in `BATON_PROMPT_FILE`".to_owned(),
        ),
        (false, _) => return None,
    };
    Some(Problem { message, help: Some(help), span: argument.span() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse;
    use crate::agent::PromptBy;

    #[test]
    fn an_agent_is_read_with_all_it_says() {
        let text = "[agents.builder]\ndriver = \"command\"\nprogram = \"mine\"\narguments = [\"-x\", \"{prompt_file}\"]\n\
                    pass_environment = [\"MY_KEY\"]\nhandoff_file = \"out/handoff.md\"\nprompt_file = true\n";
        let Ok(settings) = parse(text, Path::new("project")) else { panic!("it can be read") };
        let agent = &settings.agents[0];
        assert_eq!((agent.name.as_str(), agent.driver.name), ("builder", "command"));
        assert_eq!(agent.program.as_deref(), Some("mine"));
        assert_eq!(agent.settings.arguments, ["-x", "{prompt_file}"]);
        assert_eq!(agent.pass_environment, ["MY_KEY"]);
        assert_eq!(agent.settings.prompt_by, PromptBy::File);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_at_its_place() {
        let table = |line: &str| format!("[agents.builder]\n{line}\n");
        for (line, word) in [
            ("driver = \"claud\"", "claud"),
            ("driver = \"command\"", "no program"),
            ("driver = \"claude\"\nhandoff_file = \"../x\"", "outside"),
            ("driver = \"claude\"\nprompt_file = true", "prompt_file"),
            ("driver = \"claude\"\nmodle = \"x\"", "modle"),
            ("driver = \"command\"\nprogram = \"x\"\narguments = [\"{prompt_file}\"]", "no file"),
            (
                "driver = \"command\"\nprogram = \"x\"\nprompt_file = true\narguments = [\"--file={prompt_file}\"]",
                "longer argument",
            ),
        ] {
            let Err(problem) = parse(&table(line), Path::new("project")) else { panic!("{line}") };
            assert!(problem.message.contains(word), "{line}: {}", problem.message);
            assert!(problem.help.is_some());
        }
    }
}
