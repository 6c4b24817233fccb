//! People: nothing is started for them. Their turn waits in the inbox until somebody takes it.

use super::Driver;

pub(super) static DRIVER: Driver = Driver {
    name: "human",
    programs: &[],
    hint: "people are always there; `baton inbox` shows what waits for them",
    environment: &[],
    home: &[],
    moved: &[],
    counts_tokens: false,
    unknown_session: None,
    resumes: false,
    vendor: None,
    launch: |_| None,
};
