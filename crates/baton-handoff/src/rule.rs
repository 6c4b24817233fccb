//! The rules: one file each, with its code, its weight, and one function.

use std::fmt;

use crate::diagnostic::Severity;
use crate::handoff::Handoff;
use crate::key::{Form, Key};
use crate::project::Project;
use crate::record::{Record, Text};
use crate::report::Report;

macro_rules! rules {
    ($($module:ident)*) => {
        $(pub(crate) mod $module;)*

        /// All rules, by their codes.
        pub const ALL: &[&Rule] = &[$(&$module::RULE,)*];
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
    bt017_folded_sentence
    bt102_wrong_type
    bt105_other_word
    bt106_unknown_key
    bt114_count_for_list
    bt117_loose_shape
    bt801_config
    bt901_unreadable
    bt902_nothing_found
}

/// The code of a document that is no handoff.
pub const NOT_A_HANDOFF: Code = bt001_not_a_handoff::CODE;
/// The code of a line of YAML that was repaired.
pub const REPAIRED: Code = bt007_repaired::CODE;
/// The code of a frontmatter that is never closed.
pub const UNCLOSED_FRONTMATTER: Code = bt014_unclosed_frontmatter::CODE;
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

/// What a rule looks at.
#[derive(Debug)]
pub(crate) enum Check {
    /// Found while reading, by the reader itself.
    Reading,
    /// Each scalar that stands under a key of the dialect.
    Scalar(fn(&Scalar<'_, '_>, &mut Report)),
    /// Each record: the handoff itself and every item in it.
    Record(fn(&Subject<'_, '_>, &Record<'_>, &'static [Key], &mut Report)),
    /// The handoff as a whole.
    Handoff(fn(&Subject<'_, '_>, &mut Report)),
    /// All handoffs of a document together.
    Document(fn(&[Handoff<'_>], &mut Report)),
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
