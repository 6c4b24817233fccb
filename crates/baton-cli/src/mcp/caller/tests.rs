use serde_json::json;

use super::*;

fn session(claude: Option<&str>, client: &str, meta: &Value) -> String {
    let around = Surroundings { claude_session: claude.map(str::to_owned), folder: "/a".to_owned() };
    around.session(client, meta.as_object()).map(|session| session.to_string()).unwrap_or_default()
}

#[test]
fn a_session_is_what_the_client_says_it_is() {
    assert_eq!(session(Some("5b0e"), "x", &json!({ "threadId": "t" })), session_id("claude", "5b0e", ""));
    assert_eq!(session(None, "x", &json!({ "threadId": "019a-7" })), session_id("codex", "019a-7", ""));
    let gemini = session(None, "gemini-cli", &json!({}));
    assert!(
        gemini.starts_with("gemini-cli-") && gemini.len() == "gemini-cli-".len() + 2 * HASH_BYTES,
        "{gemini}"
    );
    assert_eq!(gemini, session(None, "gemini-cli", &json!({ "threadId": 5 })), "one folder, one session");
}

#[test]
fn whatever_a_client_calls_itself_there_is_a_name_for_it() {
    for client in ["", "...", "a/b c", "ü", &"x".repeat(500)] {
        assert!(!session(None, client, &json!({})).is_empty(), "{client}");
        assert!(!session(None, client, &json!({ "threadId": client })).is_empty(), "{client}");
    }
    let (one, other) = (json!({ "threadId": "x/1" }), json!({ "threadId": "x/2" }));
    assert_ne!(
        session(None, "c", &one),
        session(None, "c", &other),
        "what cannot be a name is told apart all the same"
    );
}
