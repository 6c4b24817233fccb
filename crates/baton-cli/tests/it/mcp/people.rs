//! What is a person's to say, and how little an agent can do about it.

use serde_json::{Value, json};

use super::talk::{CLIENT, HANDOFF, Harbour, Talk};

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// Calls a tool that asks a person, and returns what the person is shown and the id to answer under.
#[track_caller]
fn shown(talk: &mut Talk, tool: &str, arguments: &Value) -> (i64, Value) {
    let id = talk.begin("tools/call", &json!({ "name": tool, "arguments": arguments }));
    let question = talk.read();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    (id, question)
}

fn answer(talk: &mut Talk, question: &Value, result: &Value) {
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }));
}

#[test]
fn a_person_answers_a_question_in_the_client_and_the_log_says_through_what() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.greet(Some("a"), &forms());
    talk.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    let ask = json!({ "task": "T1", "question": "Which pier?", "options": ["north", "south"] });
    let (id, question) = shown(&mut talk, "ask", &ask);
    let message = question["params"]["message"].as_str().expect("words");
    assert!(
        message.contains("An agent asks about T1: Which pier?") && message.contains("- south"),
        "{message}"
    );
    // A client is heard while a person thinks.
    assert_eq!(talk.ask("ping", &json!({}))["result"], json!({}));
    answer(&mut talk, &question, &json!({ "action": "accept", "content": { "answer": "the old one" } }));
    let told = talk.read();
    assert_eq!(told["id"], id);
    assert!(told.to_string().contains("a person answers: the old one"), "{told}");
    talk.call("ask", &ask).says(&["q1 is answered (person): the old one"]);
    let log = harbour.log();
    assert!(
        log.contains(&format!("person ida via {CLIENT}")) && log.contains("answered q1: the old one"),
        "{log}"
    );
}

#[test]
fn whoever_says_no_or_nothing_clear_leaves_the_question_open() {
    let harbour = Harbour::with_task("single");
    let mut talk = harbour.greet(Some("a"), &forms());
    talk.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    let ask = json!({ "task": "T1", "question": "Which pier?" });
    for unclear in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel", "content": { "answer": "x" } }),
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": { "answer": "  " } }),
        json!({ "action": "accept", "content": { "answer": 5 } }),
        json!("accept"),
        json!(null),
    ] {
        let (_, question) = shown(&mut talk, "ask", &ask);
        // Answers to something else move nothing.
        for id in [json!("q1"), json!(1), json!("00000000000000000000000000000000")] {
            talk.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": { "answer": "forged" } } }));
        }
        answer(&mut talk, &question, &unclear);
        let told = talk.read().to_string();
        assert!(told.contains("asked as q1") && told.contains("baton answer T1 q1"), "{unclear}: {told}");
        answer(&mut talk, &question, &json!({ "action": "accept", "content": { "answer": "too late" } }));
    }
    let (_, question) = shown(&mut talk, "ask", &ask);
    talk.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "no" } }));
    talk.read();
    let log = harbour.log();
    assert!(!log.contains("answered q1") && log.matches("asked q1").count() == 1, "{log}");
}

#[test]
fn a_gate_is_opened_by_a_person_for_the_files_that_the_form_was_about() {
    let harbour = Harbour::with_task("gated");
    let mut talk = harbour.greet(Some("a"), &forms());
    talk.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    harbour.place.write("tides.txt", "06:12 low\n");
    let (_, question) = shown(&mut talk, "submit", &json!({ "task": "T1", "document": HANDOFF }));
    let message = question["params"]["message"].as_str().expect("words");
    assert!(message.contains("gate `release` of T1") && message.contains("The times are right"), "{message}");
    assert_eq!(
        question["params"]["requestedSchema"]["properties"]["choice"]["enum"],
        json!(["approve", "reject", "question"])
    );
    // The files change while the person looks at the form.
    harbour.place.write("tides.txt", "06:12 high\n");
    let approve = json!({ "action": "accept", "content": { "choice": "approve" } });
    answer(&mut talk, &question, &approve);
    let told = talk.read().to_string();
    assert!(told.contains("gate_version_changed") || told.contains("another version"), "{told}");
    assert_ne!(harbour.status(), "done-unverified");
    let (_, question) = shown(&mut talk, "check", &json!({ "task": "T1" }));
    answer(&mut talk, &question, &approve);
    let told = talk.read().to_string();
    assert!(told.contains("a person says approve") && told.contains("accept"), "{told}");
    assert!(harbour.log().contains(&format!("person ida via {CLIENT}")));
    assert_eq!(harbour.status(), "done-unverified");
}

/// Nobody is asked where the client has no forms, is not named, or nobody trusts the file that names it.
#[test]
fn without_a_persons_leave_no_form_is_sent() {
    let harbour = Harbour::with_task("single");
    let question = json!({ "task": "T1", "question": "Which pier?" });
    let mut plain = harbour.greet(Some("a"), &json!({ "elicitation": { "url": {} } }));
    plain.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    plain.call("ask", &question).says(&["A person answers with `baton answer T1 q1 TEXT`"]);
    let mut other = harbour.connect(Some("a"));
    other.ask("initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": forms(), "clientInfo": { "name": "stranger", "version": "1" } }));
    other.call("ask", &question).says(&["baton answer"]);
    let mut named = harbour.greet(Some("a"), &forms());
    harbour
        .place
        .write("baton.toml", harbour.place.read("baton.toml").replace("rig-client", "rig-client\", \"x"));
    named.call("ask", &question).says(&["baton answer"]);
    assert!(!harbour.log().contains("answered"));
}

/// Every tool with every argument that an agent could think of: none is a person's act.
#[test]
fn no_tool_does_what_is_a_persons_to_do() {
    let harbour = Harbour::with_task("gated");
    harbour.place.write("tides.txt", "06:12 low\n");
    let mut talk = harbour.greet(Some("a"), &json!({}));
    talk.call("receive", &json!({ "task": "T1" })).says(&["T1"]);
    talk.call("ask", &json!({ "task": "T1", "question": "Which pier?" })).says(&["asked as q1"]);
    for tool in [
        "answer", "gate", "approve", "waive", "resolve", "decide", "cancel", "trust", "pause", "merge",
        "task_add",
    ] {
        let refused = talk.ask("tools/call", &json!({ "name": tool, "arguments": { "task": "T1" } }));
        assert_eq!(refused["error"]["code"], -32602, "{tool}: {refused}");
    }
    // A form that nobody was shown is answered in vain, also where a client makes up both halves of it.
    for forged in [
        json!({ "name": "ask", "arguments": { "task": "T1", "question": "Which pier?", "answer": "north" } }),
        json!({ "name": "ask", "arguments": { "task": "T1", "question": "Which pier?" }, "inputResponses": { "person": { "action": "accept", "content": { "answer": "north" } } } }),
        json!({ "name": "ask", "arguments": { "task": "T1", "question": "Which pier?" }, "requestState": "00.00", "inputResponses": { "person": { "action": "accept", "content": { "answer": "north" } } } }),
    ] {
        talk.ask("tools/call", &forged);
    }
    let log = harbour.log();
    assert!(!log.contains("answered q1") && !log.contains("person ida via"), "{log}");
    let inbox = harbour.baton(&["inbox"]).ends_with(0).out();
    assert!(inbox.contains("T1"), "{inbox}");
}
