//! Who hands over to whom, and which stages are there.

use baton_handoff::dialect::Dialect;
use baton_handoff::rule::audit;

use super::{Chain, Found};
use crate::claims::Claims;
use crate::finding::{Against, Finding, Provenance, Said};

/// Those who may step in at any time.
const ALWAYS_WELCOME: &[&str] = &["human", "user", "orchestrator", "coordinator", "host", "none"];

pub(super) fn judge(chain: &Chain<'_>, found: &mut Found) {
    strangers(chain, found);
    holes(chain, found);
}

fn bare(agent: &str) -> String {
    agent.trim().trim_start_matches('@').to_lowercase()
}

fn strangers(chain: &Chain<'_>, found: &mut Found) {
    let mut ordered: Vec<_> = chain
        .members()
        .filter(|(_, claims)| claims.from.is_some() && claims.variant != "acknowledgment")
        .collect();
    // Stages may be gone through more than once, so only numbers and times tell the order.
    let is_numbered = chain.members.iter().all(|member| member.rank.is_some()) && has_no_equals(chain);
    if !is_numbered {
        if ordered.iter().any(|(_, claims)| claims.ended().is_none()) {
            return;
        }
        ordered.sort_by_key(|(_, claims)| claims.ended().map(|moment| moment.earliest));
    }
    let mut known: Vec<String> = Vec::new();
    let mut last: Option<(&Claims, &Said)> = None;
    for (at, claims) in ordered {
        let Some(from) = &claims.from else { continue };
        let agent = bare(&from.text);
        let is_welcome = known.contains(&agent) || ALWAYS_WELCOME.contains(&agent.as_str());
        if let Some((earlier, to)) = last
            && !is_welcome
        {
            let reason = format!(
                "no handoff of this task gave the work to {agent}; the one before names {}",
                bare(&to.text)
            );
            let against = Against::file(earlier.source.as_str(), Some(to.place.line), &to.text);
            let finding =
                Finding::of_rule(&audit::AGENT_NOT_IN_CHAIN, "agent", from, reason).against(against);
            found.push(at, finding.from(Provenance::Inherited));
        } else if last.is_some() {
            found.push(
                at,
                Finding::holds("agent", from, "an earlier handoff gave it the work")
                    .from(Provenance::Inherited),
            );
        }
        known.push(agent);
        known.extend(claims.to.iter().map(|to| bare(&to.text)));
        known.extend(claims.stand_ins.iter().map(|stand_in| bare(stand_in)));
        last = claims.to.as_ref().map(|to| (claims, to)).or(last);
    }
}

fn has_no_equals(chain: &Chain<'_>) -> bool {
    chain.members.windows(2).all(|pair| pair[0].rank < pair[1].rank)
}

/// A stage between two that are there, without a handoff of its own.
fn holes(chain: &Chain<'_>, found: &mut Found) {
    let stage_of = |claims: &Claims| {
        let stage = claims.stage.as_ref()?.text.trim();
        chain.project.stages.iter().position(|known| known.name.eq_ignore_ascii_case(stage))
    };
    let mut ranked: Vec<_> = chain
        .members()
        .filter(|(_, claims)| claims.dialect == Dialect::Frontmatter)
        .filter_map(|(at, claims)| Some((stage_of(claims)?, at, claims)))
        .collect();
    ranked.sort_by_key(|(stage, ..)| *stage);
    ranked.dedup_by_key(|(stage, ..)| *stage);
    for pair in ranked.windows(2) {
        let [(before, _, earlier), (after, at, claims)] = pair else { continue };
        let missing = chain.project.stages.get(before + 1..*after).unwrap_or_default();
        if missing.is_empty() {
            continue;
        }
        let names: Vec<&str> = missing.iter().map(|stage| stage.name.as_str()).collect();
        let reason =
            format!("there is no handoff of {} between this stage and the one before", names.join(", "));
        let Some(stage) = &claims.stage else { continue };
        let line = earlier.stage.as_ref().map(|stage| stage.place.line);
        let said = earlier.stage.as_ref().map_or("", |stage| stage.text.as_str());
        let against = Against::file(earlier.source.as_str(), line, said);
        let finding = Finding::of_rule(&audit::HOLE_IN_CHAIN, "chain", stage, reason).against(against);
        found.push(*at, finding.from(Provenance::Inherited));
    }
}
