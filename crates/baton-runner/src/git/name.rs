//! Which names git takes into no tree: some file system would take them for a folder of git.

use std::ops::RangeInclusive;

use super::FileKind;

/// The same folder as Windows calls it in short.
const SHORT: &[u8] = b"git~1";
const GIT: &[u8] = b".git";
/// Git obeys this file, and never where it is a link.
const MODULES: &[u8] = b".gitmodules";
/// What the short names of this file begin with: its own name, or, once those are taken, a hash of it.
const MODULES_SHORT: &[u8] = b"gitmod";
const MODULES_HASHED: &[u8] = b"gi7eba";
/// A short name with a hash has exactly so many characters.
const HASHED_BYTES: usize = 8;
/// Characters that a Mac passes over in a name.
const PASSED_OVER: &[RangeInclusive<char>] =
    &['\u{200c}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{206a}'..='\u{206f}', '\u{feff}'..='\u{feff}'];

/// Says whether git takes a file of this path, from the root with slashes.
pub(crate) fn is_taken(path: &[u8], kind: FileKind) -> bool {
    let is_refused = |name: &[u8]| {
        let name = as_windows_reads(name);
        is_folder_of_git(name) || kind == FileKind::Link && is_modules(name)
    };
    let mut parts = path.split(|byte| *byte == b'/');
    !parts.any(|part| {
        matches!(part, b"" | b"." | b"..")
            || is_refused(&as_mac_reads(part))
            || part.split(|byte| *byte == b'\\').any(is_refused)
    })
}

fn is_folder_of_git(name: &[u8]) -> bool {
    [GIT, SHORT].iter().any(|own| name.eq_ignore_ascii_case(own))
}

fn is_modules(name: &[u8]) -> bool {
    let Some(tilde) = name.iter().position(|byte| *byte == b'~') else {
        return name.eq_ignore_ascii_case(MODULES);
    };
    let (begins, number) = (&name[..tilde], &name[tilde + 1..]);
    let is_number =
        number.iter().all(u8::is_ascii_digit) && number.first().is_some_and(|first| *first != b'0');
    let has_hash = MODULES_HASHED.get(..tilde).is_some_and(|hashed| begins.eq_ignore_ascii_case(hashed));
    begins.eq_ignore_ascii_case(MODULES_SHORT) && matches!(number, [b'1'..=b'4'])
        || is_number && has_hash && name.len() == HASHED_BYTES
}

/// Windows passes over dots and blanks at the end of a name, and over what stands behind a colon.
fn as_windows_reads(part: &[u8]) -> &[u8] {
    let name = part.split(|byte| *byte == b':').next().unwrap_or(part);
    let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(0, |last| last + 1);
    &name[..end]
}

/// Returns a name as a Mac takes it. Git reads it no further than it is text.
fn as_mac_reads(part: &[u8]) -> Vec<u8> {
    let text = part.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_passed_over = |one: &char| PASSED_OVER.iter().any(|range| range.contains(one));
    text.chars().filter(|one| !is_passed_over(one)).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn names_are_refused_that_git_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let git = |words: &[&str], input: &[u8]| {
            let mut command = Command::new("git");
            command.args(["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]).args(words);
            command.current_dir(folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.stderr(Stdio::null()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(input).unwrap();
            child.wait_with_output().unwrap().stdout
        };
        git(&["init", "--quiet"], b"");
        let blob = String::from_utf8(git(&["hash-object", "-w", "--stdin"], b"x")).unwrap();
        let names = [
            "plain",
            ".gitignore",
            "git~2",
            "GIT~1",
            "git~1. ",
            "a/git~1/b",
            ".git ",
            ".GIT...",
            ".git:x",
            ".gitx",
            "a\\.git",
            "a\\b",
            ".git\\x",
            "agit~1",
            "git~1x",
            "git",
            ".git . .",
            "a/.gitmodules",
            "...",
            ".g\u{200c}it",
            "\u{feff}.git/x",
            ".gi\u{200b}t",
            "gitmod~1",
            "GITMOD~4 .",
            "gitmod~5",
            "gi7eba~1",
            "gi7eb~12",
            "gi7eba~0",
            "gi7eba~12",
            "~1234567",
            ".gitmodules.",
            ".gitmodules:x",
            ".gitmodulesx",
            ".git\u{206e}modules",
            "a\\.gitmodules",
        ];
        for (kind, mode) in [(FileKind::File, "100644"), (FileKind::Link, "120000")] {
            for name in names.iter().chain(&[".gitmodules", ".GITMODULES"]) {
                git(&["read-tree", "--empty"], b"");
                let line = format!("{mode} {}\t{name}\0", blob.trim());
                git(&["update-index", "-z", "--index-info"], line.as_bytes());
                let is_listed = !git(&["ls-files", "-z"], b"").is_empty();
                assert_eq!(is_taken(name.as_bytes(), kind), is_listed, "{name:?} as {kind:?}");
            }
        }
    }
}
