//! Words that tell a handoff from the many documents that look like one.

/// What a title says a document is about handoffs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TitleKind {
    Template,
    Specification,
    Instructions,
}

/// All functions here take text in lower case.
#[rustfmt::skip]
const HANDOFF: &[&str] = &[
    "handoff", "hand-off", "handover", "hand-over", "hand off", "交接", "引き継ぎ", "引継", "인수인계", "übergabe",
    "passation", "traspaso", "relevo", "passagem de bastão", "passagem de turno", "överlämning",
    "передача дел", "передача контекста", "passaggio di consegne", "devir teslim", "bàn giao", "przekazanie",
    "serah terima", "overdracht", "consegne", "luovutus", "predání", "ส่งมอบ", "ส่งต่องาน",
];

#[rustfmt::skip]
const SESSION: &[&str] = &[
    "next session", "session summary", "session close", "session progress", "session log", "session report",
    "session notes", "end of session", "progress log", "development progress", "progress report", "progress",
    "continue here", "resume", "closeout", "wrap-up", "wrap up", "where we left off", "context transfer",
    "next steps", "进度", "会话", "下一步", "進捗", "セッション", "진행", "로그", "fortschritt", "avancement", "progreso",
    "progresso", "sesja", "sesión", "sessão", "прогресс", "сессия", "tiến độ", "kemajuan", "current status",
];

#[rustfmt::skip]
const REPORT: &[&str] = &[
    "report", "summary", "review", "verdict", "verification", "status", "completion", "complete", "rapport",
    "informe", "bericht", "relatório", "отчёт", "отчет", "raport", "laporan", "报告", "報告", "보고",
    "podsumowanie", "zusammenfassung", "resumen", "résumé", "resumo",
];

#[rustfmt::skip]
const SUCCESSOR: &[&str] = &[
    "next session", "next agent", "next claude", "new session", "fresh session", "successor", "this session",
    "pick up where", "next gate", "last session", "current session", "下一会话", "下次会话", "本次会话", "次のセッション",
    "次回セッション", "이번 세션", "다음 세션", "próxima sesión", "próxima sessão", "nächste sitzung", "prochaine session",
    "следующей сессии", "nästa session", "sesi berikutnya",
];

#[rustfmt::skip]
const INSTRUCTIONS: &[&str] = &[
    "$arguments", "you are an expert", "you are tasked", "your task is to", "your job is to", "your role is",
    "you are a senior", "you are the", "paste the block", "paste this", "copy this prompt", "when the user",
    "when a user", "if the user", "the user's request", "final response", "use the following template",
    "use this template", "use this format", "follow these steps", "use this skill", "this skill",
    "this command", "must include", "should include", "before ending a session", "before ending the session",
    "at the end of each session", "at the end of every", "replace this", "write a handoff",
    "create a handoff", "handoff document", "handoff should", "handoffs should", "handoff must",
];

#[rustfmt::skip]
const OTHER_SENSES: &[&str] = &[
    "design handoff", "sales handoff", "shift handoff", "patient handoff", "shift handover", "patient",
    "clinical", "nurse", "nursing", "physician", "hospital", "i-pass", "sbar", "diagnosis", "pediatric",
    "phi ", "figma", "zeplin", "sketch file", "design tokens", "account executive", "sales",
    "customer success", "crm", "prospect", "live agent", "chatbot", "support tier", "call center", "caller",
    "base station", "handset", "closed deal", "onboarding call", "bedside",
];

pub(super) fn names_handoff(lower: &str) -> bool {
    HANDOFF.iter().any(|word| lower.contains(word))
}

/// Says whether a title uses the word as the name of the document: first or last in its part of the title.
pub(super) fn is_called_handoff(lower: &str) -> bool {
    lower.split([':', '—', '–', '|', '(']).any(|part| {
        let part = part.trim_matches(|char: char| !char.is_alphanumeric());
        HANDOFF.iter().any(|word| part.starts_with(word) || part.ends_with(word))
    })
}

pub(super) fn names_session(lower: &str) -> bool {
    SESSION.iter().any(|word| lower.contains(word))
}

pub(super) fn names_report(lower: &str) -> bool {
    REPORT.iter().any(|word| lower.contains(word))
}

/// Says whether a title says in capitals that a phase is complete, as the plain form of a summary does.
pub(super) fn completes_phase(title: &str) -> bool {
    let words: Vec<&str> =
        title.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.last() == Some(&"COMPLETE") && (2..=5).contains(&words.len())
}

/// Says whether a title names one of the other documents that projects keep.
#[rustfmt::skip]
pub(super) fn names_other_document(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let phrase = [
        "release notes", "code of conduct", "meeting notes", "design doc", "post mortem", "how to",
        "best practices",
    ];
    phrase.iter().any(|phrase| lower.contains(phrase))
        || words.iter().any(|word| {
            matches!(
                *word,
                "changelog" | "readme" | "roadmap" | "contributing" | "meeting" | "minutes" | "retrospective"
                    | "postmortem" | "rfc" | "adr" | "prd" | "proposal" | "tutorial" | "guide" | "guidelines"
                    | "handbook" | "backlog" | "sprint" | "faq" | "glossary" | "specification" | "runbook"
                    | "playbook" | "cheatsheet" | "license" | "standup" | "newsletter"
            )
        })
}

/// Says whether a title names a piece of work by its number.
#[rustfmt::skip]
pub(super) fn numbers_work(lower: &str) -> bool {
    let mut words =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let unit = matches!(
            word,
            "phase" | "plan" | "story" | "task" | "milestone" | "epic" | "session" | "iteration" | "cycle"
                | "step" | "feature"
        );
        if unit && words.peek().is_some_and(|next| next.contains(|char: char| char.is_ascii_digit())) {
            return true;
        }
    }
    false
}

pub(super) fn addresses_successor(lower: &str) -> bool {
    SUCCESSOR.iter().any(|phrase| stands_in(phrase, lower))
}

/// Returns how many different phrases of instructions stand in a text.
pub(super) fn instruction_marks(lower: &str) -> usize {
    INSTRUCTIONS.iter().filter(|mark| stands_in(mark, lower)).count()
}

/// Returns how many different phrases stand in a text that speak of handoffs in another sense.
pub(super) fn other_senses(lower: &str) -> usize {
    OTHER_SENSES.iter().filter(|sense| stands_in(sense, lower)).count()
}

/// Says whether a phrase stands in a long text.
fn stands_in(phrase: &str, lower: &str) -> bool {
    memchr::memmem::find(lower.as_bytes(), phrase.as_bytes()).is_some()
}

/// Returns what the title says a document is, when it is about handoffs and not one.
pub(super) fn title_kind(title: &str) -> Option<TitleKind> {
    let lower = title.to_lowercase();
    let decision =
        |prefix: &str| lower.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['-', ' ', ':', '0']));
    if ["adr", "rfc", "prd", "spec"].iter().any(|prefix| decision(prefix)) {
        return Some(TitleKind::Specification);
    }
    for segment in lower.split([':', '—', '–', '|']) {
        let words: Vec<&str> =
            segment.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let Some(kind) = words.last().and_then(|word| kind_of(word)) else { continue };
        if names_handoff(segment) || words.iter().all(|word| kind_of(word).is_some()) {
            return Some(kind);
        }
    }
    let unspaced = [
        (TitleKind::Template, &["模板", "テンプレート", "템플릿", "양식"][..]),
        (TitleKind::Specification, &["规范", "协议", "仕様", "规格", "프로토콜"][..]),
        (
            TitleKind::Instructions,
            &["指南", "流程", "规则", "手册", "清单", "ガイド", "手順", "ルール", "가이드"][..],
        ),
    ];
    let ends = |words: &[&str]| words.iter().any(|word| lower.trim_end().ends_with(word));
    if let Some((kind, _)) = unspaced.iter().find(|(_, words)| names_handoff(&lower) && ends(words)) {
        return Some(*kind);
    }
    let first =
        lower.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let imperative = matches!(first, "create" | "write" | "generate" | "prepare" | "how" | "using" | "make");
    (imperative && names_handoff(&lower)).then_some(TitleKind::Instructions)
}

fn kind_of(word: &str) -> Option<TitleKind> {
    Some(match word {
        "template" | "templates" | "模板" | "テンプレート" | "vorlage" | "plantilla" | "modèle" => {
            TitleKind::Template
        }
        "schema" | "schemas" | "protocol" | "specification" | "spec" | "reference" | "format"
        | "standard" | "contract" | "architecture" | "design" | "proposal" | "rfc" | "adr" | "system"
        | "api" => TitleKind::Specification,
        "guide" | "guidelines" | "playbook" | "checklist" | "prompt" | "prompts" | "process"
        | "procedure" | "policy" | "instructions" | "rules" | "conventions" | "skill" | "command"
        | "workflow" | "handbook" | "manual" | "tutorial" | "readme" | "runbook" => TitleKind::Instructions,
        _ => return None,
    })
}

/// Headings of manuals and project pages.
#[rustfmt::skip]
pub(super) fn is_manual_heading(folded: &str) -> bool {
    matches!(
        folded,
        "installation" | "install" | "getting started" | "quick start" | "quickstart" | "license" | "licence"
            | "contributing" | "usage" | "features" | "requirements" | "configuration" | "faq"
            | "acknowledgements" | "acknowledgments" | "credits" | "support" | "unreleased" | "api reference"
            | "attendees" | "agenda" | "participants" | "minutes" | "table of contents" | "code structure"
            | "project structure" | "step by step guide" | "when to use" | "changelog" | "added" | "fixed"
            | "security" | "roadmap" | "demo" | "screenshots"
    )
}

/// Headings of documents that argue for a design or order work.
#[rustfmt::skip]
pub(super) fn is_design_heading(folded: &str) -> bool {
    matches!(
        folded,
        "consequences" | "alternatives" | "alternatives considered" | "considered options" | "motivation"
            | "rationale" | "drawbacks" | "prior art" | "unresolved questions" | "detailed design"
            | "proposed solution" | "problem statement" | "user stories" | "user story"
            | "functional requirements" | "non functional requirements" | "schema" | "field semantics"
            | "required fields" | "validation rules" | "in scope" | "steps to reproduce" | "expected behavior"
            | "actual behavior" | "guide level explanation"
    )
}

/// Headings of commands, skills and prompts.
#[rustfmt::skip]
pub(super) fn is_instruction_heading(folded: &str) -> bool {
    matches!(
        folded,
        "user input" | "instructions" | "process" | "when to use" | "output format" | "your role"
            | "your task" | "role" | "workflow" | "steps" | "how to use" | "guidelines" | "core competencies"
            | "best practices" | "usage" | "response format" | "principles" | "pre execution checks"
    )
}

/// Keys that only items of a tracker carry.
pub(super) fn is_tracker_key(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let value = value.trim().trim_matches(['"', '\'']);
    match key.trim_end() {
        "type" | "issue_type" => {
            matches!(value, "task" | "bug" | "feature" | "epic" | "milestone" | "chore" | "subtask")
        }
        "assignee" | "labels" | "blocked_by" | "ordinal" => true,
        _ => false,
    }
}
