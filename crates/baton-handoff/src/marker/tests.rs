use super::scan;

#[test]
fn markers_are_read_with_their_content_and_attributes() {
    let source = "<execution-stage name=\"tests\" result=pass>\n all green \n</execution-stage>\n<validation id='v1'/>\n";
    let found = scan(source);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].attributes, [("name", "tests"), ("result", "pass")]);
    assert_eq!(found[0].content, "all green");
    assert_eq!(found[0].content_span.text(source), "all green");
    assert_eq!((found[1].attributes.as_slice(), found[1].closed), ([("id", "v1")].as_slice(), true));
}

#[test]
fn code_fences_and_comments_are_skipped() {
    let source = "Write `<waypoint-complete>` last.\n\n```\n<validation>x</validation>\n```\n<!-- <validation>y</validation> -->\n";
    assert_eq!(scan(source), []);
}

#[test]
fn a_marker_that_is_not_closed_ends_with_its_line() {
    let found = scan("<waypoint-complete>WP-3\nmore text\n<validation>ok</validation>");
    assert_eq!((found[0].content, found[0].closed), ("WP-3", false));
    assert_eq!((found[1].content, found[1].closed), ("ok", true));
}

#[test]
fn hostile_text_is_bounded() {
    assert!(scan(&"<validation>".repeat(80_000)).len() <= crate::limit::BLOCKS_MAX);
    assert_eq!(scan(&("waypoint-complete ".to_owned() + &"<".repeat(900_000))), []);
}
