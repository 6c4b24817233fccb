//! What a disk may hold after the power failed: the system calls of a recorded session, done again on a model of a disk
//! that is sure to keep only what was flushed.
//!
//! Nothing is compiled into the program that is tried. `strace -f -y -xx -s BYTES` records it, [`trace`] reads the record,
//! [`disk`] is the model, and whoever tests writes its images to a folder and starts the program there.

pub mod disk;
pub mod trace;
