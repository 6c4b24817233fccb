//! No secret of a document is repeated in any form of output.

use crate::support::{FORMATS, Place};

/// Nothing of these values is real: they only have the shapes.
fn secrets() -> Vec<(&'static str, String, String)> {
    let body = "q7Rk2ZpW9sLx4VnB8mTc3YdF6hJg1KaE5uQo";
    let token = |name, text: String| (name, text.clone(), text);
    let mut all = vec![
        token("AWS", "AKIAZ5QW3E7RTYU2OPAS".to_owned()),
        token("AWS, temporary", "ASIAZ5QW3E7RTYU2OPAS".to_owned()),
        token("Anthropic", format!("sk-ant-api03-{body}")),
        token("API key", format!("sk-proj-{body}")),
        token("Stripe", format!("sk_live_{body}")),
        token("Stripe, restricted", format!("rk_live_{body}")),
        token("Google", format!("AIza{}", &body[..35])),
        token("GitLab", format!("glpat-{}", &body[..20])),
        token("npm", format!("npm_{body}")),
        token("Hugging Face", format!("hf_{body}")),
        token("GitHub, fine", format!("github_pat_{body}")),
        token("JSON web token", format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.{body}")),
        ("assignment", "DB_PASSWORD=tR4v-9kQz2Lm".to_owned(), "tR4v-9kQz2Lm".to_owned()),
        ("URL", "postgres://app:s3cr-t9@db:5432/x".to_owned(), "s3cr-t9".to_owned()),
    ];
    for prefix in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] {
        all.push(token("GitHub", format!("{prefix}{body}")));
    }
    for prefix in ["xoxb-", "xoxp-", "xoxa-", "xoxs-"] {
        all.push(token("Slack", format!("{prefix}2048-4096-Ab3dEf6hIj9k")));
    }
    all
}

/// Documents that hold a secret where findings repeat what was written.
fn documents(secret: &str) -> Vec<(&'static str, String)> {
    let head = "handoff:\n  phase: QA\n  from: \"@a\"\n  to: \"@b\"\n  status: complete\n";
    vec![
        ("context", format!("{head}  context:\n    note: {secret}\n")),
        ("status", head.replace("complete", secret)),
        ("sender", head.replace("\"@a\"", secret)),
        ("dependency", format!("{head}  dependencies: [{secret}, {secret}]\n")),
        ("key", format!("{head}  \"{secret}\": 1\n  \"{secret}\": 2\n")),
        ("repair", format!("{head}  context: the key: {secret} # and: more\n")),
        ("beside", format!("{head}  retry_count: \"2\" # {secret}\n")),
        ("broken", format!("{head}  context: [{secret}\n  x: }}\n")),
        (
            "note",
            format!("# Handoff\n\n## Done\n\n- Signed in with {secret}\n\n## Status\n\nDone. See {secret}\n"),
        ),
        ("path", format!("outcome: partial\nfiles_created:\n  - path: /{secret}\n    purpose: {secret}\n")),
        ("id", crate::support::good().replace("TASK-7", secret).replace("complete\n", "done\n")),
        (
            "JSON",
            format!(
                "{{\"handoff\": {{\"phase\": \"QA\", \"from\": \"{secret}\", \"to\": \"@b\", \"status\": \"{secret}\", \"{secret}\": 1}}}}\n"
            ),
        ),
    ]
}

#[test]
fn no_secret_is_repeated() {
    let mut wrong = Vec::new();
    for (name, text, value) in secrets() {
        let documents = documents(&text);
        let place = Place::new();
        documents.iter().for_each(|(kind, document)| place.write(&format!("{kind}.md"), document));
        for format in FORMATS {
            let leaks = |path: &str| {
                let run = place.baton(&["check", "--notes", "--strict", "--format", format, path]);
                run.out().contains(&value) || run.err().contains(&value)
            };
            if leaks(".") {
                let kinds = documents.iter().filter(|(kind, _)| leaks(&format!("{kind}.md")));
                wrong.extend(kinds.map(|(kind, _)| format!("{name} in {kind}, in {format}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} leaks:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_private_key_is_not_repeated() {
    let line = "MIIEpAIBAAKCAQEAq7Rk2ZpW9sLx4VnB8mTc3YdF6hJg1KaE5uQo";
    let block = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\n-----END RSA PRIVATE KEY-----");
    let indented = block.replace('\n', "\n      ");
    let place = Place::with(&[
        (
            "a.yaml",
            &format!(
                "handoff:\n  phase: QA\n  from: \"@a\"\n  to: \"@b\"\n  status: complete\n  context:\n    key: |\n      {indented}\n"
            ),
        ),
        ("b.md", &format!("# Handoff\n\n## Done\n\n- Signed in\n\n{block}\n\n## Status\n\nDone\n")),
    ]);
    for format in FORMATS {
        for file in ["a.yaml", "b.md"] {
            let run = place.baton(&["check", "--notes", "--format", format, file]).ends_with(1);
            assert!(run.out().contains("BT707"), "{file} in {format}: {}", run.out());
            assert!(!run.out().contains(line), "{file} in {format}: {}", run.out());
        }
    }
}

#[test]
fn every_secret_is_told() {
    for (name, text, _) in secrets() {
        let (_, document) = documents(&text).swap_remove(0);
        let place = Place::with(&[("case.md", &document)]);
        let run = place.baton(&["check", "--json", "case.md"]).ends_with(1);
        let found = run.json()["files"][0]["diagnostics"].as_array().cloned().unwrap_or_default();
        assert!(found.iter().any(|found| found["code"] == "BT707"), "{name}: {}", run.out());
    }
}
