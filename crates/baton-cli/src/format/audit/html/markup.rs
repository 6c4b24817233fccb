//! A page in the making. Only what is written in the source of this program gets in as it is; all else is escaped.

use std::fmt::Write as _;
use std::io::{self, Write};

use baton_runner::audit::finding::Verdict;

use super::super::screen;
use crate::output::printable;

#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Adds markup. The lifetime is the wall: nothing that was read from a file can have it.
    pub(super) fn html(&mut self, literal: &'static str) -> &mut Self {
        self.0.push_str(literal);
        self
    }

    /// Adds words from anywhere, which can neither become markup nor turn or hide what is around them.
    pub(super) fn text(&mut self, untrusted: &str) -> &mut Self {
        for character in printable(untrusted).chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                character => self.0.push(character),
            }
        }
        self
    }

    /// Adds words in which pairs of backticks quote.
    pub(super) fn prose(&mut self, untrusted: &str) -> &mut Self {
        if untrusted.matches('`').count() % 2 == 1 {
            return self.text(untrusted);
        }
        for (number, part) in untrusted.split('`').enumerate() {
            match number % 2 {
                0 => self.text(part),
                _ => self.html("<code>").text(part).html("</code>"),
            };
        }
        self
    }

    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        let _ = write!(self.0, "{number}");
        self
    }

    /// Adds a share of the width, as SVG takes it.
    pub(super) fn percent(&mut self, share: f64) -> &mut Self {
        let _ = write!(self.0, "{share:.2}%");
        self
    }

    /// Adds a number with its noun.
    pub(super) fn count(&mut self, number: usize, noun: &'static str) -> &mut Self {
        self.number(number).html(" ").html(noun).html(if number == 1 { "" } else { "s" })
    }

    /// Adds a verdict's mark, with the word for those who do not see it.
    pub(super) fn mark(&mut self, verdict: Verdict) -> &mut Self {
        self.html("<i class=\"mark ").html(class(verdict)).html("\" role=\"img\" aria-label=\"");
        self.html(verdict.name()).html("\">").sign(verdict).html("</i>")
    }

    /// Adds a verdict's mark and its word, with a number between where there is one.
    pub(super) fn verdict(&mut self, verdict: Verdict, number: Option<usize>) -> &mut Self {
        self.html("<i class=\"mark ").html(class(verdict)).html("\" aria-hidden=\"true\">").sign(verdict);
        self.html("</i>\u{a0}");
        if let Some(number) = number {
            self.number(number).html("\u{a0}");
        }
        self.html(verdict.name())
    }

    fn sign(&mut self, verdict: Verdict) -> &mut Self {
        self.0.push(screen::mark(verdict));
        self
    }

    /// Hands over what is there so far, so that memory does not grow with the page.
    pub(super) fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())?;
        self.0.clear();
        Ok(())
    }
}

pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Contradicted => "contradicted",
        Verdict::Unsupported => "unsupported",
        Verdict::Holds => "holds",
        Verdict::NotCheckable => "unchecked",
    }
}
