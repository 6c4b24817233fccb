//! The rules: one file each, with its code, its weight, and one function.

mod agent;
pub mod audit;
mod choice;
mod cycle;
mod expected;
pub mod instant;
mod invisible;
mod nearest;
mod place;
mod receiver;
mod rewrite;
mod scalars;
pub(crate) mod show;
mod stage_document;
mod standing;
mod task_graph;
mod twice;
mod whole_number;
mod wording;

use std::fmt;

use crate::diagnostic::Severity;
use crate::document::Document;
use crate::handoff::Handoff;
use crate::key::{Form, Key};
use crate::project::Project;
use crate::record::{Record, Text};
use crate::report::Report;

pub use wording::unmeasurable;

macro_rules! rules {
    ($($module:ident)*) => {
        $(pub(crate) mod $module;)*

        /// The rules that look at one document, by their codes.
        const OF_DOCUMENTS: &[&Rule] = &[$(&$module::RULE,)*];
    };
}

rules! {
    bt001_not_a_handoff
    bt003_too_large
    bt004_not_text
    bt005_limit
    bt006_yaml_syntax
    bt007_repaired
    bt008_anchor
    bt009_tag
    bt010_duplicate_key
    bt011_json_syntax
    bt012_concatenated
    bt013_unclosed_fence
    bt014_unclosed_frontmatter
    bt015_bare_section
    bt016_comment_swallowed
    bt017_folded_sentence
    bt018_invisible_characters
    bt101_missing_field
    bt102_wrong_type
    bt103_unknown_value
    bt104_synonym
    bt105_other_word
    bt106_unknown_key
    bt107_bad_id
    bt108_bad_time
    bt109_agent_without_at
    bt110_bad_path
    bt111_bad_lines
    bt112_bad_tag
    bt113_empty_value
    bt114_count_for_list
    bt115_not_a_number_or_flag
    bt116_out_of_range
    bt117_loose_shape
    bt201_checkpoint_missing
    bt202_ready_without_proof
    bt203_not_ready_though_passed
    bt204_complete_without_time
    bt205_complete_not_ready
    bt206_blocked_without_reason
    bt207_ends_before_it_began
    bt208_time_before_completion
    bt210_failure_not_told
    bt211_reason_without_block
    bt212_unknown_checkpoint
    bt213_retries_exhausted
    bt214_duplicate_checkpoint
    bt301_nobody_next
    bt302_loose_failure_policy
    bt303_route_loop
    bt305_bad_dependency
    bt306_complete_with_failures
    bt307_retry_without_count
    bt308_route_ping_pong
    bt309_dependency_cycle
    bt401_blockers_missing
    bt402_no_resolution
    bt403_no_blocked_tasks
    bt404_no_next_steps
    bt405_no_files
    bt406_id_missing
    bt407_file_twice
    bt501_unknown_schema_version
    bt502_unknown_artifact_type
    bt504_verdict_without_evidence
    bt505_criterion_judged_twice
    bt506_accept_against_verdict
    bt507_rollback_without_way
    bt508_broken_marker
    bt509_pass_beside_failure
    bt510_claim_without_evidence
    bt511_no_options
    bt601_implicit_context
    bt602_unlisted_artifact
    bt603_vague_question
    bt604_unmeasurable_criterion
    bt605_no_expectations
    bt606_incomplete_gate
    bt607_partial_without_blockers
    bt608_nothing_asked
    bt609_vague_constraint
    bt610_workflow_state_torn
    bt701_placeholder
    bt702_says_nothing
    bt703_status_against_verdict
    bt704_complete_with_blockers
    bt705_pass_without_run
    bt706_complete_with_failed_checkpoint
    bt707_secret
    bt708_failed_without_blockers
    bt711_counts_do_not_add_up
    bt712_verdict_missing
    bt801_config
    bt901_unreadable
    bt902_nothing_found
}

/// All rules, by their codes.
pub const ALL: &[&Rule] = &all();

const fn all() -> [&'static Rule; OF_DOCUMENTS.len() + audit::ALL.len()] {
    let mut all = [OF_DOCUMENTS[0]; OF_DOCUMENTS.len() + audit::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at.checked_sub(OF_DOCUMENTS.len()) {
            None => OF_DOCUMENTS[at],
            Some(of_audit) => audit::ALL[of_audit],
        };
        at += 1;
    }
    all
}

/// The code of a document that is no handoff.
pub const NOT_A_HANDOFF: Code = bt001_not_a_handoff::CODE;
/// The code of a line of YAML that was repaired.
pub const REPAIRED: Code = bt007_repaired::CODE;
/// The code of a frontmatter that is never closed.
pub const UNCLOSED_FRONTMATTER: Code = bt014_unclosed_frontmatter::CODE;
/// The code of a stage that ended before it began.
pub const ENDS_BEFORE_IT_BEGAN: Code = bt207_ends_before_it_began::CODE;
/// The code of an artifact whose schema this build does not know.
pub const UNKNOWN_SCHEMA: Code = bt501_unknown_schema_version::CODE;
/// The code of a configuration with a mistake.
pub const CONFIG: Code = bt801_config::CODE;
/// The code of a file that cannot be read or written.
pub const UNREADABLE: Code = bt901_unreadable::CODE;
/// The code of a run in which nothing was judged.
pub const NOTHING_FOUND: Code = bt902_nothing_found::CODE;

/// The stable number of a rule, shown as `BT042`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "BT{:03}", self.0)
    }
}

impl Code {
    /// Returns the rule behind the code. Codes are made only by rules, so there always is one.
    pub fn rule(self) -> &'static Rule {
        let found = ALL.binary_search_by_key(&self, |rule| rule.code).ok().and_then(|at| ALL.get(at));
        found.copied().unwrap_or(&bt001_not_a_handoff::RULE)
    }

    /// Says whether the rule is about reading itself: limits, syntax, what YAML and JSON leave ambiguous.
    pub fn is_of_reading(self) -> bool {
        self > bt001_not_a_handoff::CODE && self < bt013_unclosed_fence::CODE
    }

    /// Says whether the rule is about data that was meant as a handoff and could not be parsed.
    pub fn is_unreadable(self) -> bool {
        [bt005_limit::CODE, bt006_yaml_syntax::CODE, bt011_json_syntax::CODE].contains(&self)
    }

    /// Says whether the rule is about a file that was not looked into: too large, or not text.
    pub fn is_foreign(self) -> bool {
        [bt003_too_large::CODE, bt004_not_text::CODE].contains(&self)
    }

    /// Finds a code by its text, such as `BT042` or `bt42`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("BT").or_else(|| text.strip_prefix("bt"))?;
        let code = Self(digits.parse().ok()?);
        ALL.iter().any(|rule| rule.code == code).then_some(code)
    }
}

/// What a rule measures a document against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The letter of the dialect: other words for the same thing break it.
    Written,
    /// The meaning: it is broken whatever the words.
    Normalised,
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    pub code: Code,
    /// As in `checkpoint-missing`, for configuration and SARIF.
    pub name: &'static str,
    pub severity: Severity,
    pub level: Level,
    /// The page that `baton explain` shows.
    pub page: &'static str,
    pub(crate) check: Check,
}

pub(crate) type CheckScalar = fn(&Scalar<'_, '_>, &mut Report);
pub(crate) type CheckRecord = fn(&Subject<'_, '_>, &Record<'_>, &'static [Key], &mut Report);
pub(crate) type CheckHandoff = fn(&Subject<'_, '_>, &mut Report);
pub(crate) type CheckDocument = fn(&[Handoff<'_>], &mut Report);
pub(crate) type CheckSource = fn(&Document<'_>, &mut Report);

/// What a rule looks at.
#[derive(Debug)]
pub(crate) enum Check {
    /// Found while reading, by the reader itself.
    Reading,
    /// Found by an audit, which sees the repository and the other handoffs.
    Audit,
    /// Each scalar that stands under a key of the dialect.
    Scalar(CheckScalar),
    /// Each record: the handoff itself and every item in it.
    Record(CheckRecord),
    /// The handoff as a whole.
    Handoff(CheckHandoff),
    /// All handoffs of a document together.
    Document(CheckDocument),
    /// The document with its source, once.
    Source(CheckSource),
}

/// A handoff under judgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a, 's> {
    pub(crate) handoff: &'a Handoff<'s>,
    pub(crate) source: &'a str,
    pub(crate) project: &'a Project,
}

/// A scalar under judgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'a, 's> {
    pub(crate) subject: Subject<'a, 's>,
    pub(crate) key: &'static Key,
    /// The form of this very scalar: that of an item where the key holds a list.
    pub(crate) form: Form,
    pub(crate) text: &'a Text<'s>,
}
