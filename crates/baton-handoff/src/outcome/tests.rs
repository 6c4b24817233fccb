use super::{Outcome, conclude, from_verdict, from_words, is_none_word};
use crate::field::Field;
use crate::record::{Confidence, Record, Text, Value};
use crate::span::Span;

#[track_caller]
fn check_words(outcome: Option<Outcome>, texts: &[&str]) {
    for text in texts {
        assert_eq!(from_words(text), outcome, "{text:?}");
    }
}

#[test]
fn words_for_completed() {
    check_words(
        Some(Outcome::Completed),
        &[
            "complete",
            "Completed",
            "DONE",
            "✅ COMPLETE",
            "✅",
            "succeeded",
            "implemented",
            "qa_passed",
            "APPROVED ✅",
            "Migration fix complete",
            "Phase 5 is complete.",
            "27/27 complete",
            "100% done",
            "0 failed, all done",
            "已完成",
            "完了",
            "terminé",
            "Completado",
            "abgeschlossen",
            "concluído",
            "KLAR",
            "готово",
            "completato",
            "완료",
            "tamamlandı",
            "hoàn thành",
            "zakończone",
            "selesai",
            "The verdict is CLEAN.",
            "Complete — all three suites pass",
            "✅ Done — merged to main",
            "state: shipped",
            "100%",
            "5/5",
            "Done. Nothing left to do.",
            "Complete, no known issues",
            "Work complete. Blocked: none.",
            "已合并",
            "finalizada",
            "umgesetzt",
            "livré",
            "voltooid",
        ],
    );
}

#[test]
fn words_that_only_look_like_completed() {
    check_words(
        Some(Outcome::Partial),
        &[
            "incomplete",
            "not complete",
            "not yet done",
            "80%",
            "~90% complete",
            "3/5",
            "complete except the docs",
            "done, but tests fail",
            "completed with open issues",
            "almost done",
            "complete_with_followup",
            "未完成",
            "не завершено",
            "nicht abgeschlossen",
            "chưa hoàn thành",
            "one of two subtasks is complete",
            "Phase 3/5 complete",
            "Closed as won't fix",
            "✅ 4/5 done",
            "complete, issues remain",
            "完成，待部署",
            "niet voltooid",
            "ikke ferdig",
        ],
    );
    for text in [
        "to be completed",
        "when done",
        "complete the migration",
        "Complete/Partial/Blocked",
        "PASS | FAIL",
        "accepted",
        "stable",
        "",
        "what was done",
        "tests pass",
        "All endpoints return 200",
    ] {
        assert_eq!(from_words(text), None, "{text:?}");
    }
    check_words(Some(Outcome::Unknown), &["UNVERIFIED", "idle", "unknown"]);
}

#[test]
fn words_for_the_rest() {
    check_words(
        Some(Outcome::Failed),
        &["abandoned", "failed", "FAIL", "❌", "does not work", "失败", "fehlgeschlagen", "провал", "gagal"],
    );
    check_words(
        Some(Outcome::Blocked),
        &["blocked", "⛔ Blocked", "waiting for keys", "阻塞", "bloqueado", "blockiert", "заблокировано"],
    );
    check_words(
        Some(Outcome::InProgress),
        &[
            "in_progress",
            "In Progress",
            "WIP",
            "paused",
            "active",
            "进行中",
            "en cours",
            "in Arbeit",
            "w trakcie",
            "READY_FOR_REVIEW",
            "готово к проверке",
            "klar för granskning",
            "klaar voor review",
            "ready for build",
        ],
    );
    check_words(Some(Outcome::NotStarted), &["not started", "todo", "pending", "0%", "未开始", "planned"]);
    check_words(None, &["no blockers", "not blocked", "unblocked"]);
}

#[test]
fn verdicts() {
    let cases = [
        ("PASS", Some(Outcome::Completed)),
        ("approve", Some(Outcome::Completed)),
        ("ACCEPT_AS_IS", Some(Outcome::Completed)),
        ("CLEAN", Some(Outcome::Completed)),
        ("FAIL", Some(Outcome::Failed)),
        ("BOUNCE", Some(Outcome::Failed)),
        ("needs_revision", Some(Outcome::Failed)),
        ("REQUEST_CHANGES", Some(Outcome::Failed)),
        ("CHANGES_REQUESTED", Some(Outcome::Failed)),
        ("rollback", Some(Outcome::Failed)),
        ("not approved", Some(Outcome::Partial)),
        ("PASS with open issues", Some(Outcome::Partial)),
        ("APPROVE (с оговорками)", Some(Outcome::Partial)),
        ("escalate", Some(Outcome::Blocked)),
        ("inconclusive", Some(Outcome::Unknown)),
        ("PASS/FAIL", None),
        ("maybe", None),
    ];
    for (text, outcome) in cases {
        assert_eq!(from_verdict(text), outcome, "{text:?}");
    }
}

#[test]
fn empty_answers() {
    for text in [
        "None",
        "n/a",
        "-",
        "—",
        "无",
        "なし",
        "Ninguno",
        "keine",
        "нет",
        "No blockers for phase 6.",
        "No known issues",
        "None - ready to go",
        "No caveats.",
        "_None yet_",
        "Aucun problème connu",
        "NO (already reviewed)",
        "ไม่มี",
        "",
    ] {
        assert!(is_none_word(text), "{text:?}");
    }
    for text in [
        "No session database",
        "None of the tests pass",
        "无法连接数据库",
        "Nothing works on Windows since the upgrade",
        "Waiting for keys",
    ] {
        assert!(!is_none_word(text), "{text:?}");
    }
}

fn said(fields: &[(Field, &'static str)]) -> Record<'static> {
    let mut record = Record::default();
    for &(field, text) in fields {
        let text = Text::found(text, Span::default(), Confidence::Stated);
        let value = match field.shape() {
            crate::field::Shape::Records(primary) => {
                let mut item = Record::default();
                item.push(primary, Span::default(), Value::Text(text));
                Value::Records(vec![item])
            }
            crate::field::Shape::Texts => Value::Texts(vec![text]),
            _ => Value::Text(text),
        };
        record.push(field, Span::default(), value);
    }
    record
}

#[test]
fn conclusions_prefer_verdicts_and_blockers_to_status() {
    let cases: &[(&[(Field, &str)], Outcome)] = &[
        (&[(Field::Status, "complete")], Outcome::Completed),
        (&[(Field::Status, "complete"), (Field::Verdict, "CHANGES_REQUESTED")], Outcome::Failed),
        (&[(Field::Status, "complete"), (Field::Blockers, "keys are missing")], Outcome::Partial),
        (&[(Field::Status, "complete"), (Field::Blockers, "None")], Outcome::Completed),
        (
            &[(Field::Status, "complete"), (Field::Blockers, "RESOLVED: keys were missing")],
            Outcome::Completed,
        ),
        (&[(Field::Verdict, "PASS"), (Field::Blockers, "keys are missing")], Outcome::Partial),
        (&[(Field::Blockers, "keys are missing")], Outcome::Blocked),
        (&[(Field::Done, "parser"), (Field::Blockers, "keys are missing")], Outcome::Partial),
        (&[(Field::Status, "done"), (Field::Ready, "false")], Outcome::Partial),
        (&[(Field::Status, "done"), (Field::Status, "failed")], Outcome::Failed),
        (&[(Field::Done, "everything")], Outcome::Unknown),
        (&[(Field::NextSteps, "deploy")], Outcome::Unknown),
        (&[(Field::Title, "Handoff: token refresh complete")], Outcome::Completed),
        (&[(Field::Title, "Handoff: complete rewrite of the parser")], Outcome::Unknown),
        (&[(Field::FileTargets, "src/a.rs")], Outcome::NotStarted),
        (&[(Field::Done, "parser"), (Field::Stage, "complete")], Outcome::Completed),
        (&[(Field::Done, "parser"), (Field::NextSteps, "Mark T-1 as DONE.")], Outcome::Completed),
        (&[(Field::Done, "parser"), (Field::NextSteps, "Please close the ticket")], Outcome::Completed),
        (
            &[(Field::Done, "parser"), (Field::Status, "in progress"), (Field::NextSteps, "Mark it as done")],
            Outcome::InProgress,
        ),
        (&[(Field::Done, "parser"), (Field::NextSteps, "Mark T-1 as done after QA")], Outcome::Partial),
        (
            &[(Field::Done, "parser"), (Field::NextSteps, "Move the tests and get them done")],
            Outcome::Partial,
        ),
    ];
    for (fields, outcome) in cases {
        assert_eq!(conclude(&said(fields)).outcome, *outcome, "{fields:?}");
    }
}
