//! One JSON document: tasks with their handoffs and every claim. The shape is stable.

use std::io::{self, Write};

use baton_runner::audit::baseline::fingerprint;
use baton_runner::audit::finding::Finding;
use baton_runner::audit::report::{Audit, ChainReport, HandoffReport, Tally};
use serde::Serialize;

use crate::output::write_json;

/// The version of the shape; grows only when a reader of the old one would be misled.
const SHAPE_VERSION: u32 = 1;

#[derive(Serialize)]
struct Head<'a> {
    version: u32,
    files: usize,
    handoffs: usize,
    commits: usize,
    known: usize,
    notes: &'a [String],
    summary: Counts,
}

#[derive(Serialize)]
struct Counts {
    contradicted: usize,
    unsupported: usize,
    holds: usize,
    not_checkable: usize,
}

#[derive(Serialize)]
struct Task<'a> {
    task: &'a str,
    summary: Counts,
    handoffs: Vec<Handoff<'a>>,
}

#[derive(Serialize)]
struct Handoff<'a> {
    path: &'a str,
    line: u32,
    dialect: &'a str,
    stage: Option<&'a str>,
    from: Option<&'a str>,
    to: Option<&'a str>,
    started_at: Option<&'a str>,
    ended_at: Option<&'a str>,
    outcome: &'a str,
    claims: Vec<Claim<'a>>,
}

#[derive(Serialize)]
struct Claim<'a> {
    kind: &'a str,
    claim: &'a str,
    verdict: &'a str,
    provenance: &'a str,
    reason: &'a str,
    line: u32,
    column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Other<'a>>,
}

#[derive(Serialize)]
struct Other<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    text: &'a str,
}

pub(super) fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    let head = Head {
        version: SHAPE_VERSION,
        files: audit.files,
        handoffs: audit.handoffs,
        commits: audit.commits,
        known: audit.known,
        notes: &audit.notes,
        summary: counts(audit.tally),
    };
    out.write_all(b"{\"audit\":")?;
    write_json(out, &head)?;
    out.write_all(b",\"tasks\":[")?;
    for (number, chain) in audit.chains.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        write_json(out, &task(chain))?;
    }
    out.write_all(b"\n]}\n")
}

fn counts(tally: Tally) -> Counts {
    let Tally { contradicted, unsupported, holds, not_checkable } = tally;
    Counts { contradicted, unsupported, holds, not_checkable }
}

fn task(chain: &ChainReport) -> Task<'_> {
    let handoffs = chain.handoffs.iter().map(handoff).collect();
    Task { task: &chain.task, summary: counts(chain.tally), handoffs }
}

fn handoff(report: &HandoffReport) -> Handoff<'_> {
    Handoff {
        path: &report.shown,
        line: report.line,
        dialect: report.dialect,
        stage: report.stage.as_deref(),
        from: report.from.as_deref(),
        to: report.to.as_deref(),
        started_at: report.started.as_ref().map(|moment| moment.said.text.as_str()),
        ended_at: report.ended.as_ref().map(|moment| moment.said.text.as_str()),
        outcome: report.outcome,
        claims: report.rows.iter().map(|row| claim(report, row)).collect(),
    }
}

fn claim<'a>(report: &HandoffReport, row: &'a Finding) -> Claim<'a> {
    Claim {
        kind: row.kind,
        claim: &row.claim,
        verdict: row.verdict.name(),
        provenance: row.provenance.name(),
        reason: &row.reason,
        line: row.place.line,
        column: row.place.column,
        code: row.code().map(|code| code.to_string()),
        fingerprint: row.verdict.is_finding().then(|| fingerprint(report, row)),
        against: row.against.as_ref().map(|against| Other {
            source: &against.source,
            line: against.line,
            text: &against.text,
        }),
    }
}
