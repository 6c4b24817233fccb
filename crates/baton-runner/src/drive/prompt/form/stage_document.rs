//! The stage document: frontmatter with the checkpoints of the stage, and a body that the next stage receives.

use super::{Ask, HandIn, comment};

/// The headings of the body, by stage.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "requirements",
        &[
            "## Requirements  (one line each, with an id)",
            "## Impact  (files and interfaces that will change)",
            "## Acceptance criteria  (id, and a result that someone can measure)",
            "## Open questions",
        ],
    ),
    (
        "architecture",
        &[
            "## Design  (how each requirement and criterion is met, by id)",
            "## Tasks  (one line each, with the criteria that it covers)",
            "## Tests  (which test will show which criterion)",
            "## Decisions",
        ],
    ),
    (
        "implementation",
        &[
            "## Changes  (file by file)",
            "## Tests  (which test covers which criterion)",
            "## Decisions and traps",
        ],
    ),
    (
        "qa",
        &[
            "## Verdicts  (each criterion: pass or fail, with a test or file:line)",
            "## Bugs  (each with its severity)",
            "## Documentation  (what changed, or why nothing had to)",
        ],
    ),
];
const ANY_STAGE: &[&str] = &["## What was done", "## What the next stage needs"];

pub(super) fn text(ask: &Ask<'_>) -> String {
    let stage = ask.stage();
    let name = stage.map_or("", |stage| stage.name.as_str());
    let opening = match ask.hand_in {
        HandIn::LastMessage => "Make your last message one stage document",
        HandIn::Tool => "Hand over one stage document",
        HandIn::File => "FILE is one stage document",
    };
    let checkpoints: String = stage
        .into_iter()
        .flat_map(|stage| &stage.checkpoints)
        .map(|own| {
            let name = own.name.as_str();
            format!("  - {{name: {name}, status: pass | fail | skip, message: \"\"}}{}\n", comment(name))
        })
        .collect();
    let known = HEADINGS.iter().find(|(stage, _)| *stage == name);
    let headings = known.map_or(ANY_STAGE, |(_, headings)| headings).join("\n\n");
    format!(
        "{opening}: it begins with `---`, without a fence, and no text stands before it. The next stage gets the whole body. Baton checks the \
         checkpoints too. If you can't finish, set `status: blocked`, `block_reason` (needs_human_input, external_dependency or \
         scope_change) and `block_details`.\n\
         ````markdown\n\
         ---\n\
         id: {id}\n\
         stage: {name}\n\
         title: \"{title}\"\n\
         status: complete  # complete | in_progress | failed | blocked\n\
         started_at: {began}\n\
         completed_at: \"\"  # the time now, as `date -u +%FT%TZ` prints it\n\
         checkpoints:  # and in `message` what you found, one sentence\n\
         {checkpoints}\
         handoff_ready: true  # false unless every checkpoint passes\n\
         retry_count: {retries}\n\
         ---\n\n\
         # {title}\n\n{headings}\n````\n",
        id = ask.task.id,
        title = title(&ask.task.title),
        began = ask.began(),
        retries = ask.retries(),
    )
}

/// Returns a title as one line that stands in quotes.
fn title(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ").replace(['"', '\\'], "'")
}
