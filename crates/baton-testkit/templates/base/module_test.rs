use harbour::money::Cents;
use harbour::{{slug}}::{Line, amount, total};

fn line(nights: i64) -> Line {
    Line { berth: 7, nights, price: Cents(1200) }
}

#[test]
fn one_night_costs_its_price() {
    assert_eq!(amount(&line(1)), Cents(1200));
}

#[test]
fn three_nights_cost_three_times_as_much() {
    assert_eq!(amount(&line(3)), Cents(3600));
}

#[test]
fn no_night_costs_nothing() {
    assert_eq!(amount(&line(0)), Cents(0));
}

#[test]
fn lines_add_up() {
    assert_eq!(total(&[line(1), line(2)]), Cents(3600));
}
