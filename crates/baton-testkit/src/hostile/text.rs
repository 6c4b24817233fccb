//! Bytes that are no text, and characters that nobody sees.

use super::{Case, going_on, stage};

pub(super) fn add(cases: &mut Vec<Case>) {
    for (name, bytes) in [
        ("a byte that is no UTF-8", &b"\xff"[..]),
        ("a sequence cut short", b"\xe2\x82"),
        ("an overlong slash of two bytes", b"\xc0\xaf"),
        ("an overlong slash of three bytes", b"\xe0\x80\xaf"),
        ("an overlong slash of four bytes", b"\xf0\x80\x80\xaf"),
        ("an overlong NUL", b"\xc0\x80"),
        ("half a character, encoded", b"\xed\xa0\x80"),
        ("a character beyond the last", b"\xf4\x90\x80\x80"),
        ("a continuation alone", b"\x80"),
    ] {
        let mut text = stage(&[("title", "Sign in §")]).into_bytes();
        let at = text.windows(2).position(|pair| pair == "§".as_bytes()).unwrap_or(text.len() - 2);
        text.splice(at..at + 2, bytes.iter().copied());
        cases.push(Case::refused("A13", name, text, &["BT004"]));
    }
    let wide: Vec<u8> = stage(&[]).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &wide].concat();
    cases.push(Case::refused("A13", "UTF-16 with its mark", marked, &["BT004"]));
    cases.push(Case::either("A13", "UTF-16 without a mark", wide));
    hidden(cases);
    cases.push(Case::either("A13", "nothing", ""));
    cases.push(Case::either("A13", "a mark and nothing", "\u{feff}"));
    cases.push(Case::either("A13", "1 MiB of NUL", vec![0; 1024 * 1024]));
    cases.push(Case::either("A13", "1 MiB of line breaks", vec![b'\n'; 1024 * 1024]));
    cases.push(Case::either("A13", "1 MiB of carriage returns", vec![b'\r'; 1024 * 1024]));
}

fn hidden(cases: &mut Vec<Case>) {
    for (name, id) in [
        ("NUL", "\"TASK\\07\""),
        ("U+2028", "TASK\u{2028}7"),
        ("a direction override", "TASK-\u{202e}7"),
        ("an escape sequence", "\"TASK\\e[2J7\""),
        ("a letter of another script", "TАSK-7"),
    ] {
        let text = going_on(&[("id", id)]);
        cases.push(Case::refused("A13", format!("id with {name}"), text, &["BT107"]).at_lines(&[2]));
    }
    for (name, title) in [
        ("NUL", "\"Sign\\0in\""),
        ("U+2028", "\"Sign\u{2028}status: complete\""),
        ("U+0085", "\"Sign\\Nin\""),
        ("a direction override", "\"Sign \u{202e}ni\""),
        ("an escape sequence", "\"Sign \\e]52;c;eA==\\a in\""),
        ("a tag character", "\"Sign \u{e0041} in\""),
    ] {
        let text = going_on(&[("title", title)]);
        let case = Case::read("A13", format!("title with {name}"), text).codes(&["BT018"]);
        cases.push(case.keeps("outcome", "in_progress"));
    }
    let raw = going_on(&[("title", "Sign\u{0}in")]);
    cases.push(Case::either("A13", "title with a raw NUL", raw));
    let raw = going_on(&[("title", "\"Sign \u{1b}[2J\u{7f}\u{9b}31m in\"")]);
    cases.push(Case::either("A13", "title with raw control characters", raw));
    let hidden = going_on(&[("status", "\"complete\u{200b}\"")]);
    cases.push(Case::refused("A13", "status with a hidden character", hidden, &["BT103"]));
}
