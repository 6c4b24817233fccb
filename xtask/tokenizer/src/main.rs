//! Makes the tables by which the engine counts tokens, and holds its counts against the reference implementation.
//!
//! `write FOLDER` writes the tables and the counted texts; `check FILE…` counts the files and many random texts twice.

mod sample;
mod table;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use tiktoken_rs::CoreBPE;

/// How many random texts are counted both ways.
const RANDOM_TEXTS: usize = 300_000;
/// How many of them are kept for the engine's own tests.
const KEPT_TEXTS: usize = 1_200;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((word, folder)) if word == "write" && folder.len() == 1 => write(Path::new(&folder[0])),
        Some((word, files)) if word == "check" => check(files),
        _ => Err("say `write FOLDER` or `check FILE…`".to_owned()),
    };
    match done {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(said) => {
            eprintln!("error: {said}");
            ExitCode::FAILURE
        }
    }
}

fn reference() -> Result<CoreBPE, String> {
    tiktoken_rs::o200k_base().map_err(|error| error.to_string())
}

fn write(folder: &Path) -> Result<String, String> {
    let reference = reference()?;
    let counted: Vec<(String, usize)> = (0..KEPT_TEXTS)
        .map(sample::text)
        .map(|text| {
            let tokens = reference.count_ordinary(&text);
            (text, tokens)
        })
        .collect();
    let mut lines: Vec<String> = counted
        .iter()
        .map(|row| serde_json::to_string(row).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    lines.dedup();
    let files = [
        ("o200k.bin", table::vocabulary(&reference)?),
        ("classes.bin", table::classes()?),
        ("counted.json", format!("[\n{}\n]\n", lines.join(",\n")).into_bytes()),
    ];
    for (name, bytes) in &files {
        fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))?;
    }
    let sizes: Vec<String> =
        files.iter().map(|(name, bytes)| format!("{name} {} bytes", bytes.len())).collect();
    Ok(sizes.join(", "))
}

fn check(files: &[String]) -> Result<String, String> {
    let reference = reference()?;
    let (mut texts, mut tokens) = (0_usize, 0_usize);
    let mut compare = |text: &str, what: &str| {
        let (ours, theirs) = (baton_engine::token::count(text), reference.count_ordinary(text));
        texts += 1;
        tokens += theirs;
        match ours == theirs {
            true => Ok(()),
            false => Err(format!(
                "{what}: {ours} tokens instead of {theirs}: {:?}",
                text.chars().take(200).collect::<String>()
            )),
        }
    };
    for file in files {
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        compare(&String::from_utf8_lossy(&bytes), file)?;
    }
    for index in 0..RANDOM_TEXTS {
        compare(&sample::text(index), &format!("text {index}"))?;
    }
    Ok(format!("{texts} texts with {tokens} tokens are counted alike"))
}
