//! Workspaces of tasks and integration, with the real `git` and real trees.

mod dirty;
mod hostile;
mod integration;
mod rig;
mod rounds;
