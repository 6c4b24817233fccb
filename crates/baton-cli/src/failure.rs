//! Why a command could not do its work: a code, a sentence, the place, the next step.

use std::io;
use std::path::Path;

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::rule::{self, Code};
use baton_handoff::span::{LineIndex, Span};
use baton_runner::config::ConfigError;

use crate::exit;
use crate::output;
use crate::snippet;

/// A failure, ready to be shown.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: exit::Code,
    shown: String,
}

impl Failure {
    /// A file or stream that could not be read or written.
    pub(crate) fn io(path: &Path, what: &str, error: &io::Error) -> Self {
        let path = output::printable(&path.display().to_string());
        Self::plain(exit::Code::Io, rule::UNREADABLE, &format!("{path} cannot be {what}: {error}"), None)
    }

    /// Something the command line got wrong that clap cannot know.
    pub(crate) fn usage(message: &str, hint: &str) -> Self {
        let shown = format!("error: {message}\n\nhint: {hint}\n");
        Self { exit: exit::Code::Usage, shown }
    }

    pub(crate) fn no_handoff(message: &str, hint: &str) -> Self {
        Self::plain(exit::Code::NoHandoff, rule::NOTHING_FOUND, message, Some(hint))
    }

    pub(crate) fn config(error: ConfigError) -> Self {
        let path = error.path.display().to_string();
        let Some((source, range)) = error.source else {
            let message = format!("{}: {}", output::printable(&path), error.message);
            return Self::plain(exit::Code::Config, rule::CONFIG, &message, error.help.as_deref());
        };
        let mut diagnostic = Diagnostic::new(rule::CONFIG, Span::new(range.start, range.end), error.message);
        diagnostic.severity = Severity::Error;
        diagnostic.help = error.help;
        let shown = snippet::render(&path, &source, &LineIndex::new(&source), &diagnostic);
        Self { exit: exit::Code::Config, shown: format!("{shown}\n") }
    }

    /// A configuration whose commands nobody has trusted yet.
    pub(crate) fn untrusted(config: &Path) -> Self {
        let path = output::printable(&config.display().to_string());
        let message = format!("nothing was run: nobody trusts {path} as it is now");
        let hint = "a person reads its commands and runs `baton trust`; any later change asks again";
        Self::plain(exit::Code::Untrusted, rule::CONFIG, &message, Some(hint))
    }

    /// Settings that an agent would obey by itself and that nobody has trusted yet.
    pub(crate) fn untrusted_settings(files: &str) -> Self {
        let files = output::printable(files);
        let message = format!("nothing was run: agents would obey what nobody trusts as it is now: {files}");
        let hint = "a person reads what it would start and runs `baton trust`; any later change asks again";
        Self::plain(exit::Code::Untrusted, rule::CONFIG, &message, Some(hint))
    }

    /// Something that the log or the engine does not take.
    pub(crate) fn refused(exit: exit::Code, message: &str, next: &str) -> Self {
        let shown = format!("error: {}\n\nhint: {}\n", output::printable(message), output::printable(next));
        Self { exit, shown }
    }

    fn plain(exit: exit::Code, code: Code, message: &str, hint: Option<&str>) -> Self {
        let hint = hint.map(|hint| format!("\nhint: {hint}\n")).unwrap_or_default();
        Self { exit, shown: format!("error[{code}]: {message}\n{hint}") }
    }

    /// Returns the words, for whoever does not read standard error.
    pub(crate) fn words(&self) -> &str {
        self.shown.trim_end()
    }

    /// Shows the failure on standard error and returns the exit code.
    pub(crate) fn report(&self) -> exit::Code {
        output::talk(&self.shown);
        self.exit
    }
}
