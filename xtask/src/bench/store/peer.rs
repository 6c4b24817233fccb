//! What people would use in place of Baton's log: the same workflow on other engines that keep every stage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Run;
use crate::bench::peer;

/// How often a peer may fail before it is left out.
const TRIES_MAX: usize = 3;
/// Workflows for one measurement: the peers take milliseconds for each stage.
const WORKFLOWS: usize = 64;

/// A peer with the command that runs it.
pub(super) struct Peer {
    pub(super) name: &'static str,
    program: PathBuf,
    script: PathBuf,
    /// The folder with what was installed for it.
    home: PathBuf,
}

/// Installs into the scratch folder those peers that can be.
pub(super) fn installed(sources: &Path, scratch: &Path) -> Vec<Peer> {
    let mut peers = Vec::new();
    match peer::install_python(sources, &scratch.join("python")) {
        Ok(program) => {
            for (name, script) in
                [("LangGraph, SQLite", "langgraph_peer.py"), ("DBOS, SQLite", "dbos_peer.py")]
            {
                let (program, home) = (program.clone(), scratch.join("python"));
                peers.push(Peer { name, program, script: sources.join(script), home });
            }
        }
        Err(reason) => eprintln!("left out: LangGraph and DBOS, because {reason}"),
    }
    match peer::install_node(sources, &scratch.join("node")) {
        Ok(home) => {
            let (program, script) = (PathBuf::from("node"), sources.join("restate_peer.mjs"));
            peers.push(Peer { name: "Restate", program, script, home });
        }
        Err(reason) => eprintln!("left out: Restate, because {reason}"),
    }
    peers
}

impl Peer {
    /// Runs it, and again where it does not come up: a port that was free may be somebody else's by then.
    pub(super) fn run(&self, scratch: &Path, at_once: usize) -> Result<Run, String> {
        (1..TRIES_MAX)
            .fold(self.once(scratch, at_once), |ran, _| ran.or_else(|_| self.once(scratch, at_once)))
    }

    fn once(&self, scratch: &Path, at_once: usize) -> Result<Run, String> {
        let folder = scratch.join("data");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let out = Command::new(&self.program)
            .arg(&self.script)
            .arg(&folder)
            .args([WORKFLOWS.to_string(), at_once.to_string()])
            .env("PEERS", &self.home)
            .output()
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&out.stdout);
        let answer = text.lines().rev().find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let answer =
            answer.ok_or_else(|| format!("it said {}", String::from_utf8_lossy(&out.stderr).trim()))?;
        match (answer["steps"].as_f64(), answer["seconds"].as_f64()) {
            (Some(count), Some(seconds)) => Ok(Run { count, seconds, processor: None, bytes: None }),
            _ => Err(format!("it said {answer}")),
        }
    }
}
