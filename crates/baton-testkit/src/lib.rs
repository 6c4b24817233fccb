//! The workshop's test tools: random numbers, random handoffs of every dialect, mutations of documents, whole projects,
//! disks after a power cut, a simulated world for the engine, logs with planted bugs, and an agent that does what a script
//! says.

pub mod authority;
pub mod form;
pub mod generate;
pub mod hostile;
pub mod mutate;
pub mod power;
pub mod project;
pub mod random;
#[cfg(unix)]
pub mod script;
pub mod sim;
pub mod store_bug;

use std::io::Write;

/// Says it past the capture of the test harness: what nobody reads holds nobody to anything.
pub fn announce(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
