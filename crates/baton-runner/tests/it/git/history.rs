//! What the history says is what git says.

use baton_runner::git::{ChangeKind, Found, History, PATHS_WITH_SUFFIX_MAX};

use super::project::Project;

type Row = (Vec<u8>, char, String);

fn rows(history: &History, hex: &str) -> Vec<Row> {
    let commit = history.commits().find(|index| history.commit(*index).id.to_string() == hex).unwrap();
    let mut rows: Vec<Row> = history
        .changes_in(commit)
        .map(|(path, change)| {
            let letter = match change.kind {
                ChangeKind::Added => 'A',
                ChangeKind::Modified => 'M',
                ChangeKind::Deleted => 'D',
                ChangeKind::TypeChanged => 'T',
            };
            (path.to_vec(), letter, change.blob.to_string())
        })
        .collect();
    rows.sort();
    rows
}

/// Asks git about one commit in another way: by comparing two trees.
fn rows_of_git(project: &Project, hex: &str) -> Vec<Row> {
    let line = project.git(&["rev-list", "--parents", "-n1", hex]);
    let empty = project.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let parent = line.split_whitespace().nth(1).unwrap_or(empty.trim());
    let raw = project.git_bytes(&["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", parent, hex]);
    let fields: Vec<&[u8]> = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty()).collect();
    let mut rows: Vec<Row> = fields
        .chunks(2)
        .map(|pair| {
            let words: Vec<&str> = std::str::from_utf8(pair[0]).unwrap().split(' ').collect();
            (pair[1].to_vec(), words[4].chars().next().unwrap(), words[3].to_owned())
        })
        .collect();
    rows.sort();
    rows
}

/// Compares everything: which commits, in what order, when, on which branch, and what they changed.
pub(super) fn check(project: &Project) -> History {
    let history = project.history();
    let expected = project.git(&["log", "--all", "--date-order", "--format=%H %at %ct %P"]);
    let on_head = project.git(&["rev-list", "HEAD"]);
    let lines: Vec<&str> = expected.lines().collect();
    assert_eq!(history.len(), lines.len());
    for (line, index) in lines.iter().rev().zip(history.commits()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let commit = history.commit(index);
        assert_eq!(commit.id.to_string(), words[0]);
        assert_eq!(
            (commit.author_time, commit.committer_time),
            (words[1].parse().unwrap(), words[2].parse().unwrap())
        );
        assert_eq!(commit.is_merge, words.len() > 4, "{line}");
        assert_eq!(commit.on_head, on_head.contains(words[0]), "{line}");
        let parents: Vec<String> =
            history.parents(index).map(|parent| history.commit(parent).id.to_string()).collect();
        assert_eq!(parents, words[3..]);
        assert_eq!(rows(&history, words[0]), rows_of_git(project, words[0]), "{line}");
    }
    history
}

/// Merges, a rename, deletions, a link, a tag, branches that are not merged, a detached `HEAD`.
fn eventful() -> Project {
    let project = Project::new();
    project.write("src/a.rs", "a").write("src/b.rs", "b").write("README.md", "readme");
    project.commit("first");
    project.commit("nothing");
    project.git(&["checkout", "--quiet", "-b", "side"]);
    project.write("src/side.rs", "side").commit("side");
    project.git(&["mv", "src/a.rs", "src/renamed.rs"]);
    project.commit("rename");
    project.git(&["checkout", "--quiet", "main"]);
    project.write("src/b.rs", "b2").commit("modify");
    project.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    std::fs::remove_file(project.path("README.md")).unwrap();
    std::os::unix::fs::symlink("src", project.path("README.md")).unwrap();
    project.commit("a link instead");
    project.git(&["rm", "--quiet", "src/b.rs"]);
    project.commit("delete");
    project.git(&["checkout", "--quiet", "-b", "unmerged"]);
    project.write("unmerged.txt", "u").commit("unmerged");
    project.git(&["tag", "-a", "-m", "tagged", "v1"]);
    project.write("only-tagged.txt", "t").commit("only tagged");
    project.git(&["tag", "light"]);
    project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    project.git(&["checkout", "--quiet", "--detach", "main"]);
    project.write("detached.txt", "d").commit("detached");
    project
}

#[test]
fn it_is_what_git_says() {
    let project = eventful();
    let history = check(&project);
    assert!(history.is_complete());

    let kinds = |path: &[u8]| history.changes_of(path).iter().map(|change| change.kind).collect::<Vec<_>>();
    // A merge counts for what it brings to its first parent.
    assert_eq!(kinds(b"src/side.rs"), [ChangeKind::Added, ChangeKind::Added]);
    assert_eq!(kinds(b"src/a.rs"), [ChangeKind::Added, ChangeKind::Deleted, ChangeKind::Deleted]);
    assert_eq!(kinds(b"src/b.rs"), [ChangeKind::Added, ChangeKind::Modified, ChangeKind::Deleted]);
    assert_eq!(kinds(b"README.md"), [ChangeKind::Added, ChangeKind::TypeChanged]);
    assert_eq!(kinds(b"src"), []);
    assert!(history.changes_of(b"README.md")[1].is_link);
    assert!(history.changes_of(b"src/b.rs")[2].blob.is_zero());
    assert!(history.changes_of(b"only-tagged.txt").len() == 1);
}

#[test]
fn packed_references_say_the_same() {
    let project = eventful();
    project.git(&["pack-refs", "--all"]);
    project.git(&["gc", "--quiet"]);
    check(&project);
    // One that is packed, and moved on since.
    project.git(&["checkout", "--quiet", "main"]);
    project.write("later.txt", "later").commit("later");
    check(&project);
}

#[test]
fn it_is_the_same_in_a_sha256_repository() {
    let project = Project::with(&["--initial-branch=main", "--object-format=sha256"]);
    project.write("a", "a").commit("first");
    project.write("a", "b").write("c/d", "d").commit("second");
    let history = check(&project);
    let head = project.open().head().unwrap();
    assert_eq!(head.as_bytes().len(), 32);
    assert!(matches!(history.find_commit(&head.to_string()[..9]), Found::One(_)));
}

#[test]
fn names_are_bytes() {
    let names: &[&[u8]] = &[
        b"\"quoted\"",
        b"new\nline",
        b"-leading",
        b"not\xff\xfeutf8",
        b"trailing ",
        b" leading",
        b"tab\there",
        b":colon",
        b"100644 A",
        b"back\\slash",
        "\u{fc}ml\u{e4}ut".as_bytes(),
        b"deep/\n:100644/x",
    ];
    let project = Project::new();
    for name in names {
        project.write_bytes(name, "text");
    }
    project.commit("odd names");
    project.git(&["rm", "-r", "--quiet", "."]);
    project.commit("all gone");
    let history = check(&project);
    for name in names {
        assert_eq!(history.changes_of(name).len(), 2, "{:?}", String::from_utf8_lossy(name));
    }
    assert!(history.has_folder(b"deep/\n:100644"));
}

#[test]
fn times_of_other_people_are_kept() {
    let project = Project::new();
    project.write("a", "a").commit("first");
    let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
    for (author, committer) in [("0 +0000", "0 +0000"), ("1234567890 -0330", "99999999999 +1400"), ("x", "")]
    {
        let text = format!("tree {tree}author A <a> {author}\ncommitter C <c> {committer}\n\nmessage\n");
        let written = project
            .try_git(&["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], text.as_bytes());
        let id = String::from_utf8(written.stdout).unwrap();
        project.git(&["update-ref", &format!("refs/heads/{}", &id[..8]), id.trim()]);
    }
    let history = project.history();
    let mut times: Vec<_> = history.commits().map(|index| history.commit(index)).collect();
    times.sort_by_key(|commit| (commit.author_time, commit.committer_time));
    let times: Vec<_> = times.iter().map(|commit| (commit.author_time, commit.committer_time)).collect();
    assert_eq!(times.len(), 4);
    assert!(times.contains(&(1_234_567_890, 99_999_999_999)) && times.contains(&(0, 0)), "{times:?}");
}

#[test]
fn commits_are_found_by_their_beginning() {
    let project = eventful();
    let history = project.history();
    for index in history.commits() {
        let hex = history.commit(index).id.to_string();
        assert_eq!(history.find_commit(&hex), Found::One(index));
        assert_eq!(history.find_commit(&hex[..11]), Found::One(index));
        assert_eq!(history.find_commit(&hex.to_uppercase()), Found::One(index));
        assert_eq!(history.find_commit(&format!("{hex}0")), Found::None);
    }
    for nothing in ["", "abc", "not hexadecimal", "HEAD", "main", &"0".repeat(65)] {
        assert_eq!(history.find_commit(nothing), Found::None, "{nothing}");
    }
}

#[test]
fn an_abbreviation_can_be_ambiguous() {
    let project = Project::new();
    let mut stream = String::new();
    for number in 0..1500 {
        stream += &format!("commit refs/heads/main\ncommitter A <a@b> {number} +0000\ndata 1\nx\n");
    }
    project.fast_import(stream.as_bytes());
    let history = project.history();
    let several = (0..0x10000).filter(|n| history.find_commit(&format!("{n:04x}")) == Found::Several).count();
    let one =
        (0..0x10000).filter(|n| matches!(history.find_commit(&format!("{n:04x}")), Found::One(_))).count();
    assert!(several > 0 && one + several * 2 <= 1500 && one > 1000, "{one} {several}");
}

#[test]
fn paths_are_found_by_their_ending() {
    let project = Project::new();
    for path in [
        "src/main.rs",
        "crates/a/src/main.rs",
        "crates/b/src/main.rs",
        "domain.rs",
        "main.rs",
        "x/notmain.rs",
    ] {
        project.write(path, path);
    }
    project.commit("files");
    let history = project.history();
    let found = |suffix| {
        let paths = history.paths_with_suffix(suffix);
        let mut paths: Vec<_> =
            paths.iter().map(|path| std::str::from_utf8(path).unwrap().to_owned()).collect();
        paths.sort();
        paths
    };
    let all = ["crates/a/src/main.rs", "crates/b/src/main.rs", "main.rs", "src/main.rs"];
    assert_eq!(found("main.rs"), all);
    assert_eq!(found("/main.rs"), all);
    assert_eq!(found("src/main.rs"), ["crates/a/src/main.rs", "crates/b/src/main.rs", "src/main.rs"]);
    assert_eq!(found("a/src/main.rs"), ["crates/a/src/main.rs"]);
    assert_eq!(found("ain.rs").len() + found("").len() + found("/").len() + found("src").len(), 0);

    for (folder, is_there) in [
        ("src", true),
        ("crates/", true),
        ("crates/a/src", true),
        ("crate", false),
        ("main.rs", false),
        ("x", true),
    ] {
        assert_eq!(history.has_folder(folder.as_bytes()), is_there, "{folder}");
    }
}

#[test]
fn the_answer_about_endings_is_bounded() {
    let project = Project::new();
    for number in 0..PATHS_WITH_SUFFIX_MAX + 10 {
        project.write(format!("{number}/index.js"), "");
    }
    project.commit("many");
    assert_eq!(project.history().paths_with_suffix("index.js").len(), PATHS_WITH_SUFFIX_MAX);
}
