//! The programs that are measured, and the command line of each.

use std::path::{Path, PathBuf};

use super::corpus::Corpus;
use super::peer::Peers;

/// The peer that takes minutes for 20,000 documents is run up to this many.
const CHECK_JSONSCHEMA_DOCUMENTS_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Baton,
    BatonTwoThreads,
    Ajv,
    Pydantic,
    CheckJsonschema,
    FloorBytes,
    FloorEvents,
    /// `baton audit` of a thousand handoffs.
    AuditThousand,
    /// `baton audit` of twenty thousand handoffs.
    AuditTwentyThousand,
    /// `git log --raw` of the same history, into nothing.
    GitLog,
    /// `baton check` of one file.
    BatonColdStart,
    Empty,
}

impl Role {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Baton => "baton, 1 thread",
            Self::BatonTwoThreads => "baton, 2 threads",
            Self::Ajv => "ajv + js-yaml",
            Self::Pydantic => "pydantic + PyYAML C loader",
            Self::CheckJsonschema => "check-jsonschema (YAML given)",
            Self::FloorBytes => "floor: read the bytes",
            Self::FloorEvents => "floor: YAML events",
            Self::AuditThousand => "baton audit, 1,000 handoffs",
            Self::AuditTwentyThousand => "baton audit, 20,000 handoffs",
            Self::GitLog => "floor: git log --raw",
            Self::BatonColdStart => "baton check, one file",
            Self::Empty => "floor: empty program",
        }
    }

    pub(super) fn is_peer(self) -> bool {
        match self {
            Self::Ajv | Self::Pydantic | Self::CheckJsonschema => true,
            Self::Baton
            | Self::BatonTwoThreads
            | Self::FloorBytes
            | Self::FloorEvents
            | Self::AuditThousand
            | Self::AuditTwentyThousand
            | Self::GitLog
            | Self::BatonColdStart
            | Self::Empty => false,
        }
    }

    /// Says whether a run that did its work may end with this code: 1 is how the judges say that something is invalid.
    pub(super) fn accepts_exit(self, code: i64) -> bool {
        match self {
            Self::Baton | Self::BatonTwoThreads | Self::CheckJsonschema => code == 0 || code == 1,
            Self::Ajv
            | Self::Pydantic
            | Self::FloorBytes
            | Self::FloorEvents
            | Self::AuditThousand
            | Self::AuditTwentyThousand
            | Self::GitLog
            | Self::BatonColdStart
            | Self::Empty => code == 0,
        }
    }
}

pub(super) struct Program {
    pub(super) role: Role,
    pub(super) argv: Vec<String>,
}

/// What was built from this workspace for the benchmark.
pub(super) struct Built {
    pub(super) baton: PathBuf,
    pub(super) floor: PathBuf,
    pub(super) empty: PathBuf,
}

/// Returns every program that judges or reads the folder of this corpus.
pub(super) fn all(built: &Built, peers: &Peers, corpus: &Corpus) -> Result<Vec<Program>, String> {
    let folder = text(&corpus.folder);
    let mut programs = vec![
        baton(Role::Baton, built, ["check", "--threads", "1", "--format", "json", &folder]),
        baton(Role::BatonTwoThreads, built, ["check", "--threads", "2", "--format", "json", &folder]),
        Program { role: Role::FloorBytes, argv: argv(&built.floor, ["bytes", &folder]) },
        Program { role: Role::FloorEvents, argv: argv(&built.floor, ["events", &folder]) },
    ];
    if let Some(node) = &peers.node {
        let arguments = [text(&node.script), text(&node.modules), text(&peers.schemas), folder.clone()];
        programs.push(Program { role: Role::Ajv, argv: argv(Path::new("node"), arguments) });
    }
    if let Some(python) = &peers.python {
        let arguments = [text(&python.script), folder];
        programs.push(Program { role: Role::Pydantic, argv: argv(&python.interpreter, arguments) });
        if corpus.documents <= CHECK_JSONSCHEMA_DOCUMENTS_MAX {
            let schema = text(&peers.schemas.join("handoff.schema.json"));
            let mut arguments: Vec<String> =
                ["-m", "check_jsonschema", "--output-format", "json", "--verbose", "--schemafile", &schema]
                    .map(str::to_owned)
                    .into();
            arguments.extend(corpus.extracted_files()?.iter().map(|file| text(file)));
            programs
                .push(Program { role: Role::CheckJsonschema, argv: argv(&python.interpreter, arguments) });
        }
    }
    Ok(programs)
}

/// Returns the two programs whose start is compared.
pub(super) fn cold_start(built: &Built, corpus: &Corpus) -> Vec<Program> {
    vec![
        baton(Role::BatonColdStart, built, ["check", &text(&corpus.first)]),
        Program { role: Role::Empty, argv: argv(&built.empty, [""; 0]) },
    ]
}

fn baton<const N: usize>(role: Role, built: &Built, arguments: [&str; N]) -> Program {
    Program { role, argv: argv(&built.baton, arguments) }
}

fn argv<S: Into<String>>(program: &Path, arguments: impl IntoIterator<Item = S>) -> Vec<String> {
    std::iter::once(text(program)).chain(arguments.into_iter().map(Into::into)).collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
