//! Ways to change something in a folder that must not be changed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{CWD, FileType, Mode, OFlags, RenameFlags, mknodat, openat, renameat_with};

/// All of them, by name. The folder holds `file`, `empty/`, `link` to `file`, and is a git repository.
pub const PROBES: &[(&str, Attempt)] = &[
    ("create", |folder, _| File::create_new(folder.join("new")).map(drop)),
    ("write", |folder, _| OpenOptions::new().write(true).open(folder.join("file"))?.write_all(b"x")),
    ("append", |folder, _| OpenOptions::new().append(true).open(folder.join("file"))?.write_all(b"x")),
    ("truncate_open", |folder, _| {
        OpenOptions::new().write(true).truncate(true).open(folder.join("file")).map(drop)
    }),
    ("truncate_later", |folder, _| OpenOptions::new().write(true).open(folder.join("file"))?.set_len(0)),
    ("rename", |folder, _| fs::rename(folder.join("file"), folder.join("renamed"))),
    ("rename_out", |folder, scratch| fs::rename(folder.join("file"), scratch.join("taken"))),
    ("rename_in", |folder, scratch| {
        let own = scratch.join("brought");
        fs::write(&own, "x")?;
        fs::rename(own, folder.join("file"))
    }),
    ("exchange", |folder, _| {
        let (file, link) = (folder.join("file"), folder.join("link"));
        Ok(renameat_with(CWD, &file, CWD, &link, RenameFlags::EXCHANGE)?)
    }),
    ("hard_link", |folder, _| fs::hard_link(folder.join("file"), folder.join("linked"))),
    ("hard_link_out", |folder, scratch| {
        let own = scratch.join("outside");
        fs::hard_link(folder.join("file"), &own)?;
        fs::write(own, "x")
    }),
    ("symbolic_link", |folder, _| symlink("file", folder.join("another"))),
    ("through_link", |folder, _| fs::write(folder.join("link"), "x")),
    ("through_own_link", |folder, scratch| {
        let own = scratch.join("own");
        symlink(folder.join("file"), &own)?;
        fs::write(own, "x")
    }),
    ("unlink", |folder, _| fs::remove_file(folder.join("file"))),
    ("make_folder", |folder, _| fs::create_dir(folder.join("folder"))),
    ("remove_folder", |folder, _| fs::remove_dir(folder.join("empty"))),
    ("make_pipe", |folder, _| Ok(mknodat(CWD, folder.join("pipe"), FileType::Fifo, Mode::RWXU, 0)?)),
    ("make_socket", |folder, _| std::os::unix::net::UnixListener::bind(folder.join("socket")).map(drop)),
    ("nameless", |folder, _| {
        let flags = OFlags::TMPFILE | OFlags::WRONLY;
        Ok(openat(CWD, folder, flags, Mode::RWXU).map(drop)?)
    }),
    ("copy_over", |folder, _| fs::copy("/proc/self/cmdline", folder.join("file")).map(drop)),
    ("through_root", |folder, _| {
        let around = Path::new("/proc/self/root").join(folder.strip_prefix("/").unwrap_or(folder));
        fs::write(around.join("file"), "x")
    }),
    ("through_folder_handle", |folder, _| {
        let handle = File::open(folder)?;
        let flags = OFlags::WRONLY | OFlags::CREATE;
        Ok(openat(&handle, "by-handle", flags, Mode::RWXU).map(drop)?)
    }),
    ("git_commit", |folder, _| git(folder, &["commit", "--quiet", "--allow-empty", "--message", "x"])),
    ("git_config", |folder, _| git(folder, &["config", "core.fsmonitor", "true"])),
    ("other_session", |folder, _| {
        let target = folder.join("file");
        told(Command::new("setsid").args(["--wait", "sh", "-c", "echo x >> \"$0\""]).arg(target))
    }),
];

/// Gets the folder, and one that may be written.
type Attempt = fn(&Path, &Path) -> io::Result<()>;

/// Tries one of them.
pub(super) fn attempt(name: &str, folder: &Path, scratch: &Path) -> io::Result<()> {
    let probe = PROBES.iter().find(|(known, _)| *known == name);
    let (_, attempt) = probe.ok_or_else(|| io::Error::other("there is no such probe"))?;
    attempt(folder, scratch)
}

fn git(folder: &Path, arguments: &[&str]) -> io::Result<()> {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "safe.directory=*"];
    told(Command::new("git").args(identity).arg("-C").arg(folder).args(arguments))
}

fn told(command: &mut Command) -> io::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    status.success().then_some(()).ok_or_else(|| io::Error::other(status.to_string()))
}
