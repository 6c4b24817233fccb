//! The words by which agents learn how to hand over. The same stand in the feedback and in what `baton init` writes.

/// How a handoff is written: the form that prompts ask for where no task says otherwise.
pub use crate::drive::TASK_FILE as FORM;

#[cfg(test)]
mod tests {
    use super::*;
    use baton_handoff::diagnostic::Severity;
    use baton_handoff::dialect::Dialect;
    use baton_handoff::document;
    use baton_handoff::judge::judge;
    use baton_handoff::project::Project;
    use baton_handoff::rule::Code;

    /// The note on a key that the dialect doesn't have.
    const UNKNOWN_KEY: Code = Code(106);

    /// Fills in every line as its comment says.
    fn filled(outcome: &str) -> String {
        let line = |line: &str| {
            let example = line
                .split_once("[]  # ")
                .filter(|(key, _)| !(outcome == "completed" && key.starts_with("blockers")));
            match example.and_then(|(key, comment)| Some((key, &comment[comment.find('{')?..]))) {
                Some((key, item)) => format!("{key}\n  - {}\n", first_choice(item)),
                None => format!("{}\n", line.split("  # ").next().unwrap_or_default()),
            }
        };
        let text: String = FORM.lines().map(line).collect();
        format!("Done.\n\n{}", text.replace("outcome: completed", &format!("outcome: {outcome}")))
    }

    fn first_choice(item: &str) -> String {
        let mut item = item.to_owned();
        while let Some(at) = item.find(" | ") {
            let end = item[at..].find([',', '}']).map_or(item.len(), |end| at + end);
            item.replace_range(at..end, "");
        }
        item
    }

    #[test]
    fn form_has_no_error_and_no_unknown_key_whatever_the_outcome() {
        for outcome in ["completed", "partial", "failed", "blocked"] {
            let text = filled(outcome);
            let mut read = document::read(&text);
            let found = judge(&mut read, &Project::default());
            let wrong = |severity, code| severity == Severity::Error || code == UNKNOWN_KEY;
            let wrong: Vec<_> = found.iter().filter(|found| wrong(found.severity, found.code)).collect();
            assert!(wrong.is_empty(), "{text}\n{wrong:?}");
            assert_eq!(read.handoffs[0].dialect, Dialect::Taskfile);
        }
    }
}
