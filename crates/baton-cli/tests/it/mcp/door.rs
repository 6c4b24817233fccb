//! Who is let in over HTTP: Host × Origin × token, and requests that a browser sends for another site.

use super::http::Served;
use super::talk::Harbour;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;

#[test]
fn only_our_host_our_origin_and_our_token_together_are_let_in() {
    let harbour = Harbour::new();
    let served = Served::of(&harbour);
    let port = served.port;
    let hosts: Vec<(Option<String>, bool)> = vec![
        (Some(format!("127.0.0.1:{port}")), true),
        (Some(format!("localhost:{port}")), true),
        (Some(format!("LocalHost:{port}")), true),
        (Some("127.0.0.1".to_owned()), false),
        (Some("localhost:1".to_owned()), false),
        (Some(format!("evil.example:{port}")), false),
        (Some(format!("127.0.0.1.evil.example:{port}")), false),
        (Some(format!("localhost:{port}@evil.example")), false),
        (Some("0.0.0.0".to_owned()), false),
        (None, false),
    ];
    let origins: Vec<(Option<String>, bool)> = vec![
        (None, true),
        (Some(format!("http://127.0.0.1:{port}")), true),
        (Some(format!("http://localhost:{port}")), true),
        (Some("null".to_owned()), false),
        (Some("https://evil.example".to_owned()), false),
        (Some("http://localhost:1".to_owned()), false),
        (Some(format!("https://localhost:{port}")), false),
        (Some(format!("http://localhost:{port}.evil.example")), false),
    ];
    let token = &served.token;
    let short: String = token.chars().skip(1).collect();
    let tokens: Vec<(Option<String>, bool)> = vec![
        (Some(format!("Bearer {token}")), true),
        (Some(format!("bearer {token}")), true),
        (None, false),
        (Some("Bearer ".to_owned()), false),
        (Some(format!("Bearer {short}")), false),
        (Some(format!("Bearer {token}0")), false),
        (Some(format!("Basic {token}")), false),
        (Some(token.clone()), false),
    ];
    let (mut tried, mut let_in) = (0, 0);
    for (host, host_is_ours) in &hosts {
        for (origin, origin_is_ours) in &origins {
            for (shown, token_is_ours) in &tokens {
                let mut head = String::from("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n");
                for (name, value) in [("Host", host), ("Origin", origin), ("Authorization", shown)] {
                    head.push_str(
                        &value.as_ref().map(|value| format!("{name}: {value}\r\n")).unwrap_or_default(),
                    );
                }
                let answer =
                    served.raw(format!("{head}Content-Length: {}\r\n\r\n{HELLO}", HELLO.len()).as_bytes());
                let expected = match (*host_is_ours && *origin_is_ours, token_is_ours) {
                    (false, _) => 403,
                    (true, false) => 401,
                    (true, true) => 200,
                };
                assert_eq!(answer.status, expected, "{host:?} {origin:?} {shown:?}");
                assert!(answer.header("access-control-allow-origin").is_none());
                tried += 1;
                let_in += u32::from(expected == 200);
            }
        }
    }
    println!("{tried} requests, {let_in} let in");
    assert_eq!((tried, let_in), (640, 3 * 3 * 2));
}

/// What a page of another site can make a browser send.
#[test]
fn another_site_gets_nothing() {
    let harbour = Harbour::new();
    let served = Served::of(&harbour);
    let (port, token) = (served.port, &served.token);
    let with = |extra: &str| {
        format!("Host: localhost:{port}\r\n{extra}Content-Length: {}\r\n\r\n{HELLO}", HELLO.len())
    };
    for (request, status) in [
        // A form, which needs no preflight and can carry JSON in a text.
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}",
                with("Origin: https://evil.example\r\nContent-Type: text/plain\r\n")
            ),
            403,
        ),
        // A preflight.
        (
            format!(
                "OPTIONS /mcp HTTP/1.1\r\n{}",
                with("Origin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n")
            ),
            403,
        ),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}",
                with(&format!(
                    "Sec-Fetch-Site: cross-site\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                ))
            ),
            403,
        ),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}",
                with(&format!(
                    "Sec-Fetch-Site: same-site\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                ))
            ),
            403,
        ),
        // The token is taken from nowhere else.
        (format!("POST /mcp?token={token} HTTP/1.1\r\n{}", with("Content-Type: application/json\r\n")), 401),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}",
                with(&format!("Cookie: token={token}\r\nContent-Type: application/json\r\n"))
            ),
            401,
        ),
        // Two of what there must be one of.
        (
            format!(
                "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n{}",
                with(&format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"))
            ),
            403,
        ),
        (
            format!(
                "POST /mcp HTTP/1.1\r\n{}",
                with(&format!(
                    "Authorization: Bearer x\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
                ))
            ),
            401,
        ),
    ] {
        let answer = served.raw(request.as_bytes());
        assert_eq!(answer.status, status, "{request}");
        assert!(answer.header("access-control-allow-origin").is_none(), "{answer:?}");
    }
}
