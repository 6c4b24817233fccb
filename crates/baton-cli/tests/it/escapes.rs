//! Nothing that a document, a name or a key holds can paint a terminal.

use crate::support::{FORMATS, Place, Run};

/// What terminals obey: colours, the title, the clipboard, links, and characters that turn or hide text.
const PAYLOADS: &[&str] = &[
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]52;c;cm0gLXJmIH4=\u{7}",
    "\u{1b}]8;;https://evil.example\u{1b}\\link",
    "\u{1b}[2J\u{1b}[H",
    "\u{9b}31mred",
    "\u{90}q\u{9c}",
    "\u{7f}\u{8}\u{8}",
    "\r\rover",
    "\u{202e}gnp.exe\u{202c}",
    "\u{2066}a\u{2069}",
    "\u{200b}\u{2060}\u{feff}",
    "\u{e0041}\u{e007f}",
];

#[test]
fn documents_cannot_paint() {
    let mut wrong = Vec::new();
    for payload in PAYLOADS {
        let documents = documents(payload);
        let place = Place::new();
        documents.iter().for_each(|(kind, document)| place.write(&format!("{kind}.md"), document));
        let ways = FORMATS.iter().map(|format| vec!["--notes", "--strict", "--format", format]);
        for way in ways.chain([vec!["--fix", "--diff"]]) {
            let obeyed = |path: &str| {
                painted(&place.baton(&[&["check", "--color", "always"], &way[..], &[path]].concat()))
            };
            if obeyed(".").is_none() {
                continue;
            }
            for (kind, _) in &documents {
                let mark = obeyed(&format!("{kind}.md"));
                wrong.extend(mark.map(|mark| format!("{payload:?} as {kind} with {way:?}: {mark:?}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} leaks:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns documents that hold a payload in every place.
fn documents(payload: &str) -> Vec<(&'static str, String)> {
    let escaped: String = payload.chars().map(|mark| format!("\\U{:08x}", u32::from(mark))).collect();
    vec![
        (
            "raw value",
            format!(
                "handoff:\n  phase: \"{payload}\"\n  from: \"@a{payload}\"\n  to: \"@b\"\n  status: complete{payload}\n"
            ),
        ),
        (
            "escaped value",
            format!(
                "handoff:\n  phase: \"{escaped}\"\n  from: \"{escaped}\"\n  to: \"x\"\n  status: \"{escaped}\"\n"
            ),
        ),
        (
            "key",
            format!(
                "handoff:\n  phase: QA\n  from: \"@a\"\n  to: \"@b\"\n  status: complete\n  \"key{payload}\": 1\n  \"key{payload}\": 2\n"
            ),
        ),
        (
            "escaped key",
            format!(
                "handoff:\n  phase: QA\n  from: \"@a\"\n  to: \"@b\"\n  status: complete\n  \"{escaped}\": 1\n  \"{escaped}\": 2\n"
            ),
        ),
        (
            "broken YAML",
            format!("handoff:\n  phase: QA\n  from: @a{payload}\n  to: [{payload}\n  status: complete\n"),
        ),
        (
            "note",
            format!(
                "# Handoff {payload}\n\n## Done\n\n- {payload}\n\n## Status\n\nDone {payload}, src/{payload}.rs\n"
            ),
        ),
    ]
}

#[cfg(unix)]
#[test]
fn names_and_arguments_cannot_paint() {
    let mut wrong = Vec::new();
    for payload in PAYLOADS {
        let name = format!("a{}.md", payload.replace('/', ""));
        let place = Place::with(&[(&name, &crate::support::bad())]);
        for format in FORMATS {
            let missing = format!("missing{name}");
            let run = place.baton(&["check", "--format", format, "--color", "always", &name, &missing, "."]);
            assert_eq!(run.code, Some(3), "{}", run.err());
            wrong.extend(painted(&run).map(|mark| format!("{payload:?} as a name in {format}: {mark:?}")));
        }
        for args in [
            &["explain", payload][..],
            &["schema", payload],
            &["new", payload],
            &["man", payload],
            &["convert", "--to", payload, &name],
            &["convert", "--to", "package", payload],
            &["migrate", payload],
            &["migrate", &name],
            &["check", "--fix", payload],
            &["--config", payload, "check"],
            &["check", "--format", payload],
            &["check", &format!("--{payload}")],
            &[payload],
        ] {
            let run = place.baton(&[args, &["--color", "always"]].concat());
            wrong.extend(
                painted(&run).map(|mark| format!("{payload:?} as an argument of {args:?}: {mark:?}")),
            );
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} leaks:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the first character that a terminal would obey, once our own colours are taken out.
fn painted(run: &Run) -> Option<char> {
    let text = without_colours(&format!("{}{}", run.out(), run.err()));
    text.chars().find(|mark| is_obeyed(*mark))
}

fn is_obeyed(mark: char) -> bool {
    mark.is_control() && !matches!(mark, '\n' | '\t')
        || matches!(mark, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Takes out `ESC [ digits m`, and nothing else.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let after = &rest[at + 2..];
        let len = after.find(|mark: char| !mark.is_ascii_digit() && mark != ';').unwrap_or(after.len());
        let is_colour = after[len..].starts_with('m') && is_ours(&after[..len]);
        out.push_str(&rest[..at]);
        out.push_str(if is_colour { "" } else { "\u{1b}[" });
        rest = if is_colour { &after[len + 1..] } else { after };
    }
    out + rest
}

/// The payload's own plain red is not among the colours that we use.
fn is_ours(parameters: &str) -> bool {
    parameters != "31"
}
