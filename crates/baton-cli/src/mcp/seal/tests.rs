use serde_json::json;

use super::*;

fn state(expires: i64) -> State {
    let subject = Subject::Clarification { task: "T1".to_owned(), id: "q1".to_owned() };
    State { subject, session: "claude-1".to_owned(), call: call("ask", &json!({ "a": 1 })), expires }
}

#[test]
fn a_state_comes_back_as_it_was_in_time_and_unchanged() {
    let seal = Seal::new().unwrap();
    let sealed = seal.close(&state(100)).unwrap();
    assert_eq!(seal.open(&sealed, 99), Some(state(100)));
    assert_eq!(seal.open(&sealed, 100), None, "its time is up");
    assert_eq!(Seal::new().unwrap().open(&sealed, 0), None, "another key");
    for at in 0..sealed.len() {
        let mut bytes = sealed.clone().into_bytes();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        assert_eq!(seal.open(&String::from_utf8(bytes).unwrap(), 0), None, "byte {at} was changed");
        assert_eq!(seal.open(&sealed[..at], 0), None, "cut at {at}");
    }
    assert_eq!(seal.open("ü.ü", 0), None);
    assert_eq!(seal.open(&"0".repeat(100_000), 0), None);
}
