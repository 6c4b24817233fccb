//! Line ranges against the length of the files.

use baton_handoff::rule::audit;

use super::Case;
use crate::facts::{FileFact, Presence};
use crate::finding::{Against, Finding, Provenance, Said};

/// A range may end this many lines behind the file, or a tenth of the file, before it is called wrong.
const SLACK_LINES: u64 = 5;
const SLACK_PART: u64 = 10;

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for file in case.claims.files.iter().chain(case.claims.prose_files.iter().filter(|_| case.has_work())) {
        let Some(lines) = &file.lines else { continue };
        let Some(last) = last_line(&lines.text) else { continue };
        match case.facts.file(&file.path.text) {
            Some(FileFact::Work(fact)) => match fact.lines {
                Some(most) => findings.push(of_work(lines, last, (fact.path.as_str(), most))),
                None if fact.after == Presence::File => findings.push(unknown(lines, "it isn't a text file")),
                None => {}
            },
            Some(FileFact::History(fact)) if fact.is_known => findings.push(match fact.lines {
                Some(known) => of_history(lines, last, (fact.path.as_str(), known)),
                None => unknown(lines, "no version of that time can be read"),
            }),
            Some(FileFact::History(_) | FileFact::Unknown(_)) | None => {}
        }
    }
}

fn unknown(lines: &Said, reason: &str) -> Finding {
    Finding::not_checkable(&audit::LINES_BEYOND_FILE, "lines", lines, reason)
}

/// Returns the last line of a range such as `10-40`, or of several.
fn last_line(text: &str) -> Option<u64> {
    let numbers =
        text.split(|character: char| !character.is_ascii_digit()).filter_map(|part| part.parse().ok());
    numbers.max()
}

fn lines_of(number: u64) -> String {
    if number == 1 { "1 line".to_owned() } else { format!("{number} lines") }
}

fn of_work(lines: &Said, last: u64, (path, most): (&str, u64)) -> Finding {
    let slack = SLACK_LINES.max(most / SLACK_PART);
    if last <= most.saturating_add(slack) {
        return Finding::holds("lines", lines, format!("the file has {}", lines_of(most)))
            .from(Provenance::Observed);
    }
    Finding::of_rule(
        &audit::LINES_BEYOND_FILE,
        "lines",
        lines,
        format!("the file has only {}", lines_of(most)),
    )
    .contradicted()
    .from(Provenance::Observed)
    .against(Against::file(path, None, lines_of(most)))
    .fix(format!("Give the lines of `{path}` that you wrote or changed, or `all`."))
}

fn of_history(lines: &Said, last: u64, (path, known): (&str, crate::facts::Lines)) -> Finding {
    let most = known.most;
    // A file may or may not count the empty line after its last.
    if last <= most + 1 {
        return Finding::holds("lines", lines, format!("the file had {}", lines_of(most)));
    }
    let fits_another = last <= known.ever + 1;
    if fits_another && known.has_no_end {
        return Finding::holds("lines", lines, "a version of the file has these lines");
    }
    let reason = format!("the file had {} at most", lines_of(most));
    let finding = Finding::of_rule(&audit::LINES_BEYOND_FILE, "lines", lines, reason).against(Against::file(
        path,
        None,
        lines_of(most),
    ));
    if known.is_doubtful || fits_another { finding.unsupported() } else { finding }
}
