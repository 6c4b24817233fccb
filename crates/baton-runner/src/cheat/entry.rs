//! Which program a command really is about: what stands before it is taken away, and what it is told to run is named.

use super::files::joined;
use super::shell::UNKNOWN;

/// Programs that run the program they are told, after their options.
const WRAPPERS: &[&str] = &[
    "command", "env", "exec", "ionice", "nice", "nohup", "poetry", "pipenv", "setsid", "stdbuf", "sudo",
    "time", "timeout", "uv", "xargs", "xvfb-run",
];
/// Options of theirs whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "--directory",
    "--extra",
    "--group",
    "--package",
    "--project",
    "--python",
    "--signal",
    "--with",
    "-I",
    "-k",
    "-s",
    "-u",
];
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];
const INTERPRETERS: &[&str] =
    &["node", "ruby", "perl", "php", "deno", "tsx", "ts-node", "pwsh", "Rscript", "lua"];
const PACKAGERS: &[&str] = &["bun", "npm", "pnpm", "yarn", "npx", "bunx"];
/// Tools that read one file which says what they do.
const TABLES: &[(&str, &[&str])] = &[
    ("rake", &["Rakefile", "rakefile", "Rakefile.rb"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml"]),
    ("nox", &["noxfile.py"]),
    ("tox", &["tox.ini"]),
];

/// What a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A text for the shell.
    Text(String),
    /// A file, from the folder that the command is run in.
    Script(String),
    /// Modules of Python, found from this folder first.
    Module(String),
    Pytest,
    Make {
        folder: String,
        file: Option<String>,
        goals: Vec<String>,
        variables: Vec<(String, String)>,
    },
    Just {
        goals: Vec<String>,
    },
    /// Scripts that a manifest of packages names.
    Package {
        folder: String,
        scripts: Vec<String>,
    },
    Table(&'static [&'static str]),
    /// All programs of a folder.
    Folder(String),
}

/// Returns what a command runs, when that is in the project.
pub(super) fn entries(all: &[String]) -> Vec<Entry> {
    let told = told_by_others(all);
    let words = told.as_deref().unwrap_or_else(|| unwrapped(all));
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut found = Vec::new();
    // A program that lies in the project is part of what is run, whatever it is called.
    if program.contains('/') || is_unknown(program) {
        found.push(Entry::Script(program.clone()));
    }
    let is_python = name.strip_prefix("python").is_some_and(|version| {
        version.chars().all(|character| character.is_ascii_digit() || character == '.')
    });
    if SHELLS.contains(&name) {
        found.extend(shell(rest));
    } else if matches!(name, "." | "source") {
        found.push(Entry::Script(rest.first().cloned().unwrap_or_else(unknown)));
    } else if is_python {
        found.extend(python(rest));
    } else if matches!(name, "pytest" | "py.test") {
        found.push(Entry::Pytest);
    } else if INTERPRETERS.contains(&name) {
        let own = rest.iter().find(|word| !word.starts_with('-') && *word != "run" && *word != "test");
        // Without a word that names a script, its own runner looks for tests.
        found.extend(own.filter(|_| !rest.iter().any(|word| word == "--test")).cloned().map(Entry::Script));
    } else if matches!(name, "make" | "gmake") {
        found.push(make(rest));
    } else if name == "just" {
        found.push(Entry::Just { goals: plain(rest) });
    } else if PACKAGERS.contains(&name) {
        let named = package(name, rest);
        // What bun finds in no manifest is a file.
        found.extend(named.as_ref().filter(|_| name == "bun").and_then(file_of));
        found.extend(named);
    } else if name == "run-parts" {
        found.extend(rest.iter().rfind(|word| !word.starts_with('-')).cloned().map(Entry::Folder));
    } else if let Some((_, files)) = TABLES.iter().find(|(tool, _)| *tool == name) {
        found.push(Entry::Table(files));
    }
    found
}

/// Returns the command that `xargs` and `find` run on names that only they know.
fn told_by_others(words: &[String]) -> Option<Vec<String>> {
    let (program, rest) = words.split_first()?;
    match program.rsplit('/').next()? {
        "xargs" => Some(unwrapped(words).iter().cloned().chain([unknown()]).collect()),
        "find" => {
            let at = rest.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok"))?;
            let own = rest[at + 1..].iter().take_while(|word| !matches!(word.as_str(), ";" | "+"));
            Some(own.map(|word| word.replace("{}", &unknown())).collect())
        }
        _ => None,
    }
}

fn unknown() -> String {
    UNKNOWN.to_string()
}

fn is_unknown(word: &str) -> bool {
    word.chars().eq([UNKNOWN])
}

/// Returns a command without the programs that only start it.
pub(crate) fn unwrapped(mut words: &[String]) -> &[String] {
    while let Some((program, mut rest)) = words.split_first() {
        let name = program.rsplit('/').next().unwrap_or(program);
        if !WRAPPERS.contains(&name) {
            break;
        }
        let is_own = |word: &String| {
            word.starts_with('-')
                || word.contains('=')
                || word.starts_with(|first: char| first.is_ascii_digit())
                || word == "run"
        };
        while let Some(own) = rest.first().filter(|word| is_own(word)) {
            let count = if WITH_VALUE.contains(&own.as_str()) { 2 } else { 1 };
            rest = rest.get(count..).unwrap_or_default();
        }
        words = rest;
    }
    words
}

/// Returns where Python is told what to run, after its own options: `-m`, `-c` or the path of a script.
pub(crate) fn module_at(rest: &[impl AsRef<str>]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = rest.get(at).map(AsRef::as_ref) {
        match word {
            "-W" | "-X" => at += 2,
            "-m" | "-c" => return Some(at),
            word if word.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

fn plain(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| !word.starts_with('-') && !word.contains('=')).cloned().collect()
}

fn shell(rest: &[String]) -> Option<Entry> {
    let at = rest.iter().position(|word| !word.starts_with(['-', '+']))?;
    let is_text = rest[..at].iter().any(|word| !word.starts_with("--") && word.contains('c'));
    Some(if is_text { Entry::Text(rest[at].clone()) } else { Entry::Script(rest[at].clone()) })
}

fn python(rest: &[String]) -> Vec<Entry> {
    let Some(at) = module_at(rest) else { return Vec::new() };
    match (rest[at].as_str(), rest.get(at + 1)) {
        ("-m", Some(module)) if module == "pytest" => vec![Entry::Module(module.clone()), Entry::Pytest],
        ("-m", Some(module)) => vec![Entry::Module(module.clone())],
        ("-m" | "-c", _) => vec![Entry::Module("unittest".to_owned())],
        (script, _) => vec![Entry::Script(script.to_owned())],
    }
}

fn make(rest: &[String]) -> Entry {
    let (mut folder, mut file, mut goals, mut variables) = (String::new(), None, Vec::new(), Vec::new());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let option = match word.strip_prefix("--") {
            Some(long) => long_option(long),
            None => word.strip_prefix('-').and_then(short_option),
        };
        match (option, word.split_once('=')) {
            (Some((option, own)), _) => {
                let value = own.or_else(|| words.next().cloned()).unwrap_or_default();
                match option {
                    'C' => folder = joined(&folder, &value).unwrap_or_default(),
                    'f' => file = Some(value),
                    _ => {}
                }
            }
            (None, _) if word.starts_with('-') => {}
            (None, Some((name, value))) => {
                variables.push((name.trim_end_matches([':', '?', '+']).to_owned(), value.to_owned()));
            }
            (None, None) => goals.push(word.clone()),
        }
    }
    Entry::Make { folder, file, goals, variables }
}

/// Returns the letter of a long option of make that takes a value, and the value where it stands in the same word.
fn long_option(long: &str) -> Option<(char, Option<String>)> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let letter = match name {
        "directory" => 'C',
        "file" | "makefile" => 'f',
        "include-dir" | "assume-old" | "old-file" | "what-if" | "new-file" => 'I',
        _ => return None,
    };
    Some((letter, value))
}

/// The same of letters behind one dash: the first that takes a value takes the rest of the word, or the next one.
fn short_option(letters: &str) -> Option<(char, Option<String>)> {
    let at = letters.find(['C', 'f', 'I', 'o', 'W'])?;
    let (letter, rest) = (letters[at..].chars().next()?, &letters[at + 1..]);
    Some((letter, (!rest.is_empty()).then(|| rest.to_owned())))
}

fn package(name: &str, rest: &[String]) -> Option<Entry> {
    let (mut folder, mut words) = (String::new(), Vec::new());
    let mut all = rest.iter().take_while(|word| *word != "--");
    while let Some(word) = all.next() {
        match word.as_str() {
            "--prefix" | "-C" | "--cwd" | "--dir" => folder = all.next().cloned().unwrap_or_default(),
            option if option.starts_with('-') => {}
            plain => words.push(plain),
        }
    }
    let first = words.first().copied();
    let script = match first {
        _ if matches!(name, "npx" | "bunx") => None,
        // Another program than the script of that name: it looks for tests itself.
        Some("test") if name == "bun" => None,
        Some("run" | "run-script") => words.get(1).copied(),
        Some("t" | "tst") => Some("test"),
        Some("ci" | "i" | "install" | "add") => Some("install"),
        Some("exec" | "dlx" | "x") => None,
        named => named,
    };
    let scripts = script.into_iter().map(str::to_owned).collect();
    Some(Entry::Package { folder, scripts })
}

/// Returns the file that the name of a script may be.
fn file_of(entry: &Entry) -> Option<Entry> {
    let Entry::Package { folder, scripts } = entry else { return None };
    let path = scripts.first().filter(|name| name.contains(['/', '.']) && !name.contains(UNKNOWN))?;
    joined(folder, path).map(Entry::Script)
}
