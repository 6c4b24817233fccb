//! The workshop's test tools: generated documents and hermetic projects.
