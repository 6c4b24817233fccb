//! Every hostile document, through the library: what must be said is said, nothing is taken for done, and the next document
//! is judged as if nothing had happened.

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::document::{self, Document};
use baton_handoff::field::Field;
use baton_handoff::handoff::Handoff;
use baton_handoff::judge::judge;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::project::Project;
use baton_handoff::span::LineIndex;
use baton_testkit::hostile::{self, Case, Ending};

#[test]
fn every_hostile_document_is_met() {
    let good = hostile::good();
    let mut wrong = Vec::new();
    for case in hostile::cases() {
        wrong.extend(faults(&case).iter().map(|fault| format!("{}: {fault}", case.title())));
        let mut next = document::read(&good);
        let found = judge(&mut next, &Project::default());
        if !found.is_empty() || !is_completed(&next) {
            wrong.push(format!("{}: after it, a good document gives {found:?}", case.title()));
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn hostile_documents_have_names_of_their_own() {
    let mut titles: Vec<_> = hostile::cases().iter().map(Case::title).collect();
    let count = titles.len();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), count);
    assert!(count > 150, "only {count} cases are left");
}

fn faults(case: &Case) -> Vec<String> {
    let source = match document::decode(&case.bytes) {
        Ok(source) => source,
        Err(diagnostic) => return told(case, "", &[*diagnostic]),
    };
    let mut read = document::read(source);
    let found = judge(&mut read, &Project::default());
    let mut faults = told(case, source, &found);
    // What is refused is not taken for done, whatever it claims.
    let refused = found.iter().any(|found| found.severity == Severity::Error);
    if is_completed(&read) && !refused {
        faults.push("it is taken for completed".to_owned());
    }
    for (what, expected) in &case.kept {
        let kept = read.handoffs.first().and_then(|handoff| said(handoff, what));
        if kept.as_deref() != Some(*expected) {
            faults.push(format!("`{what}` is {kept:?}, not {expected:?}"));
        }
    }
    faults
}

/// Returns what the findings do not say and should.
fn told(case: &Case, source: &str, found: &[Diagnostic]) -> Vec<String> {
    let mut faults = Vec::new();
    let shown =
        || found.iter().take(5).map(|found| format!("{} {}", found.code, found.message)).collect::<Vec<_>>();
    let has_errors = found.iter().any(|found| found.severity == Severity::Error);
    match case.ending {
        Ending::Refused if !has_errors => faults.push(format!("it is not refused: {:?}", shown())),
        Ending::Read if has_errors => faults.push(format!("it is refused: {:?}", shown())),
        Ending::Refused | Ending::Read | Ending::Either => {}
    }
    let with =
        |code: &str| found.iter().filter(move |found| found.code.to_string() == code).collect::<Vec<_>>();
    for code in case.codes.iter().filter(|code| with(code).is_empty()) {
        faults.push(format!("{code} is not raised: {:?}", shown()));
    }
    let raised: Vec<_> = case.codes.iter().flat_map(|code| with(code)).collect();
    let words = raised.iter().map(|found| everything(found)).collect::<Vec<_>>().join("\n");
    for word in case.words.iter().filter(|word| !words.contains(**word)) {
        faults.push(format!("«{word}» is not said: {words}"));
    }
    if let Some(first) = raised.first() {
        let index = LineIndex::new(source);
        let places = std::iter::once(&first.primary).chain(&first.others);
        let lines: Vec<_> = places.map(|label| index.position(source, label.span.start).line).collect();
        if !lines.starts_with(&case.lines) {
            faults.push(format!("{} names the lines {lines:?}, not {:?}", first.code, case.lines));
        }
    }
    faults
}

fn everything(found: &Diagnostic) -> String {
    format!("{} {} {}", found.message, found.primary.text, found.help.as_deref().unwrap_or_default())
}

fn is_completed(document: &Document<'_>) -> bool {
    document.handoffs.iter().any(|handoff| outcome::conclude(&handoff.record).outcome == Outcome::Completed)
}

fn said(handoff: &Handoff<'_>, what: &str) -> Option<String> {
    let text = |field| handoff.record.str(field).map(str::to_owned);
    match what {
        "task" => text(Field::Task),
        "stage" => text(Field::Stage),
        "from" => text(Field::From),
        "to" => text(Field::To),
        "outcome" => Some(outcome::conclude(&handoff.record).outcome.name().to_owned()),
        _ => None,
    }
}
