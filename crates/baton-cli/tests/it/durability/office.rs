//! A project, its people and its log, in folders whose content can be kept and put back.

use std::fs;
use std::path::Path;
use std::process::Command;

use baton_testkit::power::disk::Image;
use baton_testkit::power::trace::{self, Step, Watched};

use super::session::COMMANDS;
use crate::run_dialects::at;
use crate::support::{Place, Run};

/// A fence around a check is not Baton's own work, and would be recorded with it.
const CONFIG: &str = "[checks.validation]\nrun = [\"test\", \"-f\", \"tides.txt\"]\nconfined = false\n\
                      [checks.artifacts_listed]\nrun = [\"true\"]\nconfined = false\n";
const WORK: &str = "```yaml\noutcome: completed\nsummary: the table of tides is printed\nfiles_modified:\n\
                    \x20 - {path: tides.txt, change_type: modify, description: one tide more}\n\
                    checkpoints:\n  - {name: artifacts_listed, status: pass}\n```\n";
const PLAN: &str = r#"{"schema_version": "1.0", "artifact_type": "build-plan", "artifact_id": "BP-1",
"waypoint_id": "W1", "produced_by_role": "builder", "produced_at": "2026-03-02T09:00:00Z", "source_refs": ["order-W1"],
"file_targets": ["tides.txt"], "command_plan": ["test -f tides.txt"], "blockers": []}"#;
const REPORT: &str = r#"{"schema_version": "1.0", "artifact_type": "verification-report", "artifact_id": "VR-1",
"waypoint_id": "W1", "produced_by_role": "verifier", "produced_at": "{now}", "source_refs": ["request-2"],
"criterion_verdicts": [{"id": "AC-1", "criterion": "AC-1", "verdict": "pass", "evidence": ["receipt-1-8"]}],
"evidence_refs": ["receipt-1-8"]}"#;

/// Where a recording goes, in a folder of its own.
const RECORDING: &str = "recording";
/// What commands change in the project; the rest of it stays as it is.
const WRITTEN: &str = ".baton";
/// The folder in the home for what is needed for a moment only.
const PASSING: &str = ".local/state/baton/tmp";
/// Where the folders of projects lie, and the rooms of checks in each: those are made again whenever they are needed.
const PROJECTS: &str = ".local/state/baton/projects";
const ROOMS: &str = "checkout-rooms";

pub(super) struct Office {
    project: Place,
    home: Place,
    outside: Place,
}

impl Office {
    pub(super) fn new() -> Self {
        let office =
            Self { project: Place::in_memory(), home: Place::in_memory(), outside: Place::in_memory() };
        office.project.write("AGENTS.md", "# Be honest\n");
        office.project.write("baton.toml", CONFIG);
        office.project.write("tides.txt", "06:12 low\n");
        office.project.commit("Tides");
        let report = REPORT.replace("{now}", &at(0));
        for (name, text) in [("work.md", WORK), ("plan.json", PLAN), ("report.json", report.as_str())] {
            office.home.write(name, text);
        }
        office
    }

    /// Runs the binary, or another program that runs it. `{home}` stands for the home of the people.
    fn run(&self, program: &[String], words: &[&str]) -> Run {
        let home = self.home.path().display().to_string();
        let mut command = Command::new("env");
        command.args([&format!("HOME={home}"), "USER=ida"]).args(program).arg(env!("CARGO_BIN_EXE_baton"));
        command.args(words.iter().map(|word| word.replace("{home}", &home)));
        self.project.run(&mut command, b"")
    }

    /// Leaves the files of the project as they are when this command of the session is given: something is done before the
    /// first three times that work is handed over.
    pub(super) fn work(&self, command: usize) {
        let is_handed_over =
            |id| COMMANDS[..=command].iter().any(|(words, _)| words.starts_with(&["submit", id]));
        let tides = ["F1", "S1", "W1"].into_iter().filter(|id| is_handed_over(id)).count();
        let tides: String = (0..=tides).map(|tide| format!("{tide:02}:12 low\n")).collect();
        self.project.write("tides.txt", &tides);
    }

    /// Returns the files of a saved workspace, all in one piece.
    pub(super) fn snapshot(&self, tree: &str) -> Result<Vec<u8>, String> {
        let stores = self.home.file(".local/state/baton/projects");
        let mut folders = fs::read_dir(&stores).map_err(|error| error.to_string())?.filter_map(Result::ok);
        let folder = folders.find_map(|entry| {
            let folder = entry.path().join("snapshots/git");
            folder.is_dir().then_some(folder)
        });
        let folder = folder.ok_or("there is no folder with snapshots")?;
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(folder).args(["archive", &format!("refs/baton/trees/{tree}")]);
        let run = command.output().map_err(|error| error.to_string())?;
        match run.status.success() {
            true => Ok(run.stdout),
            false => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
        }
    }

    pub(super) fn baton(&self, words: &[&str]) -> Run {
        self.run(&[], words)
    }

    /// Runs the binary under `strace`, which tells what it sees in a file.
    pub(super) fn watched(&self, options: &[&str], words: &[&str]) -> Run {
        let recording = self.outside.file(RECORDING).display().to_string();
        let mut program =
            vec!["strace".to_owned(), "-f".to_owned(), "-qq".to_owned(), "-o".to_owned(), recording];
        program.extend(options.iter().map(|option| (*option).to_owned()));
        self.run(&program, words)
    }

    pub(super) fn recording(&self) -> String {
        self.outside.read(RECORDING)
    }

    /// Runs the binary and returns every call by which it changed the disk.
    pub(super) fn recorded(&self, words: &[&str]) -> (Run, Vec<Step>) {
        let calls = format!("trace={}", trace::CALLS.join(","));
        let bytes = trace::BYTES_MAX.to_string();
        let run = self.watched(&["-y", "-xx", "-s", &bytes, "-e", &calls], words);
        let (home, project) = (text(self.home.path()), text(self.project.path()));
        let folders = [("home", home.as_str()), ("project", project.as_str())];
        let mut passing = vec![format!("{home}/{PASSING}")];
        let projects = fs::read_dir(self.home.file(PROJECTS)).into_iter().flatten().flatten();
        passing.extend(projects.map(|project| text(&project.path()) + "/" + ROOMS));
        let passing: Vec<&str> = passing.iter().map(String::as_str).collect();
        let watched = Watched { folders: &folders, working_folder: &project, passing: &passing };
        (run, trace::read(&self.recording(), &watched).expect("the recording can be read"))
    }

    /// Returns everything that commands change.
    pub(super) fn state(&self) -> Image {
        let mut image = Image::from([("project".to_owned(), None)]);
        gather(self.home.path(), "home", &mut image);
        if self.project.file(WRITTEN).is_dir() {
            gather(&self.project.file(WRITTEN), &format!("project/{WRITTEN}"), &mut image);
        }
        image
    }

    /// Puts back what commands change.
    pub(super) fn put(&self, image: &Image) {
        for folder in [self.home.path(), &self.project.file(WRITTEN)] {
            if folder.is_dir() {
                empty(folder);
            }
        }
        let _ = fs::remove_dir(self.project.file(WRITTEN));
        for (path, content) in image {
            let (place, inside) = match path.split_once('/') {
                Some(("home", inside)) => (&self.home, inside),
                Some(("project", inside)) => (&self.project, inside),
                _ => continue,
            };
            match content {
                None => fs::create_dir(place.file(inside)).expect("the folder can be made"),
                Some(bytes) => fs::write(place.file(inside), bytes).expect("the file can be written"),
            }
            for_owner(&place.file(inside), content.is_none());
        }
    }
}

fn text(path: &Path) -> String {
    path.canonicalize().expect("it is there").display().to_string()
}

fn gather(folder: &Path, name: &str, image: &mut Image) {
    image.insert(name.to_owned(), None);
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let entry = entry.expect("readable");
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true if entry.path().ends_with(PASSING) || entry.path().ends_with(ROOMS) => {
                image.insert(name, None);
            }
            true => gather(&entry.path(), &name, image),
            false => {
                image.insert(name, Some(fs::read(entry.path()).expect("the file can be read")));
            }
        }
    }
}

fn empty(folder: &Path) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => fs::remove_dir_all(path).expect("ours to remove"),
            false => fs::remove_file(path).expect("ours to remove"),
        }
    }
}

/// The key and the log are refused where others may read or write them.
#[cfg(unix)]
fn for_owner(path: &Path, is_folder: bool) {
    use std::os::unix::fs::PermissionsExt;
    let mode = if is_folder { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours to change");
}

#[cfg(not(unix))]
fn for_owner(_path: &Path, _is_folder: bool) {}
