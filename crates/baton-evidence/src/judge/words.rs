//! A handoff's own words about the result of this turn, beside its claim that the work is completed.
//!
//! Words count only where they speak of the present result. A sentence about the past, about somebody else's tests or
//! about zero failures says nothing here, and neither does one that is only unclear.

use baton_handoff::rule::audit;

use super::Case;
use super::denial::{denies_completion, denies_pass, qualifies_verdict};
use crate::claims::CountOf;
use crate::claims::sentence::sentences;
use crate::finding::{Finding, Provenance, Said};

pub(super) fn judge(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let claims = case.claims;
    let mut push = |said: &Said, reason: String, fix: &str| {
        let finding = Finding::of_rule(&audit::OWN_WORDS, "own-words", said, reason);
        findings.push(finding.contradicted().from(Provenance::Asserted).fix(fix));
    };
    if claims.finishes {
        for said in &claims.own_words {
            if let Some(what) = sentences(&said.text).find_map(denies_completion) {
                let fix =
                    "Finish what these words say is open, or hand over as `partial`, `blocked` or `failed`.";
                push(said, format!("it says that the work is completed, and {what}"), fix);
            }
        }
    }
    if claims.finishes && !claims.is_report {
        for said in &claims.failed_output {
            let reason = "it says that the work is completed, and shows output of a run that failed";
            let fix = "Make the run pass, or say above the output what it is an example of.";
            push(said, reason.to_owned(), fix);
        }
        for unmet in claims.criteria.iter().chain(&claims.checkpoints).filter(|judged| judged.fails) {
            let Some(status) = &unmet.status else { continue };
            let reason = "it says that the work is completed, and lists this as failed";
            let fix = "Make it hold, or hand over as `partial` and say what is left.";
            push(status, reason.to_owned(), fix);
        }
        for count in claims.counts.iter().filter(|count| count.is_figure && count.of == CountOf::Failed) {
            if count.number > 0 {
                let said = super::runs::said_of(count);
                let reason =
                    format!("it says that the work is completed, and counts {} failed tests", count.number);
                push(&said, reason, "Make every test pass, or hand over as `partial` and say which fail.");
            }
        }
    }
    for judged in claims.checkpoints.iter().chain(&claims.criteria).filter(|judged| judged.passes) {
        let Some(message) = &judged.message else { continue };
        let qualified = || sentences(&message.text).find_map(qualifies_verdict).filter(|_| claims.is_report);
        if let Some(what) = sentences(&message.text).find_map(denies_pass).or_else(qualified) {
            let fix = format!("Make `{}` hold, or report it as it is.", judged.name.text.trim());
            push(message, format!("it passes, and its own words say otherwise: {what}"), &fix);
        }
    }
}
