use baton_testkit::random::Random;
use baton_testkit::{generate, mutate};

use super::{events, plain};

const SEED: u64 = 7_071;
const DOCUMENTS: usize = 6_000;

/// The plain reader must give the tree of the whole grammar, or give up. Returns whether it gave a tree.
fn agree(text: &str) -> bool {
    let Some(fast) = plain::parse(text, 100) else { return false };
    let slow = events::parse(text, 100);
    assert_eq!(
        fast.documents, slow.documents,
        "the readers differ on:\n{text}\nslow troubles: {:?}",
        slow.troubles
    );
    assert_eq!(fast.troubles, slow.troubles, "the readers differ on:\n{text}");
    true
}

#[test]
fn both_readers_agree_on_ordinary_yaml() {
    let cases = [
        "a: b\n",
        "a: b # c\nd: 'e' # f\n",
        "a:\n  b: 1\n  c:\n    - x\n    - y: 2\n      z: 3\nd: [p, \"q r\", s/t.rs]\n",
        "list:\n- a\n- b: c\n  d: e\nafter: f\n",
        "- a\n- - b\n  - c\n- d: e\n",
        "# first\n\na: []\nb: {}\nc: null\nd: 12:30\n\n# last\n",
        "  a: b\n  c: d\n",
        "when: 2026-01-16T10:00:00Z\nurl: https://x.y/z\ntilde: a~b\nüber: x\nkey: größer: x\n",
        "a: b\n\n  \nc: d\n",
        "a: |\n  x\n\n   y \n\nb: c\n",
        "a:\n  - b: |\n      x\n    c: d\n",
        "a: |\n  x",
        "a: |\n  x\n\n\n",
        "a: |\n  x\n y\n",
        "a: |\n\n  x\n",
    ];
    for case in cases {
        agree(case);
    }
    assert!(
        [2, 3, 5, 9, 10, 11].iter().all(|&case| agree(cases[case])),
        "the plain reader gave up on plain YAML"
    );
}

#[test]
fn the_plain_reader_never_says_what_the_whole_grammar_does_not() {
    let mut read = 0;
    for index in 0..DOCUMENTS {
        let random = &mut Random::numbered(SEED, index);
        let text = generate::yaml(random);
        read += usize::from(agree(&text));
        for _ in 0..3 {
            agree(&mutate::mutate(&text, random));
        }
    }
    assert!(read > DOCUMENTS / 20, "the plain reader read only {read} of {DOCUMENTS}");
}
