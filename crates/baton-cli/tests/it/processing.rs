//! `specs/desk/*.md`: documents, commands and exactly what they print, in the order of the page.
//!
//! With `BATON_BLESS=1` the expectations are rewritten to what is printed; read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Place;

/// One fenced block of a page.
struct Block {
    info: String,
    body: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        match line.strip_prefix("~~~~") {
            Some(_) if inside => inside = false,
            Some(info) => {
                blocks.push(Block { info: info.to_owned(), body: String::new() });
                inside = true;
            }
            None if inside => {
                let body = &mut blocks.last_mut().expect("a block is open").body;
                body.push_str(line);
                body.push('\n');
            }
            None => {}
        }
    }
    assert!(!inside, "a block has no end");
    blocks
}

const SETTING: &str = "a setting\n";

struct World {
    project: Place,
    home: Place,
}

impl World {
    fn new() -> Self {
        let world = Self { project: Place::new(), home: Place::new() };
        world.project.write("AGENTS.md", "# Be honest\n");
        world.project.write("baton.toml", "[checks.validation]\nrun = [\"test\", \"-f\", \"done.txt\"]\n");
        world.project.write("src/settings.rs", SETTING.repeat(40));
        world.baton(&["trust".to_owned(), "--yes".to_owned()]);
        world
    }

    fn baton(&self, arguments: &[String]) -> String {
        let mut command = std::process::Command::new("env");
        let home = format!("HOME={}", self.home.path().display());
        command.args([home.as_str(), "USER=ida"]).arg(env!("CARGO_BIN_EXE_baton")).args(arguments);
        self.project.run(&mut command, b"").ends_with(0).out()
    }

    /// Runs one line, and returns what it prints.
    fn line(&self, line: &str) -> String {
        let mut words = words(line);
        let program = words.remove(0);
        let is_quiet = words.iter().any(|word| word == "--quiet");
        words.retain(|word| word != "--quiet");
        match program.as_str() {
            // The work of the handoffs: a new file, and lines of another one.
            "touch" => {
                self.project.write(&words[0], "made\n");
                self.project.write("src/pay/client.rs", "made\n".repeat(140));
                let settings = [SETTING.repeat(19), "made\n".repeat(15), SETTING.repeat(6)];
                self.project.write("src/settings.rs", settings.concat());
                String::new()
            }
            "baton" => {
                let written = words.iter_mut().filter(|word| word.ends_with(".md"));
                written.for_each(|word| *word = self.home.file(word).display().to_string());
                let out = self.baton(&words);
                if is_quiet { String::new() } else { out }
            }
            other => panic!("`{other}` is no command of a page"),
        }
    }
}

/// Cuts a line at blanks that are not in double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Writes every date as `DATE`.
fn without_dates(text: &str) -> String {
    let is_date = |piece: &str| {
        piece.len() == 10
            && piece.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    };
    let line = |line: &str| {
        let pieces: Vec<&str> =
            line.split(' ').map(|piece| if is_date(piece) { "DATE" } else { piece }).collect();
        format!("{}\n", pieces.join(" ").trim_end())
    };
    text.lines().map(line).collect()
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/desk");
    let mut pages: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    pages.sort();
    pages
}

#[test]
fn every_page_prints_exactly_what_it_expects() {
    let bless = std::env::var_os("BATON_BLESS").is_some();
    let mut steps = 0;
    for page in pages() {
        let mut markdown = fs::read_to_string(&page).expect("readable");
        let world = World::new();
        let mut printed: Option<(String, String)> = None;
        let mut wrong = Vec::new();
        for block in blocks(&markdown.clone()) {
            match block.info.split_once(' ').unwrap_or((&block.info, "")) {
                ("file", name) => world.home.write(name, &block.body),
                ("run", _) => {
                    let out: String = block.body.lines().map(|line| world.line(line)).collect();
                    printed = Some((block.body, without_dates(&out)));
                }
                ("expect", _) => {
                    let (run, found) = printed.take().expect("a run block stands before");
                    steps += 1;
                    if found == block.body {
                        continue;
                    }
                    let old = format!("~~~~run\n{run}~~~~\n\n~~~~expect\n{}~~~~", block.body);
                    assert!(markdown.contains(&old), "one blank line stands between run and expect: {run}");
                    markdown =
                        markdown.replacen(&old, &format!("~~~~run\n{run}~~~~\n\n~~~~expect\n{found}~~~~"), 1);
                    wrong.push(format!("{run}expected:\n{}found:\n{found}", block.body));
                }
                (other, _) => panic!("{}: a block `{other}`", page.display()),
            }
        }
        if bless {
            fs::write(&page, markdown).expect("writable");
        } else {
            assert!(wrong.is_empty(), "{}\n{}", page.display(), wrong.join("\n"));
        }
    }
    assert!(steps >= 10, "only {steps} steps were tried");
}
