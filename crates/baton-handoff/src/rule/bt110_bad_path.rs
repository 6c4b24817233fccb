//! A path that is not inside of the project.

use super::rewrite::rewritten;
use super::show::shown;
use super::{Check, Code, Level, Rule, Scalar};
use crate::diagnostic::{Diagnostic, Severity};
use crate::key::Form;
use crate::limit;
use crate::report::Report;

pub(crate) const CODE: Code = Code(110);

pub(crate) static RULE: Rule = Rule {
    code: CODE,
    name: "bad-path",
    severity: Severity::Error,
    level: Level::Normalised,
    page: include_str!("../../../../docs/errors/BT110.md"),
    check: Check::Scalar(check),
};

fn check(scalar: &Scalar<'_, '_>, report: &mut Report) {
    let Form::Path = scalar.form else { return };
    let text = scalar.text;
    if text.is_null() {
        return;
    }
    let path = text.as_str();
    let Some(fault) = fault(path) else { return };
    let message = match path.trim().is_empty() {
        true => "this path is empty".to_owned(),
        false => format!("the path {} {fault}", shown(path)),
    };
    let diagnostic = Diagnostic::new(CODE, text.span, message)
        .help("paths are relative to the project's root, with `/` between the parts");
    let better = path.replace('\\', "/");
    let better = better.trim_start_matches("./");
    let fix = (better != path && self::fault(better).is_none())
        .then(|| rewritten(scalar.subject.source, text, better));
    report.push(match fix.flatten() {
        Some(replacement) => diagnostic.replace(format!("write {}", shown(better)), replacement),
        None => diagnostic,
    });
}

/// Says what is wrong with a path, as the end of a sentence about it.
fn fault(path: &str) -> Option<&'static str> {
    let bytes = path.as_bytes();
    let is_drive = bytes.len() > 1 && bytes[1] == b':' && bytes[0].is_ascii_alphabetic();
    match () {
        () if path.trim().is_empty() => Some("is empty"),
        () if path.len() > limit::PATH_BYTES_MAX => Some("is longer than any path may be"),
        () if path.chars().any(char::is_control) => Some("holds a control character or a line break"),
        () if path.contains("://") => Some("is an address, not a file of the project"),
        () if path.starts_with('/') => Some("is absolute"),
        () if path.starts_with('~') => Some("begins in somebody's home folder"),
        () if is_drive => Some("begins with a drive letter"),
        () if path.contains('\\') => Some("is written with backslashes"),
        () if leaves_root(path) => Some("leaves the project by `..`"),
        () if path.split('/').all(|part| matches!(part, "" | ".")) => Some("is the project itself"),
        () => None,
    }
}

fn leaves_root(path: &str) -> bool {
    let mut depth = 0_i32;
    path.split('/').any(|part| {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        depth < 0
    })
}
