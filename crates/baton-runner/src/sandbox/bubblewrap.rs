//! The upper rung: the program `bwrap` shows the child a file system that is mounted read-only but for what it may write,
//! and processes of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Fence, Ground};

/// What it does not stop.
pub(super) const GAPS: &[&str] = &[
    "It could read every file that its user may read.",
    "It could use the network, and the sockets of services that run as its user.",
];
/// Where the program is looked for: nowhere that a repository could lie.
const PLACES: &[&str] =
    &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/// Services that start anything anywhere for whoever asks.
const MASKED: &[&str] = &["/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock"];
/// What is run to see whether it works.
const PROBES: &[&str] = &["/usr/bin/true", "/bin/true", "/run/current-system/sw/bin/true"];

/// Returns the program where it is there and works.
pub(super) fn probe(works: impl Fn(&Path, Fence) -> Result<(), String>) -> Result<PathBuf, String> {
    let there = |places: &[&str]| places.iter().map(PathBuf::from).find(|path| path.is_file());
    let program = there(PLACES).ok_or("it is not installed")?;
    let probe = there(PROBES).ok_or("there is nothing to try it with")?;
    let ground = Ground {
        folder: PathBuf::from("/"),
        scratch: None,
        writable: Vec::new(),
        temporary: None,
        protected: Vec::new(),
    };
    works(&probe, fence(&program, &ground).0)?;
    Ok(program)
}

/// Returns the fence, and what could not be protected.
pub(super) fn fence(program: &Path, ground: &Ground) -> (Fence, Vec<PathBuf>) {
    let mut argv: Vec<OsString> = vec![program.into()];
    let fixed =
        "--die-with-parent --unshare-pid --unshare-ipc --cap-drop ALL --ro-bind / / --dev /dev --proc /proc";
    argv.extend(fixed.split(' ').map(OsString::from));
    let mut put = |option: &str, paths: &[&Path]| {
        argv.push(option.into());
        argv.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    for socket in MASKED.iter().map(Path::new).filter(|socket| socket.exists()) {
        put("--ro-bind", &[Path::new("/dev/null"), socket]);
    }
    let (mut made, mut open) = (Vec::new(), Vec::new());
    for (path, how) in mounts(ground) {
        match (how, fs::symlink_metadata(path)) {
            (Mount::Writable, _) => put("--bind", &[path, path]),
            // What the link points to could be protected; the link could still be replaced.
            (Mount::Protected, Ok(facts)) if facts.is_symlink() => open.push(path.to_owned()),
            (Mount::Protected, Ok(_)) => put("--ro-bind", &[path, path]),
            (Mount::Protected, Err(_)) if path.parent().is_some_and(Path::is_dir) => {
                put("--tmpfs", &[path]);
                put("--remount-ro", &[path]);
                made.push(path.into());
            }
            (Mount::Protected, Err(_)) => open.push(path.to_owned()),
        }
    }
    put("--chdir", &[&ground.folder]);
    argv.push("--".into());
    (Fence::Bubblewrap { argv, made }, open)
}

/// What is mounted at a place. What lies deeper comes later and counts; at the same place the last one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mount {
    Writable,
    Protected,
}

fn mounts(ground: &Ground) -> Vec<(&Path, Mount)> {
    let mut mounts: Vec<(&Path, Mount)> = ground
        .all_writable()
        .filter(|path| !ground.is_open_already(path))
        .map(|path| (path.as_path(), Mount::Writable))
        .collect();
    for path in &ground.protected {
        let of = |folders: &mut dyn Iterator<Item = &PathBuf>| {
            folders.filter(|folder| path.starts_with(folder)).map(|folder| folder.components().count()).max()
        };
        let writable = of(&mut ground.all_writable());
        // What lies in something protected, or in nothing that may be written, is read-only already.
        let Some(around) = writable.filter(|depth| {
            of(&mut ground.protected.iter().filter(|other| *other != path)).is_none_or(|kept| kept < *depth)
        }) else {
            continue;
        };
        // A folder on the way could be moved, with all that is in it, if nothing were mounted there.
        let on_the_way = path.ancestors().skip(1).filter(|folder| folder.components().count() > around);
        mounts.extend(on_the_way.map(|folder| (folder, Mount::Writable)));
        mounts.push((path, Mount::Protected));
    }
    mounts.sort_by_key(|(path, how)| (path.components().count(), *path, *how));
    mounts.dedup();
    mounts
}
