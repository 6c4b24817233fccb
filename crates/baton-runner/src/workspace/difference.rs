//! How a file differs, line by line.

use std::time::Duration;

use similar::TextDiff;

use super::FileChange;
use crate::secret;

/// Largest file that is compared line by line.
const COMPARED_BYTES_MAX: usize = 1024 * 1024;
/// After this long two files are no longer compared in the shortest way.
const COMPARED_WITHIN: Duration = Duration::from_secs(2);

impl FileChange {
    /// Returns how a file differs, as `diff -u` writes it, without secrets.
    pub fn difference(&self) -> String {
        let path = self.path.replace(char::is_control, " ");
        let side = |bytes: Option<&Vec<u8>>, name: &str| match bytes {
            Some(_) => format!("{name}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (side(self.before.as_ref(), "a"), side(self.after.as_ref(), "b"));
        if self.before == self.after && self.is_whole {
            return format!("{path}: another mode, the same bytes\n");
        }
        let (Some(before), Some(after)) = (text(self.before.as_deref()), text(self.after.as_deref())) else {
            return format!(
                "{old} and {new} differ, and are no text of at most {COMPARED_BYTES_MAX} bytes\n"
            );
        };
        let (before, after) = (secret::mask(before), secret::mask(after));
        let diff = TextDiff::configure().timeout(COMPARED_WITHIN).diff_lines(&*before, &*after);
        diff.unified_diff().header(&old, &new).to_string()
    }

    /// Returns the ranges of lines that are new, each with its first and last; none where the file is gone or no text.
    pub(crate) fn changed_lines(&self) -> Vec<(usize, usize)> {
        let (Some(before), Some(after)) = (text(self.before.as_deref()), text(self.after.as_deref())) else {
            return Vec::new();
        };
        let diff = TextDiff::configure().timeout(COMPARED_WITHIN).diff_lines(before, after);
        let groups = diff.grouped_ops(0);
        let ranges = groups.iter().flatten().map(|operation| operation.new_range());
        ranges.filter(|range| !range.is_empty()).map(|range| (range.start + 1, range.end)).collect()
    }
}

fn text(bytes: Option<&[u8]>) -> Option<&str> {
    let bytes = bytes.unwrap_or_default();
    let is_plain = bytes.len() <= COMPARED_BYTES_MAX && !bytes.contains(&0);
    std::str::from_utf8(bytes).ok().filter(|_| is_plain)
}
