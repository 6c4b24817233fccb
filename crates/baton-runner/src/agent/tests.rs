//! What each agent prints, in its own words, and what is made of it.

mod provider;

use std::path::Path;

use baton_engine::fact::Ending;

use super::*;
use crate::supervise::{Bound, How, NotStarted, Reason};

fn settings() -> Settings {
    Settings::default()
}

fn ask<'a>(settings: &'a Settings, session: Option<&'a str>, access: Access) -> Ask<'a> {
    Ask {
        prompt: "Do it.",
        prompt_file: None,
        whole_prompt: "Do all of it.",
        session,
        folder: Path::new("project"),
        access,
        fence: Fence::Agent,
        settings,
    }
}

fn launch(name: &str, session: Option<&str>, access: Access) -> Launch {
    let settings = settings();
    let driver = Driver::named(name).expect("a driver");
    driver.launch(&ask(&settings, session, access)).expect("a program takes this turn")
}

/// Lets a driver hear lines, and returns the signs, the replies and what is left at the end.
fn hear(name: &str, lines: &[&str]) -> (Vec<Sign>, Close) {
    let mut conversation = launch(name, None, Access::Write).conversation;
    conversation.opening();
    let signs = lines.iter().flat_map(|line| conversation.hear(line.as_bytes()).signs).collect();
    (signs, conversation.close())
}

#[test]
fn a_session_is_resumed_and_a_reader_may_not_write() {
    let word = |name: &str, access| launch(name, Some("s-7"), access).arguments.join(" ");
    for (name, resumes, writes, reads) in [
        ("claude", "--resume s-7", "--permission-mode acceptEdits", "--tools Read,Grep,Glob"),
        ("codex", "resume --json s-7 -", "-s workspace-write", "-s read-only"),
        ("gemini", "--resume s-7", "--approval-mode yolo", "--approval-mode plan"),
        ("opencode", "--session s-7", "--format json", "--agent plan"),
    ] {
        let (write, read) = (word(name, Access::Write), word(name, Access::ReadOnly));
        assert!(write.contains(resumes) && write.contains(writes), "{name}: {write}");
        assert!(read.contains(resumes) && read.contains(reads), "{name}: {read}");
        assert!(!write.contains("Do it."), "{name}: the prompt is no argument");
    }
}

#[test]
fn inside_of_the_hosts_fence_codex_puts_up_none() {
    let settings = settings();
    let codex = Driver::named("codex").expect("a driver");
    for access in [Access::Write, Access::ReadOnly] {
        let ask = Ask { fence: Fence::Host, ..ask(&settings, None, access) };
        let arguments = codex.launch(&ask).expect("a program").arguments.join(" ");
        assert!(arguments.contains("-s danger-full-access"), "{arguments}");
    }
}

#[test]
fn the_last_result_of_claude_counts() {
    let (signs, close) = hear(
        "claude",
        &[
            "warning: not JSON",
            r#"{"type":"system","subtype":"init","session_id":"c-1"}"#,
            r#"{"type":"assistant","session_id":"c-1","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"src/a.rs"}}]}}"#,
            r#"{"type":"result","is_error":false,"result":"early","usage":{"input_tokens":1,"output_tokens":1},"session_id":"c-1"}"#,
            r#"{"type":"result","is_error":false,"result":"late","usage":{"input_tokens":70,"cache_read_input_tokens":30,"output_tokens":9},"session_id":"c-1"}"#,
        ],
    );
    assert_eq!(signs, [Sign::Session("c-1".to_owned()), Sign::Does("Write src/a.rs".to_owned())]);
    assert_eq!(close.message.as_deref(), Some("late"));
    assert_eq!(close.usage, Some(Usage { input_tokens: 100, cached_tokens: 30, output_tokens: 9 }));
    assert!(close.is_finished);
}

#[test]
fn claude_counts_while_it_works_each_message_once_and_those_of_helpers_that_work_at_the_same_time() {
    let message = |id: &str, parent: &str, input: u64| {
        format!(
            r#"{{"type":"assistant","parent_tool_use_id":{parent},"session_id":"c","message":{{"id":"{id}","content":[],"usage":{{"input_tokens":{input},"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1}}}}}}"#
        )
    };
    let mut conversation = launch("claude", None, Access::Write).conversation;
    let mut spent = |line: String| conversation.hear(line.as_bytes()).spent_tokens;
    assert_eq!(spent(message("m1", "null", 1000)), Some(1021));
    assert_eq!(spent(message("m1", "null", 1000)), Some(1021), "two lines of one message");
    assert_eq!(spent(message("h1", "\"toolu_1\"", 9000)), Some(10_042));
    assert_eq!(spent(message("h2", "\"toolu_2\"", 500)), Some(10_563));
    assert_eq!(
        spent(message("h1", "\"toolu_1\"", 9000)),
        Some(10_563),
        "the same message, after another one"
    );
    assert_eq!(spent(message("m2", "null", 1100)), Some(11_684));
    assert_eq!(spent(r#"{"type":"assistant","message":{"id":"m3","content":[]}}"#.to_owned()), None);
    assert_eq!(conversation.close().usage, None, "what a turn has cost is what its result says");
}

/// The counts of a run with a helper in the foreground, of one with a helper in the background, and of one that was resumed.
#[test]
fn what_the_helpers_of_claude_used_is_told_for_the_session() {
    let result = |usage: (u64, u64, u64), session: (u64, u64, u64)| {
        serde_json::json!({
            "type": "result", "is_error": false, "result": "done", "session_id": "c",
            "usage": { "input_tokens": usage.0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": usage.1, "output_tokens": usage.2 },
            "modelUsage": {
                "claude-opus-5-5": { "inputTokens": session.0 - 7, "cacheReadInputTokens": session.1, "cacheCreationInputTokens": 5, "outputTokens": session.2, "costUSD": 0.1 },
                "claude-haiku-5": { "inputTokens": 2, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "outputTokens": 0 },
            },
        })
        .to_string()
    };
    let counts = |lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let close = hear("claude", &lines).1;
        let counted = |usage: Option<Usage>| usage.expect("it says").counted_tokens();
        (counted(close.usage), counted(close.session_usage))
    };
    assert_eq!(counts(&[result((8390, 0, 31), (10_652, 0, 60))]), (8421, 10_712));
    let background = [result((8470, 0, 27), (13_900, 0, 32)), result((4706, 0, 2), (13_900, 0, 32))];
    assert_eq!(counts(&background), (4708, 13_932), "every result counts from the one before");
    assert_eq!(counts(&[result((1000, 300, 50), (3000, 900, 150))]), (1050, 3150), "resumed");
    let failed =
        r#"{"type":"result","is_error":true,"result":"","usage":{"input_tokens":0},"modelUsage":{}}"#;
    assert_eq!(hear("claude", &[failed]).1.session_usage, None);
}

#[test]
fn an_agent_by_protocol_tells_dollars_of_its_session_and_no_tokens_while_it_works() {
    let update = |more: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"update":{{"sessionUpdate":"usage_update","used":4043,"size":1000000{more}}}}}}}"#
        )
    };
    let mut conversation = launch("acp", None, Access::Write).conversation;
    conversation.opening();
    conversation.hear(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    conversation.hear(br#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a-1"}}"#);
    for more in
        ["", r#","cost":{"amount":0.05358,"currency":"USD"}"#, r#","cost":{"amount":9,"currency":"EUR"}"#, ""]
    {
        assert_eq!(conversation.hear(update(more).as_bytes()).spent_tokens, None);
    }
    assert_eq!(conversation.close().session_microdollars, Some(53_580));
}

#[test]
fn an_overloaded_provider_is_a_limit_and_no_message() {
    let (_, close) = hear(
        "claude",
        &[
            r#"{"type":"result","is_error":true,"subtype":"success","api_error_status":529,"result":"API Error: 529 busy","session_id":"c"}"#,
        ],
    );
    assert_eq!(close.fault, Some(Fault::Limit("API Error: 529 busy".to_owned())));
    assert_eq!((close.message, close.is_finished), (None, false));
}

#[test]
fn codex_counts_the_whole_thread() {
    let (signs, close) = hear(
        "codex",
        &[
            r#"{"type":"thread.started","thread_id":"t-1"}"#,
            r#"{"type":"item.started","item":{"type":"command_execution","command":"cargo test"}}"#,
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"Writing."}}"#,
            r#"{"type":"error","message":"Reconnecting... 1/1"}"#,
            r#"{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":4000,"cached_input_tokens":1200,"output_tokens":200}}"#,
        ],
    );
    assert_eq!(signs[1], Sign::Does("run cargo test".to_owned()));
    assert_eq!(close.message.as_deref(), Some("Done."));
    let earlier = Usage { input_tokens: 3000, cached_tokens: 900, output_tokens: 150 };
    let spent = close.session_usage.expect("it says").since(&earlier);
    assert_eq!((spent.counted_tokens(), close.usage), (750, None));
}

#[test]
fn a_failed_turn_of_codex_says_why() {
    let failed = |message: &str| {
        let line = serde_json::json!({ "type": "turn.failed", "error": { "message": message } }).to_string();
        hear("codex", &[&line]).1.fault.expect("a fault")
    };
    assert!(matches!(failed("unexpected status 503 Service Unavailable: busy"), Fault::Network(_)));
    assert!(matches!(failed("unexpected status 429 Too Many Requests"), Fault::Limit(_)));
    assert!(matches!(failed("unexpected status 401 Unauthorized"), Fault::Access(_)));
    assert!(matches!(failed("stream disconnected before completion"), Fault::Network(_)));
    assert!(matches!(failed("You've hit your usage limit"), Fault::Limit(_)));
    assert!(matches!(failed(r#"{"error":{"type":"invalid_request_error"}}"#), Fault::Request(_)));
}

#[test]
fn gemini_says_its_last_message_in_pieces() {
    let (_, close) = hear(
        "gemini",
        &[
            "Attempt 1 failed with status 503. Retrying with backoff",
            r#"{"type":"init","session_id":"g-1"}"#,
            r#"{"type":"message","role":"user","content":"Do it."}"#,
            r#"{"type":"message","role":"assistant","content":"First.","delta":true}"#,
            r#"{"type":"tool_use","tool_name":"write_file","parameters":{"file_path":"a"}}"#,
            r#"{"type":"message","role":"assistant","content":"All ","delta":true}"#,
            r#"{"type":"message","role":"assistant","content":"done.","delta":true}"#,
            r#"{"type":"result","status":"success","stats":{"total_tokens":2100,"input_tokens":2000,"output_tokens":100,"cached":600,"input":1400}}"#,
        ],
    );
    assert_eq!(close.message.as_deref(), Some("All done."));
    assert_eq!(close.session.as_deref(), Some("g-1"));
    assert_eq!(close.usage.map(|usage| usage.counted_tokens()), Some(1500));
    assert_eq!(close.fault, None);
}

#[test]
fn what_gemini_thinks_counts_and_stands_in_its_total_alone() {
    let usage = |stats: &str| {
        let line = format!(r#"{{"type":"result","status":"success","stats":{stats}}}"#);
        hear("gemini", &[&line]).1.usage.expect("it says")
    };
    let thought =
        usage(r#"{"total_tokens":9100,"input_tokens":2000,"output_tokens":100,"cached":600,"input":1400}"#);
    assert_eq!((thought.output_tokens, thought.counted_tokens()), (7100, 8500));
    let old = usage(r#"{"input_tokens":2000,"output_tokens":100,"cached":600}"#);
    assert_eq!(old.counted_tokens(), 1500, "a version that tells no total");
}

#[test]
fn what_gemini_prints_when_it_gives_up_is_read() {
    let line = r#"Attempt 6 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"busy"}}"#;
    let (_, close) = hear("gemini", &[r#"{"type":"init","session_id":"g"}"#, line]);
    assert!(matches!(close.fault, Some(Fault::Network(_))), "{:?}", close.fault);
}

#[test]
fn opencode_counts_by_steps_and_speaks_by_messages() {
    let step = r#"{"type":"step_finish","sessionID":"o-1","part":{"reason":"REASON","tokens":{"input":700,"output":50,"reasoning":0,"cache":{"write":0,"read":300}}}}"#;
    let (signs, close) = hear(
        "opencode",
        &[
            r#"{"type":"text","sessionID":"o-1","part":{"messageID":"m1","text":"Writing."}}"#,
            r#"{"type":"tool_use","sessionID":"o-1","part":{"tool":"bash","state":{"input":{"command":"ls"}}}}"#,
            &step.replace("REASON", "tool-calls"),
            r#"{"type":"text","sessionID":"o-1","part":{"messageID":"m2","text":"Done."}}"#,
            &step.replace("REASON", "stop"),
        ],
    );
    assert_eq!(signs[0], Sign::Session("o-1".to_owned()));
    assert_eq!(close.message.as_deref(), Some("Done."));
    assert_eq!(close.usage, Some(Usage { input_tokens: 2000, cached_tokens: 600, output_tokens: 100 }));
    assert!(close.is_finished);
}

/// Plays the agent's side of the protocol and returns what Baton wrote, as methods and as answers.
fn acp(access: Access, session: Option<&str>, script: &[&str]) -> (Vec<serde_json::Value>, Close) {
    let mut conversation = launch("acp", session, access).conversation;
    let mut written = vec![conversation.opening()];
    for line in script {
        let heard = conversation.hear(line.as_bytes());
        if !heard.reply.is_empty() {
            written.push(heard.reply);
        }
    }
    let written = written.iter().map(|line| serde_json::from_slice(line).expect("a line of JSON")).collect();
    (written, conversation.close())
}

#[test]
fn an_agent_by_protocol_is_answered_by_what_its_role_may_do() {
    let permission = r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"toolCall":{"kind":"edit","title":"Write x"},"options":[{"optionId":"always","kind":"allow_always"},{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}"#;
    let script = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"loadSession":true}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a-1"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"Looking."}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","title":"Write x"}}}"#,
        permission,
        r#"{"jsonrpc":"2.0","id":7,"method":"fs/write_text_file","params":{"path":"/etc/passwd"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"Done."}}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":90,"outputTokens":10}}}"#,
    ];
    for (access, option) in [(Access::Write, "yes"), (Access::ReadOnly, "no")] {
        let (written, close) = acp(access, None, &script);
        let methods: Vec<_> = written.iter().filter_map(|line| line["method"].as_str()).collect();
        assert_eq!(methods, ["initialize", "session/new", "session/prompt"]);
        assert_eq!(written[3]["result"]["outcome"]["optionId"], option);
        assert_eq!(written[4]["error"]["code"], -32601);
        assert_eq!(close.message.as_deref(), Some("Done."));
        assert_eq!(close.usage.map(|usage| usage.counted_tokens()), Some(100));
        assert!(close.is_finished);
    }
}

#[test]
fn a_session_that_made_a_plan_leaves_the_mode_of_a_reader_for_the_work() {
    for (current, access, chosen) in [
        ("plan", Access::Write, Some("default")),
        ("default", Access::Write, None),
        ("default", Access::ReadOnly, Some("plan")),
    ] {
        let modes = format!(
            r#"{{"currentModeId":"{current}","availableModes":[{{"id":"plan"}},{{"id":"default"}},{{"id":"yolo"}}]}}"#
        );
        let loaded = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"modes":{modes}}}}}"#);
        let script =
            [r#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"loadSession":true}}}"#, &loaded];
        let (written, _) = acp(access, Some("a-1"), &script);
        let mode = written.iter().find(|line| line["method"] == "session/set_mode");
        assert_eq!(mode.and_then(|line| line["params"]["modeId"].as_str()), chosen, "{current} {access:?}");
    }
}

/// What Claude Code, Codex, OpenCode and Gemini CLI say by the protocol, and an agent whose input has the cache in it.
#[test]
fn agents_by_protocol_tell_their_input_apart_from_their_cache() {
    for (result, tokens) in [
        (
            r#""usage":{"inputTokens":300,"outputTokens":2000,"cachedReadTokens":150000,"cachedWriteTokens":60000,"totalTokens":212300}"#,
            62_300,
        ),
        (
            r#""usage":{"totalTokens":23000,"inputTokens":700,"cachedReadTokens":22000,"cachedWriteTokens":200,"outputTokens":100,"thoughtTokens":60}"#,
            1000,
        ),
        (
            r#""usage":{"totalTokens":1070,"inputTokens":700,"cachedReadTokens":300,"outputTokens":50,"thoughtTokens":20}"#,
            770,
        ),
        (r#""usage":{"totalTokens":1050,"inputTokens":1000,"cachedReadTokens":300,"outputTokens":50}"#, 750),
        (
            r#""usage":{"inputTokens":300,"outputTokens":20,"cachedReadTokens":5000,"cachedWriteTokens":60}"#,
            380,
        ),
        (r#""usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0}"#, 0),
        (
            r#""_meta":{"quota":{"token_count":{"input_tokens":24715,"output_tokens":55},"model_usage":[{"model":"a","token_count":{"input_tokens":8208,"output_tokens":24}},{"model":"b","token_count":{"input_tokens":16507,"output_tokens":31}}]}}"#,
            24_770,
        ),
        // The helpers of Claude Code are in what each model used.
        (
            r#""usage":{"inputTokens":12253,"outputTokens":55,"cachedReadTokens":0,"cachedWriteTokens":0,"totalTokens":12308},"_meta":{"quota":{"token_count":{"totalTokens":12308,"inputTokens":12253,"cachedInputTokens":0,"cachedWriteTokens":0,"outputTokens":55,"reasoningOutputTokens":0},"model_usage":[{"model":"claude-opus-5-5","token_count":{"totalTokens":14163,"inputTokens":13105,"cachedInputTokens":900,"cachedWriteTokens":100,"outputTokens":58,"reasoningOutputTokens":0}}]}}"#,
            13_263,
        ),
    ] {
        let last = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"stopReason":"end_turn",{result}}}}}"#);
        let script = [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a-1"}}"#,
            &last,
        ];
        let (_, close) = acp(Access::Write, None, &script);
        assert_eq!(close.usage.map(|usage| usage.counted_tokens()), Some(tokens), "{result}");
    }
}

#[test]
fn an_old_session_is_loaded_and_what_it_repeats_is_not_the_message() {
    let (written, close) = acp(
        Access::ReadOnly,
        Some("a-9"),
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"loadSession":true}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"Old words."}}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"modes":{"availableModes":[{"id":"auto"},{"id":"read-only"}]}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{"stopReason":"refusal"}}"#,
        ],
    );
    let methods: Vec<_> = written.iter().filter_map(|line| line["method"].as_str()).collect();
    assert_eq!(methods, ["initialize", "session/load", "session/set_mode", "session/prompt"]);
    assert_eq!(close.session.as_deref(), Some("a-9"));
    assert_eq!((close.message, close.is_finished), (None, false));
    assert!(matches!(close.fault, Some(Fault::Request(_))));
}

#[test]
fn an_agent_that_lost_its_session_is_told_everything() {
    let (written, close) = acp(
        Access::Write,
        Some("a-9"),
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"agentCapabilities":{"loadSession":true}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no such session"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"sessionId":"a-10"}}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":40,"output_tokens":2}}}}}"#,
        ],
    );
    assert_eq!(written[3]["params"]["prompt"][0]["text"], "Do all of it.");
    assert_eq!(close.session.as_deref(), Some("a-10"));
    assert_eq!(close.usage.map(|usage| usage.counted_tokens()), Some(42));
}

#[test]
fn inside_of_the_hosts_fence_an_agent_by_protocol_is_put_into_a_mode_without_one() {
    let settings = settings();
    let modes = r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a","modes":{"availableModes":[{"id":"read-only"},{"id":"agent-full-access"}]}}}"#;
    for (fence, mode) in [(Fence::Host, "agent-full-access"), (Fence::Agent, "read-only")] {
        let ask = Ask { fence, ..ask(&settings, None, Access::ReadOnly) };
        let driver = Driver::named("acp").expect("a driver");
        let mut conversation = driver.launch(&ask).expect("a program").conversation;
        conversation.opening();
        conversation.hear(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        let reply = conversation.hear(modes.as_bytes()).reply;
        let reply: serde_json::Value = serde_json::from_slice(&reply).expect("a line of JSON");
        assert_eq!(reply["params"]["modeId"], mode);
    }
}

#[test]
fn noise_of_any_kind_is_heard_without_harm() {
    let noise: &[&[u8]] = &[
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[1,2]",
        b"null",
        b"{\"type\":7}",
        b"{\"type\":\"result\"}",
        b"{\"id\":1}",
    ];
    for driver in ALL {
        let settings = settings();
        let Some(mut launched) = driver.launch(&ask(&settings, None, Access::Write)) else { continue };
        launched.conversation.opening();
        for line in noise {
            launched.conversation.hear(line);
        }
        launched.conversation.close();
    }
}

#[test]
fn a_long_message_keeps_its_end() {
    let mut conversation = launch("command", None, Access::Write).conversation;
    for _ in 0..MESSAGE_BYTES_MAX / 100 + 10 {
        conversation.hear("é".repeat(60).as_bytes());
    }
    conversation.hear(b"outcome: completed");
    let message = conversation.close().message.expect("output");
    assert!(message.len() <= MESSAGE_BYTES_MAX && message.ends_with("outcome: completed\n"));
}

#[test]
fn every_way_to_end_has_its_name() {
    let said = Close { message: Some("x".to_owned()), is_finished: true, ..Close::default() };
    let fault = |fault| Close { fault: Some(fault), ..Close::default() };
    let silent = Close { is_finished: true, ..Close::default() };
    let half = Close { message: Some("x".to_owned()), ..Close::default() };
    let missing = NotStarted { reason: Reason::Missing, told: String::new() };
    for (how, close, expected) in [
        (How::Code(0), said.clone(), None),
        (How::Code(0), silent, Some(Ending::NoHandoff)),
        (How::Code(0), half, Some(Ending::NoHandoff)),
        (How::Code(1), said.clone(), Some(Ending::Crash)),
        (How::Signal(9), said.clone(), Some(Ending::Crash)),
        (How::Stopped, said.clone(), Some(Ending::Stopped)),
        (How::OverBound(Bound::Memory), said.clone(), Some(Ending::Crash)),
        (How::KeeperLost, said.clone(), Some(Ending::Crash)),
        (How::TimedOut, said, Some(Ending::Timeout)),
        (How::NotStarted(missing), Close::default(), Some(Ending::Crash)),
        (How::Code(1), fault(Fault::Limit(String::new())), Some(Ending::Limit)),
        (How::Code(1), fault(Fault::Access(String::new())), Some(Ending::AccessRefused)),
        (How::Code(144), fault(Fault::Network(String::new())), Some(Ending::Network)),
        (How::Code(1), fault(Fault::Request(String::new())), Some(Ending::Crash)),
    ] {
        assert_eq!(ending(&how, &close), expected, "{how:?} {close:?}");
    }
}

#[test]
fn keys_of_other_agents_are_not_seen() {
    let codex = Driver::named("codex").expect("a driver");
    assert!(codex.may_see("OPENAI_API_KEY"));
    assert!(!codex.may_see("ANTHROPIC_API_KEY"));
    assert!(!codex.may_see("LD_PRELOAD"));
}
