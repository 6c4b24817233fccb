//! Who hands over to whom, and which stages are there.

use baton_handoff::dialect::Dialect;
use baton_handoff::rule::audit;

use super::{Case, Rows};
use crate::audit::dossier::Dossier;
use crate::audit::row::{Against, Provenance, Row, Said};

/// Those who may step in at any time.
const ALWAYS_WELCOME: &[&str] = &["human", "user", "orchestrator", "coordinator", "host", "none"];

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    strangers(case, rows);
    holes(case, rows);
}

fn bare(agent: &str) -> String {
    agent.trim().trim_start_matches('@').to_lowercase()
}

fn strangers(case: &Case<'_>, rows: &mut Rows) {
    let mut ordered: Vec<_> = case
        .members()
        .filter(|(_, dossier)| dossier.from.is_some() && dossier.variant != "acknowledgment")
        .collect();
    // Stages may be gone through more than once, so only numbers and times tell the order.
    let is_numbered = case.chain.ranks.iter().all(Option::is_some) && has_no_equals(&case.chain.ranks);
    if !is_numbered {
        if ordered.iter().any(|(_, dossier)| dossier.ended().is_none()) {
            return;
        }
        ordered.sort_by_key(|(_, dossier)| dossier.ended().map(|moment| moment.earliest));
    }
    let mut known: Vec<String> = Vec::new();
    let mut last: Option<(&Dossier, &Said)> = None;
    for (at, dossier) in ordered {
        let Some(from) = &dossier.from else { continue };
        let agent = bare(&from.text);
        let is_welcome = known.contains(&agent) || ALWAYS_WELCOME.contains(&agent.as_str());
        if let Some((earlier, to)) = last
            && !is_welcome
        {
            let reason = format!(
                "no handoff of this task gave the work to {agent}; the one before names {}",
                bare(&to.text)
            );
            let against = Against::file(earlier.shown_path(), Some(to.place.line), &to.text);
            let row = Row::finding(&audit::AGENT_NOT_IN_CHAIN, "agent", from, reason).against(against);
            rows.push(at, row.from(Provenance::Inherited));
        } else if last.is_some() {
            rows.push(
                at,
                Row::holds("agent", from, "an earlier handoff gave it the work").from(Provenance::Inherited),
            );
        }
        known.push(agent);
        known.extend(dossier.to.iter().map(|to| bare(&to.text)));
        known.extend(dossier.stand_ins.iter().map(|stand_in| bare(stand_in)));
        last = dossier.to.as_ref().map(|to| (dossier, to)).or(last);
    }
}

fn has_no_equals(ranks: &[Option<usize>]) -> bool {
    ranks.windows(2).all(|pair| pair[0] < pair[1])
}

/// A stage between two that are there, without a handoff of its own.
fn holes(case: &Case<'_>, rows: &mut Rows) {
    let stage_of = |dossier: &Dossier| {
        let stage = dossier.stage.as_ref()?.text.trim();
        case.project.stages.iter().position(|known| known.name.eq_ignore_ascii_case(stage))
    };
    let mut ranked: Vec<_> = case
        .members()
        .filter(|(_, dossier)| dossier.dialect == Dialect::Frontmatter)
        .filter_map(|(at, dossier)| Some((stage_of(dossier)?, at, dossier)))
        .collect();
    ranked.sort_by_key(|(stage, ..)| *stage);
    ranked.dedup_by_key(|(stage, ..)| *stage);
    for pair in ranked.windows(2) {
        let [(before, _, earlier), (after, at, dossier)] = pair else { continue };
        let missing = case.project.stages.get(before + 1..*after).unwrap_or_default();
        if missing.is_empty() {
            continue;
        }
        let names: Vec<&str> = missing.iter().map(|stage| stage.name.as_str()).collect();
        let reason =
            format!("there is no handoff of {} between this stage and the one before", names.join(", "));
        let Some(stage) = &dossier.stage else { continue };
        let line = earlier.stage.as_ref().map(|stage| stage.place.line);
        let said = earlier.stage.as_ref().map_or("", |stage| stage.text.as_str());
        let against = Against::file(earlier.shown_path(), line, said);
        let row = Row::finding(&audit::HOLE_IN_CHAIN, "chain", stage, reason).against(against);
        rows.push(*at, row.from(Provenance::Inherited));
    }
}
