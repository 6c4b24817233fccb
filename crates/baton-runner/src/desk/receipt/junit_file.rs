//! The JUnit file of a check, or its folder of them: read where this run of the check wrote it, and nobody led elsewhere.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::file::open_plain;
use baton_evidence::tool_output::junit::{JUNIT_BYTES_MAX, JunitCounts, read_junit};

/// Most files of one folder.
const FILES_MAX: usize = 10_000;
/// Most bytes of all files of one folder.
const FOLDER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How the files of a folder end that count.
const ENDING: &str = "xml";

/// What lay there before the check ran.
#[derive(Debug)]
pub(super) struct JunitFile {
    path: PathBuf,
    before: BTreeMap<PathBuf, Facts>,
}

type Facts = (u64, Option<SystemTime>);

impl JunitFile {
    pub(super) fn before(folder: &Path, path: &Path) -> Self {
        // More files than are read are told once the check has run.
        Self { path: path.to_owned(), before: files(folder, path).unwrap_or_default() }
    }

    /// Reads what the check wrote; says why where that is nothing.
    pub(super) fn read(&self, folder: &Path) -> Result<JunitCounts, String> {
        let shown = self.path.display();
        let after = files(folder, &self.path)?;
        if after.is_empty() {
            return Err(format!("it wrote no JUnit file {shown}"));
        }
        let mut counts: Option<JunitCounts> = None;
        let mut left_bytes = if after.contains_key(&self.path) { JUNIT_BYTES_MAX } else { FOLDER_BYTES_MAX };
        for path in
            after.iter().filter(|(path, facts)| self.before.get(*path) != Some(*facts)).map(|(path, _)| path)
        {
            let bytes = read(folder, path, left_bytes)?;
            left_bytes -= bytes.len();
            let own = read_junit(&bytes).map_err(|why| unread(path, &why))?;
            counts = Some(match counts {
                Some(counts) => counts.and(own),
                None => own,
            });
        }
        counts.ok_or_else(|| format!("the JUnit file {shown} is from before this run"))
    }
}

/// Returns the file, or the files of a folder, with what shows whether somebody wrote them since.
fn files(folder: &Path, path: &Path) -> Result<BTreeMap<PathBuf, Facts>, String> {
    let Ok(found) = fs::symlink_metadata(folder.join(path)) else { return Ok(BTreeMap::new()) };
    if !found.is_dir() {
        return Ok(BTreeMap::from([(path.to_owned(), facts(&found))]));
    }
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder.join(path)).map_err(|error| unread(path, &error))? {
        let entry = entry.map_err(|error| unread(path, &error))?;
        let name = path.join(entry.file_name());
        let is_counted = name.extension().is_some_and(|ending| ending == ENDING);
        if let (true, Ok(found)) = (is_counted, entry.metadata()) {
            files.insert(name, facts(&found));
        }
        if files.len() > FILES_MAX {
            return Err(format!("{} has more than {FILES_MAX} JUnit files", path.display()));
        }
    }
    Ok(files)
}

fn facts(found: &Metadata) -> Facts {
    (found.len(), found.modified().ok())
}

fn read(folder: &Path, path: &Path, bytes_max: usize) -> Result<Vec<u8>, String> {
    let real = folder.join(path).canonicalize().map_err(|error| unread(path, &error))?;
    let inside = folder.canonicalize().map_err(|error| unread(path, &error))?.join(path);
    if real != inside {
        return Err(unread(path, &"it is a link, or no file"));
    }
    let mut bytes = Vec::new();
    let file = open_plain(&real).map_err(|error| unread(path, &error))?;
    file.take(bytes_max as u64 + 1).read_to_end(&mut bytes).map_err(|error| unread(path, &error))?;
    match bytes.len() > bytes_max {
        true => Err(unread(path, &format!("with it there are more than {bytes_max} bytes"))),
        false => Ok(bytes),
    }
}

fn unread(path: &Path, why: &dyn Display) -> String {
    format!("the JUnit file {} cannot be read: {why}", path.display())
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
    fn of_a_folder_all_files_count_that_this_run_wrote() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, path) = (place.path(), Path::new("reports"));
        fs::create_dir(folder.join(path)).expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.join(path).join(name), text).expect("a file");
        write("TEST-old.xml", ONE);
        let reports = JunitFile::before(folder, path);
        assert!(reports.read(folder).is_err_and(|why| why.contains("from before this run")));
        write("TEST-a.xml", ONE);
        write(
            "TEST-b.xml",
            "<testsuite><testcase name=\"b\"><failure/></testcase><testcase name=\"c\"/></testsuite>",
        );
        write("summary.txt", "no XML");
        let counts = reports.read(folder).expect("it is read");
        assert_eq!((counts.tests, counts.failures, counts.failing), (3, 1, vec!["b".to_owned()]));
        std::os::unix::fs::symlink("TEST-a.xml", folder.join(path).join("TEST-c.xml")).expect("a link");
        assert!(reports.read(folder).is_err_and(|why| why.contains("it is a link")));
    }

    #[test]
    fn tests_that_did_not_run_show_nothing() {
        let counts = |tests, skipped| JunitCounts { tests, skipped, ..JunitCounts::default() };
        assert!(doubt(&counts(0, 0)).is_some());
        assert!(doubt(&counts(2, 2)).is_some());
        assert_eq!(doubt(&counts(2, 1)), None);
    }
}
