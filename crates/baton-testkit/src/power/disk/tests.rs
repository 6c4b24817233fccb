use super::*;

const FOLDER: &str = "home";
const FILE: &str = "home/log";
const OTHER: &str = "home/new";
const DESCRIPTOR: Descriptor = Descriptor { process: 7, number: 4 };

fn disk() -> Disk {
    Disk::holding(&Image::from([(FOLDER.to_owned(), None), (FILE.to_owned(), Some(b"old".to_vec()))]))
}

fn perform(disk: &mut Disk, calls: Vec<Call>) {
    for call in calls {
        disk.perform(&Step { began: disk.steps, call }).expect("the model knows it");
    }
}

fn create(path: &str) -> Call {
    let opening = Opening { creates: true, ..Opening::default() };
    Call::Open { path: path.to_owned(), descriptor: DESCRIPTOR, opening }
}

fn write(path: &str, at: u64, bytes: &[u8]) -> Call {
    Call::Write { path: path.to_owned(), descriptor: DESCRIPTOR, at: Some(at), bytes: bytes.to_vec() }
}

fn flush(path: &str) -> Call {
    Call::Flush { path: path.to_owned() }
}

fn found(disk: &Disk, choice: Choice, path: &str) -> Option<Vec<u8>> {
    disk.image(choice, &mut Random::numbered(1, 0)).get(path).cloned().flatten()
}

#[test]
fn only_what_was_flushed_is_sure() {
    let mut disk = disk();
    perform(&mut disk, vec![write(FILE, 0, b"new")]);
    assert_eq!(found(&disk, Choice::Nothing, FILE).as_deref(), Some(&b"old"[..]));
    assert_eq!(found(&disk, Choice::Everything, FILE).as_deref(), Some(&b"new"[..]));
    perform(&mut disk, vec![flush(FILE)]);
    for choice in Choice::ALL {
        assert_eq!(found(&disk, *choice, FILE).as_deref(), Some(&b"new"[..]), "{choice:?}");
    }
}

#[test]
fn a_name_is_flushed_with_its_folder_and_not_with_its_file() {
    let mut disk = disk();
    perform(&mut disk, vec![create(OTHER), write(OTHER, 0, b"x"), flush(OTHER)]);
    assert_eq!(found(&disk, Choice::Nothing, OTHER), None);
    perform(&mut disk, vec![flush(FOLDER)]);
    assert_eq!(found(&disk, Choice::Nothing, OTHER).as_deref(), Some(&b"x"[..]));
    perform(&mut disk, vec![Call::Rename { from: OTHER.to_owned(), to: FILE.to_owned() }]);
    assert_eq!(found(&disk, Choice::Nothing, FILE).as_deref(), Some(&b"old"[..]));
    assert_eq!(found(&disk, Choice::Everything, FILE).as_deref(), Some(&b"x"[..]));
    assert_eq!(found(&disk, Choice::Everything, OTHER), None);
    perform(&mut disk, vec![Call::Remove { path: FILE.to_owned() }, flush(FOLDER)]);
    assert_eq!(found(&disk, Choice::Nothing, FILE), None);
}

#[test]
fn a_new_folder_takes_what_is_in_it_along() {
    let mut disk = disk();
    let (folder, file) = ("home/state".to_owned(), "home/state/key".to_owned());
    perform(
        &mut disk,
        vec![Call::MakeFolder { path: folder.clone() }, create(&file), flush(&file), flush(&folder)],
    );
    assert_eq!(found(&disk, Choice::Nothing, &file), None, "nobody flushed the folder above");
    perform(&mut disk, vec![flush(FOLDER)]);
    assert_eq!(found(&disk, Choice::Nothing, &file), Some(Vec::new()));
}

#[test]
fn a_torn_write_leaves_whole_sectors() {
    let mut disk = disk();
    let bytes = vec![7; 4 * SECTOR_BYTES];
    perform(&mut disk, vec![write(FILE, SECTOR_BYTES as u64, &bytes)]);
    let mut kinds = std::collections::BTreeSet::new();
    for index in 0..64 {
        let image = disk.image(Choice::Torn, &mut Random::numbered(1, index));
        let content = image[FILE].clone().expect("a file");
        let sectors: Vec<bool> = content
            .chunks(SECTOR_BYTES)
            .skip(1)
            .map(|sector| {
                assert!(sector.iter().all(|byte| *byte == sector[0]), "a sector is whole");
                sector[0] == 7
            })
            .collect();
        kinds.insert(sectors);
    }
    assert!(kinds.len() > 8, "{} ways to tear four sectors", kinds.len());
}

#[test]
fn a_flush_does_not_cover_what_came_after_it_began() {
    let mut disk = disk();
    perform(&mut disk, vec![write(FILE, 0, b"new")]);
    let began = 0;
    disk.perform(&Step { began, call: flush(FILE) }).expect("the model knows it");
    assert_eq!(found(&disk, Choice::Nothing, FILE).as_deref(), Some(&b"old"[..]));
}

#[test]
fn a_descriptor_goes_on_where_it_was() {
    let mut disk = disk();
    let go_on = |bytes: &[u8]| Call::Write {
        path: OTHER.to_owned(),
        descriptor: DESCRIPTOR,
        at: None,
        bytes: bytes.to_vec(),
    };
    perform(&mut disk, vec![create(OTHER), go_on(b"one "), go_on(b"two")]);
    assert_eq!(found(&disk, Choice::Everything, OTHER).as_deref(), Some(&b"one two"[..]));
    let cut = Call::Cut { path: OTHER.to_owned(), size: 3 };
    perform(&mut disk, vec![cut]);
    assert_eq!(found(&disk, Choice::Everything, OTHER).as_deref(), Some(&b"one"[..]));
    let back = Call::Seek { descriptor: DESCRIPTOR, at: 1 };
    perform(&mut disk, vec![back, go_on(b"a")]);
    assert_eq!(found(&disk, Choice::Everything, OTHER).as_deref(), Some(&b"oae"[..]));
    let read = Call::Read { descriptor: DESCRIPTOR, count: 1 };
    perform(&mut disk, vec![read, go_on(b"!")]);
    assert_eq!(found(&disk, Choice::Everything, OTHER).as_deref(), Some(&b"oae!"[..]));
    let unknown = Call::Remove { path: "home/nothing".to_owned() };
    assert!(disk.perform(&Step { began: 0, call: unknown }).is_err());
}

#[test]
fn between_two_folders_a_file_can_have_both_names_or_none() {
    let mut disk = disk();
    let (folder, to) = ("home/state".to_owned(), "home/state/log".to_owned());
    perform(&mut disk, vec![Call::MakeFolder { path: folder.clone() }, flush(FOLDER)]);
    perform(&mut disk, vec![Call::Rename { from: FILE.to_owned(), to: to.clone() }]);
    let mut kinds = std::collections::BTreeSet::new();
    for index in 0..64 {
        let image = disk.image(Choice::AnySubset, &mut Random::numbered(1, index));
        kinds.insert((image.contains_key(FILE), image.contains_key(&to)));
    }
    assert_eq!(kinds.len(), 4);
    perform(&mut disk, vec![flush(&folder)]);
    assert_eq!(found(&disk, Choice::Nothing, &to).as_deref(), Some(&b"old"[..]));
    assert_eq!(
        found(&disk, Choice::Nothing, FILE).as_deref(),
        Some(&b"old"[..]),
        "its folder was not flushed"
    );
}
