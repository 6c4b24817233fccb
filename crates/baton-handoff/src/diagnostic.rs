//! What is wrong with a document, where, and what to do about it.

use crate::rule::Code;
use crate::span::Span;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; never changes the exit code.
    Note,
    /// Probably a mistake; changes the exit code only when asked to.
    Warning,
    /// The document breaks a rule.
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place in the source with the words that belong beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One replacement of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub replacement: String,
}

/// A change that settles the finding and is safe to apply without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Completes the sentence "help: …".
    pub title: String,
    pub edits: Vec<Edit>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    pub primary: Label,
    /// Other places that matter, such as the first of two duplicate keys.
    pub others: Vec<Label>,
    /// What was expected, or what to do next.
    pub help: Option<String>,
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.rule().severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            others: Vec::new(),
            help: None,
            fix: None,
        }
    }

    /// Adds the words shown under the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    #[must_use]
    pub fn other(mut self, span: Span, text: impl Into<String>) -> Self {
        self.others.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix { title: title.into(), edits });
        self
    }

    /// Weighs this finding less than its rule: as a warning.
    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = self.severity.min(Severity::Warning);
        self
    }

    /// Adds a fix that replaces the primary place.
    #[must_use]
    pub fn replace(self, title: impl Into<String>, replacement: impl Into<String>) -> Self {
        let span = self.primary.span;
        self.fix(title, vec![Edit { span, replacement: replacement.into() }])
    }
}
