//! Where Baton keeps what belongs to a person and not to a repository.

use std::env;
use std::path::PathBuf;

/// Returns the folder; nothing when neither `XDG_STATE_HOME` nor `HOME` is set to an absolute path.
pub(crate) fn state_home() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("baton"))
}
