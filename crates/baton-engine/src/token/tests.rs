use super::*;

/// Texts with the counts that the reference implementation gives; `cargo xtask tokens` writes them.
const COUNTED: &str = include_str!("counted.json");

#[test]
fn counts_are_those_of_the_reference() {
    let counted: Vec<(String, usize)> = serde_json::from_str(COUNTED).unwrap();
    assert!(counted.len() > 500, "{}", counted.len());
    for (text, tokens) in counted {
        assert_eq!(count(&text), tokens, "{text:?}");
    }
}

#[test]
fn pieces_are_the_whole_text() {
    for text in ["", "Don't stop", " \n\n  x", "ABCdef GHI", "a\u{301}\u{301}B", "12345 + 6"] {
        assert_eq!(split::pieces(text).collect::<String>(), text);
    }
}

#[test]
fn a_run_without_end_is_counted() {
    assert_eq!(count(&"a".repeat(200_000)), 25_000);
    assert!(count(&" ".repeat(200_000)) > 1_000);
    assert!(count(&"aB".repeat(100_000)) > 1_000);
    assert!(count(&"ªA".repeat(50_000)) > 1_000);
}
