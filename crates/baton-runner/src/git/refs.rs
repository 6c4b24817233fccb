//! Reads where branches and tags point, from the files of the repository and without git.
//!
//! Git would follow a link in `refs` to wherever it leads.

use std::collections::BTreeMap;
use std::path::Path;

use super::place::Place;
use super::{GitError, ObjectId, plain};

/// References beyond this are not read, and the history counts as incomplete.
const REFS_MAX: usize = 100_000;
const FOLDER_DEPTH_MAX: usize = 32;
const PACKED_REFS_BYTES_MAX: usize = 64 * 1024 * 1024;
const LOOSE_REF_BYTES_MAX: usize = 4 * 1024;
/// How many names `HEAD` may go through; git has the same bound.
const SYMBOLIC_STEPS_MAX: usize = 5;
/// Notes are no history of the work, and replacements are not used.
const PASSED_OVER: &[&[u8]] = &[b"refs/notes/", b"refs/replace/"];

/// Where a history begins.
#[derive(Debug)]
pub(super) struct Tips {
    pub(super) head: Option<ObjectId>,
    /// All tips, `HEAD` among them, each once.
    pub(super) all: Vec<ObjectId>,
    /// Where each reference points, by its whole name.
    pub(super) named: BTreeMap<Vec<u8>, ObjectId>,
    /// Whether every reference was understood.
    pub(super) complete: bool,
}

enum Target {
    Object(ObjectId),
    Symbolic(Vec<u8>),
}

struct Refs {
    by_name: BTreeMap<Vec<u8>, Target>,
    complete: bool,
}

pub(super) fn tips(place: &Place) -> Result<Tips, GitError> {
    if plain::look(&place.common_dir.join("reftable"))?.is_some() {
        let message =
            format!("`{}` keeps its references in a reftable", place.common_dir.join("reftable").display());
        let hint = "Not supported yet; `git refs migrate --ref-format=files` in a clone makes it readable";
        return Err(GitError::unsupported(message, hint));
    }
    let mut refs = packed(place)?;
    let folder = place.common_dir.join("refs");
    if plain::is_folder(&folder)? {
        // Loose references come second, for they are the newer ones.
        refs.add_loose(&folder, b"refs/", 0)?;
    }
    let head_path = place.git_dir.join("HEAD");
    let head_text = plain::read(&head_path, LOOSE_REF_BYTES_MAX)?.unwrap_or_default();
    let Some(head) = target(&head_text) else {
        return Err(GitError::refused(&head_path, "is neither an object id nor the name of a branch"));
    };
    let head = refs.resolve(&head);

    let direct = |(name, target): (&Vec<u8>, &Target)| match target {
        Target::Object(id) => Some((name.clone(), *id)),
        Target::Symbolic(_) => None,
    };
    let named: BTreeMap<Vec<u8>, ObjectId> = refs.by_name.iter().filter_map(direct).collect();
    let mut all: Vec<ObjectId> = named.values().copied().chain(head).collect();
    all.sort_unstable();
    all.dedup();
    Ok(Tips { head, all, named, complete: refs.complete })
}

/// Reads one reference as it is now: the file of its own first, then the packed ones. A symbolic one is refused.
pub(super) fn direct(place: &Place, name: &str) -> Result<Option<ObjectId>, GitError> {
    let path = place.common_dir.join(name);
    let is_file = plain::look(&path)?.is_some_and(|metadata| metadata.is_file());
    if let Some(text) = is_file.then(|| plain::read(&path, LOOSE_REF_BYTES_MAX)).transpose()?.flatten() {
        return match target(&text) {
            Some(Target::Object(id)) => Ok(Some(id)),
            Some(Target::Symbolic(other)) => Err(GitError::unsupported(
                format!("`{name}` is only another name for `{}`", String::from_utf8_lossy(&other)),
                "Name the branch itself as the target, or another one",
            )),
            None => Err(GitError::refused(&path, "is neither an object id nor the name of a branch")),
        };
    }
    Ok(match packed(place)?.by_name.get(name.as_bytes()) {
        Some(Target::Object(id)) => Some(*id),
        Some(Target::Symbolic(_)) | None => None,
    })
}

/// Returns the first reference whose name goes on after `name` and a slash.
pub(super) fn first_below(place: &Place, name: &str) -> Result<Option<String>, GitError> {
    let prefix = format!("{name}/");
    let mut refs = packed(place)?;
    let folder = place.common_dir.join(name);
    if plain::look(&folder)?.is_some_and(|metadata| metadata.is_dir()) {
        refs.add_loose(&folder, prefix.as_bytes(), 0)?;
    }
    let found = refs.by_name.keys().find(|other| other.starts_with(prefix.as_bytes()));
    Ok(found.map(|other| String::from_utf8_lossy(other).into_owned()))
}

fn packed(place: &Place) -> Result<Refs, GitError> {
    let mut refs = Refs { by_name: BTreeMap::new(), complete: true };
    if let Some(text) = plain::read(&place.common_dir.join("packed-refs"), PACKED_REFS_BYTES_MAX)? {
        refs.add_packed(&text);
    }
    Ok(refs)
}

impl Refs {
    fn add_packed(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end) {
            // `#` begins the header, `^` what the tag above peels to.
            if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"^") {
                continue;
            }
            let mut words = line.splitn(2, |byte| *byte == b' ');
            let id = words.next().and_then(ObjectId::from_hex);
            match (id, words.next()) {
                (Some(id), Some(name)) => self.add(name.to_vec(), Target::Object(id)),
                _ => self.complete = false,
            }
        }
    }

    fn add_loose(&mut self, folder: &Path, prefix: &[u8], depth: usize) -> Result<(), GitError> {
        if depth == FOLDER_DEPTH_MAX {
            return Err(GitError::refused(folder, "lies too deep"));
        }
        for entry in plain::list(folder, REFS_MAX)? {
            let path = folder.join(&entry.name);
            let mut name = [prefix, entry.name.as_encoded_bytes()].concat();
            if entry.is_folder {
                name.push(b'/');
                self.add_loose(&path, &name, depth + 1)?;
            } else if !name.ends_with(b".lock") {
                match plain::read(&path, LOOSE_REF_BYTES_MAX)?.map(|text| target(&text)) {
                    Some(Some(target)) => self.add(name, target),
                    Some(None) => self.complete = false,
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, name: Vec<u8>, target: Target) {
        if PASSED_OVER.iter().any(|prefix| name.starts_with(prefix)) {
            return;
        }
        if self.by_name.len() < REFS_MAX || self.by_name.contains_key(&name) {
            self.by_name.insert(name, target);
        } else {
            self.complete = false;
        }
    }

    fn resolve<'a>(&'a self, mut target: &'a Target) -> Option<ObjectId> {
        for _ in 0..SYMBOLIC_STEPS_MAX {
            match target {
                Target::Object(id) => return Some(*id),
                Target::Symbolic(name) => target = self.by_name.get(name)?,
            }
        }
        None
    }
}

fn target(text: &[u8]) -> Option<Target> {
    let text = text.trim_ascii();
    match text.strip_prefix(b"ref:") {
        Some(name) => Some(Target::Symbolic(name.trim_ascii().to_vec())),
        None => ObjectId::from_hex(text).map(Target::Object),
    }
}
