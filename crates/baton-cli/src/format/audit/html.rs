//! One page that needs nothing else.

use std::io::{self, Write};

use baton_runner::audit::report::Audit;

pub(super) fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    writeln!(out, "{}", audit.handoffs)
}
