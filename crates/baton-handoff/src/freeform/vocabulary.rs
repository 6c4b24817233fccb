//! The labels themselves: what people write above a part of a handoff, folded as the lexicon folds.

use crate::field::Field;

use super::lexicon::Meaning::{
    self, Agent, Aside, ChangedFiles, Decision, Detail, Facts, Header, Progress, Unfinished,
};

pub(super) const ENGLISH: &[(Meaning, &str)] = &[
    (
        Facts(Field::Done),
        "done|completed|complete|completed work|work completed|completed tasks|tasks completed|completed this session|what was done\
        |what i did|what we did|what i completed|what was completed|what has been done|what has been implemented|what got done|what was built|what i built\
        |what was added|what was implemented|what shipped|shipped|shipped this session|accomplishments|accomplished\
        |what was accomplished|key accomplishments|work done|work performed|actions taken|summary of work|summary of changes\
        |changes made|what changed|recent changes|key changes|changes|implemented|implementation summary|implementation complete\
        |scope completed|deliverables|delivered|what works|what worked|observation|observations|fixed issues|fixes applied\
        |issues fixed|bugs fixed|features completed|session accomplishments|session summary|this session|current session\
        |done this session|already done|closed|achievements|milestones completed|deviations from plan|finished|work summary\
        |completed items|completed features|resolved|fact|facts|changes since last session|what landed|landed",
    ),
    (
        Facts(Field::NextSteps),
        "next|next step|next steps|next action|next actions|next task|next tasks|next up|whats next|what is next|what comes next\
        |what to do next|todo|to do|todos|remaining|remaining work|remaining tasks|remaining action|remaining actions|remaining items\
        |action items|action items next steps|follow up|follow ups|followup|followups|follow up items\
        |follow up work|open items|outstanding|outstanding work|outstanding tasks|outstanding items|unfinished business|deferred\
        |deferred work|deferred items|pending|pending work|pending tasks|pending items|recommended next steps|suggested next steps\
        |immediate next steps|recommended next step|suggested next step|suggested next action|next agent instructions|instructions for successor\
        |instructions for next agent|instructions for the next agent|instructions for next session|for next session\
        |for the next session|next session|next session plan|start here|resume here|where to resume\
        |how to resume|pick up here|where to pick up|pick up from here|not done|not yet done|not completed|what remains|whats left|what is left\
        |left to do|still to do|still open|recommended order|recommendations|recommended actions\
        |requested action|requested response|next phase|next phase readiness|next state|next gate|next milestone\
        |next sprint|next priorities|priorities|priority actions|upcoming|upcoming work|future work|backlog|plan for next session\
        |focus for next|suggested focus|required implementation|tasks to do|work remaining\
        |recommended fix|verification checklist for next agent|checklist for next agent|immediate actions",
    ),
    (
        Facts(Field::Blockers),
        "blocker|blockers|blocked|blocked on|blocked by|blocking|blocking issue|blocking issues|blockers issues|current blockers\
        |open blockers|active blockers|known blockers|critical blockers|whats blocking|waiting on|waiting for|blocking bugs\
        |blocked items|blocked tasks|impediments|blockers risks",
    ),
    (
        Facts(Field::Gotchas),
        "gotcha|gotchas|caveat|caveats|pitfall|pitfalls|trap|traps|warning|warnings|watch out|watch outs|watch out for|be careful\
        |things to watch|things to watch out for|things to know|known issue|known issues|known problems|known bugs|known limitations\
        |known gaps|known risks|known stubs|limitations|issues|open issues|issues encountered|issue encountered|problems encountered\
        |problems|errors encountered|issues found|risk|risks|current risks|risks follow ups|known issues risks|concerns|constraints discovered\
        |critical context|critical context for next session|important context|important notes|important|important note|critical notes\
        |context notes|context for next agent|context for next session|technical context|key knowledge|tacit knowledge|lessons|lessons learned\
        |learnings|key learnings|key insights|what didnt work|what did not work|what doesnt work|dead ends|failed approaches|anti patterns\
        |critical anti patterns|do not|donts|do not touch|do not break|what not to do|what you must not do|what to avoid|avoid\
        |footguns|quirks|surprises|edge cases|blocking constraints|environment notes\
        |non blocking issues|minor issues|technical debt|tech debt|landmines|threat flags|known weak spots|unverified|not verified|untested|not tested|carry over context|carry over",
    ),
    (
        Facts(Field::Patterns),
        "pattern|patterns|patterns established|patterns discovered|patterns used|patterns to follow|key patterns|conventions\
        |conventions used|key implementation details|implementation patterns|implementation notes|technical notes\
        |architecture notes|architectural notes|design patterns|best practices|patterns conventions",
    ),
    (
        Facts(Field::Decisions),
        "decisions|decisions made|key decisions|decisions taken|key decisions made|design decisions|technical decisions\
        |architecture decisions|architectural decisions|locked decisions|decisions locked\
        |decisions and rationale|decisions rationale|decision log|important decisions|design calls",
    ),
    (
        Facts(Field::Questions),
        "question|questions|open question|open questions|unresolved questions|pending questions|unresolved|unclear|unknowns\
        |open decisions|pending decisions|decisions needed|decision needed|decisions pending|decisions required|needs decision\
        |needs clarification|questions for user|questions for the user|questions for human|open threads|human actions pending\
        |human action required|human decisions|awaiting decision|needs input|user input needed",
    ),
    (
        Facts(Field::FilesCreated),
        "files created|new files|created files|files added|added files|created|new files created",
    ),
    (Facts(Field::FilesDeleted), "files deleted|deleted files|files removed|removed files|deleted"),
    (
        ChangedFiles,
        "files modified|files changed|modified files|changed files|files touched|touched files|files updated|updated files|files edited\
        |files created modified|files modified created|files created updated|files changed created|created modified files\
        |created and modified files|files created and modified|code changes|file changes|changes files\
        |files affected|affected files|uncommitted files|uncommitted changes|modified|files and artifacts",
    ),
    (
        Facts(Field::FilesMentioned),
        "files|key files|important files|relevant files|critical files|main files|core files|key artifacts|artifacts|file map|key paths\
        |investigated files|current reports|key documents|files involved|related files|key references|files of interest",
    ),
    (
        Facts(Field::FilesToRead),
        "required reading|required reading in order|read first|files to read|must read|reading order|reading list|reference documents\
        |references|critical references|reference files|read these first|what to read|key docs|entry points|context files",
    ),
    (
        Facts(Field::FileTargets),
        "files to create|files to modify|files to change|files to touch|files to edit|files to update|files to add|files to delete\
        |components to create|likely touch points|touch points|target files|files to create modify|planned files|landing zones",
    ),
    (
        Facts(Field::Status),
        "status|current status|state|current state|overall status|project status|task status|phase status|session status|work status\
        |completion status|where we are|where things stand|where we left off|current position|handoff status|ready state|conclusion\
        |conclusions|outcome|result|overall|final status|final state|overall result|proposed next state|implementation status",
    ),
    (
        Facts(Field::Verdict),
        "verdict|final verdict|review verdict|review decision|overall verdict|overall assessment|qa decision|qa status|review status\
        |qa verdict|merge verdict|review result|gate decision",
    ),
    (Decision, "decision|final decision|recommendation|final recommendation|deployment recommendation"),
    (
        Facts(Field::Summary),
        "summary|executive summary|overview|tl dr|tldr|session overview|brief summary|short summary|at a glance",
    ),
    (
        Facts(Field::Verification),
        "verification|verification run|validation run|latest validation|checks performed|commands run|verification performed|verification results|verification method|verification status|verified|validation\
        |validation performed|validation results|validation evidence|how to verify|test results|tests|tests run|testing|test plan\
        |self check|evidence|proof|evidence gathered|quality gates|checks|checks run|build status\
        |test coverage|smoke tests|what passed|manual checks|review performed",
    ),
    (
        Facts(Field::SuccessCriteria),
        "acceptance criteria|success criteria|definition of done|exit criteria|acceptance scenarios|done when",
    ),
    (
        Facts(Field::Constraints),
        "constraints|forbidden|prohibited|off limits|hard constraints|rules|standing rules|out of scope|non goals|boundaries|guardrails",
    ),
    (
        Facts(Field::Dependencies),
        "dependencies|depends on|prerequisites|dependencies for next|requires|downstream impact",
    ),
    (
        Facts(Field::From),
        "from|from agent|handoff from|prepared by|written by|author|created by|owner agent|from repo|from role|completed agent",
    ),
    (
        Facts(Field::To),
        "to|to agent|for|next agent|handoff to|recipient|next owner|to repo|to role|for agent|receiver|assigned to next|next actor",
    ),
    (
        Agent,
        "agent|owner|current owner|current agent|reviewer|developer|qa agent|tester|executor|reviewed by|tested by|qa engineer|implementer",
    ),
    (
        Facts(Field::At),
        "date|timestamp|last updated|updated|generated|when|handoff date|date utc|created at|session date|written|updated at|time|as of\
        |qa date|review date|generated at",
    ),
    (Facts(Field::StartedAt), "started|started at|start|start time"),
    (
        Facts(Field::CompletedAt),
        "completed at|completed on|finished at|ended|end time|completion date|completed date",
    ),
    (Facts(Field::Task), "task|task id|story|issue|ticket|work item|feature|handoff id"),
    (Facts(Field::Stage), "phase|stage|step|current phase|sprint|milestone|cycle"),
    (Facts(Field::Title), "title|topic|session topic"),
    (Facts(Field::Branch), "branch|git branch|current branch|working branch"),
    (Facts(Field::Commit), "commit|head|commit hash|last commit|latest commit|git commit"),
    (Facts(Field::Session), "session|session id|session duration"),
    (Facts(Field::Priority), "priority"),
    (Facts(Field::Deliverable), "goal|objective|purpose|active scope|mission|ask|request"),
    (
        Header,
        "metadata|header|snapshot|last known state|info|session info|meta|handoff|handoff note|handoff notes|handoff report\
        |latest handoff|session handoff|agent handoff|handoff summary|context|machine summary|handover|handoff block",
    ),
    (
        Progress,
        "progress|current progress|task progress|milestone state|milestones|checklist|task list|tasks|todo list|phase status\
        |progress summary|plan status|status by phase|feature status|task status summary|progress update|work items|current task",
    ),
    (
        Unfinished,
        "unfinished|unfinished work|unfinished in progress|in progress|in progress unfinished|wip|work in progress|currently in progress\
        |partially done|partially complete|incomplete|incomplete work|skipped issues|what failed|whats not done|whats not working",
    ),
    (
        Aside,
        "template|handoff template|example|examples|example output|history|session history|previous sessions|previous session|prior sessions\
        |earlier sessions|older sessions|archive|archived|past sessions|changelog|editing rules|how to use this file|how to use\
        |usage|table of contents|contents|status timeline|report template|session attempts|full session log\
        |report back format|status history|timeline|previous handoffs|final words|prior status",
    ),
    (
        Detail,
        "features assigned|dependencies installed|git commits|performance|task commits|runbook|rollback|how to run|commands|commands executed\
        |architecture|data model notes|documentation|test scenarios|security|notes",
    ),
];

pub(super) const OTHER_LANGUAGES: &[(Meaning, &str)] = &[
    (
        ChangedFiles,
        "修正済みファイル|修正ファイル|変更ファイル|対象ファイル|修改文件|改动文件|变更文件|变更的文件|gewijzigde bestanden",
    ),
    (Facts(Field::Verification), "動作確認|動作確認手順|確認手順|確認方法|验证方式|验证步骤"),
    (
        Facts(Field::Done),
        "已完成|完成|完成的工作|完成内容|完成事项|已完成工作|本次完成|本次修复|修复内容|本次改动|做了什么|完了した作業|完了|完了した|作業内容|やったこと|実施内容|対応内容|완료|완료된|완료한|수행한\
        |fait|terminé|tâches accomplies|tâches terminées|travail effectué|ce qui a été fait|réalisé|accompli|hecho|completado|trabajo realizado|qué se hizo|lo que se hizo\
        |realizado|erledigt|abgeschlossen|was wurde gemacht|was gemacht wurde|beobachtung|durchgeführt|feito|concluído|o que foi feito|realizado nesta sessão\
        |klart|gjort|färdigt|vad som gjordes|сделано|выполнено|что сделано|завершено|выполненные задачи|fatto|completato|cosa è stato fatto\
        |yapılanlar|tamamlananlar|tamamlandı|đã hoàn thành|đã làm|co zostało zrobione|zrobione|wykonane|ukończone|selesai|yang sudah dikerjakan\
        |sudah selesai|เสร็จแล้ว|สิ่งที่ทำ|งานที่เสร็จ",
    ),
    (
        Facts(Field::NextSteps),
        "下一步|下一周期|下一阶段|下一轮|建议|接下来|后续|待办|待辦|待完成|未完成|剩余工作|剩余任务|下次|下一会话|后续计划|次にやること|次のステップ|次回|残タスク|残作業|やること|今後\
        |다음|다음 단계|다음 작업|남은 작업|할 일|prochaines étapes|prochaine étape|prochain step|à faire|reste à faire|étapes suivantes|suite|próximos pasos|siguientes pasos\
        |pendiente|pendientes|trabajo pendiente|por hacer|nächste schritte|offen|offene punkte|als nächstes|noch offen|zu erledigen\
        |próximos passos|pendências|pendente|a fazer|o que falta|nästa steg|att göra|kvar att göra|återstår|следующие шаги|дальше|что дальше\
        |осталось|что осталось|далее|prossimi passi|da fare|prossimo passo|sonraki adımlar|yapılacaklar|kalan işler|bước tiếp theo\
        |việc cần làm|còn lại|następne kroki|kolejne kroki|do zrobienia|pozostało|co dalej|langkah selanjutnya|langkah berikutnya\
        |yang belum|yang tersisa|selanjutnya|ขั้นตอนถัดไป|ขั้นต่อไป|สิ่งที่ต้องทำ|งานที่เหลือ",
    ),
    (
        Facts(Field::Done),
        "gedaan|wat is er gedaan|uitgevoerd|uitgevoerd werk|afgerond|voltooid|修正内容|変更内容|実装内容|実装済み|対応済み|修正済み|変更点|変更箇所|改动内容|改动|修改内容        |lavoro svolto|lavoro completato|trabajo completado|lo realizado|travaux réalisés|travail accompli|umgesetzt|durchgeführte arbeiten        |erledigte aufgaben|trabalho realizado|trabalho concluído|entregue|проделанная работа|результаты|реализовано|작업 내용|수행 내용|변경 사항|변경사항",
    ),
    (
        Facts(Field::NextSteps),
        "volgende stappen|te doen|nog te doen|openstaand|resterend|残件|次のアクション|今後の予定|確認事項|後続作業|后续工作|后续步骤|后续任务|下一步计划|下一步工作        |prossime azioni|attività rimanenti|siguiente paso|próximas acciones|tareas pendientes|actions à venir|travail restant|restant|verbleibende aufgaben        |verbleibend|ausstehend|weiteres vorgehen|próximas ações|tarefas pendentes|nästa åtgärder|предстоит|оставшиеся задачи|план дальнейших действий|향후 계획",
    ),
    (
        Facts(Field::Blockers),
        "阻塞|阻碍|卡点|阻塞项|ブロッカー|ブロック|블로커|차단|blocages|bloquants|bloqueos|bloqueado|bloqueadores|impedimentos|blockaden|blockiert\
        |blockierer|hindernisse|hinder|blockerare|блокеры|блокирует|заблокировано|blocchi|bloccanti|engeller|trở ngại|bị chặn|blokady\
        |blokery|hambatan|kendala|อุปสรรค|ติดปัญหา",
    ),
    (
        Facts(Field::Gotchas),
        "注意|已知事项|已知|注意事项|注意事項|坑|已知问题|风险|陷阱|限制|気をつけること|注意点|既知の問題|課題|ハマりどころ|懸念|주의|주의사항|알려진 문제|이슈|pièges\
        |attention|problèmes connus|points d attention|limites|riesgos|advertencias|problemas conocidos|cuidado|a tener en cuenta|achtung\
        |bekannte probleme|fallstricke|stolpersteine|risiken|einschränkungen|hinweise|problemas|atenção|problemas conhecidos|riscos|armadilhas\
        |kända problem|att tänka på|fallgropar|risker|внимание|известные проблемы|риски|подводные камни|важно|ограничения|problemi noti\
        |attenzione|rischi|dikkat|bilinen sorunlar|riskler|lưu ý|vấn đề đã biết|rủi ro|uwagi|znane problemy|ryzyka|pułapki|catatan penting\
        |masalah|risiko|perhatian|ข้อควรระวัง|ปัญหาที่พบ|ปัญหา",
    ),
    (
        Facts(Field::Decisions),
        "决策|决定|已确认|设计决策|決定事項|決定|결정|décisions|décisions prises|decisiones|decisiones tomadas\
        |entscheidungen|getroffene entscheidungen|decisões|decisões tomadas|beslut|решения|принятые решения|decisioni|kararlar|quyết định\
        |decyzje|keputusan|การตัดสินใจ",
    ),
    (
        Facts(Field::Questions),
        "待决策|待确认|问题待定|开放问题|需要决策|未決事項|質問|確認事項|질문|미결|questions ouvertes|questions en suspens|preguntas abiertas|preguntas\
        |dudas|offene fragen|fragen|perguntas|dúvidas|questões em aberto|öppna frågor|frågor|вопросы|открытые вопросы|domande aperte|domande\
        |sorular|açık sorular|câu hỏi|pytania|otwarte pytania|pertanyaan|คำถาม",
    ),
    (
        Facts(Field::Patterns),
        "模式|约定|规范|パターン|패턴|modèles|motifs|patrones|convenciones|muster|konventionen|padrões|convenções|mönster|паттерны|соглашения\
        |modelli|convenzioni|wzorce|konwencje|pola|รูปแบบ",
    ),
    (
        ChangedFiles,
        "修改文件|涉及文件|修改的文件|变更文件|改动文件|文件变更|変更ファイル|変更したファイル|수정 파일|변경 파일|fichiers modifiés|archivos modificados|geänderte dateien\
        |arquivos modificados|arquivos alterados|ändrade filer|изменённые файлы|измененные файлы|file modificati|değişen dosyalar\
        |tệp đã sửa|zmienione pliki|zmodyfikowane pliki|file yang diubah|ไฟล์ที่แก้ไข",
    ),
    (
        Facts(Field::FilesCreated),
        "新建文件|新增文件|创建的文件|作成ファイル|作成ファイル一覧|新規ファイル|생성 파일|fichiers créés|archivos creados|erstellte dateien|neue dateien|arquivos criados\
        |skapade filer|nya filer|созданные файлы|новые файлы|file creati|oluşturulan dosyalar|tệp mới|nowe pliki|pliki stworzone|file baru|ไฟล์ใหม่",
    ),
    (
        Facts(Field::FilesToRead),
        "优先读取|必读|先读|接管顺序|まず読む|参照|참고|à lire|lire d abord|leer primero|zuerst lesen|ler primeiro|läs först|читать сначала|da leggere|przeczytaj",
    ),
    (
        Facts(Field::Status),
        "状态|当前状态|目前状态|現在の状態|現状|ステータス|状況|상태|현재 상태|진행 상황|état|état actuel|statut|estado|estado actual|stand|aktueller stand\
        |zustand|fazit|schlussfolgerung|estado atual|situação|nuläge|läge|статус|текущее состояние|состояние|stato|stato attuale|durum|mevcut durum\
        |trạng thái|tình trạng|status aktualny|stan|status saat ini|kondisi terakhir|สถานะ|สถานะปัจจุบัน|当前阶段",
    ),
    (Facts(Field::Verdict), "结论|评审结论|判定|판정|veredicto|urteil|вердикт|verdetto|parecer|werdykt"),
    (
        Facts(Field::Summary),
        "摘要|概述|总结|概要|まとめ|요약|개요|résumé|aperçu|resumen|zusammenfassung|überblick|resumo|visão geral|sammanfattning|сводка|итог|обзор\
        |riepilogo|sommario|özet|tóm tắt|podsumowanie|ringkasan|สรุป",
    ),
    (
        Facts(Field::Verification),
        "验证|测试结果|验证结果|検証|テスト結果|검증|테스트|vérification|verificación|pruebas|verifizierung|prüfung|verificação|testes|verifiering|tester\
        |проверка|тесты|verifica|doğrulama|kiểm tra|weryfikacja|testy|verifikasi|การทดสอบ",
    ),
    (
        Facts(Field::At),
        "日期|日付|更新时间|时间|更新日|날짜|fecha|datum|data|дата|tarih|ngày|tanggal|วันที่|date et heure",
    ),
    (
        Facts(Field::Branch),
        "branche en cours|branches en cours|分支|ブランチ|브랜치|branche|rama|ветка|ramo|gałąź|dal|nhánh",
    ),
    (
        Facts(Field::From),
        "来自|作者|交接人|担当|작성자|de la part de|auteur|autor|von|verfasser|de|från|от|автор|autore|yazar|dari|จาก",
    ),
    (
        Facts(Field::To),
        "接收人|交给|宛先|받는 사람|destinataire|para|destinatario|an|empfänger|till|кому|destinatário|alıcı|dla|untuk|ถึง",
    ),
    (
        Facts(Field::Task),
        "任务|タスク|작업|tâche|tarea|aufgabe|tarefa|uppgift|задача|compito|görev|nhiệm vụ|zadanie|tugas",
    ),
    (Header, "最近一次交接|交接信息|基本信息|交接|引き継ぎ|引継ぎ|인수인계"),
    (
        Unfinished,
        "仍在进行|进行中|進行中|진행 중|en cours|en progreso|en curso|in arbeit|em andamento|pågående|в процессе|в работе|in corso|devam eden|w trakcie|dalam proses",
    ),
    (
        Aside,
        "历史|歷史|模板|示例|履歴|기록|historique|historial|verlauf|histórico|historik|история|storico|geçmiş|lịch sử|historia|riwayat",
    ),
];
