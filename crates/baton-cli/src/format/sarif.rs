//! SARIF 2.1.0, as code scanning services read it.

use std::io::{self, Write};

use baton_handoff::diagnostic::{Diagnostic, Severity};
use baton_handoff::rule;
use baton_handoff::span::LineIndex;
use baton_runner::check::{FileReport, Verdict};
use serde_json::{Value, json};

use crate::output::write_json;

use super::{Formatter, Summary, findings, machine_path, region, source};

#[derive(Debug, Default)]
pub(crate) struct Sarif {
    written: usize,
}

impl Formatter for Sarif {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = rule::ALL.iter().map(|rule| rule_object(rule)).collect();
        let driver = json!({
            "name": "baton",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        });
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        write!(
            out,
            r#"{{"$schema":"{schema}","version":"2.1.0","runs":[{{"columnKind":"unicodeCodePoints","tool":{{"driver":{driver}}},"results":["#
        )
    }

    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        let uri = machine_path(report);
        if let Verdict::Unreadable { message } = &report.verdict {
            let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } });
            let code = rule::UNREADABLE;
            let text = format!("the file cannot be read: {message}");
            let result = json!({
                "ruleId": code.to_string(), "level": "error", "message": { "text": text }, "locations": [location],
            });
            return self.result(out, &result);
        }
        let index = LineIndex::new(source(report));
        for found in findings(report) {
            let result = result_object(&uri, &index, source(report), found);
            self.result(out, &result)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, _: &Summary) -> io::Result<()> {
        out.write_all(b"\n]}]}\n")
    }
}

impl Sarif {
    fn result(&mut self, out: &mut dyn Write, result: &Value) -> io::Result<()> {
        out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
        self.written += 1;
        write_json(out, result)
    }
}

fn rule_object(rule: &rule::Rule) -> Value {
    json!({
        "id": rule.code.to_string(),
        "name": rule.name,
        "shortDescription": { "text": rule.name.replace('-', " ") },
        "help": { "text": rule.page, "markdown": rule.page },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result_object(uri: &str, index: &LineIndex, source: &str, found: &Diagnostic) -> Value {
    let at = region(index, source, found);
    let help = found.help.as_ref().map(|help| format!(". {help}")).unwrap_or_default();
    let location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri },
            "region": {
                "startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column,
            },
        },
    });
    let mut result = json!({
        "ruleId": found.code.to_string(),
        "level": level(found.severity),
        "message": { "text": format!("{}{help}", found.message) },
        "locations": [location],
    });
    let related: Vec<Value> = found
        .others
        .iter()
        .map(|label| {
            let at = index.position(source, label.span.start);
            json!({
                "message": { "text": label.text },
                "physicalLocation": {
                    "artifactLocation": { "uri": uri },
                    "region": { "startLine": at.line, "startColumn": at.column },
                },
            })
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    if let Some(fix) = &found.fix {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| {
                json!({
                    "deletedRegion": { "byteOffset": edit.span.start, "byteLength": edit.span.end - edit.span.start },
                    "insertedContent": { "text": edit.replacement },
                })
            })
            .collect();
        let change = json!({ "artifactLocation": { "uri": uri }, "replacements": replacements });
        result["fixes"] = json!([{ "description": { "text": fix.title }, "artifactChanges": [change] }]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    severity.name()
}
