//! Criteria and checkpoints along the chain: none may vanish, appear or change its words unseen.

use baton_handoff::rule::audit;

use super::{Chain, Found};
use crate::claims::{Claims, Judged};
use crate::finding::{Against, Finding, Place, Provenance, Said};

pub(super) fn judge(chain: &Chain<'_>, found: &mut Found) {
    for group in chain.attempts() {
        for pair in group.windows(2) {
            let [(_, before), (at, after)] = pair else { continue };
            compare(before, &before.checkpoints, *at, &after.checkpoints, after.checkpoints_place, found);
        }
    }
    along_the_chain(chain, found);
}

/// What was asked for must be judged. A builder may claim some criteria and leave the rest to others.
fn along_the_chain(chain: &Chain<'_>, found: &mut Found) {
    let mut asked: Option<&Claims> = None;
    for (at, claims) in chain.members() {
        if claims.criteria.is_empty() || claims.variant == "build-artifact" {
            continue;
        }
        if let Some(before) = asked {
            compare(before, &before.criteria, at, &claims.criteria, claims.criteria_place, found);
        }
        asked = asked.or(Some(claims));
    }
}

fn plain(text: &str) -> String {
    let text = crate::claims::leading_id(text).map_or(text, |id| &text[id.len()..]);
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A criterion that is only an id has no words to compare.
fn has_words(judged: &Judged) -> bool {
    !plain(&judged.name.text).is_empty() && judged.id.as_deref() != Some(judged.name.text.trim())
}

fn compare(before: &Claims, earlier: &[Judged], at: usize, later: &[Judged], list: Place, found: &mut Found) {
    if earlier.is_empty() || later.is_empty() {
        return;
    }
    let mut met = vec![false; later.len()];
    for one in earlier {
        let words = plain(&one.name.text);
        let same_id = |other: &Judged| one.id.is_some() && one.id == other.id;
        let same_words = |other: &Judged| has_words(one) && plain(&other.name.text) == words;
        let position = later.iter().position(|other| same_id(other) || same_words(other));
        let against = Against::file(before.source.as_str(), Some(one.name.place.line), &one.name.text);
        let Some(position) = position else {
            let said = Said::new(one.name.text.as_str(), list);
            let reason = format!("{} was there before and is gone", shown(one));
            let finding =
                Finding::of_rule(&audit::CRITERION_VANISHED, "criterion", &said, reason).against(against);
            found.push(at, finding.from(Provenance::Inherited));
            continue;
        };
        met[position] = true;
        let other = &later[position];
        let renamed = has_words(one)
            && has_words(other)
            && (plain(&other.name.text) != words
                || one.id.is_some() && other.id.is_some() && one.id != other.id);
        if renamed {
            let reason = format!("it was {} before", shown(one));
            let finding = Finding::of_rule(&audit::CRITERION_RENAMED, "criterion", &other.name, reason)
                .against(against);
            found.push(at, finding.from(Provenance::Inherited));
        } else {
            found.push(
                at,
                Finding::holds("criterion", &other.name, "the same as before").from(Provenance::Inherited),
            );
        }
    }
    for (other, _) in later.iter().zip(met).filter(|(_, met)| !met) {
        let reason = format!("{} was not there before", shown(other));
        let against =
            Against::file(before.source.as_str(), Some(before.criteria_place.line.max(1)), "the list before");
        let finding =
            Finding::of_rule(&audit::CRITERION_APPEARED, "criterion", &other.name, reason).against(against);
        found.push(at, finding.from(Provenance::Inherited));
    }
}

fn shown(judged: &Judged) -> String {
    format!("`{}`", crate::finding::shortened(&judged.name.text))
}
