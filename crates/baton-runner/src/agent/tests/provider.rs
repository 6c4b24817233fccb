//! What agents print that cannot use their provider.

use super::*;

#[test]
fn what_agents_print_that_cannot_use_their_provider_says_why() {
    let gemini = "YOLO mode is enabled. All tool calls will be automatically approved.\nPlease set an Auth method in your \
                  /home/one/.gemini/settings.json or specify one of the following environment variables before running: \
                  GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA\n";
    assert!(
        matches!(Fault::of_last_lines(gemini), Some(Fault::Access(why)) if why.starts_with("Please set"))
    );
    assert_eq!(Fault::of_last_lines("thread 'main' panicked at src/main.rs:7\nindex out of bounds\n"), None);
    let offline = r#"{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"Cannot connect to API: Unable to connect. Is the computer able to access the url?","isRetryable":true}}}"#;
    assert!(matches!(hear("opencode", &[offline]).1.fault, Some(Fault::Network(_))));
    let login = r#"{"type":"result","is_error":true,"api_error_status":null,"result":"Not logged in · Please run /login"}"#;
    assert!(matches!(hear("claude", &[login]).1.fault, Some(Fault::Access(_))));
    let waits = r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#;
    let resolves = r#"{"type":"error","message":"Reconnecting... 3/5 (failed to lookup address information: Name does not resolve)"}"#;
    for line in [waits, resolves] {
        assert!(matches!(hear("codex", &[line]).1.fault, Some(Fault::Network(_))), "{line}");
    }
    let works = r#"{"type":"item.started","item":{"type":"command_execution","command":"ls"}}"#;
    assert_eq!(hear("codex", &[waits, works]).1.fault, None, "it got through");
}

#[test]
fn what_no_time_mends_is_for_a_person_whatever_the_status() {
    let claude = |status: u64, words: &str| {
        let line = serde_json::json!({ "type": "result", "is_error": true, "api_error_status": status, "result": words });
        hear("claude", &[&line.to_string()]).1.fault.expect("a fault")
    };
    assert!(matches!(claude(400, "Credit balance is too low"), Fault::Access(_)));
    assert!(matches!(claude(402, "Payment required"), Fault::Access(_)));
    let model = "There's an issue with the selected model (gone). It may not exist";
    assert!(matches!(claude(404, model), Fault::Setting(_)));
    assert!(matches!(claude(400, "prompt is too long"), Fault::Request(_)));
    let codex = |words: &str| {
        let line = serde_json::json!({ "type": "turn.failed", "error": { "message": words } });
        hear("codex", &[&line.to_string()]).1.fault.expect("a fault")
    };
    let gone = codex("unexpected status 404 Not Found: The model `gone` does not exist");
    assert!(matches!(gone, Fault::Setting(_)) && gone.to_string().ends_with("; see to `model`"), "{gone}");
    let missing = "Missing environment variable: `MY_KEY`.";
    let fault = Fault::of_last_lines(&format!("{missing}\n")).expect("a fault");
    assert_eq!(fault, codex(missing));
    assert!(fault.to_string().ends_with("name it under `pass_environment`"), "{fault}");
    for fault in [claude(404, model), fault] {
        let close = Close { fault: Some(fault), ..Close::default() };
        assert_eq!(ending(&How::Code(1), &close), Some(Ending::AccessRefused));
    }
}
