//! A log that is damaged, cut, exchanged or newer, a machine without room, and readers that leave: told, and never believed.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::desk::{IMPLEMENTATION, Office};
use crate::support::Run;

/// Where the version of the tables stands in the file.
const USER_VERSION_AT: usize = 60;

impl Office {
    /// The folder with the log.
    pub(crate) fn store(&self) -> PathBuf {
        let projects = self.home.file(".local/state/baton/projects");
        let mut folders =
            fs::read_dir(projects).expect("a state folder").map(|entry| entry.expect("an entry").path());
        folders.next().expect("the folder of the project")
    }

    pub(crate) fn log_file(&self) -> PathBuf {
        self.store().join("log.sqlite")
    }

    /// Runs `baton` behind a few words of shell.
    fn under(&self, shell: &str, args: &[&str]) -> Run {
        let mut command = Command::new("env");
        let home = format!("HOME={}", self.home.path().display());
        let script = format!("{shell}; exec \"$0\" \"$@\"");
        command
            .args([home.as_str(), "USER=ida", "sh", "-c", &script])
            .arg(env!("CARGO_BIN_EXE_baton"))
            .args(args);
        self.place.run(&mut command, b"")
    }
}

/// A project with one accepted task and one that is being worked on.
fn office() -> Office {
    let office = Office::new();
    office.place.write("tides.txt", "06:12 low\n");
    office.baton(&["task", "add", "F001", "Print the tides", "--workflow", "single"]).ends_with(0);
    office.hand_over("ann", &office.stage("implementation", IMPLEMENTATION));
    office.baton(&["decide", "F001"]).ends_with(0);
    office.baton(&["task", "add", "F002", "Print the moon", "--workflow", "single"]).ends_with(0);
    office
}

/// What must not be believed: every command that reads the log says so, and says what to do next.
#[track_caller]
fn is_refused(office: &Office, name: &str, words: &[&str]) {
    let before = fs::read(office.log_file()).unwrap_or_default();
    for args in [&["status"][..], &["log"], &["receive", "F002"], &["audit-log", "verify"]] {
        let run = office.baton(args);
        let told = run.err() + &run.out();
        assert!(matches!(run.code, Some(1 | 3)), "{name}: {args:?} ends with {:?}: {told}", run.code);
        assert!(words.iter().any(|word| told.contains(word)), "{name}: {args:?}: {told}");
        assert!(!told.contains("panicked"), "{name}: {args:?}: {told}");
    }
    assert!(fs::read(office.log_file()).unwrap_or_default() == before, "{name}: the file was changed");
}

#[test]
fn e16_and_f6_a_log_that_somebody_wrote_to_is_not_believed() {
    let office = office();
    let bytes = fs::read(office.log_file()).expect("the log");
    for (name, text) in [
        ("a title", &b"Print the moon"[..]),
        ("a kind of event", b"handoff_received"),
        ("who acted", b"personida"),
    ] {
        let places: Vec<usize> =
            (0..bytes.len() - text.len()).filter(|place| bytes[*place..].starts_with(text)).collect();
        assert!(!places.is_empty(), "{name} is in the log");
        let mut forged = bytes.clone();
        places.iter().for_each(|place| forged[*place] ^= 1);
        fs::write(office.log_file(), &forged).expect("it can be written");
        is_refused(
            &office,
            name,
            &["not what was stored", "cannot be read", "damaged", "malformed", "event "],
        );
    }
    fs::write(office.log_file(), &bytes).expect("it can be written");
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn f6_a_log_that_is_cut_or_exchanged_is_not_believed() {
    let office = office();
    let old = fs::read(office.log_file()).expect("the log");
    office.baton(&["receive", "F002"]).ends_with(0);
    let bytes = fs::read(office.log_file()).expect("the log");
    let write = |bytes: &[u8]| fs::write(office.log_file(), bytes).expect("it can be written");

    write(&old);
    is_refused(&office, "an older copy", &["missing", "anchor"]);
    write(&bytes[..bytes.len() / 2]);
    is_refused(&office, "half a file", &["damaged", "malformed", "missing", "cannot"]);
    write(&[]);
    is_refused(&office, "an empty file", &["missing", "anchor", "other"]);
    fs::remove_file(office.log_file()).expect("it can be removed");
    let run = office.baton(&["status"]).ends_with(3);
    assert!(run.err().contains("hint: "), "{}", run.err());
    let run = office.baton(&["task", "add", "F003", "A new beginning"]).ends_with(3);
    assert!(run.err().contains("hint: "), "nobody begins anew over an anchor: {}", run.err());
    assert!(!office.log_file().exists(), "nothing stands in the way of a backup");
    write(&bytes);
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn f6_companions_of_the_log_are_never_the_log() {
    let office = office();
    let shared = PathBuf::from(format!("{}-shm", office.log_file().display()));
    fs::write(&shared, vec![0xa5; 32 * 1024]).expect("it can be written");
    office.baton(&["audit-log", "verify"]).ends_with(0);
    let ahead = PathBuf::from(format!("{}-wal", office.log_file().display()));
    fs::write(&ahead, vec![0xa5; 64 * 1024]).expect("it can be written");
    office.baton(&["audit-log", "verify"]).ends_with(0);
    office.baton(&["receive", "F002"]).ends_with(0);
}

#[test]
fn f9_a_newer_log_is_left_alone() {
    let office = office();
    let mut bytes = fs::read(office.log_file()).expect("the log");
    bytes[USER_VERSION_AT..USER_VERSION_AT + 4].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(office.log_file(), &bytes).expect("it can be written");
    is_refused(&office, "a newer log", &["a newer Baton wrote it"]);
}

#[test]
fn f11_a_backup_is_not_restored_over_a_log() {
    let office = office();
    let file = office.home.file("backup.sqlite").display().to_string();
    office.baton(&["backup", &file]).ends_with(0);
    office.baton(&["receive", "F002"]).ends_with(0);
    let bytes = fs::read(office.log_file()).expect("the log");
    let store = office.store().display().to_string();
    let run = office.baton(&["restore", &file, "--into", &store]).ends_with(3);
    assert!(run.err().contains("hint: "), "{}", run.err());
    assert!(fs::read(office.log_file()).expect("the log") == bytes);
    let mut spoiled = fs::read(&file).expect("the backup");
    let half = spoiled.len() / 2;
    spoiled.truncate(half);
    let cut = office.document("cut.sqlite", "");
    fs::write(&cut, spoiled).expect("it can be written");
    let into = office.home.file("elsewhere").display().to_string();
    let code = office.baton(&["restore", &cut, "--into", &into]).code;
    assert_eq!(code, Some(3), "half a backup is none");
    assert!(!Path::new(&into).join("log.sqlite").exists());
}

/// Every command that prints something about tasks.
fn printing(office: &Office) -> Vec<Vec<String>> {
    let backup = office.home.file("copy.sqlite").display().to_string();
    let commands: [&[&str]; 17] = [
        &["status"],
        &["status", "--json"],
        &["inbox"],
        &["log"],
        &["log", "F001"],
        &["task", "list"],
        &["task", "show", "F001"],
        &["show", "F001", "handoff-turn-1"],
        &["why", "F001"],
        &["replay"],
        &["rebuild"],
        &["audit-log", "verify"],
        &["audit-log", "export"],
        &["backup", &backup],
        &["task", "add", "F009", "One more", "--workflow", "single"],
        &["pause", "lunch"],
        &["pause"],
    ];
    commands.iter().map(|args| args.iter().map(|arg| (*arg).to_owned()).collect()).collect()
}

#[test]
fn f12_a_reader_that_leaves_is_no_failure() {
    let office = office();
    // Enough to fill a pipe, so that the one who writes notices.
    for number in 0..40 {
        let id = format!("G{number:03}");
        office.baton(&["task", "add", &id, &"a long title ".repeat(40), "--workflow", "single"]).ends_with(0);
    }
    let home = format!("HOME={}", office.home.path().display());
    for args in printing(&office) {
        let mut command = Command::new("env");
        command.args([home.as_str(), "USER=ida"]).arg(env!("CARGO_BIN_EXE_baton")).args(&args);
        command.current_dir(office.place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let mut talk = String::new();
        child.stderr.take().expect("standard error").read_to_string(&mut talk).expect("readable");
        let status = child.wait().expect("it ends");
        assert!(!talk.contains("panicked") && !talk.contains("error"), "{args:?}: {talk}");
        assert_eq!(status.code(), Some(0), "{args:?}: {talk}");
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn f12_without_standard_output_the_work_is_done_all_the_same() {
    let office = office();
    for args in printing(&office) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = office.under("exec 1>&-", &args);
        assert!(!run.err().contains("panicked"), "{args:?}: {}", run.err());
        assert!(matches!(run.code, Some(0 | 3)), "{args:?}: {:?}: {}", run.code, run.err());
    }
    let run = office.baton(&["task", "show", "F009"]).ends_with(0);
    assert!(run.out().contains("One more"), "what was asked for is in the log");
}

#[cfg(target_os = "linux")]
#[test]
fn f12_a_full_output_is_told_and_loses_nothing() {
    let office = office();
    for args in printing(&office).into_iter().filter(|args| args[0] != "inbox") {
        let full = File::options().write(true).open("/dev/full").expect("the device is there");
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(&args).current_dir(office.place.path()).env_clear();
        command.env("HOME", office.home.path()).env("USER", "ida").stdin(Stdio::null()).stdout(full);
        let output = command.stderr(Stdio::piped()).output().expect("the binary runs");
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(!talk.contains("panicked"), "{args:?}: {talk}");
        assert_eq!(output.status.code(), Some(3), "{args:?}: {talk}");
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn f12_few_files_may_be_open() {
    let office = office();
    for limit in [64, 24, 12, 8, 5] {
        let run = office.under(&format!("ulimit -n {limit}"), &["status"]);
        let told = run.err();
        assert!(!told.contains("panicked"), "{limit}: {told}");
        match run.code {
            Some(0) => assert!(run.out().contains("F002"), "{limit}"),
            Some(3) => assert!(told.contains("error"), "{limit}: {told}"),
            other => panic!("{limit} files: {other:?}: {told}"),
        }
        assert!(limit < 64 || run.code == Some(0), "{limit} files are enough: {told}");
    }
    office.baton(&["audit-log", "verify"]).ends_with(0);
}

#[test]
fn f12_a_file_that_may_not_grow_is_told_and_loses_nothing() {
    let office = office();
    for blocks in [1, 8, 64, 200, 400] {
        let id = format!("H{blocks:03}");
        let shell = format!("ulimit -f {blocks}");
        let run = office.under(&shell, &["task", "add", &id, "Too much", "--workflow", "single"]);
        let told = run.err();
        assert!(!told.contains("panicked"), "{blocks}: {told}");
        let shown = office.baton(&["task", "show", &id]);
        match run.code {
            Some(0) => assert_eq!(shown.code, Some(0), "{blocks}: acknowledged is kept"),
            Some(3) => assert!(told.contains("error") && told.contains("hint"), "{blocks}: {told}"),
            other => panic!("{blocks} blocks: {other:?}: {told}"),
        }
        office.baton(&["audit-log", "verify"]).ends_with(0);
    }
}

/// The system says that the folder is on another machine: it is believed, and nothing is written there.
#[cfg(target_os = "linux")]
#[test]
fn f10_a_network_file_system_is_refused_with_advice() {
    let can_poke = Command::new("strace")
        .args(["-o", "/dev/null", "-e", "inject=statfs:poke_exit=@arg2=00", "true"])
        .output()
        .is_ok_and(|run| run.status.success());
    if !can_poke {
        crate::support::announce(
            "LEFT OUT: file systems of a network: `strace` is missing, or cannot change what the system answers",
        );
        return;
    }
    // The type of the file system, as the first number of the answer.
    for (magic, name) in [
        ("6969000000000000", "NFS"),
        ("7b51000000000000", "SMB"),
        ("4655736500000000", "FUSE"),
        ("53ef000000000000", ""),
    ] {
        let office = Office::new();
        let inject = format!("inject=statfs:poke_exit=@arg2={magic}");
        let mut command = Command::new("env");
        let home = format!("HOME={}", office.home.path().display());
        command.args([home.as_str(), "USER=ida", "strace", "-f", "-o", "/dev/null", "-e", &inject]);
        command.arg(env!("CARGO_BIN_EXE_baton")).args(["task", "add", "F001", "Print the tides"]);
        let run = office.place.run(&mut command, b"");
        if name.is_empty() {
            // This is the number of a disk of one's own.
            run.ends_with(0);
            continue;
        }
        let told = run.ends_with(3).err();
        assert!(told.contains(name) && told.contains("local disk"), "{told}");
        assert!(!office.log_file().exists(), "nothing was written there");
    }
}
