//! Random texts of every sort: prose, code, all of Unicode, marks and contractions, and long runs.

use baton_testkit::generate;
use baton_testkit::random::Random;

const SEED: u64 = 0x0200_0000;
const PARTS: &[&str] = &[
    "Don't",
    "WE'LL",
    "it'S",
    "o'ſ",
    "x'ReY",
    "'",
    "''s",
    "HTTPServer",
    "camelCase",
    "snake_case",
    "ǅungla",
    "ªBC",
    "ÀÉî",
    "e\u{301}",
    "\u{301}",
    "\u{301}A",
    "中文字",
    "日本",
    "한국어",
    "привет",
    "МИР",
    "שלום",
    "नमस्ते",
    "1",
    "12",
    "1234567",
    "٣٤٥",
    "½",
    "Ⅷ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    " \n ",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{85}",
    "/",
    "//",
    "/*",
    "*/\n",
    "...",
    "!!",
    "=>",
    "://",
    "{\n",
    "}\n",
    "\"",
    "`",
    "#",
    "##",
    "- ",
    "| ",
    "😀",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u{e0041}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[0m",
    "src/auth/jwt.rs",
    "tests_passing",
    "the",
    " of",
    " and",
    "ing",
    "A",
    "b",
    "ʰ",
];

/// Returns the text with this number.
pub(crate) fn text(index: usize) -> String {
    let mut random = Random::numbered(SEED, index);
    match index % 6 {
        0 => generate::prose(&mut random),
        1 => generate::yaml(&mut random),
        2 => (0..random.between(1, 12)).map(|_| any(&mut random)).collect(),
        3 => {
            let part = *random.pick(PARTS);
            let other = *random.pick(PARTS);
            format!("{}{other}", part.repeat(random.between(1, 60)))
        }
        4 | 5 => (0..random.between(1, 24)).map(|_| *random.pick(PARTS)).collect(),
        _ => String::new(),
    }
}

/// Any character, the first planes more often than the others.
fn any(random: &mut Random) -> char {
    let bound = *random.pick(&[0x80, 0x250, 0x3000, 0x1_0000, 0x11_0000]);
    char::from_u32(random.below(bound) as u32).unwrap_or('\u{fffd}')
}
