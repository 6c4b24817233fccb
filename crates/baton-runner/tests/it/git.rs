//! Reading repositories, honest and hostile, with the real `git`.

mod checkout;
mod history;
mod hostile;
mod index;
mod layout;
mod many;
mod objects;
pub(crate) mod project;
mod snapshots;
mod uncommitted;
