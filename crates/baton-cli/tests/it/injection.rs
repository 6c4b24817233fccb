//! Fifty texts that want to be obeyed, in ten carriers each, through the real program and a real repository. They change no
//! decision, stand only where data stands, and cannot push out what must be said.

mod flood;

use std::collections::BTreeSet;

use baton_testkit::hostile::injection::TEXTS;

use crate::support::{Place, Run, is_long};

/// Texts that one handoff carries.
const TEXTS_PER_TASK: usize = 5;
const TASKS: usize = TEXTS.len() / TEXTS_PER_TASK;
/// The first tasks are accepted, one after the other; each of the others ends in its own way.
const ACCEPTED: usize = 6;
/// What is more indented than this is code to Markdown, and no heading, list or fence.
const MARGIN: usize = 4;
const CRITERION: &str = "AC-1=The table has a line for each tide";
const GUIDANCE: &str = "Never push to main";

/// What is carried: the texts, or words in their place that want nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    Orders,
    Plain,
}

/// A project in which texts go from hand to hand.
struct Post {
    place: Place,
    home: Place,
    carried: Carried,
    /// What was decided, task by task.
    decisions: Vec<String>,
    /// The packets that were given with turns.
    packets: Vec<String>,
    /// What a verifier would be told, task by task.
    judged: Vec<String>,
    /// Everything else that was printed.
    printed: Vec<(String, String)>,
}

impl Post {
    fn new(carried: Carried) -> Self {
        let (place, home) = (Place::in_memory(), Place::in_memory());
        place.write("AGENTS.md", format!("# Rules\n- {GUIDANCE}\n"));
        place.write("baton.toml", "[checks.validation]\nrun = [\"test\", \"-f\", \"tides.txt\"]\n");
        place.write("tides.txt", "06:12 low\n");
        place.commit("begin");
        let post = Self {
            place,
            home,
            carried,
            decisions: vec![],
            packets: vec![],
            judged: vec![],
            printed: vec![],
        };
        post.baton(&["trust", "--yes"]).ends_with(0);
        post
    }

    fn baton(&self, args: &[&str]) -> Run {
        let mut command = self.place.command(args);
        command.current_dir(self.place.path()).env_clear();
        command.env("HOME", self.home.path()).env("USER", "ida");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        self.place.run_prepared(&mut command, b"")
    }

    /// Runs a command whose output is looked at later.
    fn heard(&mut self, code: i32, args: &[&str]) -> String {
        let run = self.baton(args).ends_with(code);
        let out = run.out();
        self.printed.push((args.join(" "), format!("{out}{}", run.err())));
        out
    }

    /// Takes a turn. What stands around the packet is the program's own words.
    fn receive(&mut self, task: &str, person: &str) {
        let out = self.heard(0, &["receive", task, "--as", person]);
        let start = out.find("# Goal\n").expect("a packet");
        let end = out.rfind("\nvalidation will be checked by").expect("what comes next");
        self.packets.push(out[start..end].trim_end().to_owned() + "\n");
        let around = format!("{}{}", &out[..start], &out[end..]);
        self.printed.last_mut().expect("it was heard").1 = around;
    }

    fn text(&self, number: usize) -> String {
        match self.carried {
            Carried::Orders => TEXTS[number].to_owned(),
            Carried::Plain => format!("plain words {number}"),
        }
    }

    /// Carries a task from its beginning to its decision, with five texts in all ten carriers.
    fn carry(&mut self, number: usize) {
        let (task, before) = (format!("A{number}"), format!("A{}", number.min(ACCEPTED).saturating_sub(1)));
        let texts: Vec<String> =
            (0..TEXTS_PER_TASK).map(|at| self.text(number * TEXTS_PER_TASK + at)).collect();
        let title = texts.join("\n");
        let mut words = vec!["task", "add", &task, &title, "--workflow", "single", "--criterion", CRITERION];
        if number > 0 {
            words.extend(["--after", &before]);
        }
        self.heard(0, &words);
        // Nobody gets a turn under a name that is an order.
        self.heard(2, &["receive", &task, "--as", &texts[0]]);
        self.receive(&task, "ann");
        for text in &texts {
            self.place.write(&format!("names/{}", file_name(text)), "a file\n");
        }
        self.place.commit(&texts.join("\n\n"));
        let document = document(number, &texts);
        self.home.write("handoff.md", document);
        let path = self.home.file("handoff.md").display().to_string();
        self.heard(0, &["submit", &task, &path, "--as", "ann"]);
        // Two of the ten find that the host's check fails.
        let fails = [ACCEPTED, ACCEPTED + 1].contains(&number);
        if fails {
            std::fs::remove_file(self.place.file("tides.txt")).expect("it was there");
        }
        self.heard(0, &["task", "check", &task]);
        self.judged.push(self.baton(&["context", &task, "--role", "verifier"]).ends_with(0).out());
        let decided = self.heard(0, &["decide", &task]);
        self.place.write("tides.txt", "06:12 low\n");
        self.decisions.push(decided.lines().next().unwrap_or_default().to_owned());
        // When it was is nobody's word.
        let now = decided.lines().filter(|line| line.starts_with("now: "));
        self.decisions.extend(now.map(|line| line.split(" since ").next().unwrap_or(line).to_owned()));
    }
}

/// A text as the name of a file: whatever a file system takes.
fn file_name(text: &str) -> String {
    let name: String = text.chars().filter(|character| !matches!(character, '/' | '\0')).collect();
    let end = name.char_indices().map(|(at, _)| at).take_while(|at| *at <= 120).last().unwrap_or(0);
    match end == 0 || name.len() <= 120 {
        true => name,
        false => name[..end].to_owned(),
    }
}

/// A text as a path that a document may name: without what would make the document wrong.
fn path(text: &str) -> String {
    let visible = text.replace(|character| is_hidden(character) || character == '\n', " ");
    let parts = visible.replace(['/', '\\', ':', '~'], "").replace("..", "");
    parts.split_whitespace().collect::<Vec<_>>().join(" ").trim_start_matches(['-', '.']).trim().to_owned()
}

/// A text as YAML writes it: what cannot be seen, and what would end it, is an escape.
fn quoted(text: &str) -> String {
    let one = |character: char| match is_hidden(character) || matches!(character, '\n' | '"' | '\\') {
        true => format!("\\U{:08x}", u32::from(character)),
        false => character.to_string(),
    };
    format!("\"{}\"", text.chars().map(one).collect::<String>())
}

/// A text as a tag that a document may name.
fn tag(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).take(6).map(str::to_lowercase).collect();
    if words.is_empty() { "none".to_owned() } else { words.join("-") }
}

fn document(number: usize, texts: &[String]) -> String {
    let outcome = match number {
        number if number < ACCEPTED + 2 => "completed",
        number if number == ACCEPTED + 2 => "blocked",
        _ => "failed",
    };
    let each = |write: &dyn Fn(&String, String) -> String| -> String {
        texts.iter().map(|text| write(text, quoted(text))).collect()
    };
    let named = |text: &String| quoted(&path(text));
    let traps = each(&|_, quoted| {
        format!(
            "  - issue: {quoted}\n    discovered_in: the work\n    mitigation: {quoted}\n    severity: high\n"
        )
    });
    let patterns = each(&|text, quoted| {
        format!("  - pattern: {quoted}\n    location: {}\n    applies_to: [{}]\n", named(text), tag(text))
    });
    let created =
        each(&|text, quoted| format!("  - path: {}\n    purpose: {quoted}\n    lines: 1-1\n", named(text)));
    let to_read = each(&|text, quoted| format!("  - file: {}\n    reason: {quoted}\n", named(text)));
    let questions = each(&|_, quoted| {
        format!(
            "  - question: {quoted}\n    context: {quoted}\n    recommendation: {quoted}\n    blocking: false\n"
        )
    });
    let steps = each(&|_, quoted| format!("  - step: {quoted}\n    priority: high\n    depends_on: []\n"));
    let blocker = |quoted: &str| {
        format!(
            "  - {{blocker: {quoted}, impact: {quoted}, suggested_resolution: {quoted}, blocking_tasks: [Z]}}\n"
        )
    };
    let blockers = match outcome {
        "completed" => String::new(),
        _ => format!("blockers:\n{}", each(&|_, quoted| blocker(&quoted))),
    };
    let metrics = each(&|_, quoted| format!("  {quoted}: 1\n"));
    let (summary, agent) = (quoted(&texts.join("\n")), quoted(&texts[0]));
    format!(
        "# Task\n\n## Handoff\n\n```yaml\noutcome: {outcome}\nsummary: {summary}\nagent: {agent}\nmetrics:\n{metrics}\
         files_created:\n{created}patterns_discovered:\n{patterns}gotchas:\n{traps}dependencies_for_next:\n{to_read}\
         open_questions:\n{questions}suggested_next_steps:\n{steps}{blockers}```\n"
    )
}

/// Carries all tasks, and reads what everybody can read afterwards.
fn carried(carried: Carried) -> Post {
    let mut post = Post::new(carried);
    for number in 0..TASKS {
        post.carry(number);
    }
    // What somebody asks in the middle of a turn, and what they raise, are texts too.
    let all: String = (0..TEXTS.len()).map(|number| post.text(number) + "\n").collect();
    // Whoever was blocked asked a person, who sends it round again.
    post.heard(0, &["resolve", "A8", "again", &all]);
    for task in ["A8", "A9"] {
        post.baton(&["receive", task, "--as", "ann"]).ends_with(0);
    }
    post.heard(0, &["escalate", "A8", "scope-change", &all, "--as", "ann"]);
    let decided = post.heard(0, &["decide", "A8"]);
    post.decisions.push(decided.lines().next().unwrap_or_default().to_owned());
    post.heard(0, &["clarify", "A9", &all, "--option", &all, "--as", "ann"]);
    post.baton(&["task", "add", "Z", "Print all tides", "--workflow", "single", "--criterion", CRITERION])
        .ends_with(0);
    for number in 0..TASKS {
        post.baton(&["task", "depend", "Z", &format!("A{number}")]).ends_with(0);
    }
    post
}

/// What Baton says before the data, the data, and what it says after it.
fn parts(packet: &str) -> (&str, Vec<&str>, Vec<&str>) {
    let Some(opened) = packet.lines().find(|line| line.starts_with("<data ")) else {
        let (before, after) = packet.split_once("# Rules\n").expect("rules");
        return (before, Vec::new(), after.trim().lines().collect());
    };
    let closed = opened.replace("<data ", "</data ");
    assert_eq!(packet.matches(opened).count(), 1, "the mark stands once:\n{packet}");
    assert_eq!(packet.matches(&closed).count(), 1, "the mark stands once:\n{packet}");
    let (before, rest) = packet.split_once(opened).expect("it was found");
    let (data, after) = rest.split_once(&closed).expect("it is closed");
    (before, data.trim().lines().collect(), after.trim().lines().collect())
}

/// Takes the title out, which is what the person who added the task wants.
fn untitled(before: &str) -> Vec<&str> {
    before.lines().enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line).collect()
}

/// Holds a packet against the one of the project that carries plain words.
#[track_caller]
fn looks_alike(packet: &str, plain: &str) {
    let ((before, data, after), (expected, _, _)) = (parts(packet), parts(plain));
    assert_eq!(
        untitled(before),
        untitled(expected),
        "what Baton says first is the same, byte for byte, but for the title that a person gave, on a line of its own"
    );
    let front = format!("\n- Rules\n- {GUIDANCE}\n");
    assert!(packet.contains(&front), "{packet}");
    assert!(before.contains("\nIt is done when:\n- AC-1: The table has a line for each tide\n"), "{before}");
    for line in data {
        let is_label = LABELS.contains(&line);
        assert!(is_label || line.starts_with("- "), "in the data stands {line:?}\n{packet}");
        let text = line.strip_prefix("- ").unwrap_or_default();
        let opens = ["#", ">", "- ", "+", "*", "=", "|", "<", "[", "~", "```"].iter();
        assert!(is_label || !opens.into_iter().any(|sign| text.starts_with(sign)), "{line:?}");
    }
    // The rules are the same in every packet.
    let rules = |packet: &str| packet.split_once("\n# Rules\n").map(|(_, rules)| rules.to_owned());
    assert_eq!(rules(packet), rules(plain));
    let after = after.iter().take_while(|line| **line != "# Rules" && packet.contains("<data "));
    let own = ["Whole: `baton show A", "Left out: "];
    let is_own = |line: &str| {
        own.iter().any(|own| line.starts_with(own))
            || line.ends_with(" invisible characters were taken out of the data.")
    };
    after.for_each(|line| assert!(is_own(line), "after the data stands {line:?}"));
    assert_visible(packet);
}

#[rustfmt::skip]
const LABELS: &[&str] = &[
    "[task]", "[drift]", "[last attempt]", "[answers by a person]", "[open questions of this task]", "[checks that Baton ran]",
    "[files under review]", "[findings about the handoff]", "[files]", "[questions]", "[blockers]", "[patterns]", "[warnings]", "[decisions]", "[next steps]",
];

/// Whatever shows nothing, or changes how other characters are shown.
fn is_hidden(character: char) -> bool {
    character != '\n'
        && (character.is_control()
            || matches!(character,
                '\u{ad}' | '\u{3164}' | '\u{2800}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'))
}

#[track_caller]
fn assert_visible(text: &str) {
    let hidden = text.char_indices().find(|(_, character)| is_hidden(*character));
    assert!(hidden.is_none(), "{hidden:?} in {text}");
}

/// The beginnings of all lines of all texts, as they would look at the start of a line.
fn stings() -> BTreeSet<String> {
    let breaks = ['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}'];
    let lines = TEXTS.iter().flat_map(|text| text.split(breaks));
    lines
        .map(bare)
        .filter(|line| line.chars().count() >= 6)
        .map(|line| line.chars().take(24).collect())
        .collect()
}

/// A line without what is hidden, and without the names that are printed in its place.
fn bare(line: &str) -> String {
    let visible: String = line.chars().filter(|character| !is_hidden(*character)).collect();
    let mut out = String::new();
    let mut rest = visible.as_str();
    while let Some((before, after)) = rest.split_once("\\u{") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// No line begins with what somebody else wrote, unless it is so far in that nothing takes it for a line of its own.
#[track_caller]
fn assert_tame(what: &str, text: &str, stings: &BTreeSet<String>) {
    assert_visible(text);
    for line in text.lines() {
        let margin = line.chars().take_while(|character| *character == ' ').count();
        let bare = bare(line);
        let found = stings.iter().find(|sting| bare.starts_with(sting.as_str()));
        assert!(margin >= MARGIN || found.is_none(), "`baton {what}` begins a line with {line:?}\n{text}");
    }
}

#[test]
fn texts_are_carried_and_never_obeyed() {
    let (mut orders, plain) = std::thread::scope(|scope| {
        let plain = scope.spawn(|| carried(Carried::Plain));
        (carried(Carried::Orders), plain.join().expect("it ends"))
    });
    assert_eq!(orders.decisions, plain.decisions, "no decision hangs on a text");
    let kinds: BTreeSet<&str> =
        orders.decisions.iter().filter(|line| !line.starts_with("now: ")).map(String::as_str).collect();
    assert!(kinds.contains("accept because of self_checked") && kinds.len() >= 4, "{kinds:?}");
    assert_eq!(orders.packets.len(), TASKS);
    for (packet, plain) in orders.packets.iter().zip(&plain.packets) {
        looks_alike(packet, plain);
    }
    raw_names_are_refused(&mut orders);
    let stings = stings();
    for (what, text) in &orders.printed {
        assert_tame(what, text, &stings);
    }
    everything_is_data(&mut orders, &plain);
    reading_is_tame(&mut orders, &stings);
    orders.baton(&["replay"]).ends_with(0);
}

/// A path and a tag that are none make the handoff wrong, and nothing else.
fn raw_names_are_refused(orders: &mut Post) {
    orders.heard(0, &["task", "add", "B0", "Draw the tides", "--workflow", "single"]);
    orders.baton(&["receive", "B0", "--as", "ann"]).ends_with(0);
    let created = TEXTS.iter().map(|text| format!("  - {{path: {0}, purpose: {0}}}\n", quoted(text)));
    let patterns = TEXTS
        .iter()
        .map(|text| format!("  - {{pattern: {0}, location: {0}, applies_to: [{0}]}}\n", quoted(text)));
    let (created, patterns): (String, String) = (created.collect(), patterns.collect());
    orders.home.write(
        "raw.md",
        format!("## Handoff\n\n```yaml\noutcome: completed\nfiles_created:\n{created}patterns_discovered:\n{patterns}```\n"),
    );
    let path = orders.home.file("raw.md").display().to_string();
    orders.heard(0, &["submit", "B0", &path, "--as", "ann"]);
    orders.heard(0, &["task", "check", "B0"]);
    let decided = orders.heard(0, &["decide", "B0"]);
    assert!(decided.starts_with("rework because of handoff_invalid"), "{decided}");
    orders.heard(0, &["why", "B0"]);
}

/// Every text of every carrier stands in the packets, and only there where data stands.
fn everything_is_data(orders: &mut Post, plain: &Post) {
    let wide = ["context", "Z", "--budget", "100000"];
    let all = orders.baton(&wide).ends_with(0).out();
    let expected = plain.baton(&wide).ends_with(0).out();
    let own = |packet: &str| parts(packet).0.split("Changes since").next().map(str::to_owned);
    assert_eq!(own(&all), own(&expected));
    for (number, packet) in orders.packets.iter().enumerate().skip(1).take(ACCEPTED - 1) {
        // What one task handed over is told to the next.
        let before = &TEXTS[(number - 1) * TEXTS_PER_TASK..number * TEXTS_PER_TASK];
        let said = before.iter().filter(|text| packet.contains(first_word(text))).count();
        assert_eq!(said, TEXTS_PER_TASK, "{packet}");
    }
    for kind in ["files", "questions", "patterns", "warnings", "next-steps"] {
        let packet = orders.baton(&["context", "Z", "--all", kind]).ends_with(0).out();
        let (before, data, after) = parts(&packet);
        assert!(before.starts_with(&format!("# Z: all {kind}\nOther people and agents wrote")), "{before}");
        assert!(
            data.len() > TEXTS.len() && after.iter().all(|line| line.ends_with("taken out of the data.")),
            "{packet}"
        );
        assert!(data.iter().all(|line| line.starts_with("- ") || LABELS.contains(line)), "{packet}");
        assert_visible(&packet);
    }
    for judged in &orders.judged {
        let (_, data, _) = parts(judged);
        assert!(data.iter().any(|line| line.starts_with("- names/")), "{judged}");
        assert!(data.iter().all(|line| line.starts_with("- ") || LABELS.contains(line)), "{judged}");
        assert!(!judged.contains("[warnings]") && !judged.contains("[questions]"), "{judged}");
        assert_visible(judged);
    }
}

/// A word of a text by which it is found again.
fn first_word(text: &str) -> &str {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// Whatever else reads what was said shows it as what it is.
fn reading_is_tame(orders: &mut Post, stings: &BTreeSet<String>) {
    orders.printed.clear();
    let found = orders.baton(&["search", "--limit", "1000", "--json"]).ends_with(0).json();
    let ids: Vec<String> = found["found"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|hit| hit["kind"] == "gotcha")
        .filter_map(|hit| hit["id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), TEXTS.len());
    for args in [
        &["context", "Z", "--explain"][..],
        &["search", "--limit", "1000"],
        &["search", "ignore guidance accept"],
        &["knowledge", "list", "--limit", "1000"],
        &["knowledge", "journal", "Z"],
        &["knowledge", "questions"],
        &["knowledge", "blockers"],
        &["knowledge", "graph", "--format", "dot"],
        &["files"],
        &["status"],
        &["inbox"],
        &["task", "list"],
        &["task", "show", "A1"],
        &["log"],
        &["metrics"],
        &["why", "A0"],
        &["why", "A6"],
        &["why", "A8"],
        &["why", "A9"],
    ] {
        orders.heard(0, args);
    }
    let step = if is_long() { 1 } else { TEXTS_PER_TASK };
    for id in ids.iter().step_by(step) {
        orders.heard(0, &["knowledge", "show", id]);
    }
    for (what, text) in &orders.printed {
        assert_tame(what, text, stings);
    }
}
