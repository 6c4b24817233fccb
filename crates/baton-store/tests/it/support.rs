//! What the tests share: events, stores in scratch folders, and the helper program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use baton_engine::envelope::{Actor, ActorKind, Fresh};
use baton_store::anchor::{Anchorage, Key};
use baton_store::sqlite::{Options, SqliteLog};
use tempfile::TempDir;

/// Says that the long form of a test is wanted.
pub(crate) fn is_long() -> bool {
    std::env::var_os("BATON_LONG").is_some_and(|value| value == "1")
}

pub(crate) fn event(note: &str) -> Fresh {
    Fresh {
        at: 1_700_000_000_000,
        actor: Actor { kind: ActorKind::Orchestrator, name: "baton".to_owned(), turn: None },
        kind: "noted".to_owned(),
        schema: 1,
        body: format!("{{\"note\":\"{note}\"}}").into_bytes(),
        key: None,
    }
}

pub(crate) fn keyed(note: &str, key: &str) -> Fresh {
    Fresh { key: Some(key.to_owned()), ..event(note) }
}

/// A store with its anchor in a folder that goes away with it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        Place { folder }
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn key(&self) -> Key {
        Key::load_or_create(&self.state().join("key")).unwrap()
    }

    pub(crate) fn anchorage(&self) -> Anchorage {
        Anchorage::new(self.state().join("anchor.json"), self.key())
    }

    pub(crate) fn options(&self) -> Options {
        Options { anchorage: Some(self.anchorage()), ..Options::default() }
    }

    pub(crate) fn open(&self) -> SqliteLog {
        SqliteLog::open(&self.store(), self.options()).unwrap()
    }

    /// The helper at work on this place.
    pub(crate) fn session(&self, what: &str, label: &str, count: usize) -> Command {
        let mut command = Command::new(helper());
        command.args(self.arguments(what, label, count));
        command
    }

    pub(crate) fn arguments(&self, what: &str, label: &str, count: usize) -> Vec<String> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let places = [text(&self.store()), text(&self.state())];
        let [store, state] = places;
        vec![what.to_owned(), store, state, label.to_owned(), count.to_string()]
    }
}

/// The example `session`. It is built here, because tests can be run without their examples, or after them.
pub(crate) fn helper() -> &'static Path {
    static HELPER: OnceLock<PathBuf> = OnceLock::new();
    HELPER.get_or_init(|| {
        let me = std::env::current_exe().unwrap();
        let folder = me.parent().unwrap().parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "baton-store", "--example", "session"]);
        cargo.arg("--target-dir").arg(folder.parent().unwrap());
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
        folder.join("examples").join(format!("session{}", std::env::consts::EXE_SUFFIX))
    })
}
