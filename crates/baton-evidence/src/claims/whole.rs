//! Documents with several handoffs: whoever hands one over is answerable for all of it.

use super::Claims;

impl Claims {
    /// Joins the claims of all handoffs of a document; the first says how the work stands.
    pub fn of_whole(all: Vec<Self>) -> Option<Self> {
        let mut all = all.into_iter();
        let mut whole = all.next()?;
        for other in all {
            // A later block may only add to what the document says of its turn.
            whole.finishes |= other.finishes && whole.outcome == baton_handoff::outcome::Outcome::Unknown;
            whole.files.extend(other.files);
            whole.commits.extend(other.commits);
            whole.checkpoints.extend(other.checkpoints);
            whole.criteria.extend(other.criteria);
            whole.ledger.extend(other.ledger);
            whole.evidence.extend(other.evidence);
            whole.counts.extend(other.counts);
            whole.file_counts.extend(other.file_counts);
            whole.failed_output.extend(other.failed_output);
            whole.blocking.extend(other.blocking);
            whole.own_words.extend(other.own_words);
            whole.prose_files.extend(other.prose_files);
            whole.contradictions.extend(other.contradictions);
            whole.completed = whole.completed.or(other.completed);
            whole.at = whole.at.or(other.at);
            whole.task = whole.task.or(other.task);
            whole.stage = whole.stage.or(other.stage);
            whole.retry_count = whole.retry_count.or(other.retry_count);
        }
        whole.once();
        Some(whole)
    }

    /// Keeps what stands in the text of the document, and so was read with each of its handoffs, once.
    fn once(&mut self) {
        fn keep<T>(all: &mut Vec<T>, same: impl Fn(&T, &T) -> bool) {
            let mut kept: Vec<T> = Vec::new();
            for one in all.drain(..) {
                if !kept.iter().any(|known| same(known, &one)) {
                    kept.push(one);
                }
            }
            *all = kept;
        }
        keep(&mut self.files, |a, b| a.path == b.path && a.claim == b.claim);
        keep(&mut self.prose_files, |a, b| a.path == b.path && a.claim == b.claim);
        keep(&mut self.commits, |a, b| a == b);
        keep(&mut self.own_words, |a, b| a == b);
        keep(&mut self.failed_output, |a, b| a == b);
        keep(&mut self.checkpoints, |a, b| a.name == b.name);
        keep(&mut self.criteria, |a, b| a.name == b.name);
        keep(&mut self.ledger, |a, b| a.command == b.command && a.exit_code == b.exit_code);
        keep(&mut self.counts, |a, b| a.place == b.place && a.of == b.of && a.number == b.number);
        let files = &self.files;
        self.prose_files.retain(|named| named.adds_to(files));
    }
}
