//! The commands that change something.

use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::audit::moment::Moment;
use baton_runner::audit::row::Said;
use baton_runner::desk::turn::NewTask;
use baton_runner::desk::{
    BlockReason, CheckResult, CheckpointName, CriterionId, DeskError, GateChoice, Id, Resolution, Waivable,
    WorkflowName, tell,
};
use clap::ValueEnum;

use super::record::Wanted;
use super::{Who, document, failure, task_id, told, told_with_next, warn_of_unsettled};
use crate::command::Done;
use crate::exit::Code;
use crate::failure::Failure;
use crate::output::{printable, talk};

/// How a gate refuses an answer without words.
const REASON_MISSING: &str = "reason_missing";
/// How the engine refuses what is so already.
const ALREADY_SO: &str = "already_so";

/// Add, list, show, link, check and cancel tasks
#[derive(clap::Args, Debug)]
pub(crate) struct Task {
    #[command(subcommand)]
    what: TaskCommand,
    #[command(flatten)]
    who: Who,
}

#[derive(clap::Subcommand, Debug)]
enum TaskCommand {
    /// Add a task
    Add {
        #[arg(value_parser = task_id)]
        id: Id,
        title: String,
        /// The workflow it goes through, as `baton workflow list` names them
        #[arg(long, default_value = "stages")]
        workflow: String,
        /// A criterion that the verifier judges it by, as `AC-1` or `AC-1=what must be shown`; may be given more than once
        #[arg(long = "criterion", value_name = "ID[=TEXT]", value_parser = criterion)]
        criteria: Vec<(CriterionId, Option<String>)>,
        /// A task that must be done before it; may be given more than once
        #[arg(long = "after", value_name = "TASK", value_parser = task_id)]
        after: Vec<Id>,
        /// A file, a folder or a pattern that it may change, as `src/api` or `docs/**/*.md`; may be given more than once. What
        /// is changed elsewhere goes to a person
        #[arg(long = "target", value_name = "PATH")]
        targets: Vec<String>,
    },
    /// List all tasks and how they stand
    List {
        /// Only those that wait for something: another task, a person, the host
        #[arg(long)]
        blocked: bool,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show one task
    Show {
        #[arg(value_parser = task_id)]
        id: Id,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what a task has changed since its first turn, in its workspace
    Diff {
        #[arg(value_parser = task_id)]
        id: Id,
        /// Only these files and folders
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// One JSON document
        #[arg(long)]
        json: bool,
    },
    /// Let a task wait for another
    Depend {
        #[arg(value_parser = task_id)]
        id: Id,
        #[arg(value_parser = task_id)]
        on: Id,
    },
    /// Run the host's checks on the work that was handed over
    Check {
        #[arg(value_parser = task_id)]
        id: Id,
    },
    /// End a task that is not wanted any more
    Cancel {
        #[arg(value_parser = task_id)]
        id: Id,
        reason: String,
    },
}

fn criterion(text: &str) -> Result<(CriterionId, Option<String>), String> {
    let (id, words) = text.split_once('=').map_or((text, None), |(id, words)| (id, Some(words.to_owned())));
    CriterionId::new(id.trim()).map(|id| (id, words)).map_err(|error| error.to_string())
}

impl Task {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let mut desk = self.who.desk(service)?;
        match &self.what {
            TaskCommand::Add { id, title, workflow, criteria, after, targets } => {
                let new = NewTask {
                    id: id.clone(),
                    title: title.clone(),
                    workflow: WorkflowName::new(workflow.as_str()).map_err(|error| failure(error.into()))?,
                    criteria: criteria.iter().cloned().collect(),
                    depends_on: after.iter().cloned().collect(),
                    targets: targets.clone(),
                };
                desk.add_task(new).map_err(failure)?;
                let task = desk.task(id).map_err(failure)?;
                warn_of_unsettled(&desk, [id]);
                Ok(told(&match task.waits_for_dependencies().is_empty() {
                    true => format!(
                        "{id} added; next: `baton run`, or `baton receive {id}` to work on it yourself"
                    ),
                    false => format!("{id} added; it is {}", tell::status(&task)),
                }))
            }
            TaskCommand::List { blocked, json } => {
                let wanted = if *blocked { Wanted::Blocked } else { Wanted::All };
                super::record::list(&desk, wanted, *json)
            }
            TaskCommand::Show { id, json } => super::record::show_task(&desk, id, *json),
            TaskCommand::Diff { id, paths, json } => super::diff::run(&desk, id, (paths, *json)),
            TaskCommand::Depend { id, on } => {
                desk.depend(id, on).map_err(failure)?;
                Ok(told(&format!("{id} waits for {on}")))
            }
            TaskCommand::Check { id } => {
                let checks = desk.check(id).map_err(failure)?;
                let said = match checks.is_empty() {
                    true => "the stage has nothing for the host to check".to_owned(),
                    false => check_lines(&checks),
                };
                let next =
                    desk.next(id).map_err(failure)?.map(|next| format!("\n{next}")).unwrap_or_default();
                Ok(told(&format!("{said}{next}")))
            }
            TaskCommand::Cancel { id, reason } => {
                desk.cancel(id, reason).map_err(failure)?;
                Ok(told(&format!("{id} is cancelled")))
            }
        }
    }
}

command! {
    /// Take the turn that is due
    ///
    /// You get the context: guidance, criteria, what the last attempt failed at, and what predecessors handed over. It names the
    /// command that shows the whole handoff. A verifier gets the criteria, and not the story of whoever built.
    Receive {} |desk, args, _service| {
        let received = desk.receive(&args.id).map_err(failure)?;
        let turn = &received.turn;
        let stage = received.task.stage().map_or("", |stage| stage.name.as_str()).to_owned();
        let mut text = format!(
            "{}: {} as @{} ({}), stage {stage}, attempt {}, until {}\n\n",
            args.id, turn.id, turn.agent, turn.role.name(), turn.attempt, tell::time(turn.expires_at)
        );
        text.push_str(&received.context);
        if let Some(request) = &received.request {
            text.push_str(&format!("\nwhat is asked: `baton show {} {request}`\n", args.id));
        }
        let id = &args.id;
        let ack = if received.task.owes_acknowledgment() { format!("`baton ack {id}`, then ") } else { String::new() };
        let plan = if received.task.owes_plan() { format!("`baton plan {id} FILE`, then ") } else { String::new() };
        let verb = match received.task.lineage.last() {
            Some(above) => {
                text.push_str(&format!("\ndelegated by @{} of {}, who waits for it\n", above.agent, above.task));
                "return"
            }
            None => "submit",
        };
        text.push('\n');
        received.ground().iter().for_each(|line| text.push_str(&format!("{line}\n")));
        text.push_str(&format!("next: {ack}{plan}work, then `baton {verb} {id} FILE`"));
        Ok(told(&text))
    }
}

command! {
    /// Confirm that the handoff was understood, or say what is missing
    Ack {
        /// What is missing; may be given more than once
        #[arg(long = "blocker", value_name = "TEXT")]
        blockers: Vec<String>,
    } |desk, args, _service| {
        desk.acknowledge(&args.id, &args.blockers).map_err(failure)?;
        let done = if args.blockers.is_empty() { "acknowledged" } else { "acknowledged in part; a person has to answer" };
        told_with_next(desk, &args.id, done)
    }
}

command! {
    /// Hand in a build plan, where the workflow wants one
    Plan {
        /// The plan; `-` is standard input
        file: PathBuf,
    } |desk, args, _service| {
        desk.hand_in_plan(&args.id, &document(&args.file)?).map_err(failure)?;
        told_with_next(desk, &args.id, "the plan is kept")
    }
}

command! {
    /// Hand over: a handoff of any dialect, or a verifier's report
    Submit {
        /// The document; `-` is standard input
        file: PathBuf,
    } |desk, args, service| {
        let document = document(&args.file)?;
        if let Some(place) = desk.untouched(&args.id).map_err(failure)? {
            let place = printable(&place.display().to_string());
            talk(&format!("warning: nothing was changed in {place}, and only what lies there is the work of {}\n", args.id));
        }
        desk.submit(&args.id, &document, &service.project).map_err(failure)?;
        let done = match desk.voided(&args.id).map_err(failure)? {
            None => "handed over and kept".to_owned(),
            Some(why) => format!("kept, but it counts for nothing: {why}"),
        };
        told_with_next(desk, &args.id, &done)
    }
}

command! {
    /// Ask a person where you would have to guess
    Clarify {
        question: String,
        /// An answer you can think of; may be given more than once
        #[arg(long = "option", value_name = "TEXT")]
        options: Vec<String>,
    } |desk, args, _service| {
        let asked = desk.clarify(&args.id, &args.question, &args.options).map_err(failure)?;
        Ok(told(&format!("asked as {asked}; next: a person says `baton answer {} {asked} TEXT`", args.id)))
    }
}

command! {
    /// Answer a question, as a person
    Answer {
        #[arg(value_name = "QUESTION")]
        question: String,
        answer: String,
    } |desk, args, _service| {
        desk.answer(&args.id, &args.question, &args.answer).map_err(failure)?;
        told_with_next(desk, &args.id, "answered")
    }
}

pub(super) fn check_lines(checks: &[CheckResult]) -> String {
    // What a program wrote never begins a line.
    let line = |check: &CheckResult| {
        let detail = check.detail.lines().map(str::trim).filter(|line| !line.is_empty());
        let detail = detail.collect::<Vec<_>>().join("; ");
        format!("{}: {} ({detail})", check.checkpoint, check.verdict.name())
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What a person says at a gate.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Choice {
    Approve,
    Reject,
    Question,
}

/// Answer a gate, as a person, for exactly the version that it shows
#[derive(clap::Args, Debug)]
pub(crate) struct Gate {
    #[arg(value_enum)]
    choice: Choice,
    #[arg(value_name = "TASK", value_parser = task_id)]
    id: Id,
    gate: String,
    /// What is wrong, or what the question is
    #[arg(value_name = "WORDS")]
    said: Option<String>,
    /// The same, by name
    #[arg(long, conflicts_with = "said")]
    words: Option<String>,
    #[command(flatten)]
    who: Who,
}

impl Gate {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let mut desk = self.who.desk(service)?;
        let choice = match self.choice {
            Choice::Approve => GateChoice::Approve,
            Choice::Reject => GateChoice::Reject,
            Choice::Question => GateChoice::Question,
        };
        let words = self.said.as_ref().or(self.words.as_ref()).map_or("", String::as_str);
        desk.answer_gate(&self.id, &self.gate, choice, words).map_err(|error| match error {
            DeskError::Refused(rejection) if rejection.refusal.name() == REASON_MISSING => {
                let (id, gate, choice) = (&self.id, printable(&self.gate), choice.name());
                let what =
                    format!("it does not say what is wrong, or what the question is [{REASON_MISSING}]");
                Failure::refused(Code::Refused, &what, &format!("`baton gate {choice} {id} {gate} WORDS`"))
            }
            error => failure(error),
        })?;
        told_with_next(&desk, &self.id, &format!("{}: {}", self.gate, choice.name()))
    }
}

/// Why a task needs a person.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Need {
    HumanInput,
    ExternalDependency,
    ScopeChange,
}

command! {
    /// Hand a task to a person instead of going on
    Escalate {
        #[arg(value_enum)]
        need: Need,
        details: String,
    } |desk, args, _service| {
        let reason = match args.need {
            Need::HumanInput => BlockReason::NeedsHumanInput,
            Need::ExternalDependency => BlockReason::ExternalDependency,
            Need::ScopeChange => BlockReason::ScopeChange,
        };
        desk.escalate(&args.id, reason, &args.details).map_err(failure)?;
        told_with_next(desk, &args.id, "raised")
    }
}

/// What becomes of an escalated task.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Way {
    /// Another round
    Again,
    /// Back to the last good state
    Rollback,
    /// A person has put it back
    RolledBackByHand,
    /// It has failed
    Fail,
}

command! {
    /// Say what becomes of an escalated task, as a person
    Resolve {
        #[arg(value_enum)]
        way: Way,
        words: String,
    } |desk, args, _service| {
        let resolution = match args.way {
            Way::Again => Resolution::Again,
            Way::Rollback => Resolution::Rollback,
            Way::RolledBackByHand => Resolution::RolledBackByHand,
            Way::Fail => Resolution::Fail,
        };
        desk.resolve(&args.id, resolution, &args.words).map_err(failure)?;
        let now = tell::status(&desk.task(&args.id).map_err(failure)?);
        told_with_next(desk, &args.id, &format!("resolved; {} is {now}", args.id))
    }
}

command! {
    /// Let something pass that does not, as a person
    ///
    /// A waiver has a reason and an end, and work that leaned on one is never called verified.
    Waive {
        /// `checkpoint:NAME`, `criterion:ID`, `dependency:TASK`, or `violations`: all that was seen in the files as they are now
        what: String,
        reason: String,
        /// Until when, as `2026-12-31`; leave for violations ends with any change of the files, and needs no date
        #[arg(long)]
        until: Option<String>,
    } |desk, args, _service| {
        let until = args.until.as_deref().map(end_of_waiver).transpose()?;
        if args.what == VIOLATIONS {
            desk.let_pass(&args.id, &args.reason, until).map_err(failure)?;
            return told_with_next(desk, &args.id, "let pass");
        }
        let what = waivable(&args.what)?;
        let until = until.ok_or_else(|| Failure::usage("a waiver has an end", "say `--until 2026-12-31`"))?;
        desk.waive(&args.id, what, &args.reason, until).map_err(failure)?;
        told_with_next(desk, &args.id, "waived")
    }
}

/// The word for everything that the host saw and nobody may do.
const VIOLATIONS: &str = "violations";

fn end_of_waiver(text: &str) -> Result<i64, Failure> {
    let moment = Moment::read(Said::new(text, Default::default())).ok_or_else(|| {
        Failure::usage(&format!("`{}` is not a date", printable(text)), "write `2026-12-31`")
    })?;
    Ok(moment.latest.saturating_mul(1000))
}

fn waivable(text: &str) -> Result<Waivable, Failure> {
    let bad = |why: &str| {
        Failure::usage(
            why,
            "write `checkpoint:tests_passing`, `criterion:AC-1`, `dependency:F001` or `violations`",
        )
    };
    let Some((kind, name)) = text.split_once(':') else {
        return Err(bad("it does not say what sort of thing to waive"));
    };
    let named = match kind {
        "checkpoint" => CheckpointName::new(name).map(Waivable::Checkpoint),
        "criterion" => CriterionId::new(name).map(Waivable::Criterion),
        "dependency" => Id::new(name).map(Waivable::Dependency),
        _ => return Err(bad("only checkpoints, criteria, dependencies and violations can be waived")),
    };
    named.map_err(|error| bad(&error.to_string()))
}

command! {
    /// Take the decision that is due
    ///
    /// It follows from the record alone. Where something is missing before there can be a decision, that is said instead.
    Decide {} |desk, args, _service| {
        let decided = desk.decide(&args.id).map_err(failure)?;
        let mut text = format!("{} because of {}", decided.disposition.name(), decided.reason.name());
        if let Some(feedback) = &decided.feedback {
            text.push_str(&format!("\n\n{feedback}"));
        }
        let task = desk.task(&args.id).map_err(failure)?;
        text.push_str(&format!("\nnow: {}", tell::status(&task)));
        if let Some(next) = desk.next(&args.id).map_err(failure)? {
            text.push_str(&format!("\n{next}"));
        }
        Ok(told(&text))
    }
}

/// Start nothing more in the whole project, or go on
#[derive(clap::Args, Debug)]
pub(crate) struct Pause {
    /// Why; without it the project goes on
    reason: Option<String>,
    #[command(flatten)]
    who: Who,
}

impl Pause {
    pub(crate) fn run(&self, service: &Service) -> Done {
        let mut desk = self.who.desk(service)?;
        let before = desk.paused().map_err(failure)?;
        desk.pause(self.reason.as_deref()).map_err(|error| match (&error, &before) {
            (DeskError::Refused(refused), Some(reason)) if refused.refusal.name() == ALREADY_SO => {
                let what = format!("the project is paused already: {} [{ALREADY_SO}]", printable(reason));
                Failure::refused(Code::Refused, &what, "`baton pause` without a reason lets it go on")
            }
            (DeskError::Refused(refused), None) if refused.refusal.name() == ALREADY_SO => {
                let what = format!("the project is not paused [{ALREADY_SO}]");
                Failure::refused(Code::Refused, &what, "`baton pause REASON` pauses it")
            }
            _ => failure(error),
        })?;
        Ok(told(match self.reason {
            Some(_) => "paused; next: `baton pause` without a reason lets it go on",
            None => "goes on; next: `baton run`",
        }))
    }
}
