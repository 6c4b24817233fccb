//! Answers that say "nothing", in the languages handoffs are written in.

/// Longest answer that can still mean nothing, in bytes.
const ANSWER_BYTES_MAX: usize = 160;
/// Most words of an answer that names what there is none of.
const ANSWER_WORDS_MAX: usize = 9;

/// Says whether a text is an empty answer: "None", "n/a", "-", "无", "なし", "No known issues".
pub fn is_none_word(text: &str) -> bool {
    let text = text.trim().trim_matches(|char: char| "-–—*_`'\"()[]{}.!。…✅✔️ \t".contains(char)).trim();
    if text.is_empty() {
        return true;
    }
    if text.len() > 4 * ANSWER_BYTES_MAX {
        return false;
    }
    if text.is_ascii() && !may_begin_with_none(text) {
        return false;
    }
    let lower = text.to_lowercase();
    let bare = lower.trim_end_matches(['.', '。', '!']);
    if is_word_for_none(bare) {
        return true;
    }
    let head_end = bare.find(|char: char| ".,;:—–-(。，；：（ \n".contains(char)).unwrap_or(bare.len());
    let (head, rest) = bare.split_at(head_end);
    // "None - ready for the next phase", "なし（…）": the answer is given, what follows comments on it.
    let comment = rest.trim_start();
    let answered = if matches!(head, "no" | "0") {
        comment.starts_with(['(', '（'])
    } else {
        !comment.starts_with(char::is_alphanumeric)
    };
    if is_word_for_none(head) && answered {
        return true;
    }
    if text.len() > ANSWER_BYTES_MAX {
        return false;
    }
    let words: Vec<&str> =
        bare.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.first() == Some(&"none") && words.get(1) != Some(&"of") && words.len() <= ANSWER_WORDS_MAX {
        return true;
    }
    let denies = words.first().is_some_and(|word| is_denial(word));
    if denies && words.len() <= ANSWER_WORDS_MAX && words.iter().skip(1).take(4).any(|word| is_matter(word)) {
        return true;
    }
    let script = ["无", "無", "暂无", "目前无", "没有", "沒有", "없음", "ไม่มี"];
    script.iter().any(|none| bare.starts_with(none))
        && bare.chars().count() <= 12
        && !bare.starts_with("无法")
}

/// Says whether the first word of a text can mean nothing; that of nearly every text cannot.
fn may_begin_with_none(ascii: &str) -> bool {
    let len = ascii.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = ascii[..len].to_ascii_lowercase();
    // A mark comes first, or it may be "n/a".
    len < 2 || is_word_for_none(&word) || is_denial(&word)
}

#[rustfmt::skip]
fn is_word_for_none(word: &str) -> bool {
    matches!(
        word,
        "none" | "no" | "n/a" | "na" | "n.a" | "nil" | "null" | "nothing" | "empty" | "not applicable"
            | "none known" | "none yet" | "none identified" | "none found" | "none at this time"
            | "none currently" | "nope" | "0" | "无" | "無" | "暂无" | "暫無" | "没有" | "沒有" | "なし" | "特になし" | "ない"
            | "없음" | "없다" | "ninguno" | "ninguna" | "ningún" | "nada" | "aucun" | "aucune" | "rien" | "néant"
            | "keine" | "keiner" | "keines" | "kein" | "nichts" | "entfällt" | "nenhum" | "nenhuma" | "inga"
            | "ingen" | "inget" | "нет" | "ничего" | "отсутствует" | "отсутствуют" | "nessuno" | "nessuna"
            | "niente" | "yok" | "không" | "không có" | "brak" | "żadne" | "nic" | "tidak ada" | "ไม่มี" | "~"
    )
}

#[rustfmt::skip]
fn is_denial(word: &str) -> bool {
    matches!(
        word,
        "no" | "none" | "nothing" | "zero" | "0" | "not" | "keine" | "kein" | "aucun" | "aucune" | "pas"
            | "ningún" | "ninguna" | "sin" | "nenhum" | "nenhuma" | "sem" | "inga" | "ingen" | "нет" | "без"
            | "nessun" | "nessuna" | "brak" | "tidak" | "không" | "there" | "currently"
    )
}

/// What an answer may say there is none of.
#[rustfmt::skip]
fn is_matter(word: &str) -> bool {
    matches!(
        word,
        "blocker" | "blockers" | "blocking" | "issue" | "issues" | "problem" | "problems" | "caveat"
            | "caveats" | "risk" | "risks" | "question" | "questions" | "concern" | "concerns" | "gotcha"
            | "gotchas" | "warning" | "warnings" | "limitation" | "limitations" | "outstanding" | "remaining"
            | "pending" | "further" | "additional" | "applicable" | "required" | "deviations" | "needed"
            | "left" | "unresolved" | "followups" | "stubs" | "gaps" | "blockierer" | "probleme" | "offenen"
            | "bekannten" | "fragen" | "einschränkungen" | "bloqueo" | "bloqueos" | "bloqueador"
            | "bloqueadores" | "problemas" | "pendientes" | "pendências" | "problème" | "problèmes"
            | "blocage" | "connu" | "hinder" | "проблем" | "вопросов" | "блокеров" | "problemi" | "blocchi"
            | "problemów" | "blokad" | "masalah" | "hambatan" | "vấn"
    )
}
