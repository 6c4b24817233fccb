//! How git names bytes: by SHA-1, or by SHA-256 where a repository says so.

use sha1_checked::Sha1;
use sha2::{Digest, Sha256};

use super::objects::ObjectKind;
use super::{GitError, ObjectId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hashing {
    Sha1,
    Sha256,
}

impl Hashing {
    /// Returns the id of an object. Bytes that were made to have the id of others have none, as in git.
    pub(super) fn id(self, kind: ObjectKind, bytes: &[u8]) -> Result<ObjectId, GitError> {
        let header = format!("{} {}\0", kind.name(), bytes.len());
        self.of([header.as_bytes(), bytes])
    }

    /// Returns the hash of these parts, one behind the other.
    pub(super) fn of<'a>(self, parts: impl IntoIterator<Item = &'a [u8]>) -> Result<ObjectId, GitError> {
        let mut hash = self.begin();
        parts.into_iter().for_each(|part| hash.update(part));
        hash.end()
    }

    pub(super) fn begin(self) -> Hash {
        match self {
            Self::Sha1 => Hash::Sha1(Box::new(Sha1::new())),
            Self::Sha256 => Hash::Sha256(Sha256::new()),
        }
    }

    /// How many bytes an id has.
    pub(super) fn id_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// A hash that is not at its end.
pub(super) enum Hash {
    Sha1(Box<Sha1>),
    Sha256(Sha256),
}

impl Hash {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha1(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
        }
    }

    pub(super) fn end(self) -> Result<ObjectId, GitError> {
        let id = match self {
            Self::Sha1(hash) => {
                let found = hash.try_finalize();
                if found.has_collision() {
                    let what = "the bytes of a file were made to have the SHA-1 of others".to_owned();
                    return Err(GitError::unsupported(what, "Take the file out of the project"));
                }
                ObjectId::from_bytes(found.hash())
            }
            Self::Sha256(hash) => ObjectId::from_bytes(&hash.finalize()),
        };
        id.ok_or_else(|| GitError::failed("a hash has a length that git does not know".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        let id = |hashing: Hashing, bytes: &[u8]| hashing.id(ObjectKind::Blob, bytes).unwrap().to_string();
        assert_eq!(id(Hashing::Sha1, b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(
            id(Hashing::Sha256, b""),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
    }
}
