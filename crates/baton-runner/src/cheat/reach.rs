//! What the checks run, followed from their commands through the scripts, rules and manifests of the project.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Entry, entries};
use super::files::{Files, Side, folder_of, joined};
use super::rules::{self, Flavour, Rules};
use super::shell::{self, Command, UNKNOWN};

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
    pub(super) runs_pytest: bool,
    looked: usize,
}

/// Where a command is run, and the folder of the script it stands in.
#[derive(Clone, Copy)]
struct At<'a> {
    folder: &'a str,
    script_folder: &'a str,
    depth: usize,
}

type World<'a, 'b> = (&'a Files<'b>, Side);

impl Reach {
    pub(super) fn of(commands: &[Vec<String>], files: &Files<'_>, side: Side) -> Self {
        let mut reach = Self::default();
        for words in commands {
            let command = Command { words: words.clone(), is_observed: false };
            reach.follow(&command, At { folder: "", script_folder: "", depth: 0 }, (files, side));
        }
        reach
    }

    fn follow(&mut self, command: &Command, at: At<'_>, world: World<'_, '_>) {
        self.looked += 1;
        if command.is_observed || at.depth > DEPTH_MAX || self.looked > LOOKED_MAX {
            return;
        }
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
                Entry::Table(names) => {
                    self.tables.extend(names.iter().filter_map(|name| joined(at.folder, name)));
                }
            }
        }
    }

    fn follow_text(&mut self, text: &str, at: At<'_>, world: World<'_, '_>) {
        let mut folder = at.folder.to_owned();
        for command in shell::commands(text) {
            if let [word, into] = command.words.as_slice()
                && word == "cd"
            {
                folder = match into.strip_prefix(UNKNOWN) {
                    Some(rest) => joined(at.script_folder, rest.trim_start_matches('/')).unwrap_or_default(),
                    None => joined(&folder, into).unwrap_or_default(),
                };
                continue;
            }
            self.follow(&command, At { folder: &folder, ..at }, world);
        }
    }

    fn script(&mut self, word: &str, at: At<'_>, world: World<'_, '_>) {
        // `$(dirname "$0")/x` lies beside the script, `$ROOT/x` most often at the root.
        let path = word.strip_prefix(UNKNOWN).map_or(word, |rest| rest.trim_start_matches('/'));
        if path.is_empty() || path.contains(UNKNOWN) {
            return;
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
        if is_shell(path, &text) {
            self.follow_text(&text, At { script_folder: folder_of(path), ..at }, world);
        } else if path.ends_with(".py")
            || text.starts_with("#!") && text.lines().next().is_some_and(|line| line.contains("python"))
        {
            self.loads_modules(folder_of(path));
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
        settings.push(("conditions".to_owned(), rules.conditions.join("\n")));
        for (name, text) in settings {
            self.said.insert(
                format!("{folder}:{name}"),
                Said { file: path.clone(), line: None, text, sources: rules.files.clone() },
            );
        }
        let mut done = BTreeSet::new();
        while let Some(name) = asked.pop() {
            self.looked += 1;
            if self.looked > LOOKED_MAX || !done.insert(name.clone()) {
                continue;
            }
            let Some(rule) = rules.of.get(&name) else { continue };
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

fn is_shell(path: &str, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    path.ends_with(".sh") || path.ends_with(".bash") || first.starts_with("#!") && first.contains("sh")
}
