//! Every bound of the store, by name.

use std::time::Duration;

/// Longest name of a stream, in bytes.
pub const STREAM_BYTES_MAX: usize = 256;
/// Longest name of an event, actor or turn, and longest idempotency key, in bytes.
pub const NAME_BYTES_MAX: usize = 512;
/// Largest body of one event. What is larger belongs into a blob.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Most events that one command can cause.
pub const EVENTS_PER_APPEND_MAX: usize = 1_024;
/// Most documents that are stored together with the events that name them.
pub const DOCUMENTS_PER_APPEND_MAX: usize = 64;
/// Largest document or output.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;
/// A blob above this size is stored in pieces of this size.
pub const BLOB_CHUNK_BYTES: usize = 256 * 1024;
/// Largest snapshot of folded state.
pub const SNAPSHOT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most events that one call of `read_all` or `follow` gives.
pub const READ_EVENTS_MAX: usize = 10_000;
/// Most rows of a view or streams that one call gives.
pub const ROWS_MAX: usize = 10_000;
/// Most appends that share one transaction.
pub const GROUP_APPENDS_MAX: usize = 256;
/// Most bytes that share one transaction, so that a flood of documents does not make everybody wait.
pub const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest that a group waits for callers who were just answered.
pub const GATHER_MAX: Duration = Duration::from_millis(5);
/// Most appends that wait for the writer; further callers wait at the door.
pub const QUEUE_MAX: usize = 1_024;
/// Folded states of streams that a writer keeps in memory.
pub const STATES_KEPT_MAX: usize = 1_024;
/// Read-only connections that are kept open.
pub const READERS_MAX: usize = 8;
/// How long a writer waits for another process, and how often it looks.
pub const BUSY_WAIT_MAX: Duration = Duration::from_secs(30);
pub const BUSY_LOOK: Duration = Duration::from_millis(1);
/// How often a follower looks for events of other processes.
pub const FOLLOW_LOOK: Duration = Duration::from_millis(50);
/// Events at the end of the log whose hashes are checked at every start.
pub const TAIL_CHECKED: u64 = 64;
/// How long commits are gathered before their head is anchored. A store that is closed anchors at once.
pub const ANCHOR_PAUSE: Duration = Duration::from_millis(250);
/// Most schema versions that one event is lifted through.
pub const UPCAST_STEPS_MAX: u32 = 100;
/// Longest line of an exported log: a body in base 16 and the envelope around it.
pub const LINE_BYTES_MAX: usize = 4 * BODY_BYTES_MAX;
