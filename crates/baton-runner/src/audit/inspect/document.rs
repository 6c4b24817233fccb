//! Contradictions inside one document, as its judgement found them.

use super::{Case, Rows};
use crate::audit::row::{Provenance, Row, Verdict};

pub(super) fn inspect(case: &Case<'_>, rows: &mut Rows) {
    for (at, dossier) in case.members() {
        for (code, severity, said) in &dossier.contradictions {
            let row =
                Row::finding(code.rule(), "document", said, said.text.as_str()).from(Provenance::Asserted);
            rows.push(at, Row { verdict: Verdict::of_severity(*severity), ..row });
        }
    }
}
