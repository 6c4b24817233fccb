//! What YAML can do beyond data: bombs, depth, duplicates, merges, tags, streams.

use super::{Case, GOING_ON, going_on, stage, stage_data, summary};

const LEVELS: usize = 9;
const WIDTH: usize = 9;

pub(super) fn add(cases: &mut Vec<Case>) {
    bombs(cases);
    depth(cases);
    duplicates(cases);
    merges(cases);
    tags(cases);
    frontmatter(cases);
    size(cases);
}

/// Nine levels of nine aliases each: a few hundred bytes that would grow to 387 million values.
fn bomb() -> String {
    let mut text = format!("a: &a [{}]\n", ["x"; WIDTH].join(","));
    for level in 1..LEVELS {
        let (name, inner) = (char::from(b'a' + level as u8), char::from(b'a' + level as u8 - 1));
        text.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{inner}"); WIDTH].join(",")));
    }
    text
}

fn bombs(cases: &mut Vec<Case>) {
    cases.push(Case::refused("A1", "alias bomb, alone", bomb(), &["BT008"]).says(&["anchor"]).at_lines(&[1]));
    let inside = stage(&[]).replace("# The link", "").replacen("---\n", &format!("---\n{}", bomb()), 1);
    cases.push(
        Case::refused("A1", "alias bomb in frontmatter", inside, &["BT008"]).says(&["anchor"]).at_lines(&[2]),
    );
    let inner: String = bomb().lines().map(|line| format!("    {line}\n")).collect();
    let inside = summary("@tester", &format!("  context:\n{inner}    all: *i\n"));
    cases.push(Case::refused("A1", "alias bomb in a summary", inside, &["BT008"]).at_lines(&[7]));

    let anchor = format!("  context:\n    big: &big \"{}\"\n", "a".repeat(20_000));
    let aliases = format!("    all: [{}]\n", vec!["*big"; 20_000].join(","));
    let text = summary("@tester", &(anchor.clone() + &aliases));
    cases.push(
        Case::refused("A2", "20,000 aliases of 20 kB", text, &["BT005"]).says(&["2000"]).at_lines(&[8]),
    );
    let list = format!("[{}]", vec!["*big"; 1_000].join(","));
    let lists: String = (0..18).map(|at| format!("    list{at}: {list}\n")).collect();
    let text = summary("@tester", &(anchor + &lists));
    cases.push(Case::refused("A2", "18,000 aliases in lists within the limit", text, &["BT008"]));
}

fn nested(depth: usize) -> String {
    (0..depth).map(|at| format!("{}a:\n", " ".repeat(at))).collect()
}

fn depth(cases: &mut Vec<Case>) {
    let head = "phase: Testing\nfrom: \"@tester\"\nto: \"@builder\"\nstatus: complete\ncontext:\n";
    let under = |inner: &str| format!("{head}{inner}");
    cases.push(Case::refused("A4", "3,000 levels of blocks", nested(3_000), &["BT003"]).says(&["1048576"]));
    cases.push(Case::refused("A4", "1,000 levels of blocks", nested(1_000), &["BT005"]).says(&["32"]));
    let block: String = nested(40).lines().map(|line| format!(" {line}\n")).collect();
    cases.push(Case::refused("A4", "40 levels of blocks", under(&block), &["BT005"]).says(&["32"]));
    let flow = format!(" deep: {}{}\n", "[".repeat(200_000), "]".repeat(200_000));
    cases.push(Case::refused("A4", "200,000 levels of flow", under(&flow), &["BT005"]).says(&["32"]));
    let items = format!(" deep:\n  {}x\n", "- ".repeat(200_000));
    cases.push(Case::refused("A4", "200,000 lists on one line", under(&items), &["BT005"]).says(&["32"]));
    let keys = format!(" deep:\n  {}x\n", "? ".repeat(200_000));
    cases.push(Case::refused("A4", "200,000 keys that are mappings", under(&keys), &["BT005"]).says(&["32"]));
    let quote = format!("{} status: complete\n", ">".repeat(400_000));
    cases.push(Case::either("A4", "400,000 levels of quotes", quote));
}

fn duplicates(cases: &mut Vec<Case>) {
    let twice = |first: &str, second: &str| {
        stage(&[("status", "failed")]).replace("status: failed\n", &format!("{first}\n{second}\n"))
    };
    for (name, first, second) in [
        ("failed, then complete", "status: failed", "status: complete"),
        ("complete, then failed", "status: complete", "status: failed"),
        ("in quotes", "status: failed", "\"status\": complete"),
        ("escaped", "status: failed", "\"st\\u0061tus\": complete"),
    ] {
        let case = Case::refused("A5", format!("status twice: {name}"), twice(first, second), &["BT010"]);
        cases.push(case.says(&["status", "twice"]).at_lines(&[6, 5]));
    }
    let case =
        Case::either("A5", "status twice in another case", twice("Status: failed", "status: complete"));
    cases.push(case.keeps("outcome", "failed"));
    let more = "  status: complete\n";
    let case = Case::refused("A5", "status twice under the wrapper", summary("@tester", more), &["BT010"]);
    cases.push(case.at_lines(&[6, 5]));
    let blocks = format!("{}{}", summary("@tester", ""), "handoff:\n  status: complete\n");
    cases.push(Case::refused("A5", "the wrapper twice", blocks, &["BT010"]).at_lines(&[6, 1]));
}

fn merges(cases: &mut Vec<Case>) {
    let ok = "ok: &ok\n  status: complete\n  handoff_ready: true\n";
    let with = |line: &str| going_on(&[]).replacen("---\n", &format!("---\n{ok}{line}\n"), 1);
    let case = Case::refused("A6", "merge beside the fields", with("<<: *ok"), &["BT008"]);
    cases.push(case.says(&["merge key"]).keeps("outcome", "in_progress"));
    let without: String = with("<<: *ok")
        .lines()
        .filter(|line| !line.starts_with("status:"))
        .map(|line| format!("{line}\n"))
        .collect();
    cases.push(Case::refused("A6", "merge instead of the field", without, &["BT008"]).says(&["merge key"]));
    cases.push(Case::refused("A6", "merge of a list", with("<<: [*ok, *ok]"), &["BT008"]));
    let literal = going_on(&[("'<<'", "{status: complete, handoff_ready: true}")]);
    cases.push(Case::either("A6", "merge key as a literal", literal).keeps("outcome", "in_progress"));
    let inline = going_on(&[("<<", "{status: complete, handoff_ready: true}")]);
    cases.push(
        Case::refused("A6", "merge of what stands there", inline, &["BT008"]).keeps("outcome", "in_progress"),
    );
}

fn tags(cases: &mut Vec<Case>) {
    for (name, value) in [
        ("python call", "!!python/object/apply:os.system [\"touch pwned\"]"),
        ("binary", "!!binary Y29tcGxldGU="),
        ("include", "!include /etc/passwd"),
        ("unknown", "!unknown complete"),
        ("the ordinary one", "!!str complete"),
        ("verbatim", "!<tag:yaml.org,2002:python/name:os.system> complete"),
        ("nothing but a tag", "!"),
    ] {
        let case = Case::refused("A7", format!("tag: {name}"), stage(&[("status", value)]), &["BT009"]);
        cases.push(case.at_lines(&[5]));
    }
    let directive =
        format!("%TAG ! tag:evil.example,2026:\n---\n{}", stage_data(&[("status", "!x complete")]));
    cases.push(Case::either("A7", "a tag by its directive", directive));
}

fn frontmatter(cases: &mut Vec<Case>) {
    let failure = "|\n  the log ends with\n  ---\n  status: complete\n  handoff_ready: true";
    let text = going_on(&[("last_failure", failure)]);
    cases.push(Case::read("A11", "fence inside a block of text", text).keeps("outcome", "in_progress"));
    let failure = "|\n---\nstatus: complete\nhandoff_ready: true\n---\n";
    let text = going_on(&[("last_failure", failure)]);
    cases.push(Case::either("A11", "fence at the margin of a block of text", text));
    let data = stage_data(GOING_ON);
    let ended =
        format!("---\n{data}...\nstatus: complete\nhandoff_ready: true\n---\n\n# The link\n\nIt is sent.\n");
    cases.push(Case::either("A11", "end marker before more keys", ended));
    let closed = format!("---\n{data}...\n\n# The link\n\nstatus: complete\n");
    cases.push(Case::either("A11", "end marker as the closing fence", closed));
    let windows = format!("\u{feff}{}", going_on(&[]).replace('\n', "\r\n"));
    cases.push(
        Case::read("A11", "byte order mark and CRLF", windows)
            .keeps("task", "TASK-7")
            .keeps("stage", "implementation"),
    );
    let second = format!("{}\n---\nstatus: complete\nhandoff_ready: true\n---\n", going_on(&[]));
    cases.push(Case::read("A11", "second frontmatter in the body", second).keeps("outcome", "in_progress"));
    let second = format!("{}\n{}", going_on(&[]), stage(&[("id", "TASK-7")]));
    cases.push(
        Case::read("A11", "a whole second document in the body", second).keeps("outcome", "in_progress"),
    );
    let next = format!("---\n{data}---\n---\nstatus: complete\nhandoff_ready: true\n---\n");
    cases.push(
        Case::either("A11", "second frontmatter right after the first", next).keeps("outcome", "in_progress"),
    );
    let open = going_on(&[]).replace("---\n\n#", "\n#");
    cases.push(Case::refused("A11", "no closing fence before a single line", open.clone(), &[]));
    let open = format!("{open}It is spent once.\n\nA second try is refused.\n");
    cases.push(Case::read("A11", "no closing fence", open).codes(&["BT014"]).at_lines(&[1]));
    let long = format!("---\n{}", "status: complete\n".repeat(130_000));
    cases.push(Case::refused("A11", "no closing fence in 2 MB", long, &["BT003"]).says(&["1048576"]));
}

fn size(cases: &mut Vec<Case>) {
    let scalar = |bytes: usize| stage(&[("title", &"a".repeat(bytes))]);
    cases.push(Case::refused("A12", "20 MB in one value", scalar(20_000_000), &["BT003"]).says(&["1048576"]));
    cases.push(
        Case::refused("A12", "900 kB in one value", scalar(900_000), &["BT005"])
            .says(&["65536"])
            .at_lines(&[4]),
    );
    let keys = |count: usize| -> String { (0..count).map(|at| format!("key{at}: v\n")).collect() };
    cases.push(Case::refused("A12", "400,000 keys", stage_data(&[]) + &keys(400_000), &["BT003"]));
    cases.push(
        Case::refused("A12", "60,000 keys", stage_data(&[]) + &keys(60_000), &["BT005"]).says(&["20000"]),
    );
    let same = "status: complete\n".repeat(9_000);
    cases.push(Case::refused("A12", "9,000 times the same key", stage_data(&[]) + &same, &["BT010"]));
    let stream = vec![summary("@tester", ""); 1_025].join("---\n");
    cases.push(Case::refused("A12", "1,025 documents in a stream", stream, &["BT005"]).says(&["64"]));
    let fences = format!("# Handoffs\n\n{}", "```yaml\nhandoff:\n  phase: QA\n```\n".repeat(25_000));
    cases.push(Case::either("A12", "25,000 fences", fences));
    let open = format!("# Handoff\n\n{}", "```yaml\n".repeat(100_000));
    cases.push(Case::either("A12", "100,000 fences that never close", open));
    let headings = "## Handoff\nstatus: failed\n".repeat(35_000);
    cases.push(Case::either("A12", "35,000 sections called handoff", headings));
}
