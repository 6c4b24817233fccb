//! `specs/*.md`: each case is an `input` block followed by an `expect` block with every finding, one a line.
//!
//! With `BATON_BLESS=1` the expectations are rewritten to what is found; read the difference before you commit it.

use std::fs;

use crate::support::{fenced, findings, markdown_files};

#[test]
fn every_case_gives_exactly_the_findings_it_expects() {
    let bless = std::env::var_os("BATON_BLESS").is_some();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for path in markdown_files("specs") {
        let mut markdown = fs::read_to_string(&path).expect("readable");
        let blocks = fenced(&markdown);
        let mut at = 0;
        while at < blocks.len() {
            let input = &blocks[at];
            let expect = blocks.get(at + 1).filter(|block| block.info == "expect");
            assert_eq!(
                input.info,
                "input",
                "{}: «{}» must begin with an input block",
                path.display(),
                input.heading
            );
            let expect =
                expect.unwrap_or_else(|| panic!("{}: «{}» expects nothing", path.display(), input.heading));
            at += 2;
            cases += 1;
            let found: String = findings(&input.body).iter().map(|line| format!("{line}\n")).collect();
            if found == expect.body {
                continue;
            }
            if bless {
                let old = format!("~~~~input\n{}~~~~\n\n~~~~expect\n{}~~~~", input.body, expect.body);
                let new = format!("~~~~input\n{}~~~~\n\n~~~~expect\n{found}~~~~", input.body);
                assert!(
                    markdown.contains(&old),
                    "one blank line stands between input and expect: {}",
                    input.heading
                );
                markdown = markdown.replacen(&old, &new, 1);
            } else {
                wrong.push(format!(
                    "{}: «{}»\nexpected:\n{}found:\n{found}",
                    path.display(),
                    input.heading,
                    expect.body
                ));
            }
        }
        if bless {
            fs::write(&path, markdown).expect("writable");
        }
    }
    assert!(cases > 0, "no spec was found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
