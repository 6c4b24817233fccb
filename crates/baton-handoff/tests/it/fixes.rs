//! Every fix settles its finding and raises nothing new: tried on all cases of the specs and all bad examples.

use std::collections::BTreeSet;
use std::fs;

use baton_handoff::diagnostic::{Diagnostic, Fix, Severity};
use baton_handoff::project::Project;
use baton_handoff::{document, judge};

use crate::support::{fenced, markdown_files};

#[test]
fn fixes_settle_and_raise_nothing() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for path in markdown_files("specs").into_iter().chain(markdown_files("docs/errors")) {
        let markdown = fs::read_to_string(&path).expect("readable");
        for block in fenced(&markdown).iter().filter(|block| block.info != "expect") {
            let before = judged(&block.body);
            for found in &before {
                let Some(fix) = &found.fix else { continue };
                tried += 1;
                let after = judged(&apply(&block.body, fix));
                let count = |all: &[Diagnostic]| all.iter().filter(|other| other.code == found.code).count();
                if count(&after) >= count(&before) {
                    wrong.push(format!(
                        "{}: «{}» {} stays: {}",
                        path.display(),
                        block.heading,
                        found.code,
                        found.message
                    ));
                }
                let codes = |all: &[Diagnostic]| all.iter().map(|other| other.code).collect::<BTreeSet<_>>();
                let new: Vec<_> = codes(&after).difference(&codes(&before)).copied().collect();
                if !new.is_empty() {
                    wrong.push(format!(
                        "{}: «{}» {} raises {new:?}",
                        path.display(),
                        block.heading,
                        found.code
                    ));
                }
            }
        }
    }
    assert!(tried > 20, "only {tried} fixes were tried");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judged(source: &str) -> Vec<Diagnostic> {
    let mut found = judge::judge(&mut document::read(source), &Project::default());
    found.retain(|found| found.severity > Severity::Note);
    found
}

fn apply(source: &str, fix: &Fix) -> String {
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    let mut out = source.to_owned();
    for edit in edits {
        out.replace_range(edit.span.range(), &edit.replacement);
    }
    out
}
