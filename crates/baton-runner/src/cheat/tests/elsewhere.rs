//! What lies elsewhere than in the repository stays named there.

use super::*;

#[test]
fn files_in_the_place_of_another_repository_are_seen_once_for_each() {
    let submodules = vec!["vendor/inner".to_owned(), "sub".to_owned()];
    let scope = Scope { submodules, ..Scope::default() };
    let change = |path, after| Change { path, before: None, after, is_whole: true, loses_program: false };
    let (there, gone) = (Some(&b"x"[..]), None);
    let changes = [
        change("sub", there),
        change("subway/a.txt", there),
        change("vendor/inner/gone.txt", gone),
        change("vendor/inner/new.txt", there),
        change("vendor/inner/other.txt", there),
        change("vendor/own.txt", there),
    ];
    let seen = look(&changes, &scope);
    let seen: Vec<(&str, &str)> = seen.iter().map(|seen| (seen.trick, seen.path.as_str())).collect();
    assert_eq!(seen, [("submodule_replaced", "sub"), ("submodule_replaced", "vendor/inner/new.txt")]);
}

#[test]
fn a_pointer_to_a_file_kept_elsewhere_stays_one() {
    let version = "version https://git-lfs.github.com/spec/v1\n";
    let hash = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let pointer = |size: u32| format!("{version}oid sha256:{hash}\nsize {size}\n");
    let extended = format!("{version}ext-0-case sha256:{hash}\noid sha256:{hash}\nsize 7\n");
    for good in [Some(pointer(7).as_str()), Some(&extended), None] {
        assert!(names("a.png", Some(&pointer(1)), good).is_empty(), "{good:?}");
    }
    let short = format!("{version}oid sha256:{}\nsize 7\n", &hash[1..]);
    let turned = format!("{version}size 7\noid sha256:{hash}\n");
    let more = format!("{}and more\n", pointer(7));
    let without_end = pointer(7).trim_end().to_owned();
    for bad in ["PNG", "", version, &short, &turned, &more, &without_end] {
        assert_eq!(names("a.png", Some(&pointer(1)), Some(bad)), ["pointer_replaced"], "{bad:?}");
    }
    assert!(names("a.png", Some("PNG"), Some("other")).is_empty());
}
