//! Notes of the sorts people write, and how the work stands in each.

use baton_handoff::document;
use baton_handoff::outcome;

/// Each note with the outcomes that a careful reader may conclude.
#[rustfmt::skip]
const NOTES: &[(&str, &str)] = &[
    ("completed", "# Session handoff\n\n**Status:** ✅ Complete\n\n## What was done\n- Added login\n\n## Next steps\n- Plan search\n"),
    ("completed", "# Handoff\n\nState: shipped\n\nDone:\n\n- Added login\n\nNext:\n\n- Plan search\n"),
    ("completed", "# Handoff – Auth\n\n| Field | Value |\n|---|---|\n| Status | ✅ Complete |\n| Branch | main |\n\n## Summary\nLogin works.\n\n## Next Steps\n- Plan search\n"),
    ("completed", "# Handoff – Auth\n\n| | |\n|---|---|\n| **Status** | Done |\n| **Branch** | `main` |\n\n## Summary\nLogin works.\n"),
    ("completed", "# Handoff\n\n## Status: DONE\n\n## Changes\n- `src/a.ts`: login\n"),
    ("completed", "# Übergabe\n\n**Stand:** abgeschlossen\n\n## Was wurde gemacht\n- Login gebaut\n\n## Nächste Schritte\n- Suche planen\n"),
    ("completed", "# Passation\n\n**Statut :** terminé ✅\n\n## Ce qui a été fait\n- Connexion\n\n## Prochaines étapes\n- Recherche\n"),
    ("completed", "# Traspaso\n\n**Estado**: Completado\n\n## Trabajo realizado\n- Login\n\n## Próximos pasos\n- Búsqueda\n"),
    ("completed", "# Overdracht\n\n**Status:** afgerond\n\n## Wat is er gedaan\n- Login\n\n## Volgende stappen\n- Zoeken\n"),
    ("completed", "# 交接文档\n\n## 状态\n✅ 已完成\n\n## 完成内容\n- 登录\n\n## 下一步\n- 搜索\n"),
    ("completed", "# 引き継ぎ\n\n■ ステータス\n完了\n\n■ 実施内容\n- ログイン追加\n\n■ 次にやること\n- 検索\n"),
    ("completed", "# 인수인계\n\n## 상태\n완료\n\n## 완료된 작업\n- 로그인\n\n## 다음 단계\n- 검색\n"),
    ("completed", "# Передача дел\n\n**Статус:** завершено\n\n## Что сделано\n- Вход\n\n## Следующие шаги\n- Поиск\n"),
    ("completed", "# Handoff\n\n## Task status\n\n| Task | Status |\n|---|---|\n| Login | ✅ Done |\n| Logout | ✅ Done |\n\n**Overall status:** complete\n\n## Files changed\n- `a.ts`\n"),
    ("partial|in_progress", "# Handoff\n\n## Tasks\n\n| Task | Status |\n|---|---|\n| Login | ✅ Done |\n| Logout | ⏳ In progress |\n\n## Files changed\n- `a.ts`\n"),
    ("partial|in_progress|unknown", "# Handoff\n\n## Tasks\n- [x] Login\n- [ ] Logout\n\n## Files changed\n- `a.ts`\n"),
    ("unknown|in_progress|partial", "# Handoff\n\n## What was done\n- Login\n\n## Next steps\n- Finish logout\n"),
    ("blocked|partial", "# Handoff\n\n**Status:** Complete\n\n## Done\n- Login\n\n## Blockers\n- Waiting for API keys\n"),
    ("completed", "# Handoff: dev → qa\n\n## Result\nPASS ✅ — every check is green.\n\n## Done\n- Login\n\n## Blockers\nNone\n"),
    ("completed", "{\"agent\":\"builder\",\"state\":\"shipped\",\"summary\":\"Login\",\"next_steps\":[\"search\"]}"),
    ("completed", "agent: builder\nstatus: merged\nsummary: Login works\nnext_steps:\n  - search\n"),
    ("completed", "{\"from\":\"a\",\"to\":\"b\",\"phase\":\"complete\",\"summary\":\"Login\", \"next_action\":\"search\"}"),
    ("completed", "# Handoff: Login (DONE)\n\n## What was done\n- Login\n\n## Next\n- Search\n"),
    ("completed", "# ✅ COMPLETE: Login handoff\n\n## What was done\n- Login\n\n## Next\n- Search\n"),
    ("completed", "# Login — Session Handoff\n\n> **Status: COMPLETE** — merged as #12\n\n## What was done\n- Login\n\n## Next\n- Search\n"),
    ("completed", "# Session summary 2026-01-02\n\n- **Status**: 🟢 Done\n- **Branch**: `main`\n\n## What shipped\n- Login\n"),
    ("completed", "# Handoff BE-7\n\n## Summary of Work\n1. Added login\n\n## Proposed Next State\nREVIEW\n\n## Requested action\n1. Close the ticket.\n"),
    ("in_progress|partial", "# Handoff BE-7\n\n**Status:** in progress\n\n## Summary of Work\n1. Added login\n\n## Requested action\n1. Mark as done once QA passes.\n"),
    ("in_progress|partial", "# Handoff BE-7\n\n**Status:** in progress\n\n## Summary of Work\n1. Added login\n\n## Requested action\n1. Mark BE-7 as done.\n"),
    ("not_started", "# Handoff\n\n**Status:** Not started\n\n## Goal\nBuild login\n\n## Next steps\n- Build login\n"),
    ("completed", "HANDOFF\n=======\n\nSTATUS: DONE\n\nCOMPLETED:\n- Login\n\nNEXT:\n- Search\n"),
    ("failed", "# Handoff\n\n**Status:** ❌ Failed\n\n## Done\n- Login\n\n## Next steps\n- Fix it\n"),
    ("completed", "# Handoff\n\n## Conclusion\nThe migration is finished and all tests pass.\n\n## Done\n- Moved tables\n"),
    ("completed", "# Relatório de entrega\n\n**Situação:** concluída\n\n## O que foi feito\n- Login\n\n## Próximos passos\n- Busca\n"),
    ("completed", "## Handoff\n\n- Status: complete\n- What changed: login\n- Verification: `npm test` passed\n- Follow-ups: none\n"),
    ("completed", "# Handoff\n\nReady state:\n\n- The import reads `a.csv`\n\nStatus: done\n\nRemaining action:\n\n- Plan the export\n"),
    ("partial", "# Handoff\n\n| Field | Value |\n|---|---|\n| Status | done, but two tests fail |\n\n## Done\n- Login\n"),
    ("in_progress|unknown", "# Handoff\n\n| Part | Status |\n|---|---|\n| Branch | done |\n| Status | done |\n\n## Done\n- Login\n\n## Next\n- Logout\n"),
    ("partial", "# Handoff\n\n**Status: COMPLETE except the docs**\n\n## Done\n- Login\n"),
    ("not_started", "# Phase 4: Refunds\n\n## Goal\nPay back what was paid twice.\n\n## Decisions made\n- One refund for each order\n\n## Required implementation\n1. Add the refund job\n\n## Files to modify\n- `src/refund.ts`\n\n## Acceptance criteria\n- No order is paid back twice\n"),
    ("not_started", "[{\"request_id\":\"r-1\",\"description\":\"Fix the total when a coupon is used twice\",\"routing_class\":\"small\",\"status\":\"pending\"}]"),
];

#[test]
fn notes_say_how_the_work_stands() {
    for (outcomes, source) in NOTES {
        let read = document::read(source);
        let first = read.handoffs.first();
        let found = first.map(|handoff| outcome::conclude(&handoff.record).outcome.name());
        let right = found.is_some_and(|found| outcomes.split('|').any(|outcome| outcome == found));
        assert!(right, "{found:?} instead of {outcomes}, refused: {:?}\n{source}", read.refusal);
    }
}

#[test]
fn what_orders_or_logs_something_else_is_no_handoff() {
    let others = [
        "{\"request_id\": \"r-1\", \"status\": \"200\", \"routing_key\": \"orders\", \"description\": \"OK\"}",
        "{\"id\": 4, \"title\": \"Coupons\", \"description\": \"Fix the total of the cart\", \"status\": \"open\", \"priority\": 1}",
        "# Refunds\n\n## Goal\nPay back.\n\n## Acceptance criteria\n- Once only\n\n## Out of scope\n- Taxes\n",
    ];
    for source in others {
        assert!(document::read(source).handoffs.is_empty(), "{source}");
    }
}
