//! Pages are walked: the commands they show are run in a new folder, in order, and must print what the page shows.
//!
//! A block of `text` that begins with `$ ` is a session, one of `sh` is a script whose every line ends with 0 (or with 1,
//! where it judges and found something), and one of `toml` is a configuration without a mistake. In what a page shows, `…` stands for anything, alone on a line for any
//! number of lines; times, hashes and seconds need not be the same. Marks in comments, which readers do not see, stand
//! before a block or between blocks:
//!
//! - `<!-- file: PATH -->`: the next block is the content of this file.
//! - `<!-- meanwhile: COMMAND -->`: what the page says in words is done.
//! - `<!-- left out: WHY -->`: the next block is not run.
//!
//! What a page does not show of its files lies in `tests/guides/PAGE`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Place, announce};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/guides");
/// A person whom git knows, as on any machine that is worked on.
const GIT: &str = "[user]\nname = Ida\nemail = ida@harbour.example\n[init]\ndefaultBranch = main\n";
/// Fewest digits of a hash that is shown.
const HASH_DIGITS_MIN: usize = 7;

#[test]
fn the_readme_holds() {
    walk("README.md");
}

#[test]
fn the_concepts_hold() {
    for page in pages("docs/concepts") {
        walk(&page);
    }
}

#[test]
fn the_guides_to_checks_hold() {
    for name in ["first-check", "own-vocabulary", "migrate-notes"] {
        walk(&format!("docs/guides/{name}.md"));
    }
}

#[test]
fn the_guides_to_audits_hold() {
    for name in ["judge-what-you-have", "in-ci"] {
        walk(&format!("docs/guides/{name}.md"));
    }
}

#[test]
fn the_guide_to_tasks_holds() {
    walk("docs/guides/carry-a-task.md");
}

#[test]
fn the_guides_to_runs_hold() {
    for name in ["first-run", "own-agents", "when-it-asks"] {
        walk(&format!("docs/guides/{name}.md"));
    }
}

#[test]
fn the_guides_to_agents_hold() {
    for name in ["claude-code", "codex", "gemini-cli", "opencode", "through-mcp"] {
        walk(&format!("docs/guides/{name}.md"));
    }
}

#[test]
fn every_guide_is_walked_and_can_be_found() {
    let readme = fs::read_to_string(Path::new(REPOSITORY).join("README.md")).expect("the page");
    let index = fs::read_to_string(Path::new(REPOSITORY).join("docs/README.md")).expect("the page");
    for page in pages("docs/guides") {
        let name = page.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).expect("a page");
        let is_walked = [format!("\"{name}\""), format!("\"{page}\"")]
            .iter()
            .any(|words| include_str!("guides.rs").contains(words));
        assert!(is_walked, "{page} is not walked");
        assert!(readme.contains(&format!("]({page})")), "README.md does not lead to {page}");
    }
    for folder in ["docs/guides", "docs/concepts", "docs/reference", "docs/decisions"] {
        for page in pages(folder) {
            let link = page.strip_prefix("docs/").expect("it is there");
            assert!(index.contains(&format!("({link})")), "docs/README.md does not lead to {page}");
        }
    }
}

fn pages(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(Path::new(REPOSITORY).join(folder)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.iter().map(|name| format!("{folder}/{name}")).collect()
}

/// What stands on a page, to be done in this order. The number is the line on which it begins.
#[derive(Debug)]
enum Step {
    Session(Vec<Shown>),
    Script(Vec<Shown>),
    File { path: String, text: String },
    Config { line: usize, text: String },
    Meanwhile(Shown),
    LeftOut { line: usize, why: String },
}

/// A command, and what it is shown to print.
#[derive(Debug)]
struct Shown {
    line: usize,
    command: String,
    prints: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut mark = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(comment) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            let (kind, words) =
                comment.split_once(": ").unwrap_or_else(|| panic!("a mark has words: {line}"));
            match kind {
                "meanwhile" => steps.push(Step::Meanwhile(Shown::new(number + 1, words))),
                "file" | "left out" => mark = Some((kind, words)),
                _ => panic!("there is no mark like this: {line}"),
            }
        }
        let fence: String = line.chars().take_while(|sign| *sign == '`' || *sign == '~').collect();
        if fence.len() < 3 {
            continue;
        }
        let inside: Vec<_> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != fence).collect();
        steps.extend(step(number + 1, &line[fence.len()..], &inside, mark.take()));
    }
    assert!(mark.is_none(), "a mark stands before a block: {mark:?}");
    steps
}

fn step(line: usize, language: &str, inside: &[&str], mark: Option<(&str, &str)>) -> Option<Step> {
    let text = || inside.iter().map(|line| format!("{line}\n")).collect::<String>();
    match (mark, language) {
        (Some(("file", path)), _) => Some(Step::File { path: path.to_owned(), text: text() }),
        (Some((_, why)), _) => Some(Step::LeftOut { line, why: why.to_owned() }),
        (None, "text") if inside.first().is_some_and(|first| first.starts_with("$ ")) => {
            Some(Step::Session(session(line, inside)))
        }
        (None, "sh") => {
            let commands = inside.iter().enumerate().filter(|(_, text)| !text.is_empty());
            Some(Step::Script(commands.map(|(at, text)| Shown::new(line + 1 + at, text)).collect()))
        }
        (None, "toml") => Some(Step::Config { line, text: text() }),
        (None, _) => None,
    }
}

fn session(line: usize, inside: &[&str]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for (at, text) in inside.iter().enumerate() {
        match (text.strip_prefix("$ "), shown.last_mut()) {
            (Some(command), _) => shown.push(Shown::new(line + 1 + at, command)),
            (None, Some(last)) => last.prints.push((*text).to_owned()),
            (None, None) => panic!("a session begins with a command"),
        }
    }
    shown
}

impl Shown {
    fn new(line: usize, command: &str) -> Self {
        Self { line, command: command.to_owned(), prints: Vec::new() }
    }
}

/// Somebody who follows a page.
struct Walker {
    page: String,
    home: Place,
    work: Place,
    folder: PathBuf,
    /// How the last command ended, for `echo $?`.
    code: i32,
    run: usize,
}

fn walk(page: &str) {
    let text = fs::read_to_string(Path::new(REPOSITORY).join(page)).expect("the page");
    let (home, work) = (Place::new(), Place::new());
    home.write(".gitconfig", GIT);
    fs::create_dir(home.file("bin")).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_baton"), home.file("bin/baton")).expect("a link");
    let name = Path::new(page).file_stem().expect("a name");
    copy(&Path::new(FILES).join(name), work.path());
    let folder = work.path().to_owned();
    let mut walker = Walker { page: page.to_owned(), home, work, folder, code: 0, run: 0 };
    let mut left_out = 0;
    for step in steps(&text) {
        match step {
            Step::Session(shown) => shown.iter().for_each(|shown| walker.compare(shown)),
            Step::Script(shown) => shown.iter().for_each(|shown| walker.succeed(shown)),
            Step::File { path, text } => walker.write(&path, &text),
            Step::Config { line, text } => walker.configure(line, &text),
            Step::Meanwhile(shown) => walker.succeed(&shown),
            Step::LeftOut { line, why } => {
                left_out += 1;
                announce(&format!("LEFT OUT: {page}:{line}: {why}"));
            }
        }
    }
    println!("{page}: {} commands were run, {left_out} blocks left out", walker.run);
}

/// Copies a folder, if it is there.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten() {
        let path = entry.expect("readable").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => {
                fs::create_dir_all(&target).expect("a folder");
                copy(&path, &target);
            }
            false => drop(fs::copy(&path, &target).expect("a copy")),
        }
    }
}

impl Walker {
    /// Runs a command as a shell does and returns what is seen.
    fn see(&mut self, shown: &Shown) -> String {
        if let Some(folder) = shown.command.strip_prefix("cd ").filter(|rest| !rest.contains(' ')) {
            self.folder = self.folder.join(folder).canonicalize().expect("the folder is there");
            self.code = 0;
            return String::new();
        }
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("(exit {}); {{ {}\n}} 2>&1", self.code, shown.command));
        let path = std::env::var("PATH").expect("a PATH");
        shell.env_clear().env("PATH", format!("{}:{path}", self.home.file("bin").display()));
        shell
            .env("HOME", self.home.path())
            .env("USER", "ida")
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let run = self.work.run_prepared(shell.current_dir(&self.folder), b"");
        assert!(!run.late, "{}:{}: `{}` does not end", self.page, shown.line, shown.command);
        self.run += 1;
        self.code = run.code.expect("no signal ended it");
        run.out()
    }

    fn compare(&mut self, shown: &Shown) {
        let seen = self.see(shown);
        let wanted: Vec<_> = shown.prints.iter().map(|line| plain(line)).collect();
        let found: Vec<_> = seen.trim_end().lines().map(plain).collect();
        let place = format!("{}:{}", self.page, shown.line);
        assert!(
            lines_fit(&wanted, &found),
            "{place}: `{}` ends with {} and prints\n{seen}\nand not\n{}",
            shown.command,
            self.code,
            shown.prints.join("\n")
        );
    }

    fn succeed(&mut self, shown: &Shown) {
        let seen = self.see(shown);
        let judges = ["baton check", "baton audit", "baton doctor"]
            .iter()
            .any(|judge| shown.command.starts_with(judge));
        let code = if judges { self.code & !1 } else { self.code };
        assert_eq!(code, 0, "{}:{}: `{}` prints\n{seen}", self.page, shown.line, shown.command);
    }

    fn write(&self, path: &str, text: &str) {
        let path = match path.strip_prefix("~/") {
            Some(path) => self.home.file(path),
            None => self.folder.join(path),
        };
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// Holds a configuration that is only shown against the program that has to read it.
    fn configure(&mut self, line: usize, text: &str) {
        self.home.write("shown/baton.toml", text);
        let folder = self.home.file("shown").display().to_string();
        let command = format!("baton check --allow-empty --config {folder}/baton.toml {folder}");
        self.succeed(&Shown::new(line, &command));
    }
}

fn lines_fit(wanted: &[String], found: &[String]) -> bool {
    match wanted.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=found.len()).any(|skipped| lines_fit(rest, &found[skipped..]))
        }
        Some((first, rest)) => {
            found.first().is_some_and(|line| line_fits(first, line)) && lines_fit(rest, &found[1..])
        }
    }
}

fn line_fits(wanted: &str, found: &str) -> bool {
    let Some((begin, rest)) = wanted.split_once('…') else { return wanted == found };
    let Some(found) = found.strip_prefix(begin) else { return false };
    let ends = found.char_indices().map(|(at, _)| at).chain([found.len()]);
    ends.into_iter().any(|at| line_fits(rest, &found[at..]))
}

/// Returns a line without what is different each time: times, hashes, seconds.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line.trim_end();
    while let Some(sign) = rest.chars().next() {
        let (word, length) =
            time(rest).or_else(|| hash(rest, &plain)).or_else(|| seconds(rest)).unwrap_or(("", 0));
        match length {
            0 => plain.push(sign),
            _ => plain.push_str(word),
        }
        rest = &rest[length.max(if length == 0 { sign.len_utf8() } else { 0 })..];
    }
    plain
}

/// A time such as `2026-03-02T11:40:00.120Z` at the beginning of a text.
fn time(text: &str) -> Option<(&'static str, usize)> {
    const FORM: &str = "0000-00-00T00:00:00";
    let fits = |(form, sign): (u8, u8)| if form == b'0' { sign.is_ascii_digit() } else { form == sign };
    let is_time = text.len() > FORM.len() && FORM.bytes().zip(text.bytes()).all(fits);
    let end = text.find('Z').filter(|end| is_time && *end <= FORM.len() + 4)?;
    Some(("TIME", end + 1))
}

fn hash(text: &str, before: &str) -> Option<(&'static str, usize)> {
    let length =
        text.bytes().take_while(|sign| sign.is_ascii_digit() || (b'a'..=b'f').contains(sign)).count();
    let is_within = before.ends_with(|sign: char| sign.is_alphanumeric())
        || text[length..].starts_with(|sign: char| sign.is_alphanumeric());
    let has_digit = text[..length].contains(|sign: char| sign.is_ascii_digit());
    (length >= HASH_DIGITS_MIN && has_digit && !is_within).then_some(("HASH", length))
}

/// How long something took, such as `0.1 s)` or `0.1 s,`.
fn seconds(text: &str) -> Option<(&'static str, usize)> {
    let length = text.bytes().take_while(|sign| sign.is_ascii_digit() || *sign == b'.').count();
    let is_told = [" s)", " s,"].iter().any(|after| text[length..].starts_with(after));
    (length > 2 && is_told).then_some(("SECONDS", length))
}

#[test]
fn what_differs_each_time_is_left_out_of_the_comparison_and_nothing_else() {
    for (wanted, found, fits) in [
        ("at 2026-03-02T11:40:00Z", "at 2027-01-01T00:00:00.120Z", true),
        ("on ad89149fe3", "on 04b1b5305ce8", true),
        ("it took (0.1 s)", "it took (12.0 s)", true),
        ("12 passed", "13 passed", false),
        ("added", "defaced", false),
        ("a … c", "a b b c", true),
        ("a … c", "a b b d", false),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("a\n…\nd", "a\nb\nc", false),
        ("", "a", false),
    ] {
        let lines = |text: &str| text.lines().map(plain).collect::<Vec<_>>();
        assert_eq!(lines_fit(&lines(wanted), &lines(found)), fits, "{wanted:?} and {found:?}");
    }
}
