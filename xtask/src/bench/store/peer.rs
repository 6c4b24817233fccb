//! What people would use in place of Baton's log: the same workflow on other engines that keep every stage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::peer;

/// Workflows for one measurement: the peers take milliseconds for each stage.
const WORKFLOWS: usize = 60;

/// A peer with the command that runs it.
struct Peer {
    name: &'static str,
    program: PathBuf,
    script: PathBuf,
    /// The folder with what was installed for it.
    home: PathBuf,
}

/// What a peer did, in handoffs a second.
pub(super) struct Rates {
    pub(super) name: &'static str,
    pub(super) alone: f64,
    pub(super) together: f64,
}

/// Installs the peers into the scratch folder and measures those that could be.
pub(super) fn measure(sources: &Path, scratch: &Path, threads: usize) -> Vec<Rates> {
    let mut rates = Vec::new();
    for peer in installed(sources, scratch) {
        eprintln!("{}", peer.name);
        let measured = peer.rate(scratch, 1).and_then(|alone| Ok((alone, peer.rate(scratch, threads)?)));
        match measured {
            Ok((alone, together)) => rates.push(Rates { name: peer.name, alone, together }),
            Err(reason) => eprintln!("left out: {}, because {reason}", peer.name),
        }
    }
    rates
}

fn installed(sources: &Path, scratch: &Path) -> Vec<Peer> {
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
    fn rate(&self, scratch: &Path, at_once: usize) -> Result<f64, String> {
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
            (Some(steps), Some(seconds)) => Ok(steps / seconds),
            _ => Err(format!("it said {answer}")),
        }
    }
}
