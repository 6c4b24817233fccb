//! The commands: one file each, with its arguments and one function.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod desk;
pub(crate) mod doctor;
pub(crate) mod explain;
mod fix;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod keeper;
pub(crate) mod knowledge;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod new;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod trust;

use std::path::Path;

use baton_runner::Service;
use baton_runner::supervise::within;

use crate::cli::{Arguments, Colour, Command, Global};
use crate::exit;
use crate::failure::Failure;

/// What a command ends with: an exit code, or why it could not do its work.
pub(crate) type Done = Result<exit::Code, Failure>;

pub(crate) fn run(arguments: Arguments) -> Done {
    let global = arguments.global;
    match global.color {
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
    if is_for_project(&arguments.command) && within::assigned().is_none() {
        desk::warning::of_hooks();
    }
    match arguments.command {
        Command::Run(args) => run::run(&service(&global)?, &args),
        Command::Check(args) => check::run(&service(&global)?, args),
        Command::Audit(args) => audit::run(&service(&global)?, &args),
        Command::Convert(args) => convert::run(&service(&global)?, &args),
        Command::Migrate(args) => migrate::run(&service(&global)?, &args),
        Command::New(args) => new::run(&args),
        Command::Schema(args) => schema::run(&service(&global)?, &args),
        Command::Task(args) => args.run(&service(&global)?),
        Command::Receive(args) => args.run(&service(&global)?),
        Command::Context(args) => args.run(&service(&global)?),
        Command::Ack(args) => args.run(&service(&global)?),
        Command::Plan(args) => args.run(&service(&global)?),
        Command::Submit(args) => args.run(&service(&global)?),
        Command::Delegate(args) => args.run(&service(&global)?),
        Command::Return(args) => args.run(&service(&global)?),
        Command::Clarify(args) => args.run(&service(&global)?),
        Command::Answer(args) => args.run(&service(&global)?),
        Command::Gate(args) => args.run(&service(&global)?),
        Command::Escalate(args) => args.run(&service(&global)?),
        Command::Resolve(args) => args.run(&service(&global)?),
        Command::Waive(args) => args.run(&service(&global)?),
        Command::Decide(args) => args.run(&service(&global)?),
        Command::Merge(args) => args.run(&service(&global)?),
        Command::Rollback(args) => args.run(&service(&global)?),
        Command::Recover(args) => args.run(&service(&global)?),
        Command::Pause(args) => args.run(&service(&global)?),
        Command::Workflow(args) => args.run(&service(&global)?),
        Command::Status(args) => args.run(&service(&global)?),
        Command::Inbox(args) => args.run(&service(&global)?),
        Command::Search(args) => args.run(&service(&global)?),
        Command::Knowledge(args) => args.run(&service(&global)?),
        Command::Files(args) => args.run(&service(&global)?),
        Command::Log(args) => args.run(&service(&global)?),
        Command::Show(args) => args.run(&service(&global)?),
        Command::Why(args) => args.run(&service(&global)?),
        Command::Metrics(args) => args.run(&service(&global)?),
        Command::Replay(args) => args.run(&service(&global)?),
        Command::Rebuild(args) => args.run(&service(&global)?),
        Command::AuditLog(args) => args.run(&service(&global)?),
        Command::Backup(args) => args.run(&service(&global)?),
        Command::Restore(args) => args.run(&service(&global)?),
        Command::Mcp(args) => mcp::run(&service(&global)?, global.config.as_deref(), &args),
        Command::Trust(args) => trust::run(&service(&global)?, &args),
        Command::Init(args) => init::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

/// Says whether a command is about the project that a person stands in. Programs that call Baton are not warned, and `doctor`
/// says it itself.
fn is_for_project(command: &Command) -> bool {
    !matches!(
        command,
        Command::Mcp(_)
            | Command::Hook(_)
            | Command::Init(_)
            | Command::Doctor(_)
            | Command::Demo(_)
            | Command::Explain(_)
            | Command::New(_)
            | Command::Schema(_)
            | Command::Completions(_)
            | Command::Man(_)
    )
}

fn service(global: &Global) -> Result<Service, Failure> {
    open(global.config.as_deref())
}

/// Opens the service for the current folder.
pub(crate) fn open(config: Option<&Path>) -> Result<Service, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::io(Path::new("."), "entered", &error))?;
    Service::open(&here, config).map_err(Failure::config)
}
