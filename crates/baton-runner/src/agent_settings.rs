//! What a repository brings that agents obey by themselves: settings with hooks, servers and helpers, and code that they load.
//!
//! Nobody but a person lets such a thing run, and only as it is, to the byte: see [`crate::trust`]. Where agents work, it is
//! looked at again before each of them is started.

mod told;

use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::file::read_plain;
use crate::git::{Blob, FileKind, GitError, Repository};

/// Files in the root that agents obey.
const FILES: &[&str] = &[".mcp.json", "opencode.json", "opencode.jsonc"];
/// Folders in the root that agents read by themselves.
const FOLDERS: &[&str] = &[".claude", ".codex", ".gemini", ".opencode"];
/// What tools put there themselves, and nobody obeys.
const GENERATED: &[&str] = &["node_modules", "bun.lock", "bun.lockb", "package-lock.json", ".gitignore"];
/// Words in the head of a document by which it can start something.
const STARTING_WORDS: &[&str] = &["hooks", "mcpServers", "mcp_servers"];
/// Most files that are looked at. Nobody reads more, so more cannot be trusted.
const FILES_MAX: usize = 500;
/// Largest file that can be trusted.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
const DEPTH_MAX: usize = 16;

/// Everything of that sort that there is in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// By their paths.
    pub files: Vec<SettingsFile>,
}

/// One file that agents obey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// From the root, with `/`.
    pub path: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Bytes(Vec<u8>),
    /// It leads elsewhere, or is more than anybody reads: what cannot be shown cannot be trusted.
    Closed(&'static str),
}

impl SettingsFile {
    /// Says what it would start or set, a line each.
    pub fn told(&self) -> Vec<String> {
        match &self.content {
            Content::Bytes(bytes) => told::told(&self.path, bytes),
            Content::Closed(why) => vec![(*why).to_owned()],
        }
    }
}

impl AgentSettings {
    /// Looks at a folder as it is now.
    pub fn of_folder(root: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        for name in FILES.iter().chain(FOLDERS) {
            found.look(root, (*name).to_owned(), 0)?;
        }
        found.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    fn look(&mut self, root: &Path, path: String, depth: usize) -> io::Result<()> {
        let place = root.join(&path);
        let found = match fs::symlink_metadata(&place) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if self.files.len() >= FILES_MAX || depth > DEPTH_MAX {
            self.push(path, Content::Closed(TOO_MANY));
        } else if found.is_dir() {
            let mut names: Vec<String> = fs::read_dir(&place)?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<io::Result<_>>()?;
            names.sort();
            for name in names.into_iter().filter(|name| !GENERATED.contains(&name.as_str())) {
                self.look(root, format!("{path}/{name}"), depth + 1)?;
            }
        } else if !found.is_file() {
            self.push(path, Content::Closed(LINK));
        } else if found.len() > FILE_BYTES_MAX {
            self.push(path, Content::Closed(TOO_LARGE));
        } else {
            self.push(path, Content::Bytes(read_plain(&place, FILE_BYTES_MAX)?));
        }
        Ok(())
    }

    /// Looks at what a commit brings into a workspace.
    pub fn of_commit(repository: &Repository, name: &str) -> Result<Self, GitError> {
        let mut found = Self::default();
        let Some(commit) = repository.commit_named(name)? else { return Ok(found) };
        let mut objects = repository.objects()?;
        for file in repository.files(commit)? {
            let path = String::from_utf8_lossy(&file.path).into_owned();
            if !is_obeyed(&path) {
                continue;
            }
            let content = match file.kind {
                _ if found.files.len() >= FILES_MAX => Content::Closed(TOO_MANY),
                FileKind::Link | FileKind::Submodule => Content::Closed(LINK),
                FileKind::File | FileKind::Program => match objects.blob(file.id, FILE_BYTES_MAX)? {
                    Blob::Bytes(bytes) => Content::Bytes(bytes),
                    Blob::TooLarge(_) | Blob::Missing | Blob::Unreadable => Content::Closed(TOO_LARGE),
                },
            };
            found.push(path, content);
        }
        found.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Adds a file, unless nobody obeys what is in it.
    fn push(&mut self, path: String, content: Content) {
        let is_read_only = match &content {
            Content::Bytes(bytes) => is_harmless(&path, bytes),
            Content::Closed(_) => false,
        };
        if !is_read_only {
            self.files.push(SettingsFile { path, content });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the hash of all of it; none where something in it cannot be trusted whatever it is.
    pub fn hash(&self) -> Option<String> {
        let mut hash = Sha256::new();
        for file in &self.files {
            let Content::Bytes(bytes) = &file.content else { return None };
            hash.update((file.path.len() as u64).to_be_bytes());
            hash.update(file.path.as_bytes());
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Says whether all of it is among what a person trusts. Where nothing is, nothing has to be trusted.
    pub fn is_trusted(&self, hashes: &[String]) -> bool {
        self.is_empty() || self.hash().is_some_and(|hash| hashes.contains(&hash))
    }

    /// Returns the names of the files, for a sentence.
    pub fn names(&self) -> String {
        self.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ")
    }
}

const LINK: &str = "leads elsewhere, so it cannot be trusted: make it a plain file";
const TOO_LARGE: &str = "is too large to be shown, so it cannot be trusted";
const TOO_MANY: &str = "is one of too many, so it cannot be trusted";

/// Says whether agents look at a path of a repository by themselves.
fn is_obeyed(path: &str) -> bool {
    let mut parts = path.split('/');
    let first = parts.next().unwrap_or_default();
    FILES.contains(&path) || FOLDERS.contains(&first) && !parts.any(|part| GENERATED.contains(&part))
}

/// Says whether a file there is only read: a document that starts nothing, or a list of packages without scripts.
fn is_harmless(path: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    if path.ends_with(".md") {
        let head = text.strip_prefix("---").and_then(|rest| rest.split("\n---").next()).unwrap_or_default();
        return !STARTING_WORDS.iter().any(|word| head.contains(word));
    }
    path.ends_with("/package.json") && !text.contains("\"scripts\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_more_is_another_content_and_documents_do_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let place = folder.path().join(path);
            fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
            fs::write(place, text).expect("written");
        };
        write(".claude/skills/tides/SKILL.md", "---\nname: tides\n---\nRead the table.\n");
        write(".claude/commands/greet.md", "Say hooks: hello\n");
        write(".opencode/package.json", "{\"dependencies\":{}}");
        write(".opencode/node_modules/x/index.js", "x");
        let none = AgentSettings::of_folder(folder.path()).expect("readable");
        assert!(none.is_empty() && none.is_trusted(&[]), "{none:?}");
        write(".claude/settings.json", "{\"hooks\":{}}");
        let first = AgentSettings::of_folder(folder.path()).expect("readable");
        assert_eq!(first.names(), ".claude/settings.json");
        let trusted = vec![first.hash().expect("plain files")];
        assert!(first.is_trusted(&trusted));
        for (path, text) in [(".claude/settings.json", "{\"hooks\":{} }"), (".mcp.json", "{}")] {
            write(path, text);
            assert!(
                !AgentSettings::of_folder(folder.path()).expect("readable").is_trusted(&trusted),
                "{path}"
            );
        }
        write(".claude/agents/a.md", "---\nname: a\nhooks: {}\n---\n");
        assert!(AgentSettings::of_folder(folder.path()).expect("readable").names().contains("agents/a.md"));
    }

    #[cfg(unix)]
    #[test]
    fn what_leads_elsewhere_is_never_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("elsewhere", folder.path().join(".claude")).expect("a link");
        let found = AgentSettings::of_folder(folder.path()).expect("readable");
        assert_eq!((found.names().as_str(), found.hash()), (".claude", None));
    }
}
