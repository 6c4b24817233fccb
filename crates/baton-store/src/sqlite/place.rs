//! Whether a folder is a place where locks and flushes can be trusted.

use std::path::Path;

use crate::error::{Reason, StoreError};

/// What `statfs` calls the file systems that live on another machine or in another program.
#[cfg(target_os = "linux")]
const REMOTE: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
    (0xff53_4d42, "CIFS"),
    (0x564c, "NCP"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
    (0x786f_4256, "VirtualBox shared folder"),
];

/// Refuses a network file system. An overlay is let through: its locks hold for all who see the same mount, and
/// containers have nothing else.
#[cfg(target_os = "linux")]
pub(crate) fn check(folder: &Path) -> Result<(), StoreError> {
    let found = rustix::fs::statfs(folder)
        .map_err(|error| StoreError::file("look at the file system of", folder, &error.into()))?;
    // The type has another width and sign on other processors; the low 32 bits are the magic number.
    let magic = found.f_type as u64 & 0xffff_ffff;
    match remote(magic) {
        Some(name) => Err(refusal(folder, name)),
        None => Ok(()),
    }
}

/// Other systems do not tell in a way that is the same everywhere; there the lock of the database must do.
#[cfg(not(target_os = "linux"))]
pub(crate) fn check(_folder: &Path) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn remote(magic: u64) -> Option<&'static str> {
    REMOTE.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

#[cfg(target_os = "linux")]
fn refusal(folder: &Path, name: &str) -> StoreError {
    StoreError::new(
        Reason::NetworkFileSystem,
        format!("keep the store in {}", folder.display()),
        format!("this is a network file system ({name}), where locks and flushes cannot be trusted"),
        "choose a folder on a local disk for the store; the project itself may stay where it is",
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_refused_by_name() {
        assert_eq!(remote(0x6969), Some("NFS"));
        assert_eq!(remote(0xff53_4d42), Some("CIFS"));
        assert_eq!(remote(0xef53), None, "ext4 is local");
        let refusal = refusal(Path::new("share"), "NFS");
        assert_eq!(refusal.reason, Reason::NetworkFileSystem);
        assert!(refusal.to_string().contains("choose a folder on a local disk"));
    }

    #[test]
    fn a_local_folder_is_taken() {
        check(Path::new(".")).unwrap();
    }
}
