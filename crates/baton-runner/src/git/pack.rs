//! A pack: many objects in one file, and an index beside it. What git would start a process for is written here, so that a
//! snapshot of few files costs little.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::ObjectId;
use super::hashing::Hashing;
use super::objects::ObjectKind;
use crate::file::open_plain;

const PACK_VERSION: u32 = 2;
const PACK_HEAD_BYTES: u64 = 12;
const INDEX_MARK: [u8; 4] = [0xff, b't', b'O', b'c'];
const INDEX_VERSION: u32 = 2;
const FANOUT: usize = 256;
/// Places from here on do not fit into four bytes of an index.
const PLACE_LARGE: u64 = 0x8000_0000;
/// An index larger than this is none of ours.
const INDEX_BYTES_MAX: u64 = 256 * 1024 * 1024;
const PIECE_BYTES: usize = 64 * 1024;

/// A pack that is being written.
pub(super) struct PackWriter {
    hashing: Hashing,
    folder: PathBuf,
    file: BufWriter<File>,
    place: u64,
    objects: BTreeMap<ObjectId, Packed>,
}

/// Where an object lies in its pack.
struct Packed {
    place: u64,
    checksum: u32,
}

impl PackWriter {
    /// Begins a pack in a folder that nobody else uses.
    pub(super) fn new(folder: &Path, hashing: Hashing) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(begun(folder))?;
        let mut file = BufWriter::new(file);
        // How many objects there are is written in the end.
        file.write_all(&[0; PACK_HEAD_BYTES as usize])?;
        Ok(Self {
            hashing,
            folder: folder.to_owned(),
            file,
            place: PACK_HEAD_BYTES,
            objects: BTreeMap::new(),
        })
    }

    pub(super) fn has(&self, id: &ObjectId) -> bool {
        self.objects.contains_key(id)
    }

    pub(super) fn add(&mut self, id: ObjectId, kind: ObjectKind, bytes: &[u8]) -> io::Result<()> {
        let mut packed = head(kind, bytes.len() as u64);
        let mut encoder = ZlibEncoder::new(&mut packed, Compression::fast());
        encoder.write_all(bytes)?;
        encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(&packed);
        self.file.write_all(&packed)?;
        self.objects.insert(id, Packed { place: self.place, checksum: crc.sum() });
        self.place += packed.len() as u64;
        Ok(())
    }

    /// Flushes the pack and its index, and gives them their names in another folder, the index last: git looks for a pack
    /// whose index is there. Returns the ids, or nothing where there is no object.
    pub(super) fn finish(self, into: &Path) -> io::Result<Option<KnownPack>> {
        let Self { hashing, folder, file, objects, .. } = self;
        if objects.is_empty() {
            return Ok(None);
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let count = u32::try_from(objects.len()).map_err(io::Error::other)?;
        file.write_all(&[b"PACK", &PACK_VERSION.to_be_bytes()[..], &count.to_be_bytes()].concat())?;
        file.rewind()?;
        let checksum = checksum(hashing, &mut file)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(checksum.as_bytes())?;
        file.sync_all()?;
        let index_file = folder.join("index");
        let mut index = File::create(&index_file)?;
        index.write_all(&index_of(&objects, hashing, checksum)?)?;
        index.sync_all()?;
        let name = format!("pack-{checksum}");
        fs::rename(begun(&folder), into.join(format!("{name}.pack")))?;
        fs::rename(index_file, into.join(format!("{name}.idx")))?;
        Ok(Some(KnownPack { name, ids: objects.into_keys().collect() }))
    }
}

fn begun(folder: &Path) -> PathBuf {
    folder.join("pack")
}

/// Writes what kind an object is of and how large, seven bits at a time after the first four.
fn head(kind: ObjectKind, size: u64) -> Vec<u8> {
    let kind: u8 = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    let mut bytes = vec![kind << 4 | (size & 0xf) as u8];
    let mut rest = size >> 4;
    while rest > 0 {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    bytes
}

fn checksum(hashing: Hashing, file: &mut File) -> io::Result<ObjectId> {
    let mut hash = hashing.begin();
    let mut reader = BufReader::with_capacity(PIECE_BYTES, file);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match reader.read(&mut piece)? {
            0 => return hash.end().map_err(io::Error::other),
            read => hash.update(&piece[..read]),
        }
    }
}

fn index_of(objects: &BTreeMap<ObjectId, Packed>, hashing: Hashing, pack: ObjectId) -> io::Result<Vec<u8>> {
    let mut bytes = [INDEX_MARK, INDEX_VERSION.to_be_bytes()].concat();
    let mut fanout = [0_u32; FANOUT];
    for id in objects.keys() {
        let first = id.as_bytes().first().copied().unwrap_or_default();
        fanout[usize::from(first)..].iter_mut().for_each(|count| *count += 1);
    }
    fanout.iter().for_each(|count| bytes.extend(count.to_be_bytes()));
    objects.keys().for_each(|id| bytes.extend(id.as_bytes()));
    objects.values().for_each(|packed| bytes.extend(packed.checksum.to_be_bytes()));
    let mut large = Vec::new();
    for Packed { place, .. } in objects.values() {
        let short = match *place < PLACE_LARGE {
            true => *place,
            false => {
                large.push(*place);
                PLACE_LARGE | (large.len() as u64 - 1)
            }
        };
        bytes.extend(u32::try_from(short).map_err(io::Error::other)?.to_be_bytes());
    }
    large.iter().for_each(|place| bytes.extend(place.to_be_bytes()));
    bytes.extend(pack.as_bytes());
    let own = hashing.of([bytes.as_slice()]).map_err(io::Error::other)?;
    bytes.extend(own.as_bytes());
    Ok(bytes)
}

/// The ids of the objects in one pack, in order.
#[derive(Debug)]
pub(super) struct KnownPack {
    name: String,
    ids: Vec<ObjectId>,
}

/// The packs of a folder, as far as they were looked at.
#[derive(Debug, Default)]
pub(super) struct KnownPacks {
    packs: BTreeMap<String, Vec<ObjectId>>,
}

impl KnownPacks {
    /// Looks for packs that others have written, and for those that are gone.
    pub(super) fn look(&mut self, folder: &Path, hashing: Hashing) -> io::Result<()> {
        let mut there = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name =
                path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| stem.starts_with("pack-"));
            let Some(name) = name.filter(|_| path.extension().is_some_and(|found| found == "idx")) else {
                continue;
            };
            let known = self.packs.remove(name);
            // One that cannot be read holds nothing; then some object is written twice.
            let ids = known.or_else(|| read_index(&path, hashing)).unwrap_or_default();
            there.insert(name.to_owned(), ids);
        }
        self.packs = there;
        Ok(())
    }

    pub(super) fn add(&mut self, pack: KnownPack) {
        self.packs.insert(pack.name, pack.ids);
    }

    pub(super) fn has(&self, id: &ObjectId) -> bool {
        self.packs.values().any(|ids| ids.binary_search(id).is_ok())
    }
}

/// Returns the ids that an index names; nothing where it is no index.
fn read_index(path: &Path, hashing: Hashing) -> Option<Vec<ObjectId>> {
    let file = open_plain(path).ok()?;
    let mut bytes = Vec::new();
    file.take(INDEX_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    let head = [INDEX_MARK, INDEX_VERSION.to_be_bytes()].concat();
    let table = bytes.strip_prefix(head.as_slice()).filter(|_| bytes.len() as u64 <= INDEX_BYTES_MAX)?;
    let (fanout, table) = table.split_at_checked(FANOUT * 4)?;
    let count = fanout.last_chunk().map(|count| u32::from_be_bytes(*count))?;
    let size = hashing.id_bytes();
    let ids = table.get(..usize::try_from(count).ok()?.checked_mul(size)?)?;
    ids.chunks_exact(size).map(ObjectId::from_bytes).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn git_reads_an_index_with_places_beyond_two_gigabytes() {
        let ids = [0, 1, 255].map(|first| ObjectId::from_bytes(&[first; 20]).unwrap());
        let places = [PACK_HEAD_BYTES, PLACE_LARGE, PLACE_LARGE * 3];
        let packed = |place: u64| Packed { place, checksum: 7 };
        let objects = ids.into_iter().zip(places.map(packed)).collect();
        let index = index_of(&objects, Hashing::Sha1, ids[0]).unwrap();
        let mut git = Command::new("git");
        git.args(["show-index", "--object-format=sha1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = git.spawn().unwrap();
        git.stdin.take().unwrap().write_all(&index).unwrap();
        let told = String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap();
        let expected = ids.iter().zip(places).map(|(id, place)| format!("{place} {id} (00000007)\n"));
        assert_eq!(told, expected.collect::<String>());

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pack-1.idx");
        for (length, known) in [(index.len(), Some(ids.to_vec())), (1_050, None), (4, None), (0, None)] {
            fs::write(&file, &index[..length]).unwrap();
            assert_eq!(read_index(&file, Hashing::Sha1), known, "{length}");
        }
    }
}
