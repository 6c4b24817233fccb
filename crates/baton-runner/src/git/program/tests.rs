use super::*;

#[cfg(unix)]
fn fake_git(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("git"), "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_program_is_taken_from_absolute_folders_outside_of_the_repository() {
    let temporary = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(temporary.path()).unwrap();
    let (repository, outside, elsewhere) =
        (home.join("repository"), home.join("outside"), home.join("elsewhere"));
    fake_git(&repository.join("bin"));
    fake_git(&outside);
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(repository.join("bin/git"), elsewhere.join("git")).unwrap();
    std::os::unix::fs::symlink(repository.join("bin"), home.join("linked")).unwrap();
    fs::create_dir(home.join("plain")).unwrap();
    fs::write(home.join("plain/git"), "not executable").unwrap();

    let folders = [
        PathBuf::from("."),
        PathBuf::from(""),
        PathBuf::from("bin"),
        repository.join("bin"),
        outside.join("../repository/bin"),
        home.join("linked"),
        elsewhere,
        home.join("plain"),
        home.join("missing"),
    ];
    let path = env::join_paths(&folders).unwrap();
    assert_eq!(find_in(&path, &[&repository]), None);
    let path = env::join_paths(folders.iter().chain([&outside])).unwrap();
    assert_eq!(find_in(&path, &[&repository]), Some(outside.join("git")));
}
