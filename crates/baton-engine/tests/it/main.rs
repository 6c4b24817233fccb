//! What the engine promises to everybody who asks, tried from outside.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod authority;
