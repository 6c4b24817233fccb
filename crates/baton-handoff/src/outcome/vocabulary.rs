//! The words people use for how work stands, in the languages handoffs are written in.

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Completed,
    Failed,
    Blocked,
    Partial,
    Running,
    NotStarted,
    Unknown,
    /// Takes part of a claim of completion back, and says nothing without one.
    Reserved,
    /// Waits for the next pair of hands, which is not the end.
    Ready,
}

use Class::{Blocked, Completed, Failed, NotStarted, Partial, Ready, Reserved, Running, Unknown};

/// Phrases of several words, each before any shorter one that it begins with.
#[rustfmt::skip]
pub(super) const PHRASES: &[(&[&str], Class)] = &[
    (&["not", "yet", "started"], NotStarted), (&["not", "started"], NotStarted),
    (&["not", "begun"], NotStarted), (&["to", "do"], NotStarted), (&["non", "commencé"], NotStarted),
    (&["pas", "commencé"], NotStarted), (&["à", "faire"], NotStarted), (&["no", "iniciado"], NotStarted),
    (&["sin", "empezar"], NotStarted), (&["por", "hacer"], NotStarted), (&["nicht", "begonnen"], NotStarted),
    (&["noch", "offen"], NotStarted), (&["não", "iniciado"], NotStarted), (&["a", "fazer"], NotStarted),
    (&["ej", "påbörjad"], NotStarted), (&["inte", "påbörjad"], NotStarted), (&["не", "начато"], NotStarted),
    (&["не", "начат"], NotStarted), (&["da", "fare"], NotStarted), (&["non", "iniziato"], NotStarted),
    (&["chưa", "bắt", "đầu"], NotStarted), (&["nie", "rozpoczęto"], NotStarted),
    (&["do", "zrobienia"], NotStarted), (&["belum", "dimulai"], NotStarted), (&["in", "progress"], Running),
    (&["under", "way"], Running), (&["on", "going"], Running), (&["on", "hold"], Running),
    (&["en", "cours"], Running), (&["en", "progreso"], Running), (&["en", "curso"], Running),
    (&["en", "proceso"], Running), (&["in", "arbeit"], Running), (&["in", "bearbeitung"], Running),
    (&["em", "andamento"], Running), (&["em", "progresso"], Running), (&["в", "процессе"], Running),
    (&["в", "работе"], Running), (&["in", "corso"], Running), (&["devam", "ediyor"], Running),
    (&["đang", "thực", "hiện"], Running), (&["đang", "làm"], Running), (&["w", "trakcie"], Running),
    (&["w", "toku"], Running), (&["sedang", "berjalan"], Running), (&["dalam", "proses"], Running),
    (&["waiting", "on"], Blocked), (&["waiting", "for"], Blocked), (&["needs", "human"], Blocked),
    (&["needs", "input"], Blocked), (&["needs", "user"], Blocked), (&["en", "attente"], Blocked),
    (&["bị", "chặn"], Blocked), (&["not", "working"], Failed), (&["does", "not", "work"], Failed),
    (&["doesnt", "work"], Failed), (&["do", "not", "work"], Failed), (&["dont", "work"], Failed),
    (&["funktioniert", "nicht"], Failed), (&["no", "funciona"], Failed),
    (&["ne", "fonctionne", "pas"], Failed), (&["não", "funciona"], Failed), (&["не", "работает"], Failed),
    (&["thất", "bại"], Failed), (&["no", "go"], Failed), (&["changes", "requested"], Failed),
    (&["changes", "required"], Failed), (&["request", "changes"], Failed), (&["requires", "changes"], Failed),
    (&["needs", "changes"], Failed), (&["needs", "revision"], Failed), (&["needs", "rework"], Failed),
    (&["needs", "work"], Failed), (&["needs", "fixes"], Failed), (&["do", "not", "merge"], Failed),
    (&["needs", "fix"], Failed), (&["needs", "fixing"], Failed), (&["needs", "more", "work"], Failed),
    (&["wont", "fix"], Failed), (&["won", "t", "fix"], Failed), (&["wont", "do"], Failed),
    (&["roll", "back"], Failed), (&["nothing", "left", "to", "do"], Completed),
    (&["live", "in", "production"], Completed), (&["nothing", "left"], Completed), (&["nothing", "remaining"], Completed),
    (&["hoàn", "thành"], Completed), (&["hoàn", "tất"], Completed), (&["một", "phần"], Partial),
    (&["с", "оговорками"], Partial), (&["con", "reservas"], Partial), (&["mit", "einschränkungen"], Partial),
    (&["sous", "réserve"], Partial), (&["open", "issues"], Reserved), (&["open", "items"], Reserved),
    (&["known", "issues"], Reserved), (&["follow", "up"], Reserved), (&["follow", "ups"], Reserved),
    (&["can", "not", "verify"], Unknown), (&["not", "verified"], Unknown), (&["not", "tested"], Unknown),
    (&["not", "sure"], Unknown), (&["ready", "for"], Ready), (&["ready", "to"], Ready),
    (&["release", "candidate"], Ready), (&["готово", "к"], Ready), (&["готов", "к"], Ready),
    (&["готова", "к"], Ready), (&["готово", "до"], Ready), (&["klar", "för"], Ready), (&["klart", "för"], Ready),
    (&["klar", "til"], Ready), (&["klaar", "voor"], Ready), (&["klaar", "om"], Ready), (&["fertig", "für"], Ready),
    (&["fertig", "zum"], Ready), (&["fertig", "zur"], Ready), (&["bereit", "für"], Ready), (&["bereit", "zum"], Ready),
    (&["bereit", "zur"], Ready), (&["pronto", "para"], Ready), (&["pronta", "para"], Ready), (&["pronto", "per"], Ready),
    (&["listo", "para"], Ready), (&["lista", "para"], Ready), (&["prêt", "à"], Ready), (&["prêt", "pour"], Ready),
    (&["prête", "à"], Ready), (&["prête", "pour"], Ready), (&["gotowe", "do"], Ready), (&["siap", "untuk"], Ready),
];

/// Phrases that claim completion in passing; in a longer text they tell of a part.
#[rustfmt::skip]
pub(super) const PASSING_CLAIMS: &[&str] = &["完成", "完了", "完毕", "済み", "완료", "เสร็จ", "通过", "合格", "已合并",
    "已上线", "已发布", "已交付", "已解决"];

/// Phrases of scripts without spaces, longer before shorter.
#[rustfmt::skip]
pub(super) const SCRIPT_PHRASES: &[(&str, Class)] = &[
    ("尚未完成", Partial), ("还没完成", Partial), ("沒有完成", Partial), ("没有完成", Partial), ("未全部完成", Partial),
    ("基本完成", Partial), ("部分完成", Partial), ("未完成", Partial), ("待完成", NotStarted), ("完成度", Ready),
    ("未完了", Partial), ("完了していない", Partial), ("完了予定", NotStarted), ("一部完了", Partial), ("ほぼ完了", Partial),
    ("미완료", Partial), ("완료되지", Partial), ("완료 예정", NotStarted), ("부분 완료", Partial), ("ยังไม่เสร็จ", Partial),
    ("未通过", Failed), ("不通过", Failed), ("无法", Failed), ("未开始", NotStarted), ("尚未开始", NotStarted),
    ("未開始", NotStarted), ("待开始", NotStarted), ("待办", NotStarted), ("未着手", NotStarted), ("시작 전", NotStarted),
    ("시작 안", NotStarted), ("대기", NotStarted), ("ยังไม่เริ่ม", NotStarted), ("进行中", Running), ("進行中", Running),
    ("开发中", Running), ("作業中", Running), ("対応中", Running), ("暂停", Running), ("進めて", Running),
    ("진행 중", Running), ("진행중", Running), ("กำลัง", Running), ("无阻塞", Ready), ("没有阻塞", Ready), ("無阻塞", Ready),
    ("阻塞", Blocked), ("卡住", Blocked), ("受阻", Blocked), ("ブロック", Blocked), ("차단", Blocked), ("막힘", Blocked),
    ("ติดขัด", Blocked), ("รอการ", Blocked), ("失败", Failed), ("失敗", Failed), ("실패", Failed),
    ("ล้มเหลว", Failed), ("驳回", Failed), ("却下", Failed), ("部分", Partial), ("一部", Partial), ("부분", Partial),
    ("尚未合并", Reserved), ("未合并", Reserved), ("尚未发布", Reserved), ("未发布", Reserved), ("未上线", Reserved),
    ("未部署", Reserved), ("未提交", Reserved), ("未解决", Reserved), ("待部署", Reserved), ("待测试", Reserved),
    ("待验证", Reserved), ("待发布", Reserved), ("待上线", Reserved), ("未リリース", Reserved), ("未マージ", Reserved),
    ("デプロイ待ち", Reserved), ("未承認", Reserved), ("承認待ち", Ready), ("승인 대기", Ready), ("미승인", Reserved),
    ("บางส่วน", Partial), ("剩余", Reserved), ("残り", Reserved), ("仍", Reserved), ("还需", Reserved),
    ("但", Reserved), ("候选", Ready), ("待审", Ready), ("レビュー待ち", Ready), ("已完成", Completed), ("全部完成", Completed),
    ("完成", Completed), ("完了", Completed), ("完毕", Completed), ("済み", Completed), ("완료", Completed),
    ("เสร็จ", Completed), ("通过", Completed), ("合格", Completed), ("已合并", Completed), ("已上线", Completed),
    ("已发布", Completed), ("已交付", Completed), ("已解决", Completed),
];

/// Returns what a word says wherever it stands.
#[rustfmt::skip]
pub(super) fn single(word: &str) -> Option<Class> {
    Some(match word {
        "complete" | "completed" | "done" | "finished" | "succeeded" | "success" | "successful"
        | "terminé" | "terminée" | "achevé" | "fini" | "completado" | "completada" | "terminado"
        | "terminada" | "finalizado" | "finalizada" | "finalizados" | "terminés" | "terminados" | "completados"
        | "hecho" | "abgeschlossen" | "fertig" | "erledigt" | "concluído"
        | "concluída" | "concluido" | "feito" | "klar" | "klart" | "färdig" | "färdigt" | "slutförd"
        | "slutfört" | "завершено" | "завершён" | "завершен" | "завершена" | "готово" | "выполнено"
        | "сделано" | "completato" | "completata" | "fatto" | "finito" | "tamamlandı" | "bitti"
        | "ukończone" | "ukończono" | "zakończone" | "zakończono" | "gotowe" | "zrobione" | "selesai"
        | "concluídos" | "выполнен" | "выполнена" | "сделан" | "сделана" | "завершені" | "виконано" | "voltooid"
        | "afgerond" | "klaar" | "ferdig" | "færdig" | "dokončeno" | "hotovo" | "ολοκληρώθηκε" | "finalizat"
        | "مكتمل" => {
            Completed
        }
        "failed" | "fail" | "fails" | "failing" | "failure" | "failures" | "broken" | "crashed" | "échec"
        | "échoué" | "fallido" | "falló" | "fehlgeschlagen" | "gescheitert" | "falhou" | "misslyckades"
        | "misslyckad" | "провал" | "провалено" | "fallito" | "başarısız" | "niepowodzenie" | "nieudane"
        | "gagal" => Failed, "blocked" | "blocker" | "blockers" | "blocking" | "stuck" | "bloqué" | "bloquée"
        | "bloqueado" | "bloqueada" | "blockiert" | "blockerad" | "blockerat" | "заблокировано"
        | "заблокирован" | "bloccato" | "engellendi" | "zablokowane" | "zablokowany" | "terblokir"
        | "terhambat" => Blocked,
        "partial" | "partially" | "partly" | "incomplete" | "unfinished" | "uncompleted" | "partiel"
        | "partielle" | "partiellement" | "parcial" | "parcialmente" | "teilweise" | "unvollständig"
        | "delvis" | "частично" | "parziale" | "parzialmente" | "kısmi" | "kısmen" | "częściowo"
        | "częściowe" | "sebagian" => Partial,
        "remaining" | "remains" | "outstanding" | "mixed" | "degraded" => Reserved,
        "wip" | "ongoing" | "underway" | "midway" | "paused" | "läuft" | "pausiert" | "pågående"
        | "pågår" | "berjalan" | "continuing" | "interrupted" | "suspended" => Running,
        "unstarted" | "todo" | "planned" | "backlog" | "queued" | "pending" | "pendiente" | "pendente"
        | "ausstehend" | "geplant" | "ожидает" | "oczekuje" | "menunggu" | "unplanned" => NotStarted,
        "unverified" | "inconclusive" | "unknown" | "unclear" | "untested" | "idle" | "undetermined" => {
            Unknown
        }
        _ => return None,
    })
}

/// Returns what a word says when it is all or nearly all that is said; in a sentence it may speak of a part.
#[rustfmt::skip]
pub(super) fn in_value(word: &str, words: usize) -> Option<Class> {
    Some(match word {
        "implemented" | "shipped" | "deployed" | "merged" | "released" | "delivered" | "resolved"
        | "closed" | "verified" | "passed" | "pass" | "passing" | "approved" | "landed" | "fixed"
        | "terminée" | "aprobado" | "aprovado" | "genehmigt" | "godkänd" | "одобрено" | "approvato"
        | "zatwierdzone" | "umgesetzt" | "gemergt" | "gemerged" | "ausgeliefert" | "veröffentlicht" | "livré"
        | "livrée" | "fusionné" | "fusionnée" | "déployé" | "déployée" | "réalisé" | "entregado" | "entregada"
        | "desplegado" | "fusionado" | "entregue" | "implantado" | "mergeado" | "levererad" | "mergad" | "закрыто"
        | "закрыт" | "внедрено" | "решено" | "rilasciato" | "consegnato" => Completed,
        "wontfix" | "abandoned" | "superseded" | "duplicate" | "obsolete" | "reverted" | "error" | "errored" | "rejected" | "aborted" | "cancelled" | "canceled" => Failed,
        "active" | "open" | "started" | "working" | "running" | "draft" | "wip" | "review" | "auditing"
        | "testing"
            if words <= 2 =>
        {
            Running
        }
        "proposed" | "new" | "scheduled" if words == 1 => NotStarted,
        "candidate" => Reserved,
        _ => return None,
    })
}

/// Returns what a word says in a judgement.
#[rustfmt::skip]
pub(super) fn verdict(word: &str) -> Option<Class> {
    Some(match word {
        "pass" | "passed" | "passes" | "approve" | "approved" | "approves" | "accept" | "accepted"
        | "clean" | "cleared" | "lgtm" | "proceed" | "go" | "ship" | "green" | "confirmed" | "verified"
        | "ok" | "okay" | "victory" | "approuvé" | "approuvée" | "bestanden" | "freigegeben" | "принято" => Completed,
        "reject" | "rejected" | "bounce" | "bounced" | "rework" | "revise" | "revision" | "rollback"
        | "rechazado" | "rechazada" | "abgelehnt" | "refusé" | "rejeté" | "rejetée" | "reprovado" | "reprovada"
        | "отклонено" | "respinto" | "odrzucone" | "rolled" | "decline" | "declined" | "denied" | "returned" | "violation" | "red" | "nogo" => Failed,
        "escalate" | "escalated" | "escalation" | "hold" | "block" => Blocked,
        "conditional" | "conditionally" | "concerns" | "reservations" | "comments" | "suggestions"
        | "caution" => Partial,
        _ => return None,
    })
}

#[rustfmt::skip]
pub(super) fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not" | "no" | "never" | "isnt" | "arent" | "hasnt" | "havent" | "wasnt" | "cannot" | "cant"
            | "without" | "nor" | "non" | "nothing" | "none" | "neither" | "nicht" | "kein" | "keine" | "ohne"
            | "noch" | "pas" | "ne" | "sans" | "aucun" | "aucune" | "sin" | "não" | "sem" | "nenhum" | "inte"
            | "ej" | "не" | "без" | "нет" | "senza" | "nie" | "bez" | "belum" | "bukan" | "tidak" | "değil"
            | "chưa" | "không" | "niet" | "geen" | "nog" | "ikke" | "není" | "δεν" | "غير" | "nu"
    )
}

#[rustfmt::skip]
pub(super) fn is_nearly(word: &str) -> bool {
    matches!(
        word,
        "almost" | "nearly" | "mostly" | "largely" | "partially" | "partly" | "half" | "fast" | "presque"
            | "casi" | "quase" | "nästan" | "почти" | "quasi" | "prawie" | "hampir" | "some" | "one" | "two"
            | "three" | "four" | "five" | "six"
    )
}

/// Words for what can pass without the work being done.
pub(super) fn is_check(word: &str) -> bool {
    matches!(
        word,
        "test" | "tests" | "build" | "builds" | "lint" | "check" | "checks" | "suite" | "ci" | "typecheck"
    )
}

/// Words before a claim that make it a wish, a condition or a question about the future.
#[rustfmt::skip]
pub(super) fn is_intention(word: &str) -> bool {
    matches!(
        word,
        "to" | "will" | "when" | "until" | "once" | "if" | "should" | "must" | "need" | "needs" | "before"
            | "can" | "may" | "await" | "awaiting" | "what" | "toward" | "towards" | "would" | "whether"
            | "be" | "upon" | "after" | "wenn" | "bis" | "soll" | "quand" | "cuando" | "quando" | "när"
            | "когда"
    )
}

/// Words after "complete" that make it a verb or an adjective.
#[rustfmt::skip]
pub(super) fn is_object(word: &str) -> bool {
    matches!(
        word,
        "the" | "a" | "an" | "all" | "this" | "these" | "remaining" | "your" | "my" | "list" | "guide" | "set"
            | "rewrite" | "history" | "phase" | "task" | "step" | "implementation"
    )
}

/// Words that take part of a claim back.
#[rustfmt::skip]
pub(super) fn is_reservation(word: &str) -> bool {
    matches!(
        word,
        "but" | "except" | "excluding" | "however" | "though" | "although" | "apart" | "aside" | "minus"
            | "unless" | "aber" | "außer" | "mais" | "sauf" | "pero" | "excepto" | "salvo"
            | "mas" | "exceto" | "men" | "utom" | "но" | "кроме" | "ma" | "tranne" | "ale" | "oprócz"
            | "tetapi" | "kecuali" | "ama" | "nhưng"
    )
}

/// Things that take part of a claim back where there are any.
pub(super) fn is_defect(word: &str) -> bool {
    matches!(
        word,
        "outstanding"
            | "issues"
            | "warnings"
            | "caveats"
            | "reservations"
            | "concerns"
            | "followup"
            | "followups"
    )
}

/// Returns the share a text states: "80%", "3/5", "2 of 7". Dates and version numbers state none.
pub(super) fn share(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut lowest: Option<f64> = None;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
            at += 1;
        }
        let standalone =
            start == 0 || !(bytes[start - 1].is_ascii_alphanumeric() || b"/-._+".contains(&bytes[start - 1]));
        let Ok(number) = text[start..at].trim_end_matches('.').parse::<f64>() else { continue };
        let rest = &text[at..];
        let found = if rest.starts_with('%') || rest.starts_with(" %") {
            Some(number / 100.0)
        } else {
            of_whole(number, rest)
        };
        if let Some(share) = found.filter(|_| standalone) {
            lowest = Some(lowest.map_or(share, |lowest| lowest.min(share)));
        }
    }
    lowest
}

fn of_whole(part: f64, rest: &str) -> Option<f64> {
    let rest = rest.trim_start_matches(' ');
    let whole = rest.strip_prefix('/').or_else(|| rest.strip_prefix("of "))?.trim_start_matches(' ');
    let len = whole.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !whole[len..].starts_with(['/', '.', '-']);
    let whole = whole[..len].parse::<f64>().ok()?;
    (ends && whole > 0.0 && part <= whole).then_some(part / whole)
}
