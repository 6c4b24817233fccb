use super::decode;

#[test]
fn base64_is_read_by_the_letter() {
    for (text, expected) in [("", Some("")), ("YQ==", Some("a")), ("YWI=", Some("ab")), ("YWJj", Some("abc"))]
    {
        assert_eq!(decode(text).as_deref(), expected, "{text}");
    }
    for bad in ["YQ", "YQ=", "Y Q=", "====", "Y===", "YW\u{e9}j", "/////w==", "-_=="] {
        assert_eq!(decode(bad), None, "{bad}");
    }
}
