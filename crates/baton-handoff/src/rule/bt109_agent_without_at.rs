//! The name of an agent does not begin with `@`.

use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::{Form, Need};
use crate::outcome;
use crate::report::Report;

pub(crate) const CODE: Code = Code(109);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "agent-without-at",
    severity: Severity::Warning,
    level: Level::Written,
    page: include_str!("../../../../docs/errors/BT109.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let may_be_none = match scalar.form {
        Form::AgentOrNone => true,
        Form::Agent => scalar.key.need != Need::Required,
        _ => return,
    };
    let text = scalar.text;
    let name = text.value.trim();
    let is_agent = name.strip_prefix('@').is_some_and(|name| !name.is_empty());
    if text.is_blank() || is_agent || may_be_none && name.eq_ignore_ascii_case("none") {
        return;
    }
    let (key, value) = (scalar.key.name, shown(name));
    if name == "@" || outcome::is_none_word(name) {
        let message = format!("`{key}` is {value}, which names no agent");
        let help = match may_be_none {
            true => "write `None` if nobody is meant, or the agent's name with its `@`",
            false => "write the agent's name with its `@`",
        };
        report.push(Diagnostic::new(CODE, text.span, message).help(help));
        return;
    }
    let diagnostic = Diagnostic::new(CODE, text.span, format!("{value} lacks the `@` of an agent's name"));
    let is_word =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'));
    report.push(match is_word {
        // YAML refuses a plain `@`, so the name goes in quotes.
        true => diagnostic.replace(format!("write `\"@{name}\"`"), format!("\"@{name}\"")),
        false => diagnostic.help("write one agent's name with its `@`, in quotes"),
    });
}
