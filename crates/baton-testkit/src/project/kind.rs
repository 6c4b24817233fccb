//! The kinds of tasks: each is a table of commits. One file a kind.

/// The text of a file under `templates/`.
macro_rules! template {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/", $path))
    };
}
pub(crate) use template;

mod artifact;
mod generic;
mod package;
mod retried;
mod stages;
mod summary;
mod taskfile;

pub(crate) use artifact::ARTIFACT;
pub(crate) use generic::GENERIC;
pub(crate) use package::PACKAGE;
pub(crate) use retried::RETRIED;
pub(crate) use stages::STAGES;
pub(crate) use summary::SUMMARY;
pub(crate) use taskfile::TASKFILE;

/// The tasks of the honest project, in the order in which they begin.
pub(crate) static HONEST: &[&Kind] = &[
    &STAGES, &TASKFILE, &ARTIFACT, &PACKAGE, &SUMMARY, &RETRIED, &GENERIC, &STAGES, &TASKFILE, &ARTIFACT,
    &SUMMARY, &PACKAGE, &STAGES,
];

/// A sort of task, with everything it commits.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The id of a task, in which `#` is its number.
    pub(crate) id: &'static str,
    /// The folder of the task's handoffs.
    pub(crate) folder: &'static str,
    /// What was there before any task began.
    pub(crate) before: &'static [Change],
    pub(crate) steps: &'static [Step],
}

/// One commit.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Minutes since the task began.
    pub(crate) minute: i64,
    /// The position in the list of people.
    pub(crate) person: usize,
    pub(crate) message: &'static str,
    pub(crate) changes: &'static [Change],
}

/// What a commit does to one file. Paths and texts have holes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Writes a handoff into the task's folder.
    Handoff {
        file: &'static str,
        text: &'static str,
    },
    /// Writes evidence into the task's folder.
    Evidence {
        file: &'static str,
        text: &'static str,
    },
    Write {
        path: &'static str,
        text: &'static str,
    },
    Append {
        path: &'static str,
        text: &'static str,
    },
    Delete {
        path: &'static str,
    },
}

/// The files of the project on its first day.
pub(crate) static BASE: &[(&str, &str)] = &[
    (".gitignore", "/target\n/dist\n/web/node_modules\n.env\n"),
    ("README.md", template!("base/readme.md")),
    ("docs/spec/importers.md", template!("base/importers.md")),
    ("src/lib.rs", template!("base/lib.rs")),
    ("src/money.rs", template!("base/money.rs")),
    ("src/clock.rs", template!("base/clock.rs")),
    ("src/config.rs", template!("base/config.rs")),
    ("web/src/router.ts", template!("base/router.ts")),
    ("web/src/format.ts", template!("base/format.ts")),
    ("tools/common.py", template!("base/common.py")),
    ("tools/registry.py", template!("base/registry.py")),
    ("quay/quay.go", template!("base/quay.go")),
    ("quay/sensor.go", template!("base/sensor.go")),
];
