//! Chooses what goes into a packet: what must be there, then the best of the rest while there is room.

use std::collections::{BTreeMap, BTreeSet};

use super::CUT_SHOWN_MAX;
use super::clean::{self, clean};
use super::fragment::{Byline, Fate, Fragment, HIGH, Kind};
use super::gather::Candidate;
use super::order::Order;
use super::rank::FLOOR;
use super::render;
use crate::knowledge::{ItemKind, Severity, Source, wording};
use crate::token;
use crate::word::LessonId;
use crate::workflow::Role;

/// The marks around the data can have so many tokens more than those with which the room was measured.
const MARK_TOKENS_MAX: usize = 16;
/// Most candidates whose meaning is compared with what is said already.
const MEANINGS_MAX: usize = 500;
/// How many of one kind are told only because they still hold.
const HELD_MAX: usize = 12;
/// No kind uses more than this part of the room, so that none can push the others out.
const KIND_SHARE: usize = 2;

/// Returns how many tokens a role gets when nobody says otherwise.
pub fn default_tokens(role: Role) -> usize {
    match role {
        Role::Builder | Role::Repair | Role::Specialist => 1_500,
        Role::Verifier => 1_000,
    }
}

/// What was chosen and what was not.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) kept: Vec<Fragment>,
    pub(super) cut: Vec<Fragment>,
    pub(super) left_out: BTreeMap<Kind, usize>,
    pub(super) over_budget: bool,
}

/// Chooses for a turn. The candidates come ranked, those first that must be there.
pub(super) fn choose(candidates: Vec<Candidate<'_>>, order: &Order) -> Chosen {
    let byline = Byline::of(order);
    let (reserved, rest): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.kind.is_reserved());
    let mut kept: Vec<Fragment> =
        reserved.iter().map(|candidate| fragment(candidate, Fate::Reserved, &byline)).collect();
    let mut left_out: BTreeMap<Kind, usize> = BTreeMap::new();
    for candidate in &rest {
        *left_out.entry(candidate.kind).or_default() += 1;
    }
    // With everything left out, the line that says so is at its longest.
    let stripped = kept.iter().map(|kept| kept.stripped).sum();
    let frame = render::text(order, &kept, &left_out, stripped);
    // The diff has a bound of its own.
    let diff = order.observed.diff.as_ref().map_or(0, |diff| token::count(&diff.text));
    let needed = token::count(&frame).saturating_sub(diff);
    let over_budget = needed > order.budget_tokens;
    let room = order.budget_tokens.saturating_sub(needed).saturating_sub(MARK_TOKENS_MAX);
    let mut choice = Choice {
        byline: &byline,
        share: room / KIND_SHARE,
        used: BTreeMap::new(),
        room,
        compared: 0,
        counts: BTreeMap::new(),
        kept: Vec::new(),
        cut: Vec::new(),
    };
    for candidate in &rest {
        if choice.consider(candidate) {
            left_out.entry(candidate.kind).and_modify(|count| *count -= 1);
        }
    }
    left_out.retain(|_, count| *count > 0);
    kept.append(&mut choice.kept);
    kept.sort_by_key(|fragment| fragment.kind);
    name_files_once(&mut kept, &byline);
    Chosen { kept, cut: choice.cut, left_out, over_budget }
}

/// Chooses all there is of one kind, as far as the budget goes.
pub(super) fn choose_all(candidates: &[Candidate<'_>], kind: Kind, order: &Order) -> Chosen {
    let byline = Byline::of(order);
    let mut left_out = BTreeMap::new();
    let (mut kept, mut cut) = (Vec::new(), Vec::new());
    let mut tokens = token::count(&render::text(order, &[], &BTreeMap::new(), 0));
    for candidate in candidates.iter().filter(|candidate| candidate.kind == kind) {
        let fragment = fragment(candidate, Fate::Kept, &byline);
        tokens = tokens.saturating_add(fragment.tokens);
        if tokens <= order.budget_tokens {
            kept.push(fragment);
        } else {
            *left_out.entry(kind).or_default() += 1;
            if cut.len() < CUT_SHOWN_MAX {
                cut.push(Fragment { fate: Fate::Unaffordable, ..fragment });
            }
        }
    }
    Chosen { kept, cut, left_out, over_budget: false }
}

/// A choice that is being made.
struct Choice<'o> {
    byline: &'o Byline<'o>,
    /// What one kind may use.
    share: usize,
    used: BTreeMap<Kind, usize>,
    room: usize,
    /// How many candidates were held against what is said already.
    compared: usize,
    /// Of each kind, what only holds apart from the rest.
    counts: BTreeMap<(Kind, bool), usize>,
    kept: Vec<Fragment>,
    cut: Vec<Fragment>,
}

impl Choice<'_> {
    /// Takes a candidate in, or says why not. Returns whether the packet now says it.
    fn consider(&mut self, candidate: &Candidate<'_>) -> bool {
        let only_holds = candidate.brief && candidate.kind != Kind::File;
        let sort = (candidate.kind, only_holds);
        let count = self.counts.get(&sort).copied().unwrap_or(0);
        if candidate.kind == Kind::File && candidate.path.is_none_or(leads_out) {
            return self.leave_out(candidate, Fate::Outside);
        }
        if candidate.score.total() < FLOOR {
            return self.leave_out(candidate, Fate::Weak);
        }
        // The first of thousands are the best; whether one of the others is said already no longer matters.
        self.compared += 1;
        let id = if self.compared <= MEANINGS_MAX { meaning(candidate) } else { None };
        if id.is_some() && self.is_said(candidate, id.as_ref()) {
            return true;
        }
        if count >= if only_holds { HELD_MAX } else { candidate.kind.count_max() } {
            return self.leave_out(candidate, Fate::Crowded);
        }
        let mut fragment = fragment(candidate, Fate::Kept, self.byline);
        fragment.id = id;
        let label = if count == 0 { token::count(&render::label(candidate.kind)) } else { 0 };
        let tokens = fragment.tokens + label;
        let Some(room) = self.room.checked_sub(tokens) else {
            return self.leave_out(candidate, Fate::Unaffordable);
        };
        let used = self.used.get(&candidate.kind).copied().unwrap_or(0) + tokens;
        if used > self.share {
            return self.leave_out(candidate, Fate::Crowded);
        }
        self.room = room;
        self.used.insert(candidate.kind, used);
        self.counts.insert(sort, count + 1);
        self.kept.push(fragment);
        true
    }

    /// Says whether the packet holds another text of the same meaning. Its source is named there if there is room.
    fn is_said(&mut self, candidate: &Candidate<'_>, id: Option<&LessonId>) -> bool {
        let means_it = |kept: &&mut Fragment| kept.kind == candidate.kind && kept.id.as_ref() == id;
        let Some(same) = self.kept.iter_mut().find(means_it) else { return false };
        let mut fuller = same.clone();
        let known: BTreeSet<u64> = same.sources.iter().map(|source| source.sequence).collect();
        let new = candidate.sources.iter().filter(|source| !known.contains(&source.sequence));
        fuller.sources.extend(new.map(|source| (*source).clone()));
        fuller.sources.sort_by_key(|source| std::cmp::Reverse(source.sequence));
        fuller.tokens = token::count(&fuller.line(self.byline));
        if let Some(room) = (self.room + same.tokens).checked_sub(fuller.tokens) {
            (self.room, *same) = (room, fuller);
        }
        true
    }

    fn leave_out(&mut self, candidate: &Candidate<'_>, fate: Fate) -> bool {
        if self.cut.len() < CUT_SHOWN_MAX {
            self.cut.push(fragment(candidate, fate, self.byline));
        }
        false
    }
}

/// Returns the id that all texts of one meaning share.
fn meaning(candidate: &Candidate<'_>) -> Option<LessonId> {
    let kind = match candidate.kind {
        Kind::Pattern => ItemKind::Pattern,
        Kind::Warning => ItemKind::Gotcha,
        Kind::Decision => ItemKind::Decision,
        Kind::Question => ItemKind::Question,
        Kind::Blocker => ItemKind::Blocker,
        Kind::NextStep => ItemKind::NextStep,
        Kind::File => {
            return candidate.path.map(|path| wording::id(ItemKind::FileToRead.name(), path));
        }
        Kind::Guidance
        | Kind::Criterion
        | Kind::Title
        | Kind::Drift
        | Kind::Attempt
        | Kind::Answer
        | Kind::Clarification
        | Kind::Check
        | Kind::Change
        | Kind::Finding
        | Kind::Reference => return None,
    };
    let made = || wording::id(kind.name(), &wording::canonical(&candidate.text));
    Some(candidate.lesson.cloned().unwrap_or_else(made))
}

/// Makes the line of a candidate.
fn fragment(candidate: &Candidate<'_>, fate: Fate, byline: &Byline<'_>) -> Fragment {
    let chars_max =
        if candidate.kind.is_reserved() { clean::RESERVED_CHARS_MAX } else { clean::TEXT_CHARS_MAX };
    let text = clean(&candidate.text, chars_max);
    let detail = candidate.detail.map(|detail| clean(detail, clean::DETAIL_CHARS_MAX)).unwrap_or_default();
    let path = candidate.path.map(|path| clean(path, clean::DETAIL_CHARS_MAX)).unwrap_or_default();
    let lines = candidate.lines.map(|lines| clean(lines, clean::DETAIL_CHARS_MAX)).unwrap_or_default();
    let stripped = text.stripped + detail.stripped + path.stripped + lines.stripped;
    let (line, place) = match candidate.kind {
        Kind::File => (file_line(&path.text, &lines.text, &text.text), None),
        kind => (plain_line(kind, candidate, &text.text, &detail.text), Some(path.text)),
    };
    let place = place.filter(|place| !place.is_empty() && !line.contains(file_name(place)));
    let mut sources: Vec<Source> = candidate.sources.iter().map(|source| (*source).clone()).collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.sequence));
    let id = candidate.lesson.cloned();
    let score = candidate.score;
    let standing = candidate.standing;
    let mut made = Fragment {
        kind: candidate.kind,
        text: line,
        place,
        sources,
        id,
        standing,
        score,
        tokens: 0,
        fate,
        stripped,
        brief: candidate.brief,
    };
    made.tokens = token::count(&made.line(byline));
    made
}

fn file_line(path: &str, lines: &str, why: &str) -> String {
    let lines = match lines {
        "" | "all" => String::new(),
        lines => format!(":{lines}"),
    };
    if why.is_empty() { format!("{path}{lines}") } else { format!("{path}{lines}: {why}") }
}

fn plain_line(kind: Kind, candidate: &Candidate<'_>, text: &str, detail: &str) -> String {
    let urgent = kind == Kind::Warning && candidate.severity == Some(Severity::High);
    let before = match kind {
        Kind::Question if candidate.blocking => "BLOCKING: ",
        _ if urgent => HIGH,
        _ => "",
    };
    match detail {
        "" => format!("{before}{text}"),
        detail => format!("{before}{text} → {detail}"),
    }
}

/// A path that is listed among the files stands there whole; everywhere else its name is enough.
fn name_files_once(kept: &mut [Fragment], byline: &Byline<'_>) {
    let listed: Vec<String> = kept
        .iter()
        .filter(|fragment| fragment.kind == Kind::File)
        .map(|fragment| fragment.text.split(": ").next().unwrap_or_default().to_owned())
        .collect();
    let mut seen = BTreeSet::new();
    let doubtful: BTreeSet<String> = listed
        .iter()
        .map(|path| file_name(path).to_owned())
        .filter(|name| !seen.insert(name.clone()))
        .collect();
    for fragment in kept {
        let Some(place) = &fragment.place else { continue };
        let name = file_name(place);
        let is_listed = listed.iter().any(|path| path == place || path.starts_with(&format!("{place}:")));
        if is_listed && !doubtful.contains(name) {
            fragment.place = Some(name.to_owned());
            fragment.tokens = token::count(&fragment.line(byline));
        }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Says whether a path is none inside the project.
fn leads_out(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.is_empty()
        || path.starts_with(['/', '~', '\\'])
        || drive
        || path.contains("://")
        || path.split(['/', '\\']).any(|part| part == "..")
}
