//! Checkpoints and criteria, with what the handoff says came of each: in its lists, under other keys, and in markers.

use baton_handoff::field::Field;
use baton_handoff::marker::Marker;
use baton_handoff::outcome::{self, Outcome};
use baton_handoff::record::{Confidence, Record};
use baton_handoff::span::Span;
use baton_handoff::tree::{Kind, Node};

use super::beyond::{self, Beyond, plain, said_under};
use super::{Judged, Source, words};
use crate::finding::{Place, Said};

/// Keys of what came of a criterion, in the order in which they count.
const STATUS_KEYS: &[&str] = &[
    "verdict",
    "status",
    "result",
    "claim",
    "met",
    "outcome",
    "satisfied",
    "fulfilled",
    "passed",
    "passes",
    "holds",
    "state",
    "achieved",
    "done",
];
const MESSAGE_KEYS: &[&str] = &[
    "message",
    "note",
    "notes",
    "comment",
    "reason",
    "rationale",
    "explanation",
    "detail",
    "details",
    "remark",
];
const ID_KEYS: &[&str] = &["id", "criterion", "criterion_id", "ac", "name"];
const CRITERION_KEYS: &[&str] = &["criterion", "text", "description", "name", "title"];
const EVIDENCE_KEYS: &[&str] = &["evidence", "evidence_ref", "evidence_refs", "test", "tests", "proof"];

/// Returns the items of a list of the dialect.
pub(super) fn listed(record: &Record<'_>, list: Field, name: Field, source: &Source<'_>) -> Vec<Judged> {
    let one = |item: &Record<'_>| {
        let name = source.text(item, name).or_else(|| source.text(item, Field::Description))?;
        let status = [Field::Status, Field::Verdict, Field::Outcome]
            .iter()
            .filter_map(|&field| item.text(field))
            .find(|text| text.confidence == Confidence::Stated);
        let own_claim = item.extensions.iter().find(|own| STATUS_KEYS.contains(&&*own.key));
        let own_claim = own_claim.and_then(|own| Some((own.value.text()?, own.value.span)));
        let status = status.map(|text| (text.as_str(), text.span)).or(own_claim);
        let own_id = item.extensions.iter().find(|extension| extension.key == "id");
        let own_id = own_id.and_then(|extension| extension.value.text());
        let id = item.str(Field::Id).or(own_id).or_else(|| leading_id(&name.text)).map(str::to_owned);
        let own_evidence = item.extensions.iter().filter(|own| EVIDENCE_KEYS.contains(&&*own.key));
        let own_evidence = own_evidence.flat_map(|own| scalars(&own.value, source));
        let status = status.map(|(status, span)| (status, source.place(span)));
        let evidence = source.texts(item, Field::Evidence).into_iter().chain(own_evidence).collect();
        Some(Judged::new(name, id, status).with(message(item, source), evidence))
    };
    record.records(list).iter().filter_map(one).collect()
}

impl Judged {
    fn new(name: Said, id: Option<String>, status: Option<(&str, Place)>) -> Self {
        let reads = status.and_then(|(status, _)| reading(status));
        let shown = id.as_deref().filter(|id| name.text.trim() == *id).unwrap_or(name.text.trim());
        Self {
            status: status.map(|(status, place)| Said::new(format!("{shown}: {status}"), place)),
            passes: reads == Some(Outcome::Completed),
            fails: reads == Some(Outcome::Failed),
            message: None,
            evidence: Vec::new(),
            id,
            name,
        }
    }

    fn with(self, message: Option<Said>, evidence: Vec<Said>) -> Self {
        Self { message, evidence, ..self }
    }
}

/// Reads how a checkpoint or criterion stands.
fn reading(status: &str) -> Option<Outcome> {
    match status.trim().to_ascii_lowercase().replace(['_', '-'], " ").as_str() {
        "met" | "true" | "yes" | "satisfied" | "fulfilled" | "verified" | "✅" | "✓" | "x" | "[x]" => {
            Some(Outcome::Completed)
        }
        "not met" | "unmet" | "false" | "no" | "❌" | "✗" => Some(Outcome::Failed),
        _ => outcome::from_verdict(status),
    }
}

/// Returns the words beside a checkpoint, whether or not the dialect has a key for them.
fn message(item: &Record<'_>, source: &Source<'_>) -> Option<Said> {
    let beyond = || {
        let is_message = |key: &str| MESSAGE_KEYS.contains(&key);
        let extension = item.extensions.iter().find(|extension| is_message(&extension.key))?;
        Some(Said::new(extension.value.text()?, source.place(extension.value.span)))
    };
    source.text(item, Field::Message).or_else(|| source.text(item, Field::Reason)).or_else(beyond)
}

fn scalars(node: &Node<'_>, source: &Source<'_>) -> Vec<Said> {
    let nodes = node.items().unwrap_or(std::slice::from_ref(node));
    nodes.iter().filter_map(|node| Some(Said::new(node.text()?, source.place(node.span)))).collect()
}

/// Returns the id that a criterion begins with, as in `AC-3: the export has a header`.
pub fn leading_id(text: &str) -> Option<&str> {
    let end = text.find(|character: char| {
        !character.is_ascii_alphanumeric() && !matches!(character, '-' | '.' | '_')
    })?;
    let (id, rest) = text.split_at(end);
    let id = id.trim_end_matches('.');
    (is_id(id) && rest.starts_with([':', ' ', ')', ']', '.'])).then_some(id)
}

/// Says whether a word is letters and a number, as `AC-3` is.
fn is_id(id: &str) -> bool {
    let Some(first) = id.find(|character: char| character.is_ascii_digit()) else { return false };
    let (letters, digits) = id.split_at(first);
    let letters_fit = (1..=6).contains(&letters.trim_end_matches('-').len())
        && letters.chars().all(|character| character.is_ascii_uppercase() || character == '-');
    letters_fit
        && digits.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | '-'))
}

/// Returns criteria with ids that stand under a key which the dialect does not have.
pub(super) fn criteria_beyond(record: &Record<'_>, source: &Source<'_>) -> Vec<(Place, Judged)> {
    let all = beyond::all(record);
    let lists = all.iter().filter(|one| {
        matches!(
            one.name().as_str(),
            "acceptance_criteria" | "criteria" | "success_criteria" | "criterion_claims" | "criteria_status"
        )
    });
    lists
        .flat_map(|list| {
            let place = source.place(list.key_span);
            of_list(list, source).into_iter().map(move |judged| (place, judged))
        })
        .collect()
}

/// Returns the criteria of lists whose items have the id of a criterion and say how it stands, whatever the list is called.
pub(super) fn criteria_in(tree: &Node<'_>, source: &Source<'_>) -> Vec<(Place, Judged)> {
    let (mut found, mut open) = (Vec::new(), vec![(tree, tree.span)]);
    while let Some((node, list)) = open.pop() {
        match &node.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => open.extend(items.iter().rev().map(|item| (item, list))),
            Kind::Map(pairs) => {
                let id = ID_KEYS.iter().find_map(|key| node.get(key));
                let id = id.and_then(|id| Some((first_id(id.text()?)?, id.span)));
                let has_status = STATUS_KEYS.iter().any(|key| node.get(key).is_some());
                if let Some((id, span)) = id.filter(|_| has_status) {
                    let name = Said::new(id, source.place(span));
                    found.push((source.place(list), of_node(name, Some(id.to_owned()), node, source)));
                } else {
                    // `{AC-1: true, AC-2: false}`
                    for pair in pairs.iter().filter(|pair| is_id(pair.key.trim())) {
                        let id = pair.key.trim().to_owned();
                        let name = Said::new(id.as_str(), source.place(pair.key_span));
                        if pair.value.text().is_some_and(|text| reading(text).is_some()) {
                            found.push((source.place(list), of_node(name, Some(id), &pair.value, source)));
                        }
                    }
                    open.extend(pairs.iter().rev().map(|pair| (&pair.value, pair.key_span)));
                }
            }
        }
    }
    found
}

fn of_list(list: &Beyond<'_, '_>, source: &Source<'_>) -> Vec<Judged> {
    // `{AC-1: met, AC-2: met}`
    if let Kind::Map(pairs) = &list.value.kind
        && pairs.iter().any(|pair| is_id(pair.key.trim()))
    {
        let own = pairs.iter().filter(|pair| is_id(pair.key.trim()));
        return own
            .map(|pair| {
                let id = pair.key.trim().to_owned();
                let name = Said::new(id.as_str(), source.place(pair.key_span));
                of_node(name, Some(id), &pair.value, source)
            })
            .collect();
    }
    let named = list.nodes().iter().filter_map(|node| {
        let said = |keys: &[&str]| said_under(node, keys, source);
        let name = said(CRITERION_KEYS);
        let name = name.or_else(|| Some(Said::new(node.text()?, source.place(node.span))));
        let name = name.or_else(|| said(&["id"]))?;
        let id = said(&["id"]).map(|id| id.text).or_else(|| leading_id(&name.text).map(str::to_owned))?;
        Some(of_node(name, Some(id), node, source))
    });
    named.collect()
}

fn of_node(name: Said, id: Option<String>, node: &Node<'_>, source: &Source<'_>) -> Judged {
    let said = |keys: &[&str]| said_under(node, keys, source);
    let own = || Some(Said::new(node.text()?, source.place(node.span))).filter(|own| own.text != name.text);
    let status = said(STATUS_KEYS).or_else(own);
    let evidence = EVIDENCE_KEYS.iter().filter_map(|key| node.get(key));
    let evidence = evidence.flat_map(|node| scalars(node, source)).collect();
    let status = status.as_ref().map(|status| (status.text.as_str(), status.place));
    let message = said(MESSAGE_KEYS);
    let shown = match &id {
        Some(id) => Said::new(id.as_str(), name.place),
        None => name.clone(),
    };
    Judged { name, ..Judged::new(shown, id, status).with(message, evidence) }
}

/// Returns the criteria that markers claim. One that says nothing of how it stands claims that it is met.
pub(super) fn criteria_marked(markers: &[Marker<'_>], source: &Source<'_>) -> Vec<Judged> {
    let own = markers.iter().filter(|marker| marker.name == "acceptance-criterion");
    own.filter_map(|marker| {
        let place = source.place(marker.span);
        let id = attribute(marker, &["id", "name", "criterion"]).or_else(|| first_id(marker.content))?;
        let said = attribute(marker, STATUS_KEYS);
        let in_content = || word_of_status(marker.content, id);
        let status = said.or_else(in_content).unwrap_or("met");
        let message = Some(Said::new(marker.content, source.place(marker.content_span)));
        let message = message.filter(|message| !message.text.is_empty());
        let evidence = EVIDENCE_KEYS.iter().filter_map(|key| attribute(marker, &[key]));
        let evidence = evidence.map(|text| Said::new(text, place)).collect();
        let judged = Judged::new(Said::new(id, place), Some(id.to_owned()), Some((status, place)));
        Some(judged.with(message, evidence))
    })
    .collect()
}

/// Returns the validations that markers claim, under their names.
pub(super) fn checks_marked(markers: &[Marker<'_>], source: &Source<'_>) -> Vec<Judged> {
    let own = markers.iter().filter(|marker| marker.name == "validation");
    own.map(|marker| {
        let place = source.place(marker.span);
        let name = attribute(marker, &["name", "id", "checkpoint", "check"]).unwrap_or(marker.name);
        let status = attribute(marker, STATUS_KEYS).or_else(|| word_of_status(marker.content, name));
        let message = Some(Said::new(marker.content, source.place(marker.content_span)));
        let message = message.filter(|message| !message.text.is_empty());
        let status = status.map(|status| (status, place));
        Judged::new(Said::new(name, place), None, status).with(message, Vec::new())
    })
    .collect()
}

pub(super) fn attribute<'s>(marker: &Marker<'s>, names: &[&str]) -> Option<&'s str> {
    let named = |name: &&str| marker.attributes.iter().find(|(known, _)| plain(known) == **name);
    names.iter().find_map(named).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

fn first_id(content: &str) -> Option<&str> {
    leading_id(content).or_else(|| Some(content.trim()).filter(|id| is_id(id)))
}

/// Returns the words of a status that stand at the begin or the end of a text, beside the id or by themselves.
fn word_of_status<'t>(content: &'t str, id: &str) -> Option<&'t str> {
    let rest = content.trim();
    let rest = rest.strip_prefix(id).unwrap_or(rest).trim_start_matches([':', '-', '–', '—', ' ']);
    let parts = rest.split([':', '(', ')', '—', '–', ',', ';', '.']).map(str::trim);
    let is_status = |part: &&str| part.split_whitespace().count() <= 2 && reading(part).is_some();
    parts.into_iter().find(is_status)
}

/// Returns the checkpoints and criteria that lines of running text tick: `- [x] AC-1: totals are rounded`, or a row of a
/// table with a name and a status.
pub(super) fn ticked(source: &Source<'_>) -> (Vec<Judged>, Vec<Judged>) {
    let (mut criteria, mut start, mut is_fenced) = (Vec::new(), 0, false);
    let mut checkpoints = Vec::new();
    let mut is_of_defects = false;
    let has_ticks = ["[x] ", "[X] "].iter().any(|tick| source.text.contains(tick));
    for line in source.text.split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim();
        is_fenced ^= text.starts_with("```") || text.starts_with("~~~");
        if is_fenced {
            continue;
        }
        if text.starts_with('#') {
            is_of_defects = words::is_of_defects(text);
        }
        let Some((name, status, rest)) = tick(text).or_else(|| row(text)).or_else(|| item(text)) else {
            continue;
        };
        // The ids of a list of defects are no criteria.
        if text.starts_with('|') && is_of_defects {
            continue;
        }
        // Boxes of which none is ticked define what is to come, and say nothing of how it stands.
        if !has_ticks && text.contains("[ ] ") {
            continue;
        }
        let place = source.place(span);
        let message = Some(Said::new(rest, place));
        let message = message.filter(|said| !said.text.trim().is_empty() && !is_repaired(status));
        let id = first_id(name).map(str::to_owned);
        let is_criterion = id.is_some();
        let is_name = !name.is_empty()
            && name.contains('_')
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let judged =
            Judged::new(Said::new(id.as_deref().unwrap_or(name), place), id.clone(), Some((status, place)));
        let judged = judged.with(message, Vec::new());
        match (is_criterion, is_name) {
            (true, _) => criteria.push(judged),
            (false, true) => checkpoints.push(judged),
            (false, false) => {}
        }
    }
    (checkpoints, criteria)
}

/// Says whether the words beside a status tell how it was before.
fn is_repaired(status: &str) -> bool {
    matches!(status.trim().to_ascii_lowercase().as_str(), "fixed" | "resolved" | "closed" | "mitigated")
}

/// Reads `- [x] NAME: words` and `✅ NAME: words`.
fn tick(text: &str) -> Option<(&str, &'static str, &str)> {
    let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text);
    let marks = [
        ("[x] ", "met"),
        ("[X] ", "met"),
        ("✅ ", "met"),
        ("✓ ", "met"),
        ("[ ] ", "not met"),
        ("❌ ", "not met"),
    ];
    let (mark, status) = marks.iter().find(|(mark, _)| item.starts_with(mark))?;
    let rest = item[mark.len()..].trim().trim_start_matches(['*', '`', '_']);
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')));
    let (name, words) = rest.split_at(end.unwrap_or(rest.len()));
    Some((name.trim_end_matches('.'), status, words.trim_start_matches(['*', '`', '_', ':', ' '])))
}

/// Reads `- AC-1: met, words`.
fn item(text: &str) -> Option<(&str, &str, &str)> {
    let item =
        text.strip_prefix("- ").or_else(|| text.strip_prefix("* "))?.trim_start_matches(['*', '`', '_']);
    let name = leading_id(item).or_else(|| item.split([':', '`', '*']).next().filter(|name| is_id(name)))?;
    let words = item[name.len()..].trim_start_matches(['*', '`', '_', ':', ' ', '-', '–', '—']);
    let status = words.split(['.', ',', ';', ':', '(', '—', '–']).next().unwrap_or_default().trim();
    (status.split_whitespace().count() <= 2 && reading(status).is_some()).then_some((name, status, words))
}

/// Reads `| NAME | … | STATUS |`, wherever in the row the status stands.
fn row(text: &str) -> Option<(&str, &str, &str)> {
    let cells: Vec<&str> =
        text.strip_prefix('|')?.split('|').map(|cell| cell.trim().trim_matches(['*', '`', '_'])).collect();
    let name = *cells.first()?;
    let (at, status) =
        cells.iter().enumerate().skip(1).find_map(|(at, cell)| Some((at, status_of(cell)?)))?;
    let own = Some(cells[at]).filter(|cell| *cell != status);
    let others = cells.iter().enumerate().skip(1).filter(|(other, _)| *other != at).map(|(_, cell)| *cell);
    let words = own.or_else(|| others.max_by_key(|cell| cell.len()));
    let name = leading_id(name).unwrap_or(name);
    Some((name, status, words.unwrap_or_default()))
}

/// Reads a cell that is a status, or begins with one: "pass", "❌ rounding is off", "met (see tests)".
fn status_of(cell: &str) -> Option<&str> {
    let is_status = |text: &str| text.split_whitespace().count() <= 2 && reading(text).is_some();
    if is_status(cell) {
        return Some(cell);
    }
    let first = cell.split_whitespace().next()?;
    let is_mark = !first.contains(|letter: char| letter.is_alphanumeric());
    let (front, rest) = cell.split_at(cell.find([' ', ',', ':', '(', '—', '–'])?);
    let is_set_off = is_mark || rest.trim_start().starts_with([',', ':', '(', '—', '–', '-']);
    Some(front).filter(|front| is_set_off && is_status(front))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tick_criteria_and_checkpoints() {
        assert_eq!(tick("- [x] AC-1: totals are rounded"), Some(("AC-1", "met", "totals are rounded")));
        assert_eq!(tick("✅ **tests_passing**: 4 pass"), Some(("tests_passing", "met", "4 pass")));
        assert_eq!(tick("- [ ] AC-2"), Some(("AC-2", "not met", "")));
        assert_eq!(row("| AC-1 | rounded totals | pass |"), Some(("AC-1", "pass", "rounded totals")));
        assert_eq!(row("| AC-3: no tax | ❌ |"), Some(("AC-3", "❌", "")));
        assert_eq!(row("| file | change |"), None);
        assert_eq!(item("- AC-1: met. It rounds."), Some(("AC-1", "met", "met. It rounds.")));
        assert_eq!(item("- AC-1: a total is rounded"), None);
    }

    #[test]
    fn a_status_is_found_in_the_words_of_a_marker() {
        assert_eq!(word_of_status("AC-1: met", "AC-1"), Some("met"));
        assert_eq!(word_of_status("test_gift passes (pass)", "AC-1"), Some("pass"));
        assert_eq!(word_of_status("the gift is free", "AC-1"), None);
    }
}
