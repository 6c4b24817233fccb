//! Keepers that have nobody to keep, for the next program.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::order::Bounds;
use super::running::{Keeper, Ways};
use super::wire::Task;

/// More than this do not rest: nobody starts so many programs side by side.
const RESTING_MAX: usize = 32;

/// Nothing where keepers are not to rest.
static RESTING: Mutex<Option<Vec<Rested>>> = Mutex::new(None);

#[derive(Debug)]
struct Rested {
    /// The program that it is.
    program: PathBuf,
    keeper: Keeper,
    ways: Ways,
}

/// While it lives, keepers rest; then they end.
#[derive(Debug)]
pub struct Rest(());

/// Lets keepers rest between two programs from now on: whoever starts many is spared to start as many keepers.
pub fn rest() -> Rest {
    *resting() = Some(Vec::new());
    Rest(())
}

impl Drop for Rest {
    fn drop(&mut self) {
        let rested = resting().take();
        for Rested { mut keeper, ways, .. } in rested.into_iter().flatten() {
            drop(ways);
            keeper.leave();
        }
    }
}

/// Says whether a program may have a keeper that had others, and leave it to others. The bounds of a process are never widened
/// again, and who it is cannot be taken back. Memory is no bound of a process: it is counted for each child anew.
pub(super) fn may_share(task: &Task) -> bool {
    let lasting = Bounds { memory_bytes_max: None, ..task.bounds };
    lasting == Bounds::default() && task.identity.is_none()
}

/// Returns a keeper that rests, if there is one.
pub(super) fn take(program: &Path, task: &Task) -> Option<(Keeper, Ways)> {
    while may_share(task) {
        let Rested { mut keeper, ways, .. } = {
            let mut resting = resting();
            let all = resting.as_mut()?;
            let at = all.iter().position(|rested| rested.program == program)?;
            all.swap_remove(at)
        };
        if keeper.is_there() {
            return Some((keeper, ways));
        }
        keeper.end();
    }
    None
}

/// Lets a keeper rest. Returns it where it cannot.
pub(super) fn put(program: &Path, keeper: Keeper, ways: Ways) -> Result<(), (Keeper, Ways)> {
    match resting().as_mut().filter(|all| all.len() < RESTING_MAX) {
        Some(all) => {
            all.push(Rested { program: program.to_owned(), keeper, ways });
            Ok(())
        }
        None => Err((keeper, ways)),
    }
}

fn resting() -> std::sync::MutexGuard<'static, Option<Vec<Rested>>> {
    RESTING.lock().unwrap_or_else(PoisonError::into_inner)
}
