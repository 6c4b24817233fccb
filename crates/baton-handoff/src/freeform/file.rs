//! The files that sections list and that running text names.

use crate::field::Field;
use crate::record::Confidence;
use crate::span::Span;

use super::gather::{Gatherer, is_prose};
use super::item::Item;
use super::label::place;
use super::lexicon::Meaning;
use super::outline::Section;
use super::path;

impl<'s> Gatherer<'s> {
    /// Files an item of a list of files by what is said of it.
    pub(super) fn file(&mut self, meaning: Meaning, label: Span, item: &Item) {
        let named = item
            .cell(&["file", "path", "files", "file path", "artifact", "文件", "ファイル"])
            .unwrap_or(item.text);
        let mention = path::mention(self.source, named);
        let change_cell = item.cell(&[
            "change",
            "changes",
            "action",
            "status",
            "type",
            "change type",
            "what changed",
            "purpose",
            "description",
            "notes",
        ]);
        let remark = change_cell.filter(|cell| *cell != named).or(mention.remark);
        let said = remark
            .and_then(|remark| path::change(remark.text(self.source)))
            .or_else(|| path::change(lead_in(self.source, named)));
        let field = match meaning {
            Meaning::Facts(Field::FileTargets) => {
                for path in mention.paths {
                    self.facts.add(Field::FileTargets, label, place(self.source, path), Confidence::Likely);
                }
                return;
            }
            Meaning::Facts(field @ (Field::FilesMentioned | Field::FilesToRead | Field::FilesDeleted)) => {
                field
            }
            Meaning::Facts(Field::FilesCreated) => match said {
                Some(Field::FilesDeleted) => Field::FilesDeleted,
                _ => Field::FilesCreated,
            },
            _ => said.unwrap_or(Field::FilesModified),
        };
        for path in mention.paths {
            self.facts.add_file(field, path, label, remark, Confidence::Likely);
        }
    }

    /// Files that running text names in backticks.
    pub(super) fn mentions(&mut self, section: &Section) {
        for unit in section.units.iter().filter(|unit| is_prose(unit)) {
            if self.facts.is_full() {
                return;
            }
            let text: &'s str = unit.text.text(self.source);
            if !text.contains('`') {
                continue;
            }
            let field = match (section.meaning, path::change(text)) {
                (Some(Meaning::Facts(Field::Done)), Some(field)) => field,
                _ => Field::FilesMentioned,
            };
            for (index, path) in path::quoted_paths(text).into_iter().enumerate() {
                let field = if index == 0 { field } else { Field::FilesMentioned };
                self.facts.add_file(field, path, section.label, None, Confidence::Low);
            }
        }
    }
}

/// Says whether a section's own items are files, or it is not looked at.
pub(super) fn lists_files(meaning: Option<Meaning>) -> bool {
    matches!(
        meaning,
        Some(
            Meaning::Aside
                | Meaning::ChangedFiles
                | Meaning::Facts(
                    Field::FilesCreated
                        | Field::FilesDeleted
                        | Field::FilesMentioned
                        | Field::FilesToRead
                        | Field::FileTargets
                )
        )
    )
}

/// Returns the words before the first path: "New: `a.rs`".
fn lead_in(source: &str, item: Span) -> &str {
    let text = item.text(source);
    text.split(['`', ':']).next().filter(|lead| lead.len() < 24 && !lead.contains('/')).unwrap_or_default()
}
