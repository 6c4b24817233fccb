use super::find;

fn kinds(source: &str) -> Vec<&'static str> {
    find(source).iter().map(|secret| secret.kind).collect()
}

#[test]
fn well_known_shapes_are_found() {
    let body = "q7Rk2ZpW9sLx4VnB8mTc3YdF6hJg1KaE5uQo";
    assert_eq!(kinds("key AKIAQ3EGRIDOFTHEBYTE."), ["an AWS access key"]);
    assert_eq!(kinds(&format!("(ghp_{body})")), ["a GitHub token"]);
    assert_eq!(kinds(&format!("sk-ant-api03-{body}")), ["an Anthropic key"]);
    assert_eq!(kinds(&format!("OPENAI_API_KEY=sk-proj-{body}")), ["an API key"]);
    assert_eq!(kinds("xoxb-2048-4096-Ab3dEf6hIj9k"), ["a Slack token"]);
    assert_eq!(kinds(&format!("AIza{}", &body[..35])), ["a Google API key"]);
    assert_eq!(kinds(&format!("glpat-{}", &body[..20])), ["a GitLab token"]);
    assert_eq!(kinds(&format!("npm_{body}")), ["an npm token"]);
    assert_eq!(kinds(&format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.{body}")), ["a JSON web token"]);
    assert_eq!(kinds("DB_PASSWORD: \"tR4v-9kQz2Lm\""), ["a password or key"]);
    assert_eq!(kinds("{\"apiKey\": \"b7Kq93xZt1Pw8d\"}"), ["a password or key"]);
    assert_eq!(kinds("postgres://app:s3cr-t9@db:5432/x"), ["a password in a URL"]);
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}{body}\n-----END RSA PRIVATE KEY-----");
    assert_eq!(kinds(&key), ["a private key"]);
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    for innocent in [
        "sk-... and <token> and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-learn-model-selection-helpers",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "password: ${DB_PASSWORD}",
        "api_key = settings.auth2.key",
        "secret: vault/kv/app",
        "token: rotation-2026",
        "password=changeme-12AB34cd",
        "https://user:password@localhost/",
        "the header -----BEGIN PRIVATE KEY----- is missing",
        "next_token: see the section below",
    ] {
        assert_eq!(kinds(innocent), [""; 0], "{innocent}");
    }
}

#[test]
fn one_secret_is_reported_once() {
    assert_eq!(find("token: ghp_q7Rk2ZpW9sLx4VnB8mTc3YdF6hJg1KaE5uQo").len(), 1);
}

#[test]
fn hostile_text_takes_linear_time() {
    let text = "token=a:".repeat(60_000) + &"-----BEGIN ".repeat(40_000) + &"PRIVATE KEY-----".repeat(8_000);
    assert!(find(&text).len() <= crate::limit::DIAGNOSTICS_MAX);
}
