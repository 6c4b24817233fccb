//! The rules of a makefile or a justfile: what stands behind the name of a target.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::files::{Files, Side, folder_of, joined};

/// How deep files may include one another.
const DEPTH_MAX: usize = 8;
/// How deep the names of variables may stand in one another.
const NESTED_MAX: usize = 64;
/// Most that all rules hold, and that variables may grow to in them: one line can name any number of targets and of what each
/// of them needs, and one variable can hold others many times over.
const HELD_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How the name of a variable is written where its value is meant.
const NAMED: &[(&str, &str)] = &[("$(", ")"), ("${", "}"), ("{{", "}}")];
/// Longest name of a variable that is looked for.
const NAME_BYTES_MAX: usize = 256;

/// Whose rules they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flavour {
    Make,
    Just,
}

impl Flavour {
    /// The names of its file, the one that counts first.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Make => &["GNUmakefile", "makefile", "Makefile"],
            Self::Just => &["justfile", "Justfile", ".justfile", "JUSTFILE"],
        }
    }
}

/// What is done for a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) needs: Vec<String>,
    pub(super) recipe: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) of: BTreeMap<String, Rule>,
    pub(super) first: Option<String>,
    variables: BTreeMap<String, String>,
    /// Variables that no plain assignment changes any more.
    overridden: BTreeSet<String>,
    /// Variables that whatever is run gets.
    pub(super) exported: BTreeSet<String>,
    /// Lines that decide which of the others count.
    pub(super) conditions: Vec<String>,
    /// The files that were read.
    pub(super) files: Vec<String>,
    /// How many bytes were held so far.
    held: Cell<usize>,
}

/// Settings that change what every recipe does.
pub(super) const SETTINGS: &[&str] =
    &["SHELL", ".SHELLFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKEFLAGS", "set shell"];
/// Targets that change what every recipe does.
pub(super) const SPECIAL: &[&str] = &[".IGNORE", ".DEFAULT", ".ONESHELL", ".POSIX"];

impl Rules {
    pub(super) fn read(flavour: Flavour, path: &str, (files, side): (&Files<'_>, Side)) -> Self {
        let mut rules = Self::default();
        rules.variables.insert("MAKE".to_owned(), "make".to_owned());
        rules.include(flavour, path, (files, side), 0);
        rules
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn variable(&self, name: &str) -> Option<&String> {
        self.variables.get(name)
    }

    fn include(&mut self, flavour: Flavour, path: &str, (files, side): (&Files<'_>, Side), depth: usize) {
        let Some(text) = files.read(path, side).filter(|_| depth < DEPTH_MAX) else { return };
        self.files.push(path.to_owned());
        let (mut open, mut is_first): (Vec<String>, bool) = (Vec::new(), true);
        for (number, line) in whole_lines(&text) {
            if self.is_cut() {
                return;
            }
            let is_recipe = match flavour {
                Flavour::Make => line.starts_with('\t'),
                Flavour::Just => line.starts_with([' ', '\t']),
            };
            let line = line.trim_end();
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            if is_recipe && !open.is_empty() {
                if !self.may_hold(open.len().saturating_mul(line.len())) {
                    return;
                }
                for target in &open {
                    let rule = self.of.entry(target.clone()).or_default();
                    // The last recipe of a target is the one that counts.
                    if is_first {
                        *rule = Rule {
                            file: path.to_owned(),
                            line: number,
                            recipe: Vec::new(),
                            needs: std::mem::take(&mut rule.needs),
                        };
                    }
                    rule.recipe.push(line.trim().to_owned());
                }
                is_first = false;
                continue;
            }
            let line = line.trim();
            let word = line.split_whitespace().next().unwrap_or_default();
            if matches!(word, "include" | "-include" | "sinclude" | "import" | "import?") {
                for path in self.included(line, folder_of(path), (files, side)) {
                    self.include(flavour, &path, (files, side), depth + 1);
                }
            } else if is_condition(line, word) {
                self.conditions.push(line.to_owned());
            } else if let Some(assignment) = assignment(line) {
                open.clear();
                self.assign(&assignment);
            } else if let Some((targets, needs)) = line.split_once(':') {
                (open, is_first) = (self.begin(flavour, (path, number), (targets, needs)), true);
            }
        }
    }

    /// Returns the files that a line reads in; a pattern stands for all files that it fits.
    fn included(&self, line: &str, folder: &str, (files, side): (&Files<'_>, Side)) -> Vec<String> {
        let mut found = Vec::new();
        for named in self.expanded(line).split_whitespace().skip(1).filter(|word| *word != "$(wildcard") {
            let Some(path) = joined(folder, named.trim_matches(['\'', '"', ')'])) else { continue };
            match path.contains('*') {
                true => found.extend(files.fitting(&path, side)),
                false => found.push(path),
            }
        }
        found
    }

    fn assign(&mut self, assignment: &Assignment<'_>) {
        let Assignment { name, value, adds, is_override, is_exported } = assignment;
        if *is_exported {
            self.exported.insert((*name).to_owned());
        }
        if *is_override {
            self.overridden.insert((*name).to_owned());
        } else if self.overridden.contains(*name) {
            return;
        }
        let kept = self.variables.entry((*name).to_owned()).or_default();
        match adds {
            true => {
                kept.push(' ');
                kept.push_str(value);
            }
            false => (*value).clone_into(kept),
        }
    }

    /// Returns what is done for a target, by its own rule or by one whose pattern it fits.
    pub(super) fn rule(&self, name: &str) -> Option<Rule> {
        if let Some(rule) = self.of.get(name) {
            return Some(rule.clone());
        }
        self.of.iter().find_map(|(pattern, rule)| {
            let (start, end) = pattern.split_once('%')?;
            let stem = name.strip_prefix(start)?.strip_suffix(end).filter(|stem| !stem.is_empty())?;
            let needs = rule.needs.iter().map(|need| need.replace('%', stem)).collect();
            let recipe = rule.recipe.iter().map(|line| line.replace("$*", stem)).collect();
            Some(Rule { needs, recipe, ..rule.clone() })
        })
    }

    fn begin(
        &mut self,
        flavour: Flavour,
        (path, number): (&str, usize),
        (targets, needs): (&str, &str),
    ) -> Vec<String> {
        let targets = self.expanded(targets);
        let mut named: Vec<String> =
            targets.split_whitespace().map(|name| name.trim_start_matches('@').to_owned()).collect();
        if flavour == Flavour::Just {
            named.truncate(1);
        }
        let (needs, own) = needs.split_once(';').unwrap_or((needs, ""));
        let needs = self.expanded(needs.trim_start_matches(':'));
        if !self.may_hold(named.len().saturating_mul(needs.len() + own.len())) {
            return Vec::new();
        }
        let needs: Vec<String> = needs.split_whitespace().map(str::to_owned).collect();
        for target in &named {
            if self.first.is_none() && !target.starts_with('.') && !target.contains('%') {
                self.first = Some(target.clone());
            }
            let rule = self.of.entry(target.clone()).or_default();
            if rule.recipe.is_empty() {
                (rule.file, rule.line) = (path.to_owned(), number);
            }
            if !own.trim().is_empty() {
                rule.recipe = vec![own.trim().to_owned()];
            }
            rule.needs.extend(needs.iter().cloned());
        }
        named
    }

    /// Returns a text with the values of its variables, as far as they are known and may be held.
    pub(super) fn expanded(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..NESTED_MAX {
            let Some(next) = self.expanded_once(&text) else { break };
            text = next;
        }
        text
    }

    /// Puts values in the places of the names of variables; nothing where there is none, or no more may be held.
    fn expanded_once(&self, text: &str) -> Option<String> {
        let (mut expanded, mut rest, mut is_other) = (String::new(), text, false);
        while let Some(at) = rest.find(['$', '{']).filter(|_| !self.is_cut()) {
            let (before, from) = rest.split_at(at);
            expanded.push_str(before);
            rest = match self.named_at_start(from) {
                Some((value, length)) => {
                    is_other = true;
                    self.may_hold(value.len());
                    expanded.push_str(value);
                    &from[length..]
                }
                None => {
                    expanded.push_str(&from[..1]);
                    &from[1..]
                }
            };
        }
        expanded.push_str(rest);
        (is_other && !self.is_cut()).then_some(expanded)
    }

    /// Returns the value of the variable whose name a text begins with, and how long the name is with what is around it.
    fn named_at_start(&self, text: &str) -> Option<(&str, usize)> {
        let (open, close) = NAMED.iter().find(|(open, _)| text.starts_with(open))?;
        let inside = &text.as_bytes()[open.len()..];
        let inside = &inside[..inside.len().min(NAME_BYTES_MAX)];
        let length = inside.windows(close.len()).position(|piece| piece == close.as_bytes())?;
        let value = self.variables.get(&text[open.len()..open.len() + length])?;
        Some((value, open.len() + length + close.len()))
    }

    /// Notes that so much more is held, and says whether it may be.
    fn may_hold(&self, bytes: usize) -> bool {
        self.held.set(self.held.get().saturating_add(bytes));
        !self.is_cut()
    }

    /// Says whether there is more than could be read or held, so that nobody knows what the rules do.
    pub(super) fn is_cut(&self) -> bool {
        self.held.get() > HELD_BYTES_MAX
    }
}

/// Returns the lines of a text with their numbers, those that go on in the next one put together.
fn whole_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let (part, more) = match line.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => whole.push_str(part),
            None => lines.push((index + 1, part.to_owned())),
        }
        goes_on = more;
    }
    lines
}

/// Says whether a line decides what other lines mean.
fn is_condition(line: &str, word: &str) -> bool {
    let words = ["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "define", "endef"];
    words.contains(&word) || line.starts_with("$(") && line.contains("eval")
}

/// A line that gives a variable its value, or more of it.
struct Assignment<'l> {
    name: &'l str,
    value: &'l str,
    adds: bool,
    is_override: bool,
    is_exported: bool,
}

fn assignment(line: &str) -> Option<Assignment<'_>> {
    let (mut line, mut is_override, mut is_exported) = (line, false, false);
    while let Some((word, rest)) = line.split_once(char::is_whitespace) {
        match word {
            "override" => is_override = true,
            "export" => is_exported = true,
            _ => break,
        }
        line = rest.trim_start();
    }
    let (left, value) = line.split_once('=')?;
    let name = left.trim_end_matches([':', '?', '!', '+']).trim();
    let is_name = !name.is_empty()
        && (name == "set shell" || !name.contains(|next: char| next.is_whitespace() || next == ':'));
    let value = value.trim();
    is_name.then(|| Assignment { name, value, adds: left.ends_with('+'), is_override, is_exported })
}
