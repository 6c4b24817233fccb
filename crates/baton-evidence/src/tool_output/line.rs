//! Lines of a log as a person would see them: without colours, overwritten progress, and prefixes of build servers.

use std::borrow::Cow;

/// Bytes of a line that are looked at; no verdict is longer.
const LINE_BYTES_MAX: usize = 4096;
/// Bytes in front of a line in which a name of a job and of a step may stand.
const PREFIX_BYTES_MAX: usize = 256;
/// Bytes of the shortest prefix, with something behind it.
const PREFIX_BYTES_MIN: usize = "a:b: c".len();
/// Words in front of the program of a command, such as `time` and `A=1`.
const COMMAND_WORDS_MAX: usize = 8;

/// What a shell, a build server or a package manager writes before the command that it runs.
const PROMPTS: &[&str] = &["$ ", "% ", "> ", "+ ", "❯ ", "➜ ", "##[group]Run ", "##[command]", "[command]"];
/// Programs which make a line behind a prompt a command.
const PROGRAMS: &[&str] = &[
    "bash", "biome", "bun", "bundle", "bunx", "cargo", "cmake", "ctest", "deno", "dotnet", "eslint", "go",
    "gradle", "gradlew", "jest", "make", "mocha", "mvn", "mvnw", "mypy", "ninja", "node", "nox", "npm",
    "npx", "php", "phpunit", "pip", "pnpm", "poetry", "pytest", "python", "python3", "rspec", "ruff",
    "rustc", "sh", "tox", "tsc", "turbo", "uv", "vitest", "vue-tsc", "yarn",
];
/// Words that stand before a program.
const BEFORE_PROGRAMS: &[&str] = &["sudo", "time", "env", "exec", "command", "nice", "xvfb-run"];

/// One line, and where it stands.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Counted from 1.
    pub(super) number: usize,
    /// As it is to be seen, without blanks at its end; those at its beginning are kept.
    pub(super) text: &'t str,
}

/// Hands every line that is not blank to `take`.
pub(super) fn each(text: &str, take: &mut dyn FnMut(&Line<'_>)) {
    for (index, raw) in text.split('\n').enumerate() {
        let seen = visible(raw);
        let text = without_prefix(seen.trim_end());
        if !text.trim_start().is_empty() {
            take(&Line { number: index + 1, text });
        }
    }
}

impl Line<'_> {
    /// Returns the command that this line shows, without the prompt.
    pub(super) fn command(&self) -> Option<&str> {
        // Cheap first: nearly no line begins like this.
        if !self.text.starts_with(['$', '%', '>', '+', '#', '[', '❯', '➜']) {
            return None;
        }
        let (_, rest) = PROMPTS.iter().find_map(|prompt| Some((prompt, self.text.strip_prefix(prompt)?)))?;
        let rest = rest.trim_start();
        let mut words = rest.split_whitespace().take(COMMAND_WORDS_MAX);
        let first = words.find(|word| !word.contains('=') && !BEFORE_PROGRAMS.contains(word))?;
        let program = first.rsplit(['/', '\\']).next().unwrap_or(first);
        (PROGRAMS.contains(&program) || is_package(first)).then_some(rest)
    }

    /// Says whether the line stands for others that were taken out.
    pub(super) fn is_gap(&self) -> bool {
        let text = self.text.trim_start();
        let marked = text.starts_with("...") || text.starts_with(['…', '[', '<', '(']);
        marked
            && ["truncated", "omitted", "elided"].iter().any(|word| text.contains(word))
            && ["line", "char", "byte", "output", "log"].iter().any(|word| text.contains(word))
    }
}

/// Says whether a command names `program`, bare or at the end of a path.
pub(super) fn names(command: &str, program: &str) -> bool {
    command.split_whitespace().any(|word| word.rsplit('/').next() == Some(program))
}

/// `name@1.0.0`, with which npm begins a script.
fn is_package(word: &str) -> bool {
    let version = word.rsplit_once('@').map_or("", |(_, version)| version);
    version.starts_with(|first: char| first.is_ascii_digit()) && version.contains('.')
}

/// Takes out what a terminal would not show. Only the beginning of a very long line is looked at.
fn visible(raw: &str) -> Cow<'_, str> {
    let raw = raw.trim_end_matches('\r');
    let raw = raw.rfind('\r').map_or(raw, |at| raw.get(at + 1..).unwrap_or(raw));
    let raw = raw.get(..raw.floor_char_boundary(LINE_BYTES_MAX)).unwrap_or(raw);
    if !raw.contains(|character: char| character.is_control() && character != '\t') {
        return Cow::Borrowed(raw);
    }
    let mut seen = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_sequence(&mut rest),
            '\t' => seen.push(character),
            _ if character.is_control() => {}
            _ => seen.push(character),
        }
    }
    Cow::Owned(seen)
}

fn skip_escape(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('[') => skip_sequence(rest),
        // A title or a link: up to BEL, or ESC and a backslash.
        Some(']' | 'P' | '_' | '^') => {
            let end = rest.find(|&character| character == '\u{7}' || character == '\u{1b}');
            if end == Some('\u{1b}') {
                rest.next();
            }
        }
        // A set of characters: one more follows.
        Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => {
            rest.next();
        }
        _ => {}
    }
}

/// Skips parameters up to the letter that ends them.
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    let _ = rest.find(|character| ('\u{40}'..='\u{7e}').contains(character));
}

/// Takes off what a build server puts before a line: a time, the names of a job and a step, a task of a monorepo.
fn without_prefix(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(&first) = text.as_bytes().first() else { return text };
    if first == b' ' || text.len() < PREFIX_BYTES_MIN {
        return text;
    }
    let timed = match first {
        b'0'..=b'9' => after_time(text),
        b'[' => text.get(1..).and_then(after_bracketed_time),
        b'#' => after_step(text),
        _ => None,
    };
    if let Some(rest) = timed {
        return rest;
    }
    let head = text.get(..text.floor_char_boundary(PREFIX_BYTES_MAX)).unwrap_or(text);
    after_job(text, head).or_else(|| after_task(text, head)).unwrap_or(text)
}

/// `2024-05-01T12:00:00.123Z text`, behind which GitLab puts the number of a stream.
fn after_time(text: &str) -> Option<&str> {
    let rest = after_stamp(text)?;
    let Some(rest) = rest.strip_prefix(' ') else { return rest.is_empty().then_some(rest) };
    let stream = rest.as_bytes();
    match stream {
        [b'0'..=b'9', b'0'..=b'9', b'O' | b'E', b' ' | b'+', ..] => rest.get(4..),
        _ => Some(rest.strip_prefix('\u{feff}').unwrap_or(rest)),
    }
}

fn after_bracketed_time(text: &str) -> Option<&str> {
    let rest = after_stamp(text)?.strip_prefix(']')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// A date, `T`, a time, and a zone.
fn after_stamp(text: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let head = text.as_bytes().get(..SHAPE.len())?;
    let fits = |(shape, byte): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    if !SHAPE.iter().zip(head).all(fits) {
        return None;
    }
    let rest = text.get(SHAPE.len()..)?;
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => rest,
    };
    match rest.as_bytes() {
        [b'Z', ..] => rest.get(1..),
        [b'+' | b'-', _, _, b':', _, _, ..] => rest.get(6..),
        _ => None,
    }
}

/// `#12 3.456 text`, as a build of an image prints it.
fn after_step(text: &str) -> Option<&str> {
    let (step, rest) = text.strip_prefix('#')?.split_once(' ')?;
    let (seconds, rest) = rest.split_once(' ')?;
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = seconds.split_once('.')?;
    (digits(step) && digits(whole) && digits(part)).then_some(rest)
}

/// `job<tab>step<tab>time text`, as the GitHub command line prints logs.
fn after_job<'t>(text: &'t str, head: &str) -> Option<&'t str> {
    let job = head.find('\t')?;
    let step = job + 1 + head.get(job + 1..)?.find('\t')?;
    let rest = text.get(step + 1..)?;
    after_time(rest.strip_prefix('\u{feff}').unwrap_or(rest))
}

/// `package:task: text`, as turborepo prints it.
fn after_task<'t>(text: &'t str, head: &str) -> Option<&'t str> {
    let end = head
        .find(": ")
        .or_else(|| (head.len() == text.len() && text.ends_with(':')).then(|| text.len() - 1))?;
    let (package, task) = head.get(..end)?.split_once(':')?;
    let word = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '@')
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@/._:-".contains(&byte))
    };
    (word(package) && word(task) && !package.contains('.')).then(|| text.get(end + 2..).unwrap_or_default())
}
