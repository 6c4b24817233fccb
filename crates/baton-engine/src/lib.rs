//! What happens next: the pure state machine of tasks, stages and decisions.
