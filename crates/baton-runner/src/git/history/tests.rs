use std::mem::size_of;

use super::*;

/// What five million changes cost is decided here: 48 bytes each, with the list of those of a commit.
#[test]
fn changes_stay_small() {
    assert_eq!(size_of::<ObjectId>(), 33);
    assert_eq!(size_of::<Change>(), 44);
    assert_eq!(size_of::<Commit>(), 56);
    assert!(size_of::<Change>() + size_of::<u32>() <= 60);
}
