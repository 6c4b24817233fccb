use super::*;

fn all(text: &str) -> Vec<String> {
    terms(text).collect()
}

#[test]
fn a_word_is_found_by_its_beginning() {
    let text = "Offers, CITIES; Éclairs and the İstanbul harbour";
    for term in terms(text) {
        let wanted = [beginning(&term)].into();
        assert!(terms_beginning(text, &wanted).any(|found| found == term), "{term}");
    }
    assert_eq!(terms_beginning(text, &[beginning("offer")].into()).count(), 1);
}

#[test]
fn one_and_many_are_the_same_word() {
    for (one, many) in [
        ("offer", "Offers"),
        ("switch", "switches"),
        ("cache", "CACHES"),
        ("city", "cities"),
        ("API", "APIs"),
    ] {
        assert_eq!(all(one), all(many), "{one} {many}");
    }
    assert_ne!(all("class"), all("clay"));
    assert_ne!(all("bus"), all("bu"));
}

#[test]
fn paths_are_words_and_what_says_nothing_is_none() {
    assert_eq!(all("src/queue/order_book.rs"), all("the queue of an order book"));
    assert!(all("the src of it, and that is all").is_empty());
    assert!(EMPTY.is_sorted(), "it is searched by halves");
}
