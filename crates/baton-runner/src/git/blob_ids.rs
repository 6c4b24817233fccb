//! What git would call some bytes.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::ObjectId;

/// The ids of one content under both hashes that git knows.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlobIds {
    sha1: [u8; 20],
    sha256: [u8; 32],
}

impl BlobIds {
    pub fn of(bytes: &[u8]) -> Self {
        let header = format!("blob {}\0", bytes.len());
        let sha1 = Sha1::new().chain_update(&header).chain_update(bytes).finalize();
        let sha256 = Sha256::new().chain_update(&header).chain_update(bytes).finalize();
        Self { sha1: sha1.into(), sha256: sha256.into() }
    }

    /// Says whether an object has this content.
    pub fn matches(&self, id: &ObjectId) -> bool {
        id.as_bytes() == self.sha1 || id.as_bytes() == self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_file_has_the_id_that_git_gives_it() {
        let id = ObjectId::from_hex(b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").expect("an id");
        assert!(BlobIds::of(b"").matches(&id));
        assert!(!BlobIds::of(b"a").matches(&id));
    }
}
