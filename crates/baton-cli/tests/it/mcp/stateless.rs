//! The world without sessions: every request says all, and a question to a person comes back with its state.

use serde_json::{Value, json};

use super::talk::{CLIENT, Harbour, Talk, Told};

fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": CLIENT, "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

fn call(talk: &mut Talk, tool: &str, arguments: &Value, extra: &Value) -> Value {
    let mut params =
        json!({ "name": tool, "arguments": arguments, "_meta": meta(&json!({ "elicitation": {} })) });
    for (key, value) in extra.as_object().cloned().unwrap_or_default() {
        params[key] = value;
    }
    talk.ask("tools/call", &params)
}

#[test]
fn a_client_discovers_the_server_and_lists_can_be_kept() {
    let harbour = Harbour::new();
    let mut talk = harbour.connect(None);
    let found = talk.ask("server/discover", &json!({ "_meta": meta(&json!({})) }));
    let result = &found["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "baton");
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let listed = talk.ask(method, &json!({ "_meta": meta(&json!({})) }));
        let result = &listed["result"];
        assert!(
            result["ttlMs"].is_u64()
                && result["cacheScope"].is_string()
                && result["resultType"] == "complete",
            "{method}: {listed}"
        );
        assert_eq!(
            listed["result"],
            talk.ask(method, &json!({ "_meta": meta(&json!({})) }))["result"],
            "the order is fixed"
        );
    }
    let other = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientCapabilities": {} } });
    let refused = talk.ask("tools/list", &other);
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["requested"]),
        (&json!(-32022), &json!("1900-01-01"))
    );
    let half = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
    assert_eq!(talk.ask("tools/list", &half)["error"]["code"], -32602);
    assert_eq!(talk.ask("server/discover", &json!({}))["error"]["code"], -32602);
    assert_eq!(talk.ask("initialize", &json!({ "_meta": meta(&json!({})) }))["error"]["code"], -32601);
}

#[test]
fn a_person_answers_in_a_second_round_and_only_for_the_call_that_asked() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.connect(Some("a"));
    Told::of(&call(&mut talk, "receive", &json!({ "task": "T1" }), &json!({}))).says(&["T1"]);
    let ask = json!({ "task": "T1", "question": "Which pier?" });
    let asked = call(&mut talk, "ask", &ask, &json!({}));
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    assert_eq!(result["inputRequests"]["person"]["method"], "elicitation/create");
    let state = result["requestState"].as_str().expect("a state").to_owned();
    let word = json!({ "person": { "action": "accept", "content": { "answer": "north" } } });
    let mut changed = state.clone().into_bytes();
    changed[10] = if changed[10] == b'a' { b'b' } else { b'a' };
    let changed = String::from_utf8(changed).expect("text");
    let other = json!({ "task": "T1", "question": "Which other pier?" });
    let cut = state.split('.').next().unwrap_or_default();
    for (arguments, state) in
        [(&ask, changed.as_str()), (&other, state.as_str()), (&ask, cut), (&ask, ""), (&ask, "é.é")]
    {
        let refused =
            call(&mut talk, "ask", arguments, &json!({ "requestState": state, "inputResponses": word }));
        Told::of(&refused).refuses(&["not of this call and session"]);
    }
    // The state of one session is worth nothing in another, nor in another process.
    let mut stranger = harbour.connect(Some("b"));
    let refused = call(&mut stranger, "ask", &ask, &json!({ "requestState": state, "inputResponses": word }));
    Told::of(&refused).refuses(&["not of this call"]);
    let silent = call(&mut talk, "ask", &ask, &json!({ "requestState": state }));
    Told::of(&silent).says(&["no person answered"]);
    assert!(!harbour.log().contains("answered q1"));
    let answered = call(&mut talk, "ask", &ask, &json!({ "requestState": state, "inputResponses": word }));
    Told::of(&answered).says(&["a person answers: north"]);
    let again = call(&mut talk, "ask", &ask, &json!({ "requestState": state, "inputResponses": word }));
    Told::of(&again).refuses(&["unknown_clarification"]);
    assert_eq!(harbour.log().matches("answered q1").count(), 1);
}
