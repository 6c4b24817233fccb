//! Which configurations a person trusts, and which settings of agents: by their exact content, kept outside of every
//! repository.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_store::durable_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::CONFIG_BYTES_MAX;
use crate::file::read_plain;
use crate::state_home::state_home;

/// Largest list that is read, in bytes.
const LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Stands after the path of a project under which its settings of agents are listed.
const SETTINGS_MARK: &str = "#agent-settings";

/// The trusted configurations of one person.
#[derive(Debug)]
pub struct Trust {
    file: PathBuf,
    list: List,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// The hash of the content that was trusted, by the path of the configuration; for the settings of agents, the hashes, by
    /// the path of the project with a mark at its end.
    configurations: BTreeMap<String, String>,
}

impl Trust {
    /// Opens the list of the person who runs this.
    pub fn open() -> io::Result<Self> {
        let folder = state_home().ok_or_else(|| {
            io::Error::other(
                "neither XDG_STATE_HOME nor HOME is set, so there is no place to remember trust in",
            )
        })?;
        Self::open_in(&folder)
    }

    fn open_in(folder: &Path) -> io::Result<Self> {
        let file = folder.join("trust.json");
        let list = match fs::symlink_metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => List::default(),
            Err(error) => return Err(error),
            Ok(found) if !found.is_file() || found.len() > LIST_BYTES_MAX => {
                return Err(io::Error::other(format!("`{}` is not a plain small file", file.display())));
            }
            Ok(_) => serde_json::from_slice(&read_plain(&file, LIST_BYTES_MAX)?)?,
        };
        Ok(Self { file, list })
    }

    /// Where the list is kept.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Says whether a configuration is trusted as it is now.
    pub fn holds(&self, config: &Path) -> io::Result<bool> {
        let (name, hash) = (name_of(config)?, hash_of(config)?);
        Ok(self.list.configurations.get(&name) == Some(&hash))
    }

    /// Remembers that a person trusts a configuration as it is now.
    pub fn add(&mut self, config: &Path) -> io::Result<()> {
        self.list.configurations.insert(name_of(config)?, hash_of(config)?);
        self.save()
    }

    /// Returns the hashes of the settings of agents that a person trusts in a project.
    pub fn settings(&self, project: &Path) -> io::Result<Vec<String>> {
        let known = self.list.configurations.get(&format!("{}{SETTINGS_MARK}", name_of(project)?));
        Ok(known.into_iter().flat_map(|hashes| hashes.split_whitespace()).map(str::to_owned).collect())
    }

    /// Remembers that a person trusts settings of agents with these hashes in a project, and no others.
    pub fn add_settings(&mut self, project: &Path, hashes: &[String]) -> io::Result<()> {
        let name = format!("{}{SETTINGS_MARK}", name_of(project)?);
        match hashes.is_empty() {
            true => self.list.configurations.remove(&name),
            false => self.list.configurations.insert(name, hashes.join(" ")),
        };
        self.save()
    }

    /// Forgets a configuration; says whether it was known.
    pub fn remove(&mut self, config: &Path) -> io::Result<bool> {
        let was_known = self.list.configurations.remove(&name_of(config)?).is_some();
        self.save()?;
        Ok(was_known)
    }

    fn save(&self) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(&self.list)?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        durable_file::make_folder(folder)
            .and_then(|()| durable_file::replace(&self.file, &text))
            .map_err(io::Error::other)
    }
}

fn name_of(config: &Path) -> io::Result<String> {
    Ok(config.canonicalize()?.to_string_lossy().into_owned())
}

fn hash_of(config: &Path) -> io::Result<String> {
    let hash = Sha256::digest(read_plain(&config.canonicalize()?, CONFIG_BYTES_MAX)?);
    Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_ends_with_the_first_byte_that_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("baton.toml");
        fs::write(&config, "[checks.tests_passing]\nrun = [\"true\"]\n").expect("written");
        let mut trust = Trust::open_in(folder.path()).expect("opened");
        assert!(!trust.holds(&config).expect("readable"));
        trust.add(&config).expect("added");
        let again = Trust::open_in(folder.path()).expect("opened");
        assert!(again.holds(&config).expect("readable"));
        fs::write(&config, "[checks.tests_passing]\nrun = [\"false\"]\n").expect("written");
        assert!(!again.holds(&config).expect("readable"));
        assert!(trust.remove(&config).expect("removed"));
    }
}
