//! One synthetic handoff: its dialect, its text, and whether something is wrong with it.

use super::{package, stage, summary, task};
use baton_testkit::random::Random;

const SEED: u64 = 0x6261_746f_6e21;

/// Seven documents in every two hundred are invalid: 3.5 %.
const INVALID_NUMERATOR: usize = 7;
const INVALID_DENOMINATOR: usize = 200;
/// Keeps the first documents of the folder clean, since the cold start is measured on one of them.
const INVALID_PHASE: usize = 100;

#[derive(Clone, Copy)]
pub(super) enum Dialect {
    Stage,
    Summary,
    Task,
    Package,
}

/// What is wrong with an invalid document. A JSON Schema can see each of these.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    MissingField,
    UnknownValue,
    WrongType,
}

pub(super) struct Document {
    pub(super) dialect: Dialect,
    pub(super) fault: Option<Fault>,
    /// The whole file.
    pub(super) text: String,
    /// Its YAML alone, for the peer that cannot read markdown.
    pub(super) yaml: String,
}

impl Document {
    pub(super) fn generate(index: usize) -> Self {
        let random = &mut Random::numbered(SEED, index);
        let dialect = *random.pick(&[Dialect::Stage, Dialect::Summary, Dialect::Task, Dialect::Package]);
        let fault = is_invalid(index)
            .then(|| *random.pick(&[Fault::MissingField, Fault::UnknownValue, Fault::WrongType]));
        let (yaml, text) = match dialect {
            Dialect::Stage => stage::write(random, index, fault),
            Dialect::Summary => summary::write(random, fault),
            Dialect::Task => task::write(random, index, fault),
            Dialect::Package => package::write(random, index, fault),
        };
        Self { dialect, fault, text, yaml }
    }

    /// Returns the name within its folder of a hundred. The peers tell the dialects apart by it; Baton does not.
    pub(super) fn name(&self, index: usize) -> String {
        let ending = match self.dialect {
            Dialect::Stage => "stage.md",
            Dialect::Summary => "summary.md",
            Dialect::Task => "task.md",
            Dialect::Package => "package.yaml",
        };
        format!("{index:05}.{ending}")
    }
}

fn is_invalid(index: usize) -> bool {
    (index * INVALID_NUMERATOR + INVALID_PHASE) % INVALID_DENOMINATOR < INVALID_NUMERATOR
}

/// Joins lines and ends the last one.
pub(super) fn lines_to_text(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// Pushes lines given as literals or strings.
macro_rules! push {
    ($lines:ident, $($format:tt)*) => { $lines.push(format!($($format)*)) };
}
pub(super) use push;

#[cfg(test)]
mod tests {
    use super::{Dialect, Document};

    #[test]
    fn the_same_index_gives_the_same_document() {
        assert!((0..50).all(|index| Document::generate(index).text == Document::generate(index).text));
    }

    #[test]
    fn documents_have_the_size_and_the_faults_that_the_report_claims() {
        let documents: Vec<Document> = (0..1_000).map(Document::generate).collect();
        let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
        assert!((4_000..4_600).contains(&(bytes / documents.len())));
        assert_eq!(documents.iter().filter(|document| document.fault.is_some()).count(), 35);
        let packages =
            documents.iter().filter(|document| matches!(document.dialect, Dialect::Package)).count();
        assert!((200..300).contains(&packages));
    }

    #[test]
    fn the_yaml_is_part_of_the_file() {
        assert!((0..200).map(Document::generate).all(|document| document.text.contains(&document.yaml)));
    }
}
