//! Who commits.

use super::moment::Moment;

pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) mail: &'static str,
    /// As git writes it.
    pub(crate) zone: &'static str,
}

pub(crate) static PEOPLE: &[Person] = &[
    Person { name: "Ana Ruiz", mail: "ana@harbour.example", zone: "+0100" },
    Person { name: "Ben Okafor", mail: "ben@harbour.example", zone: "+0000" },
    Person { name: "Chandra Iyer", mail: "chandra@harbour.example", zone: "+0530" },
    Person { name: "Dora Lima", mail: "dora@harbour.example", zone: "-0300" },
];

impl Person {
    /// Returns the line of a commit without its first word.
    pub(crate) fn stamp(&self, at: Moment) -> String {
        format!("{} <{}> {} {}", self.name, self.mail, at.second, self.zone)
    }
}
