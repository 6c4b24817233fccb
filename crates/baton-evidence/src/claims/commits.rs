//! Ids of commits that a handoff names: under any key that speaks of commits, and in sentences that do.

use baton_handoff::field::Field;
use baton_handoff::record::Record;
use baton_handoff::span::Span;

use super::beyond;
use super::sentence::{sentences, words};
use super::{Source, prose};
use crate::finding::Said;

/// Words of a sentence that speaks of commits.
const SPEAKING: &[&str] = &[
    "commit",
    "commits",
    "committed",
    "sha",
    "hash",
    "revision",
    "pushed",
    "merged",
    "cherry-picked",
    "landed",
    "squashed",
];
/// How many words may stand between such a word and the id.
const REACH: usize = 4;

pub(super) fn of_keys(record: &Record<'_>, source: &Source<'_>) -> Vec<Said> {
    let mut commits = source.texts(record, Field::Commit);
    for one in beyond::all(record) {
        let speaks = |key: &str| {
            let key = beyond::plain(key);
            key.split('_')
                .any(|word| word.starts_with("commit") || matches!(word, "sha" | "revision" | "rev" | "head"))
        };
        if speaks(one.key) || speaks(one.parent) {
            let texts = one.nodes().iter().filter_map(|node| Some((node.text()?, node.span)));
            let ids = texts.flat_map(|(text, span)| text.split_whitespace().map(move |word| (word, span)));
            commits.extend(ids.map(|(id, span)| Said::new(prose::trimmed(id), source.place(span))));
        }
    }
    commits.retain(|said| is_id(&said.text));
    commits
}

/// Returns the ids that sentences name as commits.
pub(super) fn of_words(own_words: &[Said]) -> Vec<Said> {
    let mut commits = Vec::new();
    for said in own_words {
        for sentence in sentences(&said.text) {
            let tokens: Vec<&str> = sentence.split_whitespace().map(prose::trimmed).collect();
            for (at, token) in tokens.iter().enumerate().filter(|(_, token)| is_id(token)) {
                let near = &tokens[at.saturating_sub(REACH)..tokens.len().min(at + 2)];
                if near.iter().any(|word| SPEAKING.contains(&word.to_lowercase().as_str())) {
                    commits.push(Said::new(*token, said.place));
                }
            }
        }
    }
    commits
}

/// Returns the ids of lists under headings that speak of commits.
pub(super) fn under_headings(source: &Source<'_>) -> Vec<Said> {
    let (mut commits, mut is_of_commits, mut start) = (Vec::new(), false, 0);
    for line in source.text.split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim();
        if text.starts_with('#') || text.ends_with(':') {
            is_of_commits = words(text).iter().any(|word| word.starts_with("commit"));
        } else if is_of_commits {
            let ids = text.split_whitespace().map(prose::trimmed).filter(|word| is_id(word)).take(1);
            commits.extend(ids.map(|id| Said::new(id, source.place(span))));
        }
    }
    commits
}

pub(super) fn is_id(text: &str) -> bool {
    let text = text.trim();
    (7..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Place;

    #[test]
    fn an_id_counts_where_the_sentence_speaks_of_commits() {
        let read = |text: &str| of_words(&[Said::new(text, Place::default())]).len();
        assert_eq!(read("Committed the tests as `4f2a9c1`."), 1);
        assert_eq!(read("Pushed in a1b2c3d4e5f6."), 1);
        assert_eq!(read("The color is c0ffee1 now."), 0);
        assert_eq!(read("The commit is small. The color is c0ffee1 now."), 0);
    }
}
