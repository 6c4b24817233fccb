//! Cuts a text into words and takes out of each what cannot carry meaning.

/// Most words of a text that are looked at.
const WORDS_MAX: usize = 400;
/// A comma, as a word of its own.
pub(super) const COMMA: &str = ",";
/// The end of a sentence, as a word of its own.
pub(super) const STOP: &str = ".";

pub(super) const NEGATIONS: &[&str] =
    &["no", "not", "never", "none", "nothing", "without", "neither", "nor", "yes"];
/// Words that say nothing.
const EMPTY_WORDS: &[&str] = &["a", "an", "the", "please", "simply", "actually", "basically", "really"];
/// Short forms that mean one thing only. `auth` is not among them: it is two things.
const SHORT_FORMS: &[(&str, &[&str])] = &[
    ("&", &["and"]),
    ("app", &["application"]),
    ("arg", &["argument"]),
    ("args", &["argument"]),
    ("cannot", &["can", "not"]),
    ("can't", &["can", "not"]),
    ("config", &["configuration"]),
    ("configs", &["configuration"]),
    ("db", &["database"]),
    ("dbs", &["database"]),
    ("dir", &["directory"]),
    ("dirs", &["directory"]),
    ("env", &["environment"]),
    ("envs", &["environment"]),
    ("info", &["information"]),
    ("it's", &["it", "is"]),
    ("param", &["parameter"]),
    ("params", &["parameter"]),
    ("repo", &["repository"]),
    ("repos", &["repository"]),
    ("shan't", &["shall", "not"]),
    ("that's", &["that", "is"]),
    ("won't", &["will", "not"]),
];
/// Words that end in `s` and are no plurals, or whose singular is something else.
const NO_PLURALS: &[&str] = &[
    "always",
    "cors",
    "does",
    "https",
    "ios",
    "kubernetes",
    "means",
    "news",
    "perhaps",
    "postgres",
    "rails",
    "sometimes",
    "series",
    "this",
    "windows",
];
/// Signs that change what is said. All others are punctuation.
const TELLING_SIGNS: &[char] = &['=', '<', '>', '+', '|', '^', '%', '$', '~', '€', '£', '°'];

/// Returns the words of a text, with commas and ends of sentences as words of their own.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let seen: String = text.chars().filter(|char| !is_invisible(*char)).collect();
    let text = seen.replace(['’', 'ʼ'], "'").replace("e.g.", " ").replace("i.e.", " ");
    let mut words = Vec::new();
    for piece in text.split_whitespace().take(WORDS_MAX) {
        push(piece, &mut words);
    }
    // A question that does not begin like one is no statement.
    let asks = text.trim_end().ends_with('?');
    let opens = |first: &String| {
        let openings =
            "should is are do does did can could will would what which when where why who how must may shall";
        openings.split(' ').any(|opening| opening == first)
    };
    if asks && !words.first().is_some_and(opens) {
        words.push("?".to_owned());
    }
    words
}

/// What nobody sees must not make two texts of one, nor hide a word.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

fn push(piece: &str, words: &mut Vec<String>) {
    let in_code = piece.contains('`');
    let inner = piece.trim_matches(|char: char| is_edge(char));
    let end = match inner.is_empty() {
        true => piece,
        false => &piece[piece.rfind(inner).map_or(0, |at| at + inner.len())..],
    };
    if !inner.is_empty() {
        if in_code || is_code(inner) {
            words.push(inner.to_lowercase());
        } else {
            inner
                .split('-')
                .filter(|part| !part.is_empty())
                .for_each(|part| plain(&part.to_lowercase(), words));
        }
    }
    if end.contains(',') {
        words.push(COMMA.to_owned());
    }
    if end.contains(['.', ';', '!', '?']) {
        words.push(STOP.to_owned());
    }
}

/// Says whether a sign at the edge of a word is punctuation.
fn is_edge(char: char) -> bool {
    !char.is_alphanumeric() && !TELLING_SIGNS.contains(&char) && !matches!(char, '-' | '@' | '&' | '_' | '/')
}

/// Names of code and numbers are taken as they are: `getUsers` is not `getUser`, and 100 is not 1000.
fn is_code(word: &str) -> bool {
    let mut chars = word.chars();
    let starts_with_sign = chars.next().is_some_and(|first| !first.is_alphanumeric()) && word != "&";
    let capital_inside = chars.clone().any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let sign_inside = word.contains(|char: char| !char.is_alphanumeric() && char != '-' && char != '\'');
    let digit_inside = word.contains(|char: char| char.is_numeric());
    (starts_with_sign && word.len() > 1) || capital_inside || (sign_inside && word != "&") || digit_inside
}

fn plain(word: &str, words: &mut Vec<String>) {
    if EMPTY_WORDS.contains(&word) {
        return;
    }
    if let Some((_, full)) = SHORT_FORMS.iter().find(|(short, _)| *short == word) {
        words.extend(full.iter().map(|&word| word.to_owned()));
    } else if let Some(verb) = word.strip_suffix("n't") {
        words.extend([verb.to_owned(), "not".to_owned()]);
    } else {
        let word = word.strip_suffix("'s").unwrap_or(word);
        words.push(singular(word));
    }
}

/// Takes the ending off a plural, or off a verb in the third person: the two look alike and mean no more.
fn singular(word: &str) -> String {
    let is_plain = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let keeps = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    match word {
        "apis" => return "api".to_owned(),
        "ids" => return "id".to_owned(),
        _ if !is_plain || keeps || NO_PLURALS.contains(&word) => return word.to_owned(),
        _ => {}
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 3) {
        return format!("{stem}y");
    }
    let hisses = ["sses", "shes", "ches", "xes", "zzes"].iter().any(|ending| word.ends_with(ending));
    let cut = if hisses { 2 } else { usize::from(word.ends_with('s')) };
    word[..word.len() - cut].to_owned()
}
