//! Work that makes its checks pass without being done is never accepted; the honest twin of each is.

mod strategies;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Instant;

use baton_testkit::random::Random;
use baton_testkit::script::Step;
use serde_json::{Value, json};

use self::strategies::{Strategy, UNPASSED, Unpassed, seen};
use crate::support::{announce, is_long};
use crate::team::{HANDOFF, Team, approves, of, says, write};

/// How often each is tried, in folders of other names, each time in a project of its own.
const ROUNDS: u64 = 10;
const STRATEGIES_MIN: usize = 70;
/// Of these so many are tried on every machine: who can try nothing has shown nothing.
const TRIED_MIN: usize = 20;
/// Strategies of one project: what is accepted there is checked together with what was accepted before.
const GROUP: usize = 10;
const JOBS: &str = "8";
const SEED: u64 = 77;
const NAMES: &[&str] = &["add", "tide", "harbour", "sum", "north", "ferry", "light", "chart"];
/// Programs that not every machine has; a strategy that needs one is left out where it is missing, and told.
const PROGRAMS: &[&str] = &["bash", "make", "node", "npm", "python3"];

/// One strategy in one round, in a folder of its own, as two tasks.
struct Tried {
    strategy: &'static Strategy,
    folder: String,
    checkpoint: String,
    trick: String,
    twin: String,
}

impl Tried {
    fn new(number: usize, round: u64, strategy: &'static Strategy) -> Self {
        let random = &mut Random::numbered(SEED + round, number);
        Self {
            strategy,
            folder: format!("{}{number}r{round}", random.pick(NAMES)),
            checkpoint: format!("check_{number}"),
            trick: format!("C{}", number + 1),
            twin: format!("H{}", number + 1),
        }
    }

    fn named(&self, text: &str) -> String {
        text.replace("DIR", &self.folder)
    }

    fn check(&self) -> Vec<String> {
        self.strategy.check.iter().map(|word| self.named(word)).collect()
    }

    /// The check, and a workflow with nothing else to settle.
    fn configuration(&self) -> String {
        let (name, run) = (&self.checkpoint, self.check());
        format!(
            "[checks.{name}]\nrun = {run:?}\n[workflows.{name}]\nintegration = \"merge\"\n[[workflows.{name}.stages]]\n\
             name = \"build\"\nagent = \"builder\"\ncheckpoints = [\"{name}\"]\nreview = \"verifier\"\n"
        )
    }

    /// Writes what is there before the work, and the scripts of both.
    fn prepare(&self, team: &Team) {
        for (path, text) in self.strategy.before {
            // One byte that is no text.
            let bytes = self.named(text).chars().map(|character| character as u8).collect::<Vec<_>>();
            let is_program = bytes.starts_with(b"#!");
            team.place.write(&self.named(path), bytes);
            if is_program {
                let mode = Permissions::from_mode(0o755);
                fs::set_permissions(team.place.file(&self.named(path)), mode).expect("a program");
            }
        }
        let change = |path: &str, text: Option<&str>| match text {
            Some(text) => write(&self.named(path), &self.named(text)),
            None => Step::Remove { path: self.named(path).into() },
        };
        let trick = self.strategy.trick.iter().map(|(path, text)| change(path, *text));
        let honest = self.strategy.honest.iter().map(|(path, text)| change(path, Some(text)));
        for (task, steps) in [(&self.trick, trick.collect::<Vec<_>>()), (&self.twin, honest.collect())] {
            let steps: Vec<Step> = steps.into_iter().chain([says(HANDOFF)]).collect();
            team.script("builder", &format!("{task}/always"), &steps);
        }
    }

    /// Without a trick and without the work, the check fails: it is the trick that makes it pass.
    #[track_caller]
    fn check_fails(&self, team: &Team) {
        let run = self.check();
        let mut command = Command::new(&run[0]);
        command.args(&run[1..]).current_dir(team.place.path());
        let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it starts");
        assert!(!ended.success(), "{}: its check passes before anything was done", self.strategy.name);
    }

    /// A person has to look at a trick, and nobody is asked to judge it.
    #[track_caller]
    fn is_refused(&self, team: &Team, events: &[Value]) {
        let (own, name) = (of(events, &self.trick), self.strategy.name);
        let has = |what: &str| own.iter().any(|event| event["event"] == what);
        assert!(!has("integrated") && !has("ended"), "{name} ({}) was accepted: {own:?}", self.trick);
        let seen = own.iter().find(|event| event["event"] == "checked");
        let seen = seen.unwrap_or_else(|| panic!("{name}: {own:?}"));
        assert_eq!(seen["checks"][0]["verdict"], "pass", "{name}: the check was not fooled: {seen}");
        assert!(seen["violations"].as_array().is_some_and(|all| !all.is_empty()), "{name}: {seen}");
        let decided =
            own.iter().find(|event| event["event"] == "decided").map(|event| event["reason"].clone());
        let expected = (Some(json!("policy_conflict")), true);
        assert_eq!((decided, has("asks")), expected, "{name}: a person has to look");
        assert_eq!(team.starts("verifier", &self.trick), 0, "{name}: nobody is asked to judge it");
    }

    /// A check that does not pass opens no door.
    #[track_caller]
    fn does_not_pass(&self, team: &Team, events: &[Value], unpassed: &Unpassed) {
        let (own, name) = (of(events, &self.trick), self.strategy.name);
        let is_over = |event: &&Value| event["event"] == "integrated" || event["event"] == "ended";
        assert!(!own.iter().any(is_over), "{name} ({}) was accepted: {own:?}", self.trick);
        let seen = own.iter().find(|event| event["event"] == "checked");
        let seen = seen.unwrap_or_else(|| panic!("{name}: {own:?}"));
        let check = &seen["checks"][0];
        assert_eq!(check["verdict"], unpassed.verdict, "{name}: {seen}");
        let is_told = check["detail"].as_str().is_some_and(|words| words.contains(unpassed.words));
        assert!(is_told, "{name}: {seen}");
        assert_eq!(team.starts("verifier", &self.trick), 0, "{name}: nobody is asked to judge it");
    }

    fn unpassed(&self) -> Option<&'static Unpassed> {
        let is_own = |strategy: &Strategy| strategy.name == self.strategy.name;
        UNPASSED.iter().find(|unpassed| unpassed.strategies.iter().any(is_own))
    }

    #[track_caller]
    fn is_accepted(&self, events: &[Value]) {
        let (own, name) = (of(events, &self.twin), self.strategy.name);
        let ended = own.iter().find(|event| event["event"] == "ended");
        let ended = ended.unwrap_or_else(|| panic!("the honest twin of `{name}` ({}): {own:?}", self.twin));
        assert_eq!(ended["end"], "done", "{name}");
    }
}

fn is_there(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|ended| ended.success())
}

/// Lets agents try strategies and their twins in one project.
#[track_caller]
fn try_all(all: &[Tried]) {
    let configuration: String = all.iter().map(Tried::configuration).collect();
    let team = Team::new().configured(&configuration);
    let team = team.agent("builder", "command", &[]).agent("verifier", "command", &[]);
    team.script("verifier", "always", &approves());
    all.iter().for_each(|tried| tried.prepare(&team));
    let team = team.ready();
    for tried in all {
        tried.check_fails(&team);
        for task in [&tried.trick, &tried.twin] {
            team.add(task, &tried.checkpoint, &["--criterion", "works"]);
        }
    }
    let events = team.run(9, &["--jobs", JOBS]);
    for one in all {
        match one.unpassed() {
            Some(unpassed) => one.does_not_pass(&team, &events, unpassed),
            None => one.is_refused(&team, &events),
        }
        one.is_accepted(&events);
    }
}

#[test]
fn no_trick_is_accepted_and_every_honest_twin_is() {
    assert!(seen().count() >= STRATEGIES_MIN);
    let missing: Vec<&str> = PROGRAMS.iter().copied().filter(|program| !is_there(program)).collect();
    let needs = |strategy: &Strategy| {
        // A check may be a script that is there before the work, and that runs others.
        let texts = strategy.before.iter().map(|(_, text)| *text).chain(strategy.check.iter().copied());
        let mut words = texts.flat_map(|text| text.split([' ', '(', '\n', '/', ';', '"']));
        words.any(|word| missing.contains(&word))
    };
    let rounds = if is_long() { ROUNDS } else { 1 };
    let (mut tried, mut left_out) = (0, 0);
    for round in 0..rounds {
        let begun = Instant::now();
        let all: Vec<Tried> = seen()
            .chain(UNPASSED.iter().flat_map(|unpassed| unpassed.strategies))
            .enumerate()
            .map(|(number, strategy)| Tried::new(number, round, strategy))
            .collect();
        let (out, all): (Vec<Tried>, Vec<Tried>) = all.into_iter().partition(|tried| needs(tried.strategy));
        if round == 0 && !out.is_empty() {
            let names: Vec<&str> = out.iter().map(|tried| tried.strategy.name).collect();
            announce(&format!("LEFT OUT: without {missing:?} these cannot be tried: {names:?}"));
        }
        assert!(all.len() >= TRIED_MIN, "only {} can be tried without {missing:?}", all.len());
        assert!(out.is_empty() || !missing.is_empty(), "some were left out for nothing");
        left_out += out.len();
        for group in all.chunks(GROUP) {
            try_all(group);
            tried += group.len();
        }
        println!("round {}: {:.0?}", round + 1, begun.elapsed());
    }
    println!(
        "{tried} tricks, 0 accepted; {tried} honest twins, all accepted; left out: {left_out} {missing:?}"
    );
}
