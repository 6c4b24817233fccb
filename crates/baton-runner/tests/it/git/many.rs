//! A lot of something.

use std::fmt::Write;

use super::project::Project;

#[test]
fn ten_thousand_branches() {
    let project = Project::new();
    let first = project.write("a", "a").commit("first");
    let mut stream = String::new();
    for number in 1..=10_000 {
        let _ = write!(
            stream,
            "commit refs/heads/last\nmark :{number}\ncommitter A <a@b> {number} +0000\ndata 1\nx\nfrom {first}\n"
        );
    }
    let import = ["fast-import", "--quiet", "--force", "--export-marks=../marks"];
    assert!(project.try_git(&import, stream.as_bytes()).status.success());
    // Written by hand: git makes a file for each branch first, which takes ten seconds.
    let marks = std::fs::read_to_string(project.beside("marks")).unwrap();
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for (number, id) in marks.lines().filter_map(|line| line.strip_prefix(':')?.split_once(' ')) {
        let _ = writeln!(packed, "{id} refs/heads/branch-{number}");
    }
    project.write(".git/packed-refs", packed);
    let mut seen = Vec::new();
    let history = project.open().history(&mut |commits| seen.push(commits)).unwrap();
    assert_eq!((history.len(), history.is_complete()), (10_001, true));
    assert_eq!(history.commits().filter(|index| history.commit(*index).on_head).count(), 1);
    assert_eq!((seen.len(), seen.last()), (11, Some(&10_001)));
}
