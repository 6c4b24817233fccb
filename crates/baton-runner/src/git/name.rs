//! Which names git takes into no tree: some file system would take them for a folder of git.

use super::FileKind;

/// The same folder as Windows calls it in short.
const SHORT: &[u8] = b"git~1";
const GIT: &[u8] = b".git";
/// Git obeys this file, and never where it is a link.
const MODULES: &[u8] = b".gitmodules";

/// Says whether git takes a file of this path, from the root with slashes.
pub(crate) fn is_taken(path: &[u8], kind: FileKind) -> bool {
    let is_refused_link = |part: &[u8]| kind == FileKind::Link && part.eq_ignore_ascii_case(MODULES);
    let mut parts = path.split(|byte| *byte == b'/');
    !parts.any(|part| {
        matches!(part, b"" | b"." | b"..")
            || is_refused_link(part)
            || part.split(|byte| *byte == b'\\').any(is_folder_of_git)
    })
}

/// Windows passes over dots and blanks at the end of a name, and over what stands behind a colon.
fn is_folder_of_git(part: &[u8]) -> bool {
    let name = part.split(|byte| *byte == b':').next().unwrap_or(part);
    let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(0, |last| last + 1);
    [GIT, SHORT].iter().any(|own| name[..end].eq_ignore_ascii_case(own))
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
            command.args(words).current_dir(folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
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
