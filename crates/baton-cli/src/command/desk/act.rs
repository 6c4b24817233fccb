//! The commands that change something.

use std::path::PathBuf;

use baton_runner::Service;
use baton_runner::desk::turn::NewTask;
use baton_runner::desk::why::unsupported;
use baton_runner::desk::{
    BlockReason, CheckResult, CriterionId, DeskError, GateChoice, Id, Resolution, WorkflowName, tell,
};
use baton_runner::drive::{IN_FILE, handoff_form, plan_form};
use clap::ValueEnum;

use super::record::Wanted;
use super::{Who, document, failure, task_id, title, told, told_with_next, warning};
use crate::command::Done;
use crate::exit::Code;
use crate::failure::Failure;
use crate::output::{printable, talk};

/// How a gate refuses an answer without words.
const REASON_MISSING: &str = "reason_missing";
/// What somebody hears whose build plan was taken.
const PLAN_TAKEN: &str = "the plan is taken";
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
        /// The id by which it is called from now on, as `F001`
        #[arg(value_parser = task_id)]
        id: Id,
        /// What is to be done, in a sentence
        #[arg(value_parser = title)]
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
                warning::of_unsettled(service, &desk, [id]);
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
                let task = desk.task(id).map_err(failure)?;
                let asserted = task.run.receipt.iter().flat_map(|receipt| &receipt.asserted);
                let asserted = asserted.map(|name| format!("{name}: asserted by the agent alone"));
                let lines: Vec<String> = checks.iter().map(check_line).chain(asserted).collect();
                let said = match lines.is_empty() {
                    true => "the stage has nothing for the host to check".to_owned(),
                    false => lines.join("\n"),
                };
                let unsupported = task.run.receipt.iter().flat_map(unsupported);
                let unsupported: String = unsupported.map(|line| format!("\n{line}")).collect();
                let next =
                    desk.next(id).map_err(failure)?.map(|next| format!("\n{next}")).unwrap_or_default();
                Ok(told(&format!("{said}{unsupported}{next}")))
            }
            TaskCommand::Cancel { id, reason } => {
                desk.cancel(id, reason).map_err(failure)?;
                let task = desk.task(id).map_err(failure)?;
                Ok(told(&match task.end {
                    Some(_) => format!("{id} is cancelled"),
                    None if desk.has_run() => format!("{id} is cancelled once the run has stopped its turn"),
                    None => format!("{id} is cancelled once its turn is stopped; next: `baton run`"),
                }))
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
        let ground = received.ground();
        ground.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        let gap = if ground.is_empty() { "" } else { "\n" };
        let form = match received.task.owes_plan() {
            true => plan_form(&received, "The plan is one block of this form"),
            false => handoff_form(&received.task, turn.role, IN_FILE),
        };
        text.push_str(&format!("{gap}{form}\n"));
        let deed = received.deed();
        // In the workspace of a task, `baton` would look for another project.
        let call = received.place.as_ref().map(|_| format!(", in {}", desk.root().display())).unwrap_or_default();
        text.push_str(&format!("next: {ack}{plan}{deed}, then `baton {verb} {id} FILE`{call}"));
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
    } |desk, args, service| {
        desk.hand_in_plan(&args.id, &document(&args.file)?, &service.project).map_err(failure)?;
        told_with_next(desk, &args.id, PLAN_TAKEN)
    }
}

command! {
    /// Hand over: a handoff of any dialect, or a verifier's report
    Submit {
        /// The document; `-` is standard input
        file: PathBuf,
    } |desk, args, service| {
        let document = document(&args.file)?;
        if let Some(taken) = desk.already_taken(&args.id, &document).map_err(failure)? {
            return told_with_next(desk, &args.id, &taken.words());
        }
        if desk.is_plan(&args.id, &document).map_err(failure)? {
            desk.hand_in_plan(&args.id, &document, &service.project).map_err(failure)?;
            return told_with_next(desk, &args.id, PLAN_TAKEN);
        }
        if let Some(place) = desk.untouched(&args.id).map_err(failure)? {
            let place = printable(&place.display().to_string());
            talk(&format!("warning: nothing was changed in {place}, and only what lies there is the work of {}\n", args.id));
        }
        desk.submit(&args.id, &document, &service.project).map_err(failure)?;
        let done = match desk.voided(&args.id).map_err(failure)? {
            None => "handed over and kept".to_owned(),
            Some(why) => format!("kept, but it doesn't count: {why}"),
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
    checks.iter().map(check_line).collect::<Vec<_>>().join("\n")
}

/// Returns a check on one line: what a program wrote never begins one.
fn check_line(check: &CheckResult) -> String {
    let detail = check.detail.lines().map(str::trim).filter(|line| !line.is_empty());
    let detail = detail.collect::<Vec<_>>().join("; ");
    format!("{}: {} ({detail})", check.checkpoint, check.verdict.name())
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
        /// What becomes of it
        #[arg(value_enum)]
        way: Way,
        /// Why, or what is to be done otherwise; whoever works next is told it
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
