//! What the checks run, followed from their commands through the scripts, rules and manifests of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Entry, entries};
use super::files::{Files, Side, folder_of, joined};
use super::imports;
use super::rules::{self, Flavour, Rules};
use super::shell::{self, Command, UNKNOWN};
use super::unit::is_word;

/// How far a command is followed, and how many files and targets are looked into.
const DEPTH_MAX: usize = 8;
const LOOKED_MAX: usize = 512;
/// Modules that the runners of Python load themselves, before anything of the project.
const LOADED: &[&str] = &[
    "_pytest",
    "argparse",
    "ast",
    "asyncio",
    "collections",
    "contextlib",
    "dataclasses",
    "difflib",
    "doctest",
    "enum",
    "fnmatch",
    "functools",
    "importlib",
    "inspect",
    "io",
    "logging",
    "pathlib",
    "pluggy",
    "pprint",
    "pytest",
    "re",
    "signal",
    "sitecustomize",
    "traceback",
    "types",
    "typing",
    "unittest",
    "usercustomize",
    "warnings",
];

/// Variables that change what programs do before they begin.
const LOADERS: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "GOFLAGS",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
];
/// Folders of what a project is checked with. Elsewhere, what a script of a check imports is the work.
const TOOL_FOLDERS: &[&str] =
    &[".ci", "bin", "check", "checks", "ci", "hack", "script", "scripts", "tool", "tools"];

/// Something that a file of the project says is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) text: String,
    /// All files that had a say in it.
    pub(super) sources: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Files that are run, whether they exist or not.
    pub(super) scripts: BTreeSet<String>,
    /// Files in which every line may say what is run.
    pub(super) tables: BTreeSet<String>,
    /// What rules and manifests say, by the name it is asked for.
    pub(super) said: BTreeMap<String, Said>,
    /// Targets that a file of the same name would make look done.
    pub(super) goals: BTreeSet<String>,
    /// Where scripts lie of which only the shell knows whether they are run.
    pub(super) guessed: BTreeSet<String>,
    /// The names of all programs, and of what they may be told to run.
    pub(super) programs: BTreeSet<String>,
    /// Folders that Python looks for modules in before its own.
    pub(super) python_folders: BTreeSet<String>,
    pub(super) runs_pytest: bool,
    /// What makefiles give to all that they run, by the name of the variable.
    exported: Vec<(String, Said)>,
    /// Variables that something in reach reads.
    mentioned: BTreeSet<String>,
    looked: usize,
}

/// Where a command is run, and the folder of the script it stands in.
#[derive(Clone, Copy)]
struct At<'a> {
    folder: &'a str,
    script_folder: &'a str,
    /// The text that it stands in.
    text: &'a str,
    depth: usize,
}

type World<'a, 'b> = (&'a Files<'b>, Side);

impl Reach {
    pub(super) fn of(commands: &[Vec<String>], files: &Files<'_>, side: Side) -> Self {
        let mut reach = Self::default();
        for words in commands {
            let at = At { folder: "", script_folder: "", text: "", depth: 0 };
            reach.follow(&Command::of(words), at, (files, side));
        }
        for (name, said) in std::mem::take(&mut reach.exported) {
            if LOADERS.contains(&name.as_str()) || reach.mentioned.contains(&name) {
                reach.said.insert(format!("{}:{name}", said.file), said);
            }
        }
        reach
    }

    fn follow(&mut self, command: &Command, at: At<'_>, world: World<'_, '_>) {
        self.looked += 1;
        if command.is_observed || at.depth > DEPTH_MAX || self.looked > LOOKED_MAX {
            return;
        }
        let names = command.words.iter().filter_map(|word| match word.starts_with('-') {
            true => word.split_once('=').map(|(_, value)| value),
            false => Some(word.as_str()),
        });
        self.programs.extend(names.filter_map(|word| word.rsplit('/').next()).map(str::to_owned));
        let deeper = At { depth: at.depth + 1, ..at };
        for entry in entries(&command.words) {
            match entry {
                Entry::Text(text) => self.follow_text(&text, deeper, world),
                Entry::Script(path) => self.script(&path, deeper, world),
                Entry::Module(name) => self.module(&name, at.folder),
                Entry::Pytest => {
                    self.runs_pytest = true;
                    self.module("pytest", at.folder);
                }
                Entry::Make { folder, file, goals, variables } => {
                    let Some(folder) = joined(at.folder, &folder) else { continue };
                    let path = file.and_then(|file| joined(&folder, &file));
                    self.rules(Flavour::Make, (&folder, path), (&goals, &variables), (deeper, world));
                }
                Entry::Just { goals } => {
                    self.rules(Flavour::Just, (at.folder, None), (&goals, &[]), (deeper, world));
                }
                Entry::Package { folder, scripts } => {
                    let Some(folder) = joined(at.folder, &folder) else { continue };
                    self.manifest(&folder, &scripts, deeper, world);
                }
                Entry::Folder(folder) => {
                    self.guessed.extend(joined(at.folder, &format!("{folder}/*")));
                }
                Entry::Table(names) => {
                    self.tables.extend(names.iter().filter_map(|name| joined(at.folder, name)));
                }
            }
        }
    }

    fn follow_text(&mut self, text: &str, at: At<'_>, world: World<'_, '_>) {
        let (mut folder, mut programs) = (at.folder.to_owned(), Vec::new());
        let names = text.split('$').skip(1).map(|rest| rest.trim_start_matches('{'));
        let names = names.map(|rest| rest.chars().take_while(|next| is_word(*next)).collect::<String>());
        self.mentioned.extend(names.filter(|name| !name.is_empty()));
        for command in shell::commands(text) {
            let at = At { folder: &folder, text, ..at };
            for (name, value) in &command.sets {
                match name.as_str() {
                    "PATH" => {
                        programs.extend(value.split(':').filter_map(|place| own_folder(at.folder, place)))
                    }
                    "BASH_ENV" | "ENV" => self.script(value, at, world),
                    _ => {}
                }
            }
            let found = command.words.first().filter(|program| !program.contains('/')).into_iter();
            for path in found.flat_map(|program| programs.iter().filter_map(|place| joined(place, program))) {
                if world.0.read(&path, world.1).is_some() {
                    self.script(&path, At { folder: "", ..at }, world);
                }
            }
            if let [word, into] = command.words.as_slice()
                && word == "cd"
            {
                let into = match into.strip_prefix(UNKNOWN) {
                    Some(rest) => joined(at.script_folder, rest.trim_start_matches('/')),
                    None => joined(&folder, into),
                };
                folder = into.unwrap_or_default();
                continue;
            }
            self.follow(&command, at, world);
        }
    }

    /// What is run is known to the shell alone: any script that the text names, or a list that it reads, may be it.
    fn guess(&mut self, at: At<'_>, world: World<'_, '_>) {
        let mut named: BTreeSet<String> = BTreeSet::new();
        for command in shell::commands(at.text) {
            for list in command.inputs.iter().filter_map(|input| joined(at.folder, input)) {
                let lines = world.0.read(&list, world.1).unwrap_or_default();
                named.extend(lines.lines().filter_map(|line| joined(at.folder, line.trim())));
                self.tables.insert(list);
            }
            // A word after an option may be its value, such as the pattern of `find -name`.
            let pairs =
                std::iter::once("").chain(command.words.iter().map(String::as_str)).zip(&command.words);
            let words = pairs.filter(|(before, word)| !before.starts_with('-') && !word.contains(UNKNOWN));
            named.extend(words.filter_map(|(_, word)| joined(at.folder, word)));
        }
        self.guessed.extend(named.into_iter().filter(|path| !path.is_empty()));
    }

    fn script(&mut self, word: &str, at: At<'_>, world: World<'_, '_>) {
        // `$(dirname "$0")/x` lies beside the script, `$ROOT/x` most often at the root.
        let path = word.strip_prefix(UNKNOWN).map_or(word, |rest| rest.trim_start_matches('/'));
        if path.is_empty() || path.contains(UNKNOWN) {
            return self.guess(at, world);
        }
        let is_vague = path.len() != word.len();
        let places: &[&str] = if is_vague { &[at.script_folder, at.folder, ""] } else { &[at.folder] };
        let named: Vec<String> = places.iter().filter_map(|folder| joined(folder, path)).collect();
        let text = named.iter().find_map(|path| Some((path, world.0.read(path, world.1)?)));
        let Some((path, text)) = text else {
            self.scripts.extend(named);
            return;
        };
        if !self.scripts.insert(path.clone()) {
            return;
        }
        let (path, is_run_by) = (path.clone(), |name: &str| is_run_by(&text, name));
        if is_shell(&path, &text) {
            self.follow_text(&text, At { script_folder: folder_of(&path), ..at }, world);
        } else if path.ends_with(".py") || is_run_by("python") {
            self.loads_modules(folder_of(&path));
        }
        let is_tool = folder_of(&path).split('/').any(|part| TOOL_FOLDERS.contains(&part));
        for helper in imports::beside(&path, &text).into_iter().filter(|_| is_tool && at.depth < DEPTH_MAX) {
            if world.0.read(&helper, world.1).is_some() {
                self.script(&helper, At { folder: "", depth: at.depth + 1, ..at }, world);
            }
        }
    }

    fn module(&mut self, name: &str, folder: &str) {
        let path = name.replace('.', "/");
        let places = [format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")];
        // Only the last part of a longer name is run; the packages above it are the project's.
        let count = if name.contains('.') { 2 } else { 3 };
        self.scripts.extend(places.iter().take(count).filter_map(|place| joined(folder, place)));
        self.loads_modules(folder);
    }

    fn loads_modules(&mut self, folder: &str) {
        self.python_folders.insert(folder.to_owned());
        let places = LOADED.iter().flat_map(|name| [format!("{name}.py"), format!("{name}/__init__.py")]);
        self.scripts.extend(places.filter_map(|place| joined(folder, &place)));
    }

    fn rules(
        &mut self,
        flavour: Flavour,
        (folder, file): (&str, Option<String>),
        (goals, variables): (&[String], &[(String, String)]),
        (at, world): (At<'_>, World<'_, '_>),
    ) {
        let known = flavour.names().iter().filter_map(|name| joined(folder, name));
        let Some(path) =
            file.or_else(|| known.into_iter().find(|path| world.0.read(path, world.1).is_some()))
        else {
            return;
        };
        let mut rules = Rules::read(flavour, &path, world);
        variables.iter().for_each(|(name, value)| rules.set(name, value));
        let is_phony = |rules: &Rules, name: &str| {
            rules.of.get(".PHONY").is_some_and(|rule| rule.needs.iter().any(|need| need == name))
        };
        let mut asked: Vec<String> = match goals.is_empty() {
            true => rules.variable(".DEFAULT_GOAL").or(rules.first.as_ref()).cloned().into_iter().collect(),
            false => goals.to_vec(),
        };
        if flavour == Flavour::Make {
            let bare = asked.iter().filter(|goal| !is_phony(&rules, goal));
            self.goals.extend(bare.filter_map(|goal| joined(folder, goal)));
        }
        let mut settings: Vec<(String, String)> = Vec::new();
        for name in rules::SETTINGS {
            settings.extend(rules.variable(name).map(|value| ((*name).to_owned(), value.clone())));
        }
        for name in rules::SPECIAL {
            let special = rules.of.get(*name);
            settings.extend(
                special.map(|rule| ((*name).to_owned(), format!("{:?}{:?}", rule.needs, rule.recipe))),
            );
        }
        for (name, text) in settings {
            self.said.insert(
                format!("{folder}:{name}"),
                Said { file: path.clone(), line: None, text, sources: rules.files.clone() },
            );
        }
        for name in &rules.exported {
            let text = rules.variable(name).map(|value| rules.expanded(value)).unwrap_or_default();
            let said = Said { file: path.clone(), line: None, text, sources: rules.files.clone() };
            self.exported.push((name.clone(), said));
        }
        let mut done = BTreeSet::new();
        while let Some(name) = asked.pop() {
            self.looked += 1;
            if self.looked > LOOKED_MAX || !done.insert(name.clone()) {
                continue;
            }
            let Some(rule) = rules.rule(&name) else { continue };
            let recipe: Vec<String> = rule.recipe.iter().map(|line| rules.expanded(line)).collect();
            let text = format!("{} {}\n{}", is_phony(&rules, &name), rule.needs.join(" "), recipe.join("\n"));
            let said =
                Said { file: rule.file.clone(), line: Some(rule.line), text, sources: rules.files.clone() };
            self.said.insert(format!("{folder}:{name}"), said);
            for line in recipe {
                let line = line.trim_start_matches(['@', '-', '+', ' ']).replace("$$", "$");
                self.follow_text(&line, At { folder, ..at }, world);
            }
            asked.extend(rule.needs.iter().cloned());
        }
        // What rules do that could not be read to their end depends on all that stands in them.
        let text = match rules.is_cut() {
            true => rules.files.iter().filter_map(|path| world.0.read(path, world.1)).collect(),
            false => rules.conditions.join("\n"),
        };
        let said = Said { file: path, line: None, text, sources: rules.files };
        self.said.insert(format!("{folder}:conditions"), said);
    }

    fn manifest(&mut self, folder: &str, scripts: &[String], at: At<'_>, world: World<'_, '_>) {
        let Some(path) = joined(folder, "package.json") else { return };
        let Some(text) = world.0.read(&path, world.1) else { return };
        let parsed: serde_json::Value =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
        let asked =
            scripts.iter().flat_map(|name| [format!("pre{name}"), name.clone(), format!("post{name}")]);
        for name in asked {
            let Some(script) = parsed["scripts"][&name].as_str() else { continue };
            let named = format!("\"{name}\"");
            let line = text.lines().position(|line| line.contains(&named)).map(|index| index + 1);
            let key = format!("{path}:{name}");
            let said = Said { file: path.clone(), line, text: script.to_owned(), sources: Vec::new() };
            if self.said.insert(key, said).is_none() {
                self.follow_text(script, At { folder, ..at }, world);
            }
        }
    }
}

pub(super) fn is_shell(path: &str, text: &str) -> bool {
    path.ends_with(".sh") || path.ends_with(".bash") || is_run_by(text, "sh")
}

fn is_run_by(text: &str, name: &str) -> bool {
    text.lines().next().is_some_and(|first| first.starts_with("#!") && first.contains(name))
}

/// Returns a folder of the work that programs are looked for in: `$PWD/bin`, `./bin`.
fn own_folder(folder: &str, place: &str) -> Option<String> {
    let place = place.strip_prefix(UNKNOWN).map_or(place, |rest| rest.trim_start_matches('/'));
    joined(folder, place).filter(|_| !place.is_empty() && !place.contains(UNKNOWN))
}
