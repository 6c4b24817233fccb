//! Runs programs to their end: each under a keeper of its own, which ends all that the program began, also when Baton dies.
//!
//! Reading order: [`order`], [`ended`], [`running`], [`resting`], and the keeper's side in `keeper`. There is no other way in which Baton
//! runs anything but git.

pub mod ended;
pub mod environment;
pub(crate) mod memory;
pub mod order;
pub mod running;
pub mod stop;

#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
pub mod keeper;
#[cfg(target_os = "linux")]
pub mod orphan;
pub mod resting;
mod wire;
pub mod within;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

pub use self::ended::{Bound, Ended, How, Line, NotStarted, Output, Reason, Stream};
pub use self::order::{Bounds, Identity, Lines, Order, OutputLimits, Stdin};
pub use self::running::{Running, Stopper};
use self::wire::Task;
use crate::sandbox::{self, Label, Ladder};

/// No order may run longer than this.
const DEADLINE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// No child may take longer than this to end.
const GRACE_MAX: Duration = Duration::from_secs(60);

/// The word by which this program keeps others.
pub const KEEPER: &str = "keeper";
/// The running program, whatever lies at its path by now.
#[cfg(target_os = "linux")]
const SELF: &str = "/proc/self/exe";

/// The program that keeps, once it is known.
static SUPERVISOR: OnceLock<Supervisor> = OnceLock::new();

/// Starts programs under keepers.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// A `baton`: with the word `keeper` it keeps.
    keeper: PathBuf,
    ladder: Ladder,
}

/// Says that the running program is a `baton`, and so can keep what [`run`] starts. Before this nothing can be started.
pub fn this_program_keeps() {
    if let Ok(program) = own_program() {
        let _ = SUPERVISOR.set(Supervisor::new(program));
    }
}

/// The program by what it is and not by what lies at its path: it may have been replaced since it was started.
fn own_program() -> std::io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    return Ok(PathBuf::from(SELF));
    #[cfg(not(target_os = "linux"))]
    return std::env::current_exe();
}

impl Supervisor {
    /// Uses `keeper`, which has to be a `baton`, and finds out what this machine can enforce when that is first asked.
    pub fn new(keeper: PathBuf) -> Self {
        Self { keeper, ladder: Ladder::default() }
    }

    /// The one that belongs to the running program.
    pub fn of_this_program() -> Result<&'static Self, NotStarted> {
        let missing = || NotStarted::new(Reason::Keeper, "this program cannot keep what it starts");
        SUPERVISOR.get().ok_or_else(missing)
    }

    /// Enforces confinement by these means and no others.
    pub fn with_ladder(self, ladder: Ladder) -> Self {
        Self { ladder, ..self }
    }

    /// Returns what this machine can enforce.
    pub fn ladder(&self) -> &Ladder {
        self.ladder.probed(|program, argv| self.works(program, argv))
    }

    /// Starts a program. When this returns, it runs.
    pub fn start(&self, order: Order) -> Result<Running, NotStarted> {
        let (fence, label) = sandbox::fence(self.ladder_for(&order), &order)?;
        self.launch(order, fence, label)
    }

    /// Nothing is found out for an order that needs no confinement.
    fn ladder_for(&self, order: &Order) -> &Ladder {
        match order.confinement {
            sandbox::Confinement::None => &self.ladder,
            sandbox::Confinement::ReadOnly { .. } | sandbox::Confinement::Workspace { .. } => self.ladder(),
        }
    }

    fn launch(&self, order: Order, fence: sandbox::Fence, label: Label) -> Result<Running, NotStarted> {
        let mut environment = order.ground().allowed();
        environment.extend(order.environment);
        let task = Task {
            argv: order.argv,
            folder: order.folder.into_os_string(),
            environment: environment.into_iter().collect(),
            deadline: order.deadline.min(DEADLINE_MAX),
            grace: order.grace.min(GRACE_MAX),
            limits: order.limits.bounded(),
            bounds: order.bounds,
            lines: order.lines,
            is_input_whole: matches!(order.stdin, Stdin::Whole(_)),
            fence,
            identity: order.identity,
        };
        Running::start(&self.keeper, task, order.stdin, (label, order.secrets))
    }

    /// Tries whether a fence can be put up here at all.
    fn works(&self, program: &Path, fence: sandbox::Fence) -> Result<(), String> {
        let order = Order::new(vec![program.into()], PathBuf::from("/"), sandbox::PROBE_MAX);
        let label = Label::unconfined();
        let ended = self.launch(order, fence, label).map_err(|why| why.told)?.wait();
        match ended.how {
            How::Code(0) => Ok(()),
            how => Err(format!("{}: {}", how.told(), String::from_utf8_lossy(&ended.output.bytes).trim())),
        }
    }
}

/// Runs a command line in a folder, to its end or its deadline. The program is looked for in the PATH outside of `folder`
/// and of what the order does not trust, or in `folder` when it is given with a slash. What `within` adds to the order holds, too.
pub fn run(
    arguments: &[String],
    folder: &Path,
    deadline: Duration,
    within: impl FnOnce(&mut Order),
) -> Ended {
    run_stoppable((arguments, folder, deadline), within, &|_| {})
}

/// Does the same, and tells what stops it as soon as it runs.
pub(crate) fn run_stoppable(
    (arguments, folder, deadline): (&[String], &Path, Duration),
    within: impl FnOnce(&mut Order),
    started: &dyn Fn(Stopper),
) -> Ended {
    let mut order = Order::new(arguments.iter().map(OsString::from).collect(), folder.to_owned(), deadline);
    order.environment.insert(environment::UNATTENDED.0.into(), environment::UNATTENDED.1.into());
    within(&mut order);
    let running = found(order).and_then(|order| Supervisor::of_this_program()?.start(order));
    running.map_or_else(Ended::not_started, |running| {
        started(running.stopper());
        running.wait()
    })
}

/// Puts the path of the program where its name stands.
fn found(mut order: Order) -> Result<Order, NotStarted> {
    let Some(name) = order.argv.first() else {
        return Err(NotStarted::new(Reason::Missing, "the command is empty"));
    };
    let Some(program) = order.ground().find(name) else {
        return Err(NotStarted::new(Reason::Missing, order.ground().why_not_found(name)));
    };
    order.argv[0] = program.into_os_string();
    Ok(order)
}

/// Makes this process the parent of whatever its descendants leave behind, so that nothing of theirs gets lost.
#[cfg(target_os = "linux")]
fn adopt() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Keeps other processes of the same user from reading this one's memory and environment. Root can.
#[cfg(target_os = "linux")]
fn conceal() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
