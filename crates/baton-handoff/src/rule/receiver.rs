//! Who receives a package.

use super::Subject;
use crate::dialect::Dialect;
use crate::field::Field;
use crate::record::Text;

/// Returns the name of whoever receives a package.
pub(super) fn of_package<'a, 's>(subject: &Subject<'a, 's>) -> Option<&'a Text<'s>> {
    let is_package = subject.handoff.dialect == Dialect::Package && subject.handoff.variant.name == "package";
    let receiver = is_package.then(|| subject.handoff.record.text(Field::To)).flatten();
    receiver.filter(|receiver| !receiver.is_blank())
}

/// Says whether a receiver is a person.
pub(super) fn is_human(receiver: &Text<'_>) -> bool {
    let name = receiver.as_str().trim().trim_start_matches('@');
    ["human", "user", "person", "operator"].iter().any(|known| known.eq_ignore_ascii_case(name))
}
