//! Takes one case through each door and keeps what the door says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Door;
use super::case::Case;
use super::project::{Project, builders};
use crate::mcp::talk::Talk;
use crate::support::Run;

/// What an agent hands over in an attempt that comes back: its path leads out of the project.
pub(super) const REFUSED: &str = "```yaml\noutcome: completed\nfiles_created:\n  - {path: ../out.txt, purpose: Leads out, lines: all}\n```\n";

/// The code of a check that fails.
const FAILS_WHEN_RUN: &str = "BT1012";

/// How a door ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Accepted,
    /// The agent gets it back.
    SentBack,
    /// It waits for a person, or stays open because work is left.
    Waits,
    /// The document was not taken; the turn is still open.
    Refused,
    /// This door only reports.
    Reported,
}

/// What one door says about one case.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) end: End,
    /// Codes of contradicted claims.
    pub(super) contradicted: BTreeSet<String>,
    /// Codes of what is only unsupported or noted.
    pub(super) noted: BTreeSet<String>,
    /// Codes that the door cannot check, with the fact that is missing.
    pub(super) unknown: BTreeMap<String, String>,
    pub(super) text: String,
}

impl Answer {
    fn new(end: End, text: String) -> Self {
        let mut answer = Self {
            end,
            contradicted: BTreeSet::new(),
            noted: BTreeSet::new(),
            unknown: BTreeMap::new(),
            text,
        };
        for line in answer.text.clone().lines() {
            answer.take(line);
        }
        answer
    }

    /// Says whether it names a contradiction, a claim that it cannot check, or a check that fails beside completed work.
    pub(super) fn mentions(&self) -> bool {
        !self.contradicted.is_empty() || !self.unknown.is_empty() || self.noted.contains(FAILS_WHEN_RUN)
    }

    pub(super) fn knows(&self, code: &str) -> bool {
        self.contradicted.contains(code) || self.unknown.contains_key(code)
    }

    /// Sorts the codes of a line by the words around them.
    fn take(&mut self, line: &str) {
        for code in codes(line) {
            if let Some((_, fact)) = line.split_once("not checkable here") {
                self.unknown.insert(code, fact.trim_start_matches([':', ' ']).to_owned());
            } else if ["unsupported", "warning:", "note:"].iter().any(|word| line.contains(word)) {
                self.noted.insert(code);
            } else {
                self.contradicted.insert(code);
            }
        }
    }
}

/// Returns the codes of claims in a text: `BT` and four digits.
fn codes(text: &str) -> Vec<String> {
    let is_code = |word: &&str| {
        let digits = word.strip_prefix("BT");
        digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(is_code).map(str::to_owned).collect()
}

/// Takes a case through all its doors.
pub(super) fn pass(case: &Case) -> BTreeMap<Door, Answer> {
    let project = Project::new();
    let mut answers = BTreeMap::new();
    let has = |door| case.doors.contains(&door);
    if has(Door::Hand) || has(Door::Check) {
        let (hand, check) = by_hand(&project, case);
        answers.insert(Door::Hand, hand);
        answers.insert(Door::Check, check);
        project.reset();
    }
    if has(Door::Mcp) {
        answers.insert(Door::Mcp, mcp(&project, case));
        project.reset();
    }
    if has(Door::Hook) {
        answers.insert(Door::Hook, hook(&project, case));
        project.reset();
    }
    if has(Door::Run) || has(Door::Audit) {
        answers.insert(Door::Run, run(&project, case));
        // What was refused isn't in the archive.
        let kind = if case.is_report { "report" } else { "handoff" };
        let path = format!(".baton/handoffs/R1/{kind}-turn-{}", case.turns());
        if project.place.file(&path).exists() {
            answers.insert(Door::Audit, audit(&project, &path));
        }
    }
    answers.retain(|door, _| has(*door));
    answers
}

fn decided(text: &str) -> End {
    if text.contains("accept because") || text.contains("accept: ") || text.contains("Baton accepted") {
        End::Accepted
    } else if text.contains("is open; next: `baton answer")
        || text.contains("work_incomplete")
        || text.contains("escalate")
        || text.contains("rollback")
    {
        End::Waits
    } else {
        End::SentBack
    }
}

fn said(run: &Run) -> String {
    format!("{}{}", run.out(), run.err())
}

fn receipt(text: &str) -> String {
    let word = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '-');
    let found = text.split(word).find(|word| word.starts_with("receipt-"));
    found.unwrap_or("receipt").to_owned()
}

/// Writes the document beside the work and hands it over.
fn submit(project: &Project, (task, person): (&str, &str), document: &str) -> (Run, String) {
    let path = format!(".baton/inbox/{task}.md");
    project.place.write(&path, document);
    let run = project.baton(&["submit", task, &path, "--as", person]);
    (run, path)
}

/// `receive`, the work, `submit`, `task check`, `decide`; then `check --evidence` on the same files.
fn by_hand(project: &Project, case: &Case) -> (Answer, Answer) {
    let task = "H1";
    project.add(case, task);
    project.baton(&["receive", task, "--as", "ben"]).ends_with(0);
    if case.is_second_attempt {
        submit(project, (task, "ben"), REFUSED).0.ends_with(0);
        project.baton(&["task", "check", task]).ends_with(0);
        project.baton(&["decide", task]).ends_with(0);
        project.baton(&["receive", task, "--as", "ben"]).ends_with(0);
    }
    project.work(case);
    let mut person = "ben";
    let mut shown = String::new();
    if case.is_report {
        submit(project, (task, person), &builders(case)).0.ends_with(0);
        project.baton(&["task", "check", task]).ends_with(0);
        person = "eve";
        shown = said(&project.baton(&["receive", task, "--as", person]));
    }
    let document = project.written(&case.handoff, task, &receipt(&shown));
    let (submitted, path) = submit(project, (task, person), &document);
    let mut text = said(&submitted);
    let end = if submitted.code == Some(0) {
        if !case.is_report {
            text.push_str(&said(&project.baton(&["task", "check", task])));
        }
        let decision = project.baton(&["decide", task]);
        text.push_str(&said(&decision));
        decided(&said(&decision))
    } else {
        End::Refused
    };
    // What was said of the first attempt is not about this one.
    if !case.is_second_attempt {
        text.push_str(&said(&project.baton(&["why", task])));
    }
    let checked = project.baton(&["check", "--evidence", "--json", "--notes", &path]);
    let check = Answer::new(End::Reported, diagnostics(&checked));
    (Answer::new(end, text), check)
}

/// Returns the findings of `check --json`, one a line.
fn diagnostics(run: &Run) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(&run.stdout) else { return said(run) };
    let files = value["files"].as_array().cloned().unwrap_or_default();
    let found = files.iter().flat_map(|file| file["diagnostics"].as_array().cloned().unwrap_or_default());
    let lines = found.map(|one| {
        let word = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {}: {}", word("severity"), word("code"), word("message"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A client of the MCP server takes the task and hands the document over.
fn mcp(project: &Project, case: &Case) -> Answer {
    let task = "M1";
    project.add(case, task);
    let mut builder = client(project, "builder");
    builder.call("receive", &json!({ "task": task }));
    if case.is_second_attempt {
        builder.call("submit", &json!({ "task": task, "document": REFUSED }));
        builder.call("receive", &json!({ "task": task }));
    }
    project.work(case);
    let mut shown = String::new();
    if case.is_report {
        builder.call("submit", &json!({ "task": task, "document": builders(case) }));
        builder = client(project, "verifier");
        shown = builder.call("receive", &json!({ "task": task })).text;
    }
    let document = project.written(&case.handoff, task, &receipt(&shown));
    let told = builder.call("submit", &json!({ "task": task, "document": document }));
    let end = if told.is_error { End::Refused } else { decided(&told.text) };
    Answer::new(end, told.text)
}

fn client(project: &Project, session: &str) -> Talk {
    let mut command = project.command(&["mcp"]);
    command.env("CLAUDE_CODE_SESSION_ID", session);
    let mut talk = Talk::with(&mut command);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "rig", "version": "1" },
    });
    talk.ask("initialize", &hello);
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    talk
}

/// Claude Code starts, gets a prompt, works and wants to stop.
fn hook(project: &Project, case: &Case) -> Answer {
    let task = "S1";
    project.add(case, task);
    let call = |payload: Value| {
        let mut payload = payload;
        payload["session_id"] = json!("s1");
        payload["cwd"] = json!(project.place.path());
        let mut command = project.command(&["hook", "claude"]);
        command.env("BATON_TASK", task);
        project.place.run_prepared(&mut command, payload.to_string().as_bytes())
    };
    call(json!({ "hook_event_name": "SessionStart", "source": "startup" })).ends_with(0);
    call(json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Add a discount" })).ends_with(0);
    let stop = |message: &str, again: bool| {
        call(json!({
            "hook_event_name": "Stop", "last_assistant_message": message, "stop_hook_active": again,
        }))
    };
    if case.is_second_attempt {
        stop(REFUSED, false).ends_with(2);
    }
    project.work(case);
    let run = stop(&project.written(&case.handoff, task, ""), case.is_second_attempt);
    let told = serde_json::from_str::<Value>(&run.out()).unwrap_or_default();
    let told = told["systemMessage"].as_str().unwrap_or_default().to_owned();
    let text = format!("{told}\n{}", said(&run));
    let end = match run.code {
        Some(2) => End::SentBack,
        Some(0) if text.contains("Baton accepted") => End::Accepted,
        Some(0) => End::Waits,
        _ => End::Refused,
    };
    Answer::new(end, text)
}

/// `baton run` with agents that do this case, one turn each.
fn run(project: &Project, case: &Case) -> Answer {
    let task = "R1";
    project.add(case, task);
    project.give(case, task);
    let (mut text, mut end) = (String::new(), End::Refused);
    for _ in 0..case.turns() {
        // Only the last turn is the case.
        (text, end) = (String::new(), End::Refused);
        let run = project.baton(&["run", task, "--once", "--json"]);
        for event in run.events() {
            match event["event"].as_str() {
                Some("decided") => end = decided(event["words"].as_str().unwrap_or_default()),
                Some("asks") if end != End::Accepted => end = End::Waits,
                _ => {}
            }
            strings(&event, &mut text);
        }
        text.push_str(&run.err());
    }
    Answer::new(end, text)
}

/// Gathers the texts of an event, one a line.
fn strings(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| strings(value, into)),
        Value::Object(values) => values.values().for_each(|value| strings(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `audit` of what Baton itself keeps of the run, at this path.
fn audit(project: &Project, path: &str) -> Answer {
    let run = project.baton(&["audit", "--json", ".baton/handoffs/R1"]);
    let mut lines = Vec::new();
    let mut open = vec![serde_json::from_slice::<Value>(&run.stdout).unwrap_or_default()];
    while let Some(value) = open.pop() {
        if let (Some(verdict), Some(code)) = (value["verdict"].as_str(), value["code"].as_str()) {
            let reason = value["reason"].as_str().unwrap_or_default();
            lines.push(match verdict {
                "not checkable" => format!("{code}: not checkable here: {reason}"),
                "contradicted" => format!("{code}: {reason}"),
                other => format!("unsupported {other} {code}: {reason}"),
            });
        }
        match value {
            Value::Object(of) if of.get("dialect").is_some() && of.get("path") != Some(&json!(path)) => {}
            Value::Array(values) => open.extend(values),
            Value::Object(values) => open.extend(values.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    let mut answer = Answer::new(End::Reported, lines.join("\n"));
    answer.text.push_str(&run.err());
    answer
}
