use super::*;

/// Pairs that say the same.
const SAME: &[(&str, &str)] = &[
    ("API rate limit is 100/min, not 1000/min", "api rate limit is 100/min not 1000/min."),
    ("Use the repository's config file", "Use the repo config files."),
    ("Don't cache tokens", "do not cache a token"),
    ("Cookies can't be read by scripts", "Cookies cannot be read by scripts"),
    ("Needs cookies, sessions and tokens", "Needs tokens, cookies, and sessions"),
    ("When a request fails, refresh the token", "Refresh the token when requests fail"),
    ("For user state, use AuthContext", "Use AuthContext for user state."),
    ("Note that the queue drops large messages", "The queue drops large messages!"),
    ("The rate-limit is per key", "the rate limit is per key"),
    ("**Entries** are sorted (by date)", "entries are sorted by date"),
    ("Should refresh tokens be stored in cookies?", "should refresh tokens be stored in cookies"),
    ("Read and write locks differ", "write and read locks differ"),
    ("It’s slow", "It's slow"),
    ("Disable\u{200b} the cache", "Dis\u{ad}able the cache"),
];

/// Pairs that look alike and differ.
const DIFFERENT: &[(&str, &str)] = &[
    ("API rate limit is 100/min", "API rate limit is 1000/min"),
    ("Always retry writes", "Never retry writes"),
    ("Retry writes", "Do not retry writes"),
    ("The cache is safe", "The cache is not safe"),
    ("No, the cache is safe", "No cache is safe"),
    ("Run migrate before seed", "Run seed before migrate"),
    ("Run migrate, seed and test", "Run seed, migrate and test"),
    ("The client validates the server", "The server validates the client"),
    ("Use getUsers for lists", "Use getUser for lists"),
    ("Use http for health checks", "Use https for health checks"),
    ("Use `max_retry`", "Use `max_retries`"),
    ("Timeout is 1.5 s", "Timeout is 15 s"),
    ("Offset is -1", "Offset is 1"),
    ("Keep load < 5", "Keep load > 5"),
    ("5% of requests fail", "5 requests fail"),
    ("Use POST and never GET", "Use GET and never POST"),
    ("Deploy to staging first", "Deploy to production first"),
    ("Encode the id", "Decode the id"),
    ("Pass --no-verify", "Pass --verify"),
    ("Set version to 2.10", "Set version to 2.1"),
    ("Use cookies", "Use cookies?"),
    ("All tests must pass", "Some tests must pass"),
    ("It works on Windows", "It works on the window"),
    ("src/a.rs is generated", "src/b.rs is generated"),
    ("Retries can fail", "Retries can not fail"),
    ("Only admins may delete", "Admins may delete"),
    ("Fails without a token", "Fails with a token"),
    ("x == y is wrong", "x != y is wrong"),
];

#[test]
fn what_says_the_same_is_one() {
    for (first, second) in SAME {
        assert_eq!(canonical(first), canonical(second), "{first} / {second}");
        assert_eq!(id("gotcha", &canonical(first)), id("gotcha", &canonical(second)));
    }
}

#[test]
fn what_differs_in_a_word_stays_two() {
    for (first, second) in DIFFERENT {
        assert_ne!(canonical(first), canonical(second), "{first} / {second}");
    }
    let all: Vec<String> = DIFFERENT.iter().flat_map(|(a, b)| [canonical(a), canonical(b)]).collect();
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "two of them became one: {all:#?}");
}

#[test]
fn close_texts_are_found_and_far_ones_are_not() {
    let known =
        canonical("The payment API allows 100 requests per minute for each key of a merchant account");
    let close =
        canonical("The payment API allows 1000 requests per minute for each key of a merchant account");
    let far = canonical("Database migrations must run in one transaction on the staging cluster");
    assert!(is_close(&known, &close) && !is_close(&known, &far));
    let shared = |other: &str| bands(&known).iter().zip(bands(other)).filter(|(a, b)| **a == *b).count();
    assert!(shared(&close) > 0, "no band in common");
    assert_eq!(shared(&far), 0);
}

#[test]
fn hostile_texts_do_no_harm() {
    for text in [
        "",
        " , , ,",
        "and and and, or",
        ".",
        "\u{0}",
        "` ` `",
        &"a,".repeat(100_000),
        "é’s",
        "--",
        "&",
        "'s",
    ] {
        let form = canonical(text);
        assert!(form.len() <= text.len() * 3, "{:?}", text.chars().take(20).collect::<String>());
        let _ = bands(&form);
    }
}

#[test]
fn an_id_is_a_name_and_depends_on_the_kind() {
    let text = canonical("Use one transaction");
    let (pattern, gotcha) = (id("pattern", &text), id("gotcha", &text));
    assert_ne!(pattern, gotcha);
    assert!(LessonId::new(pattern.as_str()).is_ok() && LessonId::new(gotcha.as_str()).is_ok());
}
