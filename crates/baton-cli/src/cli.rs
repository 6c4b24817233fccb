//! The command line.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

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

/// The commands in the order in which somebody needs them. A test sees that each has its place.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["check", "audit", "demo", "task", "run"]),
    ("Judge and write handoffs", &["convert", "migrate", "new", "schema", "explain"]),
    (
        "Carry a task",
        &["receive", "context", "ack", "plan", "submit", "delegate", "return", "clarify", "escalate"],
    ),
    ("Decide", &["decide", "gate", "answer", "resolve", "waive", "merge", "rollback", "pause"]),
    ("Look", &["status", "inbox", "why", "log", "show", "metrics", "workflow"]),
    ("Learn", &["search", "knowledge", "files"]),
    ("Keep", &["recover", "rebuild", "replay", "audit-log", "backup", "restore"]),
    ("Set up", &["init", "doctor", "trust", "mcp", "hook", "completions", "man", "help"]),
];
/// How wide the names of commands are, in the overview.
const NAME_WIDTH: usize = 12;

/// Returns the command line with its overview in groups.
pub(crate) fn command() -> clap::Command {
    let command = Arguments::command();
    let overview = overview(&command);
    command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{overview}Options:\n{{options}}{{after-help}}"
    ))
}

/// Reads the command line of a hook. Agents wait for hooks, and getting to know all other commands takes longer than most
/// of what a hook does. What is not understood here is read once more as a whole, which says why.
pub(crate) fn hook() -> Option<Arguments> {
    if !command::hook::is_meant() {
        return None;
    }
    let HookAlone { global, command: Alone::Hook(args) } = HookAlone::try_parse().ok()?;
    Some(Arguments { global, command: Command::Hook(args) })
}

#[derive(Parser)]
struct HookAlone {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Alone,
}

#[derive(Subcommand)]
enum Alone {
    Hook(command::hook::Args),
}

fn overview(command: &clap::Command) -> String {
    let mut text = String::new();
    let mut listed: Vec<&str> = Vec::new();
    let mut group = |heading: &str, names: &[&str]| {
        text.push_str(&format!("{heading}:\n"));
        for name in names {
            let about = match command.find_subcommand(name) {
                Some(known) => known.get_about().map(ToString::to_string).unwrap_or_default(),
                None => "Print the help of a command".to_owned(),
            };
            text.push_str(&format!("  {name:<NAME_WIDTH$} {about}\n"));
        }
        text.push('\n');
    };
    for (heading, names) in GROUPS {
        group(heading, names);
        listed.extend(*names);
    }
    let rest: Vec<&str> = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name)
        .filter(|name| !listed.contains(name))
        .collect();
    if !rest.is_empty() {
        group("More", &rest);
    }
    text
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
    Run(command::run::Args),
    Check(command::check::Args),
    Audit(command::audit::Args),
    Convert(command::convert::Args),
    Migrate(command::migrate::Args),
    New(command::new::Args),
    Schema(command::schema::Args),
    Task(command::desk::Task),
    Receive(command::desk::Receive),
    Context(command::desk::Context),
    Ack(command::desk::Ack),
    Plan(command::desk::Plan),
    Submit(command::desk::Submit),
    Delegate(command::desk::Delegate),
    Return(command::desk::Return),
    Clarify(command::desk::Clarify),
    Answer(command::desk::Answer),
    Gate(command::desk::Gate),
    Escalate(command::desk::Escalate),
    Resolve(command::desk::Resolve),
    Waive(command::desk::Waive),
    Decide(command::desk::Decide),
    Merge(command::desk::Merge),
    Rollback(command::desk::Rollback),
    Recover(command::desk::Recover),
    Pause(command::desk::Pause),
    Workflow(command::desk::Workflow),
    Status(command::desk::Status),
    Inbox(command::desk::Inbox),
    Search(command::knowledge::Search),
    Knowledge(command::knowledge::Knowledge),
    Files(command::knowledge::Files),
    Log(command::desk::Log),
    Show(command::desk::Show),
    Why(command::desk::Why),
    Metrics(command::desk::Metrics),
    Replay(command::desk::Replay),
    Rebuild(command::desk::Rebuild),
    AuditLog(command::desk::AuditLog),
    Backup(command::desk::Backup),
    Restore(command::desk::Restore),
    Mcp(command::mcp::Args),
    Trust(command::trust::Args),
    Init(command::init::Args),
    Doctor(command::doctor::Args),
    Hook(command::hook::Args),
    Explain(command::explain::Args),
    Demo(command::demo::Args),
    Completions(command::completions::Args),
    Man(command::man::Args),
}
