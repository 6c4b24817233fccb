//! The workshop's test tools: random numbers, random handoffs of every dialect, mutations of documents, whole projects, and
//! a simulated world for the engine.

pub mod generate;
pub mod hostile;
pub mod mutate;
pub mod project;
pub mod random;
pub mod sim;
