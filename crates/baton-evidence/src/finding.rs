//! What the judgement of a claim gives: the claim, its place, the verdict, and the fact that decided.

use std::fmt;

use baton_handoff::diagnostic::Severity;
use baton_handoff::rule::{Code, Rule};
use baton_handoff::secret;
use baton_handoff::span::Span;

/// A place in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub span: Span,
    pub line: u32,
    pub column: u32,
}

/// Words of a document with their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    pub place: Place,
}

impl Said {
    pub fn new(text: impl Into<String>, place: Place) -> Self {
        Self { text: text.into(), place }
    }
}

/// Where the fact that decided comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Baton ran or measured it.
    Observed,
    /// It follows from git, a JUnit file, a stored log or another time.
    Derived,
    /// Somebody said it.
    Asserted,
    /// An earlier handoff of the chain said it.
    Inherited,
}

impl Provenance {
    pub fn name(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Derived => "derived",
            Self::Asserted => "asserted",
            Self::Inherited => "inherited",
        }
    }
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    NotCheckable,
    Holds,
    /// The evidence that should be there is missing.
    Unsupported,
    /// The evidence says otherwise.
    Contradicted,
}

impl Verdict {
    /// All of them, the worst first.
    pub const ALL: [Self; 4] = [Self::Contradicted, Self::Unsupported, Self::Holds, Self::NotCheckable];

    pub fn name(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Unsupported => "unsupported",
            Self::Holds => "holds",
            Self::NotCheckable => "not checkable",
        }
    }

    pub fn is_finding(self) -> bool {
        self >= Self::Unsupported
    }

    /// Returns the verdict that a finding of this weight stands for.
    pub fn of_severity(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Contradicted,
            Severity::Warning | Severity::Note => Self::Unsupported,
        }
    }
}

/// The other side of a row: where the evidence is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// A file, a commit, or another handoff.
    pub source: String,
    /// The line in a file, counted from 1.
    pub line: Option<u32>,
    /// What is said there.
    pub text: String,
}

impl Against {
    pub fn file(path: impl Into<String>, line: Option<u32>, text: impl AsRef<str>) -> Self {
        // Some tools draw a line through the whole terminal around what they say.
        let text = text.as_ref().trim().trim_matches('=');
        Self { source: path.into(), line, text: shortened(text) }
    }

    pub fn commit(id: impl fmt::Display, text: impl Into<String>) -> Self {
        Self { source: format!("commit {id}"), line: None, text: text.into() }
    }
}

/// One claim and what came of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What sort of claim, as in `file-created`.
    pub kind: &'static str,
    /// The claim in words.
    pub claim: String,
    pub place: Place,
    pub provenance: Provenance,
    pub verdict: Verdict,
    /// The rule behind a finding.
    pub rule: Option<&'static Rule>,
    /// The reason in one sentence without a full stop.
    pub reason: String,
    pub against: Option<Against>,
    /// What makes the claim true, as one imperative sentence.
    pub fix: Option<String>,
}

impl Finding {
    fn new(kind: &'static str, claim: &str, place: Place, verdict: Verdict, reason: String) -> Self {
        let (claim, provenance) = (shortened(claim), Provenance::Derived);
        Self { kind, claim, place, provenance, verdict, rule: None, reason, against: None, fix: None }
    }

    pub fn holds(kind: &'static str, said: &Said, reason: impl Into<String>) -> Self {
        Self::new(kind, &said.text, said.place, Verdict::Holds, reason.into())
    }

    /// Says which fact is missing to judge a claim, with the rule that would have judged it.
    pub fn not_checkable(
        rule: impl Into<Option<&'static Rule>>,
        kind: &'static str,
        said: &Said,
        reason: impl Into<String>,
    ) -> Self {
        let finding = Self::new(kind, &said.text, said.place, Verdict::NotCheckable, reason.into());
        Self { rule: rule.into(), ..finding }.from(Provenance::Asserted)
    }

    /// A finding, weighed as its rule is.
    pub fn of_rule(rule: &'static Rule, kind: &'static str, said: &Said, reason: impl Into<String>) -> Self {
        let verdict = Verdict::of_severity(rule.severity);
        Self { rule: Some(rule), ..Self::new(kind, &said.text, said.place, verdict, reason.into()) }
    }

    #[must_use]
    pub fn from(mut self, provenance: Provenance) -> Self {
        self.provenance = provenance;
        self
    }

    #[must_use]
    pub fn against(mut self, against: Against) -> Self {
        self.against = Some(against);
        self
    }

    /// Raises a finding above the weight of its rule: here the evidence leaves no doubt.
    #[must_use]
    pub fn contradicted(mut self) -> Self {
        self.verdict = Verdict::Contradicted;
        self
    }

    /// Lowers a finding below the weight of its rule: the evidence is missing, it doesn't say otherwise.
    #[must_use]
    pub fn unsupported(mut self) -> Self {
        self.verdict = self.verdict.min(Verdict::Unsupported);
        self
    }

    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub fn code(&self) -> Option<Code> {
        self.rule.map(|rule| rule.code)
    }
}

/// Most characters of a quotation.
const QUOTED_CHARS_MAX: usize = 120;

/// Returns a text on one line, without secrets, cut where it is long.
pub fn shortened(text: &str) -> String {
    let masked = secret::mask(text);
    let mut out = String::new();
    for (count, character) in masked.split_whitespace().collect::<Vec<_>>().join(" ").chars().enumerate() {
        if count == QUOTED_CHARS_MAX {
            out.push('…');
            break;
        }
        out.push(character);
    }
    out
}
