//! The dialects, without a project.

use super::*;

#[test]
fn work_is_sent_back_less_often_than_any_agent_overrides() {
    const CLAUDE_CODE_OVERRIDES_AFTER: u32 = 8;
    assert!(SENT_BACK_MAX < CLAUDE_CODE_OVERRIDES_AFTER);
}
