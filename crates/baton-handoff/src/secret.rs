//! Finds secrets by the shapes of well-known tokens, in one pass. Values never leave this module: only kinds and places do.

mod hide;
mod known;

use std::sync::LazyLock;

use memchr::memmem;

use crate::letters::Letters;
use crate::limit;
use crate::span::Span;

/// Shortest token, in bytes: that of an AWS access key.
const TOKEN_BYTES_MIN: usize = 20;
/// Longest piece that every token fills wherever it begins, in bytes.
const PIECE_BYTES: u8 = 10;
/// Shortest value of an assignment that can be a secret, in bytes.
const VALUE_BYTES_MIN: usize = 12;
/// Fewest different bytes of a value that nobody made up on the spot.
const DISTINCT_BYTES_MIN: usize = 8;
/// Shortest part of a JSON web token, in bytes.
const JWT_PART_BYTES_MIN: usize = 10;

pub use hide::{hide, mask};
pub use known::{KNOWN_BYTES_MIN, Known, is_name_of_secret};

/// How a PEM block begins. The searcher is kept, because making one takes as long as searching a short document.
static PEM_BEGIN: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("-----BEGIN "));
/// Longest first line of a PEM block, in bytes.
const PEM_HEAD_BYTES_MAX: usize = 64;
/// Shortest inside of a PEM block that can hold a key, in bytes.
const PEM_BODY_BYTES_MIN: usize = 64;
/// Longest value that is looked at, in bytes.
const VALUE_BYTES_MAX: usize = 512;

/// A secret, by what it is and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// With its article, as in "a GitHub token".
    pub kind: &'static str,
    pub span: Span,
}

/// A token that is known by how it begins.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    /// Fewest bytes after the prefix.
    rest_min: usize,
    rest: Rest,
}

/// What follows a prefix.
#[derive(Clone, Copy)]
enum Rest {
    UpperAlphanumeric,
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Dashed,
}

const fn shape(kind: &'static str, prefix: &'static str, rest_min: usize, rest: Rest) -> Shape {
    Shape { kind, prefix, rest_min, rest }
}

const SHAPES: &[Shape] = &[
    shape("an AWS access key", "AKIA", 16, Rest::UpperAlphanumeric),
    shape("an AWS access key", "ASIA", 16, Rest::UpperAlphanumeric),
    shape("a GitHub token", "ghp_", 30, Rest::Alphanumeric),
    shape("a GitHub token", "gho_", 30, Rest::Alphanumeric),
    shape("a GitHub token", "ghu_", 30, Rest::Alphanumeric),
    shape("a GitHub token", "ghs_", 30, Rest::Alphanumeric),
    shape("a GitHub token", "ghr_", 30, Rest::Alphanumeric),
    shape("a GitHub token", "github_pat_", 30, Rest::Dashed),
    shape("an Anthropic key", "sk-ant-", 20, Rest::Dashed),
    shape("an API key", "sk-", 20, Rest::Dashed),
    shape("a Stripe key", "sk_live_", 16, Rest::Alphanumeric),
    shape("a Stripe key", "rk_live_", 16, Rest::Alphanumeric),
    shape("a Slack token", "xoxb-", 12, Rest::Dashed),
    shape("a Slack token", "xoxp-", 12, Rest::Dashed),
    shape("a Slack token", "xoxa-", 12, Rest::Dashed),
    shape("a Slack token", "xoxs-", 12, Rest::Dashed),
    shape("a Google API key", "AIza", 35, Rest::Dashed),
    shape("a GitLab token", "glpat-", 20, Rest::Dashed),
    shape("an npm token", "npm_", 30, Rest::Alphanumeric),
    shape("a Hugging Face token", "hf_", 30, Rest::Alphanumeric),
];

/// Names whose value is a secret, in lowercase and without `-` and `_`.
const NAMES: &[&str] =
    &["password", "passwd", "pwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "token"];

/// How those names end.
static NAME_ENDINGS: Letters = Letters::NONE.endings(NAMES);

/// Words of values that stand in for a secret.
const STAND_INS: &[&str] =
    &["xxxx", "...", "example", "your", "redacted", "placeholder", "changeme", "dummy", "****"];

/// Returns every secret of a text in the order of the places.
pub fn find(source: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    tokens(source, &mut found);
    assignments(source, &mut found);
    private_keys(source, &mut found);
    found.sort_by_key(|secret| (secret.span.start, std::cmp::Reverse(secret.span.end)));
    found.dedup_by(|later, earlier| later.span.start < earlier.span.end);
    found
}

/// Returns the places to mask.
pub fn spans(source: &str) -> Vec<Span> {
    find(source).into_iter().map(|secret| secret.span).collect()
}

fn push(found: &mut Vec<Secret>, kind: &'static str, start: usize, end: usize) {
    if found.len() < limit::DIAGNOSTICS_MAX {
        found.push(Secret { kind, span: Span::new(start, end) });
    }
}

/// The bytes that tokens are made of, each as a one: this is asked for every byte of every document.
static TOKEN_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        let value = byte as u8;
        table[byte] = (value.is_ascii_alphanumeric() || matches!(value, b'-' | b'_' | b'.')) as u8;
        byte += 1;
    }
    table
};

fn is_token_byte(byte: u8) -> bool {
    TOKEN_BYTES[usize::from(byte)] == 1
}

/// Looks at every word that is long enough. Such a word fills at least one of the pieces that the text is cut into, and a
/// sum tells whether a piece is filled: a branch for each byte costs more, since no processor foresees where words end.
fn tokens(source: &str, found: &mut Vec<Secret>) {
    let bytes = source.as_bytes();
    let (pieces, _) = bytes.as_chunks::<{ PIECE_BYTES as usize }>();
    let mut done = 0;
    for (index, piece) in pieces.iter().enumerate() {
        if piece.iter().map(|&byte| TOKEN_BYTES[usize::from(byte)]).sum::<u8>() < PIECE_BYTES {
            continue;
        }
        let at = index * piece.len();
        if at < done {
            continue;
        }
        let before = bytes[done..at].iter().rev().take_while(|&&byte| is_token_byte(byte)).count();
        let after = bytes[at..].iter().take_while(|&&byte| is_token_byte(byte)).count();
        done = at + after;
        let word = source.get(at - before..done).filter(|word| word.len() >= TOKEN_BYTES_MIN);
        if let Some((kind, len)) = word.and_then(token) {
            push(found, kind, at - before, at - before + len);
        }
    }
}

/// Returns what a word is, and how much of it.
fn token(word: &str) -> Option<(&'static str, usize)> {
    let first = *word.as_bytes().first()?;
    if !matches!(first, b'A' | b'a' | b'e' | b'g' | b'h' | b'n' | b'r' | b's' | b'x') {
        return None;
    }
    if word.starts_with("eyJ") {
        return is_json_web_token(word).then_some(("a JSON web token", word.len()));
    }
    let shape = SHAPES.iter().find(|shape| word.starts_with(shape.prefix))?;
    let rest = &word[shape.prefix.len()..];
    let fits = |byte: u8| match shape.rest {
        Rest::UpperAlphanumeric => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        Rest::Alphanumeric => byte.is_ascii_alphanumeric(),
        Rest::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
    };
    let len = rest.bytes().take_while(|&byte| fits(byte)).count();
    let rest = &rest[..len];
    // Words such as `sk-learn-model-selection-helpers` have the form of a key without being one.
    let random = match shape.rest {
        Rest::UpperAlphanumeric => len == shape.rest_min,
        Rest::Alphanumeric | Rest::Dashed => rest.bytes().any(|byte| byte.is_ascii_digit()),
    };
    (len >= shape.rest_min && random && is_real(rest)).then_some((shape.kind, shape.prefix.len() + len))
}

fn is_json_web_token(word: &str) -> bool {
    let mut parts = word.trim_end_matches('.').split('.');
    let (Some(header), Some(payload), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let long = [header, payload, signature].iter().all(|part| part.len() >= JWT_PART_BYTES_MIN);
    long && payload.starts_with("eyJ") && is_real(signature)
}

/// Looks at what follows each `:` and `=`: after a telling name, and as the password of a URL.
fn assignments(source: &str, found: &mut Vec<Secret>) {
    let bytes = source.as_bytes();
    let mut done = 0;
    // Where the value that was last looked at ends: names in one long word share their end and look for it once.
    let mut end = 0;
    for at in memchr::memchr2_iter(b':', b'=', bytes) {
        if at < done {
            continue;
        }
        if bytes[at..].starts_with(b"://") {
            if let Some((start, end)) = url_password(bytes, at + 3) {
                push(found, "a password in a URL", start, end);
                done = end;
            }
            continue;
        }
        if !names_a_secret(&bytes[..at]) {
            continue;
        }
        let blanks =
            bytes[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'`')).count();
        let start = at + 1 + blanks;
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'|')
        };
        if end < start {
            end = bytes[start..].iter().position(ends).map_or(bytes.len(), |len| start + len);
        }
        let Some(value) = source.get(start..end).filter(|value| value.len() < VALUE_BYTES_MAX) else {
            continue;
        };
        let value = value.trim_end_matches(['.', ')', '}', ']']);
        if looks_made(value) {
            push(found, "a password or key", start, start + value.len());
            done = start + value.len();
        }
    }
}

/// Says whether the last word is the name of a secret, such as `DB_PASSWORD` or `"apiKey"`.
fn names_a_secret(before: &[u8]) -> bool {
    let trimmed = before.trim_ascii_end();
    let trimmed = trimmed.strip_suffix(b"\"").or_else(|| trimmed.strip_suffix(b"'")).unwrap_or(trimmed);
    // Nearly every name is another one, and its last two letters tell.
    if let [.., first, second] = trimmed
        && first.is_ascii_alphanumeric()
        && second.is_ascii_alphanumeric()
        && !NAME_ENDINGS.may_hold(*first, *second)
    {
        return false;
    }
    let mut letters =
        trimmed.iter().rev().take_while(|&&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let mut tail = [0_u8; 16];
    let mut start = tail.len();
    while start > 0 {
        match letters.find(|byte| byte.is_ascii_alphanumeric()) {
            Some(byte) => {
                start -= 1;
                tail[start] = byte.to_ascii_lowercase();
            }
            None => break,
        }
    }
    NAMES.iter().any(|name| tail[start..].ends_with(name.as_bytes()))
}

/// Says whether a value looks made by a machine, and not like a word, a path, a reference or a hash.
pub fn looks_made(value: &str) -> bool {
    let refers = value.contains(['/', '$', '(', '{', '[', '\\']) || value.starts_with('%');
    let has = |class: fn(&u8) -> bool| value.as_bytes().iter().any(class);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    value.len() >= VALUE_BYTES_MIN
        && value.is_ascii()
        && !refers
        && mixed
        && !is_hash_or_uuid(value)
        && is_real(value)
        && !is_dotted_name(value)
        && letters_and_digits_alternate(value)
}

fn is_hash_or_uuid(value: &str) -> bool {
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hex && matches!(value.len(), 36 | 40 | 64)
}

/// Says whether this is code such as `config.auth2.token`.
fn is_dotted_name(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| part.starts_with(|first: char| first.is_ascii_alphabetic()))
}

/// Says whether letters and digits are mixed, and not only put one after the other as in `rotation-2026`.
fn letters_and_digits_alternate(value: &str) -> bool {
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = value.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    changes >= 4
}

fn url_password(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b')')
    };
    let len = bytes[start..].iter().chain(b" ").take(VALUE_BYTES_MAX).position(ends)?;
    let authority = &bytes[start..start + len];
    let host = memchr::memrchr(b'@', authority)?;
    let colon = memchr::memchr(b':', &authority[..host])?;
    let password = std::str::from_utf8(&authority[colon + 1..host]).ok()?;
    let refers = password.contains(['$', '{', '*'])
        || password.eq_ignore_ascii_case("password")
        || password.eq_ignore_ascii_case("pass");
    (password.len() >= 4 && !refers && !stands_in(password)).then_some((start + colon + 1, start + host))
}

fn private_keys(source: &str, found: &mut Vec<Secret>) {
    let bytes = source.as_bytes();
    let mut begins = PEM_BEGIN.find_iter(bytes).peekable();
    if begins.peek().is_none() {
        return;
    }
    let mut ends = memmem::find_iter(bytes, b"-----END ").peekable();
    let mut done = 0;
    for begin in begins {
        let head = &bytes[begin..bytes.len().min(begin + PEM_HEAD_BYTES_MAX)];
        let Some(body) =
            memmem::find(head, b"PRIVATE KEY-----").map(|at| begin + at + "PRIVATE KEY-----".len())
        else {
            continue;
        };
        while ends.next_if(|&end| end < body).is_some() {}
        let Some(&end) = ends.peek() else { return };
        // A mention of the header alone gives nothing away.
        if begin >= done && end - body >= PEM_BODY_BYTES_MIN {
            done = bytes.len().min(end + PEM_HEAD_BYTES_MAX);
            done = memchr::memchr(b'\n', &bytes[end..done]).map_or(done, |newline| end + newline);
            push(found, "a private key", begin, done);
        }
    }
}

/// Says whether a value is meant, and does not stand in for one.
fn is_real(value: &str) -> bool {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= DISTINCT_BYTES_MIN && !stands_in(value)
}

fn stands_in(value: &str) -> bool {
    let contains = |word: &str| {
        value.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    STAND_INS.iter().any(|word| contains(word))
}

#[cfg(test)]
mod tests;
