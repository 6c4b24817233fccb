//! `cargo xtask fuzz`: damages documents of every dialect and reads them; nothing may panic, hang or point outside.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use baton_handoff::diagnostic::Diagnostic;
use baton_handoff::dialect::{self, Definition, Variant};
use baton_handoff::project::Project;
use baton_handoff::{document, judge, write};
use baton_testkit::random::Random;
use baton_testkit::{generate, mutate};

/// Documents read when no count is given.
pub(crate) const EXECUTIONS: usize = 200_000;
const SEED: u64 = 11_162_026;
/// Damages of one document before the next is made: making one is dearer than damaging it.
const DAMAGES: usize = 16;
/// Longer than this for one small document is a hang.
const DOCUMENT_TIME_MAX: Duration = Duration::from_secs(2);

pub(crate) fn run(executions: usize) -> Result<(), String> {
    let targets: Vec<(&Definition, &Variant)> = dialect::ALL
        .iter()
        .flat_map(|definition| definition.variants.iter().map(move |variant| (*definition, variant)))
        .collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let each = executions.div_ceil(DAMAGES);
    let failure = thread::scope(|scope| {
        let work = || -> Result<(), String> {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= each {
                    return Ok(());
                }
                let (definition, variant) = targets[index % targets.len()];
                one(definition, variant, index)?;
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .find_map(|worker| worker.join().unwrap_or_else(|_| Err("a thread ended".to_owned())).err())
    });
    match failure {
        Some(failure) => Err(failure),
        None => {
            let (count, seconds) = (each * DAMAGES, started.elapsed().as_secs_f64());
            println!("{count} documents of {} targets read in {seconds:.0} s, no finding", targets.len());
            Ok(())
        }
    }
}

fn one(definition: &'static Definition, variant: &'static Variant, index: usize) -> Result<(), String> {
    let random = &mut Random::numbered(SEED, index);
    let handoff = generate::handoff(definition, variant, random);
    let mut text = write::write(&handoff, definition, variant).text;
    for _ in 0..DAMAGES {
        // Damages pile up, so that later ones meet documents that were damaged before.
        text = mutate::mutate(&text, random);
        let started = Instant::now();
        let checked = panic::catch_unwind(|| check(&text));
        let name = variant.name;
        match checked {
            Err(_) => return Err(format!("{name} {index}: a panic on\n{text}")),
            Ok(Err(wrong)) => return Err(format!("{name} {index}: {wrong} on\n{text}")),
            Ok(Ok(())) if started.elapsed() > DOCUMENT_TIME_MAX => {
                return Err(format!("{name} {index}: a hang on\n{text}"));
            }
            Ok(Ok(())) => {}
        }
    }
    Ok(())
}

/// Reads and judges; every place must be inside the document, and between characters.
fn check(text: &str) -> Result<(), String> {
    let mut read = document::read(text);
    let findings = judge::judge(&mut read, &Project::default());
    match findings.iter().find(|found| !places_fit(found, text)) {
        Some(found) => Err(format!("{} points outside: {:?}", found.code, found.primary.span)),
        None => Ok(()),
    }
}

fn places_fit(found: &Diagnostic, text: &str) -> bool {
    let labels = std::iter::once(&found.primary).chain(&found.others).map(|label| label.span);
    let edits = found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
    labels.chain(edits).all(|span| text.get(span.range()).is_some())
}
