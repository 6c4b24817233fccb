use super::*;

fn tree() -> (tempfile::TempDir, WorkTree) {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("root");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::write(root.join("src/deep/main.rs"), "fn main() {}\n").unwrap();
    fs::write(temporary.path().join("secret"), "secret").unwrap();
    (temporary, WorkTree::new(&root))
}

#[test]
fn files_and_folders_are_seen() {
    let (_temporary, tree) = tree();
    for path in ["src/deep/main.rs", "./src/deep/main.rs", "src//deep/./main.rs"] {
        assert_eq!(tree.look(path), Seen::File { bytes: 13 }, "{path}");
    }
    for path in ["src", "src/", "src/deep", "."] {
        assert_eq!(tree.look(path), Seen::Folder, "{path}");
    }
    for path in ["nothing", "src/nothing/at/all", "src/deep/main.rs/below"] {
        assert_eq!(tree.look(path), Seen::Missing, "{path}");
    }
    assert_eq!(tree.read("src/deep/main.rs", 13), Contents::Bytes(b"fn main() {}\n".to_vec()));
    assert_eq!(tree.read("src/deep/main.rs", 12), Contents::TooLarge(13));
    assert_eq!(tree.read("src", 13), Contents::NotAFile(Seen::Folder));
}

#[test]
fn nothing_outside_is_seen() {
    let (temporary, tree) = tree();
    let absolute = temporary.path().join("secret");
    let long = "a/".repeat(600);
    for path in
        ["", "..", "../secret", "src/../../secret", "src/..", "/", "a\0b", absolute.to_str().unwrap(), &long]
    {
        assert_eq!(tree.look(path), Seen::OutsideOrNotRelative, "{path:?}");
        assert_eq!(tree.read(path, 100), Contents::NotAFile(Seen::OutsideOrNotRelative), "{path:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (temporary, tree) = tree();
    symlink(temporary.path().join("secret"), tree.root().join("file")).unwrap();
    symlink(temporary.path(), tree.root().join("folder")).unwrap();
    symlink("src", tree.root().join("inside")).unwrap();
    for path in ["file", "folder", "folder/secret", "inside", "inside/deep/main.rs"] {
        assert_eq!(tree.look(path), Seen::Link, "{path}");
        assert_eq!(tree.read(path, 100), Contents::NotAFile(Seen::Link), "{path}");
    }
    assert_eq!(WorkTree::new(Path::new("/dev")).look("null"), Seen::Unreadable);
    assert_eq!(WorkTree::new(Path::new("/dev")).read("null", 100), Contents::NotAFile(Seen::Unreadable));
}

#[test]
fn a_huge_file_is_not_read() {
    let (_temporary, tree) = tree();
    let file = fs::File::create(tree.root().join("huge")).unwrap();
    file.set_len(1 << 30).unwrap();
    assert_eq!(tree.look("huge"), Seen::File { bytes: 1 << 30 });
    assert_eq!(tree.read("huge", 8 << 20), Contents::TooLarge(1 << 30));
}
