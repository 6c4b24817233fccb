use super::*;

const FOLDERS: &[(&str, &str)] = &[("home", "/h/ida"), ("project", "/p")];

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
}

fn steps(lines: &[String]) -> Result<Vec<Step>, String> {
    read(&lines.join("\n"), &Watched { folders: FOLDERS, working_folder: "/p/sub", passing: &[] })
}

fn calls(lines: &[String]) -> Vec<Call> {
    steps(lines).expect("readable").into_iter().map(|step| step.call).collect()
}

#[test]
fn every_call_is_read_with_its_paths_and_bytes() {
    let (log, new, old) = (hex("/h/ida/log"), hex("../new"), hex("/p/old"));
    let lines = [
        format!(
            "7  openat(AT_FDCWD<{}>, \"{log}\", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 4<{log}>",
            hex("/p/sub")
        ),
        format!("7  pwrite64(4<{log}>, \"\\x00\\x2c\\x20\", 3, 512) = 2"),
        format!("7  write(4<{log}>, \"\\x01\", 1) = 1"),
        format!("7  lseek(4<{log}>, 2, SEEK_CUR)            = 5"),
        format!("7  read(4<{log}>, \"\\x2c\\x20\", 4096)     = 2"),
        format!("7  ftruncate(4<{log}>, 9)                  = 0"),
        format!("7  fsync(4<{log}>) = 0"),
        format!("7  rename(\"{new}\", \"{old}\") = 0"),
        format!("7  unlink(\"{old}\") = 0"),
        format!("7  mkdir(\"{}\", 0700) = 0", hex("/h/ida/state")),
        format!("7  write(1<{}>, \"\\x41\", 1) = 1", hex("pipe:[1]")),
    ];
    let path = "home/log".to_owned();
    let descriptor = Descriptor { process: 7, number: 4 };
    let opening = Opening { creates: true, ..Opening::default() };
    assert_eq!(
        calls(&lines),
        [
            Call::Open { path: path.clone(), descriptor, opening },
            Call::Write { path: path.clone(), descriptor, at: Some(512), bytes: vec![0, 0x2c] },
            Call::Write { path: path.clone(), descriptor, at: None, bytes: vec![1] },
            Call::Seek { descriptor, at: 5 },
            Call::Read { descriptor, count: 2 },
            Call::Cut { path: path.clone(), size: 9 },
            Call::Flush { path },
            Call::Rename { from: "project/new".to_owned(), to: "project/old".to_owned() },
            Call::Remove { path: "project/old".to_owned() },
            Call::MakeFolder { path: "home/state".to_owned() },
            Call::Say,
        ]
    );
}

#[test]
fn what_failed_or_lies_elsewhere_is_passed_over() {
    let (log, other) = (hex("/h/ida/log"), hex("/h/idalia/log"));
    let lines = [
        format!("7  fsync(4<{log}>) = -1 EIO (Input/output error) (INJECTED)"),
        format!("7  fsync(4<{other}>) = 0"),
        format!("7  fsync(4<{log}>(deleted)) = 0"),
        "7  --- SIGCHLD {si_signo=SIGCHLD} ---".to_owned(),
        "7  +++ exited with 0 +++".to_owned(),
        format!("7  lseek(3<{other}>, 0, SEEK_SET) = 0"),
        format!("7  write(3<{}>, \"\\x01\", 1) = 1", hex("pipe:[42]")),
    ];
    assert_eq!(calls(&lines), []);
}

/// A flush that another thread's write overtook does not cover it.
#[test]
fn calls_of_several_threads_are_put_together() {
    let log = hex("/h/ida/log");
    let lines = [
        format!("7  fsync(4<{log}> <unfinished ...>"),
        format!("8  write(5<{log}>, \"\\x01\", 1) = 1"),
        "7  <... fsync resumed>)       = 0".to_owned(),
        format!("7  unlink(\"{log}\" <unfinished ...>"),
        "7  <... unlink resumed>)      = 0".to_owned(),
    ];
    let steps = steps(&lines).expect("readable");
    assert_eq!(steps.iter().map(|step| step.began).collect::<Vec<_>>(), [0, 0, 2]);
    assert_eq!(steps[1].call, Call::Flush { path: "home/log".to_owned() });
    assert_eq!(steps[2].call, Call::Remove { path: "home/log".to_owned() });
}

#[test]
fn what_the_model_does_not_know_is_an_error() {
    let log = hex("/h/ida/log");
    for line in [
        format!("7  fallocate(4<{log}>, 0, 0, 9) = 0"),
        format!("7  symlink(\"{}\", \"{log}\") = 0", hex("/elsewhere")),
        format!("7  rename(\"{log}\", \"{}\") = 0", hex("/elsewhere")),
        format!("7  write(4<{log}>, \"\\x01\"..., 9) = 9"),
        "7  <... fsync resumed>) = 0".to_owned(),
    ] {
        assert!(steps(std::slice::from_ref(&line)).is_err(), "{line}");
    }
}

/// A thread uses the descriptors of its process, another process has its own; what that says is no acknowledgment.
#[test]
fn descriptors_are_told_apart_by_process() {
    let (log, folder) = (hex("/h/ida/log"), hex("/h/ida"));
    let lines = [
        format!("7  write(4<{log}>, \"\\x01\", 1) = 1"),
        "7  clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7}, 88 <unfinished ...>".to_owned(),
        format!("8  write(4<{log}>, \"\\x02\", 1) = 1"),
        "7  <... clone3 resumed>) = 8".to_owned(),
        "8  clone(child_stack=NULL, flags=CLONE_VFORK|SIGCHLD) = 9".to_owned(),
        format!("9  write(4<{log}>, \"\\x03\", 1) = 1"),
        format!("9  write(1<{}>, \"\\x41\", 1) = 1", hex("pipe:[1]")),
        format!("9  unlinkat(5<{folder}>, \"{}\", 0) = 0", hex("log")),
    ];
    let calls = calls(&lines);
    let whose = |call: &Call| match call {
        Call::Write { descriptor, .. } => descriptor.process,
        _ => 0,
    };
    assert_eq!(calls.iter().map(whose).collect::<Vec<_>>(), [7, 7, 9, 0]);
    assert_eq!(calls[3], Call::Remove { path: "home/log".to_owned() });
    let unknown = format!("9  unlink(\"{}\") = 0", hex("log"));
    assert!(steps(&[lines[0].clone(), unknown]).is_err(), "nobody knows in which folder that is");
}
