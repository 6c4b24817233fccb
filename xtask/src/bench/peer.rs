//! Installs the peers, at pinned versions, into a scratch folder below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) struct Peers {
    pub(super) schemas: PathBuf,
    pub(super) python: Option<PythonPeer>,
    pub(super) node: Option<NodePeer>,
}

pub(super) struct PythonPeer {
    pub(super) interpreter: PathBuf,
    pub(super) script: PathBuf,
}

pub(super) struct NodePeer {
    /// The folder that holds `node_modules`.
    pub(super) modules: PathBuf,
    pub(super) script: PathBuf,
}

/// Installs what is missing. A peer that cannot be installed is left out and named.
pub(super) fn install(sources: &Path, scratch: &Path) -> Peers {
    let mut peers = Peers { schemas: sources.join("schemas"), python: None, node: None };
    match install_python(sources, &scratch.join("python")) {
        Ok(interpreter) => {
            peers.python = Some(PythonPeer { interpreter, script: sources.join("pydantic_peer.py") });
        }
        Err(reason) => eprintln!("left out: pydantic and check-jsonschema, because {reason}"),
    }
    match install_node(sources, &scratch.join("node")) {
        Ok(modules) => peers.node = Some(NodePeer { modules, script: sources.join("ajv_peer.cjs") }),
        Err(reason) => eprintln!("left out: ajv + js-yaml, because {reason}"),
    }
    peers
}

pub(super) fn install_python(sources: &Path, folder: &Path) -> Result<PathBuf, String> {
    let interpreter = folder.join("bin").join("python");
    let requirements = sources.join("requirements.txt");
    install_once(&requirements, folder, || {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let mut pip = Command::new(&interpreter);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
        succeed(pip.arg(&requirements))
    })?;
    Ok(interpreter)
}

pub(super) fn install_node(sources: &Path, folder: &Path) -> Result<PathBuf, String> {
    let manifest = sources.join("package.json");
    install_once(&manifest, folder, || {
        let copy = folder.join("package.json");
        fs::copy(&manifest, &copy)
            .map_err(|error| format!("{} cannot be written: {error}", copy.display()))?;
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--loglevel=error",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--no-package-lock",
        ]);
        succeed(npm.current_dir(folder))
    })?;
    Ok(folder.to_owned())
}

/// Runs `install` unless the pinned versions that it would install are already there.
fn install_once(
    pins: &Path,
    folder: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let wanted =
        fs::read_to_string(pins).map_err(|error| format!("{} cannot be read: {error}", pins.display()))?;
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    eprintln!("installing what {} names", pins.display());
    fs::create_dir_all(folder).map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    install()?;
    fs::write(&stamp, wanted).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))
}

/// Runs a command to its end.
pub(super) fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program} does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
}
