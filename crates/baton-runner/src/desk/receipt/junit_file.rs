//! The JUnit file of a check: read where this run of the check wrote it, and nobody led elsewhere.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::file::open_plain;
use crate::tool_output::junit::{JUNIT_BYTES_MAX, JunitCounts, read_junit};

/// A file as it was before the check ran.
#[derive(Debug)]
pub(super) struct JunitFile {
    path: PathBuf,
    before: Option<(u64, Option<SystemTime>)>,
}

impl JunitFile {
    pub(super) fn before(folder: &Path, path: &Path) -> Self {
        Self { path: path.to_owned(), before: facts(&folder.join(path)) }
    }

    /// Reads what the check wrote; says why where that is nothing.
    pub(super) fn read(&self, folder: &Path) -> Result<JunitCounts, String> {
        let (path, shown) = (folder.join(&self.path), self.path.display());
        let Some(after) = facts(&path) else { return Err(format!("it wrote no JUnit file {shown}")) };
        if self.before == Some(after) {
            return Err(format!("the JUnit file {shown} is from before this run"));
        }
        let unread = |why: &dyn std::fmt::Display| format!("the JUnit file {shown} cannot be read: {why}");
        let real = path.canonicalize().map_err(|error| unread(&error))?;
        let inside = folder.canonicalize().map_err(|error| unread(&error))?.join(&self.path);
        if real != inside {
            return Err(unread(&"it is a link, or no file"));
        }
        let mut bytes = Vec::new();
        let most = JUNIT_BYTES_MAX as u64 + 1;
        let read = open_plain(&real).and_then(|file| file.take(most).read_to_end(&mut bytes));
        read.map_err(|error| unread(&error))?;
        read_junit(&bytes).map_err(|why| unread(&why))
    }
}

fn facts(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.len(), found.modified().ok()))
}

/// Returns why tests of which none fails show nothing.
pub(super) fn doubt(counts: &JunitCounts) -> Option<String> {
    if counts.tests == 0 {
        return Some("no test was run, says its JUnit file".to_owned());
    }
    if counts.skipped == counts.tests {
        return Some(format!("all of its {} tests were skipped", counts.tests));
    }
    counts.disagreement.as_ref().map(|words| format!("its JUnit file contradicts itself: {words}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const ONE: &str = "<testsuite><testcase name=\"a\"/></testsuite>";

    #[test]
    fn only_a_plain_file_of_this_run_counts() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, path) = (place.path(), Path::new("junit.xml"));
        let told = |file: &JunitFile| file.read(folder).map(|counts| counts.tests);
        let file = JunitFile::before(folder, path);
        assert!(told(&file).is_err_and(|why| why.contains("wrote no JUnit file")));
        fs::write(folder.join(path), ONE).expect("a file");
        assert_eq!(told(&file), Ok(1));
        let old = JunitFile::before(folder, path);
        assert!(told(&old).is_err_and(|why| why.contains("from before this run")));
        fs::rename(folder.join(path), folder.join("real.xml")).expect("it moves");
        std::os::unix::fs::symlink("real.xml", folder.join(path)).expect("a link");
        assert!(told(&file).is_err_and(|why| why.contains("it is a link")));
    }

    #[test]
    fn tests_that_did_not_run_show_nothing() {
        let counts = |tests, skipped| JunitCounts { tests, skipped, ..JunitCounts::default() };
        assert!(doubt(&counts(0, 0)).is_some());
        assert!(doubt(&counts(2, 2)).is_some());
        assert_eq!(doubt(&counts(2, 1)), None);
    }
}
