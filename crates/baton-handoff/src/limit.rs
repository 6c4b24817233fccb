//! Every bound on what this room reads, by name. Documents beyond one are refused with the limit in the message.

/// Largest document in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;
/// Deepest nesting of mappings and lists.
pub const DEPTH_MAX: usize = 32;
/// Most nodes (scalars, lists, mappings) in one block.
pub const NODES_MAX: usize = 20_000;
/// Most items of one list.
pub const LIST_ITEMS_MAX: usize = 2_000;
/// Longest scalar in bytes.
pub const STRING_BYTES_MAX: usize = 64 * 1024;
/// Longest repository path in bytes.
pub const PATH_BYTES_MAX: usize = 1_024;
/// Longest identifier in bytes.
pub const ID_BYTES_MAX: usize = 64;
/// Most blocks (frontmatter, fences, sections) looked at in one document.
pub const BLOCKS_MAX: usize = 256;
/// Most documents in one YAML stream or one run of concatenated JSON.
pub const STREAM_DOCUMENTS_MAX: usize = 64;
/// Most lines that are repaired in one YAML block before it is given up.
pub const REPAIRS_MAX: usize = 64;
/// Most diagnostics kept for one document.
pub const DIAGNOSTICS_MAX: usize = 500;
/// Most facts taken from one freeform note.
pub const FACTS_MAX: usize = 2_000;
/// Most retries of one stage.
pub const RETRIES_MAX: i64 = 3;
