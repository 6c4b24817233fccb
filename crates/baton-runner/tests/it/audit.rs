//! The honest project has no findings; its lying twin has every lie found at its place.

use std::collections::BTreeSet;
use std::path::Path;

use baton_handoff::project::Project;
use baton_runner::audit::finding::Verdict;
use baton_runner::audit::report::{Audit, Keep};
use baton_runner::audit::{Request, Versions, run};
use baton_runner::walk::Exclude;
use baton_testkit::project;

/// Well after everything that the projects say.
const NOW: i64 = 1_893_456_000;

fn audit(folder: &Path) -> Audit {
    let request = Request {
        paths: vec![folder.to_owned()],
        store: None,
        threads: 2,
        now: NOW,
        versions: Versions::Now,
        keep: Keep::All,
        run: Vec::new(),
    };
    run(&request, &Exclude::default(), &Project::default(), None, &mut |_| {})
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// Returns every finding as code, file, line and reason.
fn findings(audit: &Audit) -> BTreeSet<(u16, String, usize, String)> {
    let handoffs = audit.chains.iter().flat_map(|chain| &chain.handoffs);
    let rows = handoffs.flat_map(|handoff| handoff.rows.iter().map(move |row| (handoff, row)));
    rows.filter(|(_, row)| row.verdict.is_finding())
        .map(|(handoff, row)| {
            let code = row.code().map_or(0, |code| code.0);
            (code, handoff.shown.clone(), row.place.line as usize, row.reason.clone())
        })
        .collect()
}

#[test]
fn the_honest_project_has_no_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = project::honest(folder.path()).expect("the project is made");
    let audit = audit(folder.path());
    assert_eq!(audit.handoffs, made.handoffs, "every handoff is read");
    assert!(audit.tally.holds > 0, "claims were held against something");
    let found = findings(&audit);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_lie_of_the_lying_twin_is_found_at_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, lies) = project::lying(folder.path()).expect("the project is made");
    let found = findings(&audit(folder.path()));
    let mut table = String::new();
    let mut missed = Vec::new();
    let mut explained = BTreeSet::new();
    for lie in &lies {
        let hit = found
            .iter()
            .find(|(code, path, line, _)| *code == lie.code && *path == lie.path && *line == lie.line);
        let mark = if hit.is_some() { "found " } else { "MISSED" };
        table.push_str(&format!("{mark} BT{:<5} {}:{:<4} {}\n", lie.code, lie.path, lie.line, lie.name));
        match hit {
            Some(hit) => {
                explained.insert(hit.clone());
            }
            None => missed.push(lie),
        }
    }
    let invented: Vec<_> = found.difference(&explained).collect();
    println!("{table}\n{} lies, {} missed, {} other findings", lies.len(), missed.len(), invented.len());
    assert!(missed.is_empty(), "{table}\nothers: {invented:#?}");
    assert!(invented.is_empty(), "found what is no lie: {invented:#?}");
}

#[test]
fn honest_chains_with_ordinary_mess_are_never_contradicted() {
    let mut contradicted = Vec::new();
    let (mut chains, mut holds, mut unsupported) = (0, 0, 0);
    for seed in 0..20 {
        let folder = tempfile::tempdir().expect("a folder");
        project::messy_honest(folder.path(), seed, 10).expect("the project is made");
        let audit = audit(folder.path());
        chains += audit.chains.len();
        holds += audit.tally.holds;
        unsupported += audit.tally.unsupported;
        let handoffs = audit.chains.iter().flat_map(|chain| &chain.handoffs);
        let rows = handoffs.flat_map(|handoff| handoff.rows.iter().map(move |row| (handoff, row)));
        contradicted.extend(rows.filter(|(_, row)| row.verdict == Verdict::Contradicted).map(
            |(handoff, row)| {
                let code = row.code().map(|code| code.to_string()).unwrap_or_default();
                format!(
                    "seed {seed}: {code} {}:{} `{}`: {} {:?}",
                    handoff.shown, row.place.line, row.claim, row.reason, row.against
                )
            },
        ));
    }
    println!(
        "{chains} chains, {holds} claims hold, {unsupported} unsupported, {} contradicted",
        contradicted.len()
    );
    assert!(chains >= 200, "{chains} chains");
    assert!(contradicted.is_empty(), "{}", contradicted.join("\n"));
}
