//! The name of an object: SHA-1 or SHA-256.

use std::fmt;

const SHA1_BYTES: usize = 20;
const SHA256_BYTES: usize = 32;

/// Shortest abbreviation that is taken for an id, as in git.
pub const PREFIX_DIGITS_MIN: usize = 4;

/// How much of an id is shown to people.
const SHORT_DIGITS: usize = 10;

/// A whole object id. Orders and compares as its hexadecimal text does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    // One type for both hashes keeps a change at 44 bytes; an enum or a box would cost more.
    bytes: [u8; SHA256_BYTES],
    len: u8,
}

impl ObjectId {
    /// Reads 40 or 64 hexadecimal digits, and nothing else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        if hex.len() != SHA1_BYTES * 2 && hex.len() != SHA256_BYTES * 2 {
            return None;
        }
        let mut bytes = [0; SHA256_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self { bytes, len: (hex.len() / 2) as u8 })
    }

    /// Takes the 20 or 32 bytes of an id.
    pub(super) fn from_bytes(id: &[u8]) -> Option<Self> {
        if id.len() != SHA1_BYTES && id.len() != SHA256_BYTES {
            return None;
        }
        let mut bytes = [0; SHA256_BYTES];
        bytes[..id.len()].copy_from_slice(id);
        Some(Self { bytes, len: id.len() as u8 })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Says whether it stands for no object, as after a deletion.
    pub fn is_zero(&self) -> bool {
        self.bytes == [0; SHA256_BYTES]
    }

    /// Returns the beginning that people use.
    pub fn short(&self) -> String {
        self.to_string().chars().take(SHORT_DIGITS).collect()
    }

    pub(super) fn starts_with(&self, prefix: &Prefix) -> bool {
        let whole = prefix.digits / 2;
        if prefix.digits > usize::from(self.len) * 2 || self.bytes[..whole] != prefix.bytes[..whole] {
            return false;
        }
        prefix.digits.is_multiple_of(2) || self.bytes[whole] >> 4 == prefix.bytes[whole] >> 4
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The beginning of an id, in hexadecimal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    /// Padded with zeros, so that it sorts before every id that begins with it.
    pub(super) bytes: [u8; SHA256_BYTES],
    digits: usize,
}

impl Prefix {
    pub(super) fn from_hex(hex: &str) -> Option<Self> {
        if hex.len() < PREFIX_DIGITS_MIN || hex.len() > SHA256_BYTES * 2 {
            return None;
        }
        let mut bytes = [0; SHA256_BYTES];
        for (place, character) in hex.bytes().enumerate() {
            bytes[place / 2] |= digit(character)? << if place % 2 == 0 { 4 } else { 0 };
        }
        Some(Self { bytes, digits: hex.len() })
    }

    pub(super) fn is_after(&self, id: &ObjectId) -> bool {
        id.bytes < self.bytes
    }
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|digit| digit as u8)
}
