//! The lower rung: the kernel refuses the child, and all it starts, to change the content of anything but what it may write.

use std::ffi::OsString;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, Scope, path_beneath_rules,
};

/// What it does not stop.
pub(super) const GAPS: &[&str] = &[
    "It could change the mode, the owner and the times of files, but not their content.",
    "It could read every file that its user may read.",
    "It could use the network, and the sockets of services that run as its user.",
    "Before Linux 6.12 it could send signals to other processes of its user.",
];
/// With this, renaming over a border and truncating are covered too. Less is not called enforced.
const NEEDED: ABI = ABI::V3;
/// What every program may write without changing anything. The folder of the terminals is not among it: a right to it is one to
/// the terminal of the person. `/dev/tty` is, and leads nowhere, for a child has no terminal of its own.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Says whether the kernel has all that is needed.
pub(super) fn probe() -> Result<(), String> {
    ruleset().map(drop).map_err(|error| format!("the kernel does not have what is needed: {error}"))
}

/// Binds the thread that calls, and all it starts, for ever.
pub(super) fn enter(writable: &[OsString]) -> Result<(), String> {
    let said = |error: RulesetError| error.to_string();
    let devices = DEVICES.iter().filter(|device| std::path::Path::new(device).exists());
    let paths = writable.iter().map(OsString::as_os_str).chain(devices.map(std::ffi::OsStr::new));
    let rules = path_beneath_rules(paths, AccessFs::from_write(NEEDED));
    let ruleset = ruleset().map_err(said)?.add_rules(rules).map_err(said)?;
    ruleset.restrict_self().map(drop).map_err(said)
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()
}
