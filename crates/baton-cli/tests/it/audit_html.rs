//! The page of an audit: complete, the same every time, and nothing that a repository holds can act in it.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Place, Run, good};

const HTML: &[&str] = &["audit", ".", "--format", "html"];

/// What browsers or people would fall for, and how it must be shown.
const PAYLOADS: &[(&str, &str)] = &[
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("</style><img src=x onerror=alert(1)>", "&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;"),
    ("\" onmouseover=\"alert(1)", "&quot; onmouseover=&quot;alert(1)"),
    ("' autofocus onfocus='alert(1)", "&#39; autofocus onfocus=&#39;alert(1)"),
    ("--><!--<svg onload=alert(1)>", "--&gt;&lt;!--&lt;svg onload=alert(1)&gt;"),
    ("]]><math>`<b>`</math>", "&lt;math&gt;"),
    ("&lt;b&gt;&#60;i&#62;", "&amp;lt;b&amp;gt;&amp;#60;i&amp;#62;"),
    ("a\u{202e}gnp.exe", "a\\u{202e}gnp.exe"),
    ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
    ("a\u{1b}[31mred", "a\\u{1b}[31mred"),
    ("a\u{9b}31m\u{200b}", "a\\u{9b}31m\\u{200b}"),
];

/// All elements that a page may have.
const ELEMENTS: &[&str] = &[
    "a", "article", "b", "body", "code", "dd", "defs", "details", "div", "dl", "dt", "footer", "h1", "h2",
    "h3", "head", "header", "html", "i", "li", "line", "main", "meta", "nav", "ol", "p", "path", "pattern",
    "q", "rect", "section", "small", "span", "style", "summary", "svg", "table", "tbody", "td", "text", "th",
    "thead", "title", "tr", "ul",
];

/// All attributes that a page may have.
const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "colspan",
    "content",
    "d",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "overflow",
    "patternTransform",
    "patternUnits",
    "role",
    "rx",
    "scope",
    "text-anchor",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y2",
];

/// Returns every tag of a page, without its brackets.
fn tags(page: &str) -> Vec<&str> {
    let body = page.strip_prefix("<!doctype html>").expect("a page says what it is");
    body.split('<').skip(1).map(|rest| rest.split_once('>').expect("every bracket is closed").0).collect()
}

/// Stops the test unless the page is made of our own elements and attributes only.
#[track_caller]
fn assert_inert(page: &str) {
    for tag in tags(page) {
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.trim_matches('/');
        assert!(ELEMENTS.contains(&name), "<{tag}>");
        while let Some((attribute, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').expect("every value is quoted and closed");
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in <{tag}>");
            assert!(attribute != "href" || value.starts_with("#t"), "<{tag}> leads away");
            rest = after.trim_start();
        }
        assert!(matches!(rest, "" | "/"), "{rest:?} in <{tag}>");
    }
    assert!(!page.contains("http:") && !page.contains("https:"), "it refers to nothing elsewhere");
    let unseen = |mark: &char| {
        mark.is_control() && *mark != '\n'
            || matches!(mark, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
    };
    assert_eq!(page.chars().find(unseen), None);
}

/// Returns a handoff that holds a text in every place, and whose files are not there.
fn handoff(text: &str) -> String {
    json!({
        "task_id": text, "stage": text, "from": text, "to": text, "status": "complete",
        "started_at": "2025-04-24T02:00:00Z", "completed_at": "2025-04-24T01:00:00Z",
        "commit": text, "summary": text,
        "files_created": [format!("src/{text}.rs"), text], "files_modified": [format!("src/{text}.rs")],
        "acceptance_criteria": [text],
        "checks": [{ "name": text, "status": "pass", "message": text, "evidence": format!("logs/{text}.log") }],
    })
    .to_string()
}

fn repository(write: impl Fn(&Path)) -> Place {
    let place = Place::new();
    write(place.path());
    place
}

fn lying() -> Place {
    repository(|folder| {
        baton_testkit::project::lying(&folder.join("project")).expect("the project can be written");
    })
}

/// Returns the page, whatever came of the audit.
fn page(run: &Run) -> String {
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.err());
    let page = run.out();
    assert!(page.ends_with("</body></html>\n"), "the page is whole");
    page
}

/// Returns words as the page shows them.
fn shown(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[test]
fn nothing_of_a_document_becomes_markup() {
    for (payload, expected) in PAYLOADS {
        let place = Place::with(&[
            ("one/handoff.json", &handoff(payload)),
            ("two/handoff.json", &handoff(&format!("WP-1 {payload}"))),
        ]);
        let run = place.baton(&[HTML, &["--allow-empty"]].concat());
        let page = page(&run);
        assert_inert(&page);
        assert!(!page.contains(payload), "{payload:?} is there as it is");
        assert!(page.contains(expected), "{payload:?} is not shown as {expected:?} in {page}");
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_and_folders_do_not_become_markup() {
    for (payload, expected) in PAYLOADS.iter().filter(|(payload, _)| !payload.contains('/')) {
        let place = Place::new();
        place.write(&format!("{payload}/{payload}.json"), handoff("WP-1"));
        let found = page(&place.baton(HTML));
        assert_inert(&found);
        assert!(found.contains(expected), "{payload:?} is not shown as {expected:?}");
        let inside = page(&place.baton(&["audit", &format!("./{payload}"), "--format", "html"]));
        assert_inert(&inside);
        assert!(inside.contains(&format!("<h1>{expected}</h1>")), "{payload:?} is audited by its name");
    }
}

#[test]
fn the_page_may_load_and_run_nothing() {
    let place = Place::with(&[("handoff.json", &handoff("WP-1"))]);
    let page = page(&place.baton(HTML));
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src &#39;sha256-";
    assert!(page.contains(policy), "{page}");
    let (before, _) = page.split_once("<style>").expect("there is a style");
    assert!(before.contains(policy), "the policy comes before what it is for");
    assert!(!page.contains("unsafe-inline") && !page.contains("<script") && !page.contains(" style="));
}

#[test]
fn every_finding_is_on_the_page() {
    let place = lying();
    let whole = page(&place.baton(&["audit", "project", "--format", "html"]));
    assert_inert(&whole);
    let answer = place.baton(&["audit", "project", "--json"]).ends_with(1).json();
    let words = |value: &Value| shown(value.as_str().unwrap_or_default());
    let mut findings = 0;
    for task in answer["tasks"].as_array().expect("tasks") {
        let name = words(&task["task"]);
        let article = whole
            .split("<article ")
            .find(|article| article.contains(&format!("\">{name}</a></h3>")))
            .unwrap_or_default();
        for handoff in task["handoffs"].as_array().expect("handoffs") {
            for claim in handoff["claims"].as_array().expect("claims") {
                if !matches!(claim["verdict"].as_str(), Some("contradicted" | "unsupported")) {
                    continue;
                }
                findings += 1;
                let place = format!("<code>{}:{}</code>", words(&handoff["path"]), claim["line"]);
                assert!(article.contains(&place), "{place} is not under {name}");
                for part in ["claim", "reason", "code", "provenance"].map(|part| words(&claim[part])) {
                    // What stands in backticks may be an element of its own.
                    let is_there = part.split('`').all(|part| article.contains(part));
                    assert!(is_there, "{part} is not under {name}");
                }
                assert!(article.contains(&words(&claim["against"]["text"])), "{claim}");
            }
        }
    }
    assert_eq!(whole.matches("<details class=\"rule\">").count(), findings);
    assert!(findings > 80, "only {findings} findings");
}

#[test]
fn the_same_repository_gives_the_same_page() {
    let place = lying();
    let args = ["audit", "project", "--format", "html"];
    let one = page(&place.baton(&[&args[..], &["--threads", "1"]].concat()));
    let other = page(&place.baton(&[&args[..], &["--threads", "4", "--color", "always"]].concat()));
    assert!(one == other, "two runs differ");
}

#[test]
fn times_are_drawn_by_what_is_known_of_them() {
    let draw = |started: &str, ended: &str| {
        let document = json!({
            "task_id": "WP-1", "from": "builder", "to": "checker", "status": "complete", "summary": "Built",
            "started_at": started, "completed_at": ended, "files_created": ["a.rs"],
        });
        let place = Place::with(&[("handoff.json", &document.to_string())]);
        let page = page(&place.baton(HTML));
        let (_, timeline) = page.split_once("<div class=\"timeline\">").expect("there is a timeline");
        timeline.split("</ol>").next().unwrap_or_default().to_owned()
    };
    let exact = draw("2025-04-24T01:00:00Z", "2025-04-24T02:30:00Z");
    assert!(exact.contains("<rect class=\"bar\"") && exact.contains("2025-04-24 01:00 – 02:30"), "{exact}");
    let unsure = draw("2025-04-24", "2025-04-29T02:30:00");
    assert!(unsure.contains("<rect class=\"hatched") && unsure.contains("offset not given"), "{unsure}");
    let backwards = draw("2025-04-24T02:30:00Z", "2025-04-24T01:00:00Z");
    assert!(backwards.contains("<rect class=\"bar impossible\""), "{backwards}");
}

#[test]
fn one_task_is_counted_alone() {
    let place = lying();
    let page = page(&place.baton(&["audit", "project", "--task", "F052", "--format", "html"]));
    assert!(page.contains("4 handoffs of 1 task,"), "{page}");
    assert_eq!(page.matches("<article ").count(), 1);
    assert!(!page.contains("<nav"), "one task needs no index");
}

#[test]
fn many_tasks_are_cut_off_and_the_page_says_so() {
    let place = Place::new();
    let backwards = good().replace("completed_at: 20", "completed_at: 19");
    let id = backwards.lines().find_map(|line| line.strip_prefix("id: ")).expect("a document has an id");
    for number in 0..1300 {
        place.write(&format!("{number}/handoff.md"), backwards.replace(id, &format!("X{number}")));
    }
    let page = page(&place.baton(HTML));
    assert_inert(&page);
    assert_eq!(page.matches("<article ").count(), 200);
    assert!(
        page.contains("The worst 200 tasks are shown in full. Of 1100 further tasks"),
        "the bound is named"
    );
    assert!(page.contains("100 more tasks left out"), "what is left out is counted");
    assert!(page.contains("baton audit --format json"), "where the rest is, is said");
}

#[test]
fn an_audit_of_nothing_says_so() {
    let place = Place::with(&[("README.txt", "nothing here")]);
    let page = page(&place.baton(&[HTML, &["--allow-empty"]].concat()));
    assert_inert(&page);
    assert!(page.contains("No handoff was found, so nothing was judged."), "{page}");
    place.baton(HTML).ends_with(6);
}
