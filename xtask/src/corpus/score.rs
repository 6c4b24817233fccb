//! The figures, and whether the goals are met.

use std::collections::BTreeSet;
use std::fmt;

use baton_handoff::outcome::Outcome;
use serde_json::Value;

use super::facts::Found;
use super::manifest::Entry;

/// Share of words two texts must have in common to be the same fact.
const SAME_FACT_PERCENT: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    hits: usize,
    misses: usize,
    extras: usize,
}

impl Counts {
    fn f1(&self) -> f64 {
        let all = 2 * self.hits + self.misses + self.extras;
        if all == 0 { 1.0 } else { 2.0 * self.hits as f64 / all as f64 }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) documents: usize,
    pub(crate) crashes: Vec<String>,
    pub(crate) hangs: Vec<String>,
    handoffs: usize,
    unrecognised: Vec<String>,
    near_misses: usize,
    near_misses_taken: Vec<String>,
    broken: usize,
    not_repaired: Vec<String>,
    altered: Vec<String>,
    outcomes: usize,
    wrong_outcomes: Vec<String>,
    false_completed: Vec<String>,
    structured: Counts,
    freeform: Counts,
    lost_keys: Vec<String>,
}

impl Score {
    pub(crate) fn add(&mut self, entry: &Entry, found: &Found) {
        match entry.is_handoff {
            false => {
                self.near_misses += 1;
                if found.is_handoff {
                    self.near_misses_taken.push(entry.id.clone());
                }
                return;
            }
            true => self.handoffs += 1,
        }
        if !found.is_handoff {
            self.unrecognised.push(entry.id.clone());
        }
        if entry.is_broken_yaml {
            self.broken += 1;
            if !found.repaired {
                self.not_repaired.push(entry.id.clone());
            }
            self.altered.extend(found.altered.iter().map(|value| format!("{}: {value}", entry.id)));
        }
        self.lost_keys.extend(found.lost_keys.iter().map(|key| format!("{}: {key}", entry.id)));
        self.outcome(entry, found);
        let counts = if entry.is_structured() { &mut self.structured } else { &mut self.freeform };
        for (key, items) in
            [("next_steps", &found.next_steps), ("blockers", &found.blockers), ("gotchas", &found.gotchas)]
        {
            compare(counts, entry.expected.get(key), items);
        }
    }

    fn outcome(&mut self, entry: &Entry, found: &Found) {
        let Some(expected) = entry.expected.get("outcome").and_then(Value::as_str) else { return };
        self.outcomes += 1;
        let seen = found.outcome.unwrap_or(Outcome::Unknown);
        // "failed (changes requested)" and "unknown/in_progress" name the accepted words first.
        let head = expected.split([' ', '(']).next().unwrap_or_default();
        if head.split('/').all(|word| word != seen.name()) {
            self.wrong_outcomes.push(format!("{} {head}→{}", entry.id, seen.name()));
        }
        if seen == Outcome::Completed && !head.contains("completed") {
            self.false_completed.push(entry.id.clone());
        }
    }

    pub(crate) fn keeps_floors(&self) -> bool {
        self.crashes.is_empty()
            && self.hangs.is_empty()
            && self.near_misses_taken.is_empty()
            && self.altered.is_empty()
            && self.false_completed.is_empty()
            && self.lost_keys.is_empty()
            && self.unrecognised.len() * 100 <= self.handoffs * 5
    }

    pub(crate) fn is_met(&self) -> bool {
        self.keeps_floors()
            && self.unrecognised.len() * 100 <= self.handoffs * 2
            && self.not_repaired.len() * 100 <= self.broken * 15
            && self.wrong_outcomes.len() * 100 <= self.outcomes * 10
            && self.structured.f1() >= 0.8
            && self.freeform.f1() >= 0.6
    }
}

fn compare(counts: &mut Counts, expected: Option<&Value>, found: &[String]) {
    match expected {
        Some(Value::Array(items)) => {
            let texts: Vec<String> = items.iter().map(fact_text).collect();
            let mut free: Vec<&String> = found.iter().collect();
            for text in &texts {
                match free.iter().position(|candidate| is_same_fact(text, candidate)) {
                    Some(at) => {
                        free.remove(at);
                        counts.hits += 1;
                    }
                    None => counts.misses += 1,
                }
            }
            counts.extras += free.len();
        }
        Some(Value::Number(number)) => {
            let wanted = number.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
            counts.hits += wanted.min(found.len());
            counts.misses += wanted.saturating_sub(found.len());
            counts.extras += found.len().saturating_sub(wanted);
        }
        _ => {}
    }
}

fn fact_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) => map.values().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Labels are written by people in their own words: most of the shorter text's words must be in the longer one.
fn is_same_fact(expected: &str, found: &str) -> bool {
    let (a, b) = (words(expected), words(found));
    let common = a.intersection(&b).count();
    common > 0 && common * 100 >= a.len().min(b.len()) * SAME_FACT_PERCENT
}

/// Splits into words; text without blanks, as in Chinese and Japanese, into pairs of characters.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut set = BTreeSet::new();
    for word in lower.split(|mark: char| !mark.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.is_ascii() {
            set.insert(word.to_owned());
        } else {
            let letters: Vec<char> = word.chars().collect();
            set.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
        }
    }
    set
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent =
            |good: usize, all: usize| if all == 0 { 100.0 } else { good as f64 * 100.0 / all as f64 };
        writeln!(out, "documents                        {}", self.documents)?;
        writeln!(out, "crashes                          {} {:?}", self.crashes.len(), self.crashes)?;
        writeln!(out, "hangs                            {} {:?}", self.hangs.len(), self.hangs)?;
        let taken = self.near_misses_taken.len();
        writeln!(
            out,
            "near misses taken                {taken} of {} {:?}",
            self.near_misses, self.near_misses_taken
        )?;
        let seen = self.handoffs - self.unrecognised.len();
        let share = percent(seen, self.handoffs);
        writeln!(
            out,
            "handoffs recognised              {seen} of {} ({share:.1} %) missed {:?}",
            self.handoffs, self.unrecognised
        )?;
        let repaired = self.broken - self.not_repaired.len();
        let share = percent(repaired, self.broken);
        writeln!(
            out,
            "broken YAML repaired             {repaired} of {} ({share:.1} %) left {:?}",
            self.broken, self.not_repaired
        )?;
        writeln!(out, "values changed by a repair       {} {:?}", self.altered.len(), self.altered)?;
        let right = self.outcomes - self.wrong_outcomes.len();
        let share = percent(right, self.outcomes);
        writeln!(
            out,
            "outcomes right                   {right} of {} ({share:.1} %) wrong {:?}",
            self.outcomes, self.wrong_outcomes
        )?;
        writeln!(
            out,
            "false «completed»                {} {:?}",
            self.false_completed.len(),
            self.false_completed
        )?;
        writeln!(out, "F1 of facts, structured          {:.3} {:?}", self.structured.f1(), self.structured)?;
        writeln!(out, "F1 of facts, freeform            {:.3} {:?}", self.freeform.f1(), self.freeform)?;
        write!(out, "documents losing keys on writing {} {:?}", self.lost_keys.len(), self.lost_keys)
    }
}
