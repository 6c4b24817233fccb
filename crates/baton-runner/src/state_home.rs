//! Where Baton keeps what belongs to a person and not to a repository.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The variable by which a person moves it.
pub(crate) const STATE_HOME: &str = "XDG_STATE_HOME";

/// Returns the folder; nothing when neither `XDG_STATE_HOME` nor `HOME` is set to an absolute path.
pub(crate) fn state_home() -> Option<PathBuf> {
    state_home_by(|name| env::var_os(name))
}

/// The same for whoever sees these variables.
pub(crate) fn state_home_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set(STATE_HOME).or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("baton"))
}
