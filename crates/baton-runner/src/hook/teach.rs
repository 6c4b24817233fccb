//! The words by which agents learn how to hand over. The same stand in the feedback and in what `baton init` writes.

/// How a handoff is written.
pub const FORM: &str = r#"```yaml
outcome: completed  # or partial, failed, blocked: say it as it is
summary: one line
files_created: []  # - {path: src/new.rs, purpose: why it is there}
files_modified: []  # - {path: src/old.rs, change_type: modify, description: what and why}  (or delete)
gotchas: []  # - {issue: a trap for whoever comes next, severity: low}
open_questions: []  # - {question: what is unclear, blocking: false}
suggested_next_steps: []  # - {step: what comes next, priority: high}
blockers: []  # - {blocker: what a person must settle, suggested_resolution: how}
```
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use baton_handoff::diagnostic::Severity;
    use baton_handoff::dialect::Dialect;
    use baton_handoff::document;
    use baton_handoff::judge::judge;
    use baton_handoff::project::Project;

    /// Fills in every line as its comment says.
    fn filled(outcome: &str, with_blockers: bool) -> String {
        let line = |line: &str| match line.split_once("[]  # ") {
            Some((key, example)) if with_blockers || !key.starts_with("blockers") => {
                let example = example.split("  (").next().unwrap_or_default();
                format!("{}\n  {example}\n", key.trim_end())
            }
            _ => format!("{line}\n"),
        };
        let text: String = FORM.lines().map(line).collect();
        format!("Done.\n\n{}", text.replace("outcome: completed", &format!("outcome: {outcome}")))
    }

    #[test]
    fn whoever_follows_the_form_is_not_blamed() {
        let cases =
            [FORM.to_owned(), filled("completed", false), filled("partial", true), filled("failed", true)];
        for text in cases {
            let mut read = document::read(&text);
            let found = judge(&mut read, &Project::default());
            let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{text}\n{errors:?}");
            assert_eq!(read.handoffs[0].dialect, Dialect::Taskfile);
        }
    }
}
