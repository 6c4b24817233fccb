//! Single objects, by id.

use std::io::Read;

use baton_runner::git::{ARTIFACT_BYTES_MAX, Blob, Named, ObjectId, ObjectKind};

use super::project::Project;

#[test]
fn objects_are_told_apart() {
    let project = Project::new();
    let commit = project.write("dir/a", "text\nwith lines\n").commit("first");
    project.git(&["tag", "-a", "-m", "tag", "v1"]);
    let (blob, tree, tag) = (project.id("HEAD:dir/a"), project.id("HEAD^{tree}"), project.id("v1"));
    // A commit that no branch reaches.
    let lost = project.commit("lost");
    project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);

    let repository = project.open();
    let mut objects = repository.objects().unwrap();
    for (id, kind, named) in [
        (commit, ObjectKind::Commit, Named::Commit(commit)),
        (lost, ObjectKind::Commit, Named::Commit(lost)),
        (blob, ObjectKind::Blob, Named::Other(blob)),
        (tree, ObjectKind::Tree, Named::Other(tree)),
        (tag, ObjectKind::Tag, Named::Other(tag)),
    ] {
        let hex = id.to_string();
        assert_eq!(objects.info(&hex).unwrap().unwrap().kind, kind);
        assert_eq!(objects.info(&hex[..12]).unwrap().unwrap().id, id);
        assert_eq!(objects.commit_kind(&hex).unwrap(), named);
        assert_eq!(objects.commit_kind(&hex[..12]).unwrap(), named);
    }
    for nothing in ["1234567890", "HEAD", "main", "v1", "", "@{-1}", ":/first", "abcd\nefgh", "--help"] {
        assert_eq!(objects.commit_kind(nothing).unwrap(), Named::Nothing, "{nothing}");
        assert_eq!(objects.info(nothing).unwrap(), None, "{nothing}");
    }
    assert_eq!(objects.blob(blob, 16).unwrap(), Blob::Bytes(b"text\nwith lines\n".to_vec()));
    assert_eq!(objects.blob(blob, 15).unwrap(), Blob::TooLarge(16));
    assert_eq!(objects.blob(commit, 1000).unwrap(), Blob::Unreadable);
    let missing = ObjectId::from_hex(b"1234567890123456789012345678901234567890").unwrap();
    assert_eq!(objects.blob(missing, 1000).unwrap(), Blob::Missing);
}

#[test]
fn an_abbreviation_of_several_is_ambiguous() {
    let project = Project::new();
    let mut stream = String::new();
    for number in 0..2000 {
        stream += &format!("commit refs/heads/main\ncommitter A <a@b> {number} +0000\ndata 1\nx\n");
    }
    project.fast_import(stream.as_bytes());
    let ids = project.git(&["rev-list", "main"]);
    let mut starts: Vec<&str> = ids.lines().map(|id| &id[..4]).collect();
    starts.sort_unstable();
    let twice = starts.windows(2).find(|pair| pair[0] == pair[1]).unwrap()[0];
    let repository = project.open();
    let mut objects = repository.objects().unwrap();
    assert_eq!(objects.commit_kind(twice).unwrap(), Named::Ambiguous);
    assert_eq!(objects.info(twice).unwrap(), None);
    // The answer after it is not mixed up with it.
    assert!(matches!(objects.commit_kind(ids.lines().next().unwrap()).unwrap(), Named::Commit(_)));
}

#[test]
fn a_path_is_found_in_the_tree_of_a_commit() {
    let project = Project::new();
    let first = project.write("dir/a", "1").write("b: c ", "x").write_bytes(b"\xff", "y").commit("first");
    let second = project.write("dir/a", "22").write("new\nline", "").commit("second");
    let repository = project.open();
    let mut objects = repository.objects().unwrap();
    assert_eq!(objects.at(first, b"dir/a").unwrap().unwrap().size, 1);
    assert_eq!(objects.at(second, b"dir/a").unwrap().unwrap().size, 2);
    assert_eq!(objects.at(first, b"dir").unwrap().unwrap().kind, ObjectKind::Tree);
    assert_eq!(objects.at(first, b"b: c ").unwrap().unwrap().size, 1);
    assert_eq!(objects.at(first, b"\xff").unwrap().unwrap().size, 1);
    for nothing in [b"".as_slice(), b"nope", b"./dir/a", b"../dir", b"dir//a", b"dir/", b"/dir/a", b"a\0b"] {
        assert_eq!(objects.at(first, nothing).unwrap(), None);
    }
    assert!(objects.at(second, b"new\nline").is_err());
    assert_eq!(objects.at(first, b"dir/a").unwrap().unwrap().size, 1);
}

#[test]
fn a_large_blob_is_never_read() {
    let project = Project::new();
    let size = 64 << 20;
    let mut zeros = Vec::new();
    std::io::repeat(0).take(size).read_to_end(&mut zeros).unwrap();
    project.write("zeros", &zeros).write("small", "s").commit("large");
    let repository = project.open();
    let history = repository.history(&mut |_| {}).unwrap();
    let blob = |path: &[u8]| history.changes_of(path)[0].blob;
    let mut objects = repository.objects().unwrap();
    assert_eq!(objects.blob(blob(b"zeros"), ARTIFACT_BYTES_MAX).unwrap(), Blob::TooLarge(size));
    assert_eq!(objects.blob(blob(b"small"), ARTIFACT_BYTES_MAX).unwrap(), Blob::Bytes(b"s".to_vec()));
}

#[test]
fn a_damaged_blob_does_not_spoil_the_next() {
    let project = Project::new();
    project.write("good", "good").write("bad", "x".repeat(5000)).commit("first");
    let (good, bad) = (project.id("HEAD:good"), project.id("HEAD:bad"));
    let hex = bad.to_string();
    let path = project.path(format!(".git/objects/{}/{}", &hex[..2], &hex[2..]));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    let repository = project.open();
    let mut objects = repository.objects().unwrap();
    for _ in 0..2 {
        assert_eq!(objects.blob(bad, 10_000).unwrap(), Blob::Unreadable);
        assert_eq!(objects.blob(good, 10_000).unwrap(), Blob::Bytes(b"good".to_vec()));
    }
}
