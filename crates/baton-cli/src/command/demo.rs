//! `baton demo`: see it work.

use super::Done;
use crate::exit;

/// See Baton judge good, broken and lying handoffs in a small project it writes
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Done {
    Ok(exit::Code::Fine)
}
