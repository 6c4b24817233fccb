//! What the tasks are about. Every number has a subject of its own, with words of its own.

const THINGS: &[&str] = &[
    "fees",
    "berths",
    "stays",
    "invoices",
    "discounts",
    "tides",
    "cranes",
    "moorings",
    "permits",
    "meters",
    "deposits",
    "arrivals",
];
const WHOSE: &[&str] = &["guest", "winter", "club", "ferry", "charter", "storm", "yearly", "refund", "night"];
const EFFECTS: &[&str] = &[
    "are worked out from the list of the office instead of the spreadsheet of last year",
    "keep their order when two boats come in within the same minute of the same tide",
    "are added up in cents and written in euros only where somebody reads them",
    "no longer vanish when the berth changes its number in the middle of a stay",
    "can be asked for by the day, by the berth, or by the name of the skipper",
];

/// Returns the name of the subject's files, such as `guest_fees`.
pub(crate) fn slug(subject: usize) -> String {
    let (whose, thing, round) = words(subject);
    match round {
        0 => format!("{whose}_{thing}"),
        _ => format!("{whose}_{thing}_{}", round + 1),
    }
}

/// Returns the title, such as `Guest fees`.
pub(crate) fn title(subject: usize) -> String {
    let (whose, thing, round) = words(subject);
    let mut title = format!("{whose} {thing}");
    title[..1].make_ascii_uppercase();
    match round {
        0 => title,
        _ => format!("{title} {}", round + 1),
    }
}

/// Returns one long sentence that is about this subject alone.
pub(crate) fn about(subject: usize) -> String {
    format!("{} {}", title(subject), EFFECTS[subject % EFFECTS.len()])
}

fn words(subject: usize) -> (&'static str, &'static str, usize) {
    let thing = THINGS[subject % THINGS.len()];
    let whose = WHOSE[(subject / THINGS.len() + subject) % WHOSE.len()];
    (whose, thing, subject / (THINGS.len() * WHOSE.len()))
}
