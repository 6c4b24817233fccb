//! What has been: the append-only log and its views.
