//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::command;

/// The referee between coding agents
///
/// Baton reads the handoffs that agents and people write to each other, in whatever form they were written, and judges them:
/// every finding has a code, the exact place, the reason and a way out. Nothing is sent anywhere, and nothing that a
/// document says is run.
///
/// Start with `baton check FOLDER`, or see it work with `baton demo`.
#[derive(Debug, Parser)]
#[command(name = "baton", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Use this configuration instead of the nearest `baton.toml`
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(command::check::Args),
    Audit(command::audit::Args),
    Convert(command::convert::Args),
    Migrate(command::migrate::Args),
    New(command::new::Args),
    Schema(command::schema::Args),
    Task(command::desk::Task),
    Receive(command::desk::Receive),
    Ack(command::desk::Ack),
    Plan(command::desk::Plan),
    Submit(command::desk::Submit),
    Clarify(command::desk::Clarify),
    Answer(command::desk::Answer),
    Gate(command::desk::Gate),
    Escalate(command::desk::Escalate),
    Resolve(command::desk::Resolve),
    Waive(command::desk::Waive),
    Decide(command::desk::Decide),
    Pause(command::desk::Pause),
    Status(command::desk::Status),
    Inbox(command::desk::Inbox),
    Log(command::desk::Log),
    Show(command::desk::Show),
    Why(command::desk::Why),
    Replay(command::desk::Replay),
    Rebuild(command::desk::Rebuild),
    AuditLog(command::desk::AuditLog),
    Backup(command::desk::Backup),
    Restore(command::desk::Restore),
    Trust(command::trust::Args),
    Explain(command::explain::Args),
    Demo(command::demo::Args),
    Completions(command::completions::Args),
    Man(command::man::Args),
}
