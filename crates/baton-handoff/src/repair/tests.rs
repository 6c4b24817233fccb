use super::*;

/// Repairs `yaml` and returns the value under `key` of the root, or of the first item of its list.
fn repaired(yaml: &str, key: &str) -> String {
    let parsed = yaml::parse(yaml, 0);
    let first = parsed.fatal().expect("the input is broken").clone();
    let repaired = repair(yaml, 0, &first).expect("it can be repaired");
    let node = repaired.parsed.documents[0].get(key).expect("the key is there").clone();
    let scalar = node.items().map_or(node.clone(), |items| items[0].clone());
    scalar.text().unwrap_or_default().to_owned()
}

#[test]
fn text_after_a_closing_quote_stays_whole() {
    assert_eq!(
        repaired("uses:\n  - \"@scope/tip\" (through the old one)\n", "uses"),
        "\"@scope/tip\" (through the old one)"
    );
}

#[test]
fn a_second_colon_stays_in_the_value() {
    assert_eq!(
        repaired("gives: a model with on: dict field\nnext: 1\n", "gives"),
        "a model with on: dict field"
    );
}

#[test]
fn a_leading_at_sign_is_quoted() {
    assert_eq!(repaired("from: @builder\n", "from"), "@builder");
    assert_eq!(repaired("added: [@vitest/ui, vitest]\n", "added"), "@vitest/ui");
}

#[test]
fn brackets_inside_a_flow_list_are_quoted() {
    assert_eq!(repaired("affects: [src/app/[locale]/page.tsx, b]\n", "affects"), "src/app/[locale]/page.tsx");
}

#[test]
fn a_checkbox_keeps_its_box() {
    assert_eq!(repaired("todo:\n  - [ ] second row\n  - plain\n", "todo"), "[ ] second row");
}

#[test]
fn an_item_over_several_lines_is_one_text() {
    let yaml = "notes:\n  - IMPORTANT for the user: it fires\n      at night only: never by day\n  - other\n";
    assert_eq!(repaired(yaml, "notes"), "IMPORTANT for the user: it fires at night only: never by day");
}

#[test]
fn a_bad_escape_is_read_as_written() {
    assert_eq!(repaired("regex: \"\\d+\"\n", "regex"), "\\d+");
}

#[test]
fn spans_are_those_of_the_text_as_written() {
    let yaml = "a: @x\nb: @y\nc: z\n";
    let parsed = yaml::parse(yaml, 0);
    let first = parsed.fatal().expect("broken").clone();
    let repaired = repair(
        yaml,
        10,
        &Trouble::Syntax { span: Span::at(10 + first.span().start as usize), message: String::new() },
    )
    .expect("repairable");
    let root = &repaired.parsed.documents[0];
    assert_eq!(root.get("c").expect("c").span, Span::new(10 + 15, 10 + 16));
    assert_eq!(repaired.repairs.len(), 2);
}
