use super::*;

fn code(line: &str) -> i64 {
    read(line.as_bytes()).map_or_else(|unreadable| unreadable.error.code, |_| 0)
}

#[test]
fn what_is_a_message_is_told_from_what_is_none() {
    assert!(matches!(read(br#"{"jsonrpc":"2.0","id":"a","method":"x"}"#), Ok(Message::Request(_))));
    assert!(matches!(
        read(br#"{"jsonrpc":"2.0","method":"x","params":{}}"#),
        Ok(Message::Notification { .. })
    ));
    assert!(matches!(
        read(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        Ok(Message::Response { result: Some(_), .. })
    ));
    assert!(matches!(
        read(br#"{"jsonrpc":"2.0","id":1,"error":{}}"#),
        Ok(Message::Response { result: None, .. })
    ));
    assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#), INVALID_REQUEST);
    assert_eq!(code(r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"x"}"#), INVALID_REQUEST);
    assert_eq!(
        code(&format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"x"}}"#, "i".repeat(300))),
        INVALID_REQUEST
    );
    assert_eq!(code("\u{feff}{}"), PARSE_ERROR);
}

#[test]
fn an_error_keeps_the_id_where_there_is_one() {
    let unreadable = read(br#"{"jsonrpc":"2.0","id":7,"method":"x","params":3}"#).unwrap_err();
    assert_eq!(refusal(unreadable.id.as_ref(), &unreadable.error)["id"], 7);
    assert_eq!(answer(&Id::Text("a".to_owned()), Ok(json!({})))["id"], "a");
}
