//! The workshop's test tools: random numbers, random handoffs of every dialect, mutations of documents, whole projects.

pub mod generate;
pub mod hostile;
pub mod mutate;
pub mod project;
pub mod random;
