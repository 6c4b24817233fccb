//! The fence around a child: what the label claims is what the kernel does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_runner::sandbox::{Confinement, Demand, Ladder, Means, Rung, protected_paths};
use baton_runner::supervise::{Ended, How, Identity, Order, Reason, Supervisor};
use baton_testkit::script::{PROBES, Step};
use tempfile::TempDir;

use crate::scripted::{LONG, Stage, agent, sh, supervisor};
use crate::support::announce;
use crate::team::{Team, approves, handoff_of_work, says, works};

/// A folder that must not be changed, and one that may be.
struct Ground {
    _all: TempDir,
    fixed: PathBuf,
    scratch: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let all = TempDir::new().expect("a folder");
        let (fixed, scratch) = (all.path().join("fixed"), all.path().join("scratch"));
        fs::create_dir_all(fixed.join("empty")).expect("a folder");
        fs::create_dir(&scratch).expect("a folder");
        fs::write(fixed.join("file"), "as it was").expect("a file");
        std::os::unix::fs::symlink("file", fixed.join("link")).expect("a link");
        let git = Command::new("git").args(["init", "--quiet"]).arg(&fixed).status().expect("git runs");
        assert!(git.success());
        Self { _all: all, fixed, scratch }
    }

    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        content(&self.fixed)
    }

    fn probe(&self, name: &str) -> Step {
        Step::Probe { name: name.to_owned(), folder: self.fixed.clone(), scratch: self.scratch.clone() }
    }

    fn read_only(&self) -> Confinement {
        Confinement::ReadOnly { writable: vec![self.scratch.clone()] }
    }
}

/// All files below a folder with their content, and all folders and links.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut content = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let kind = entry.file_type().expect("a kind");
            let bytes = match kind {
                kind if kind.is_file() => fs::read(&path).expect("readable"),
                kind if kind.is_symlink() => {
                    fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes()
                }
                _ => format!("{kind:?}").into_bytes(),
            };
            if kind.is_dir() {
                folders.push(path.clone());
            }
            content.insert(path, bytes);
        }
    }
    content
}

fn run(supervisor: &Supervisor, steps: &[Step], tweak: impl FnOnce(&mut Order)) -> Ended {
    let stage = Stage::new(steps);
    let mut order = stage.order(LONG);
    tweak(&mut order);
    let ended = supervisor.start(order).expect("it starts").wait();
    stage.until_none_lives();
    ended
}

fn text(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.output.bytes).into_owned()
}

/// Only these rungs, and only if the machine has them.
fn on(means: Means) -> Option<Supervisor> {
    let supervisor = supervisor().with_ladder(Ladder::of(&[means]));
    let has_it = supervisor.ladder().best() == Some(means);
    if !has_it {
        announce(&format!("LEFT OUT: {means:?} cannot be had here: {}", why_not(means)));
    }
    has_it.then_some(supervisor)
}

/// Returns what is said where this fence is asked for and cannot be had.
fn why_not(means: Means) -> String {
    let (ground, stage) = (Ground::new(), Stage::new(&[]));
    let mut order = stage.order(LONG);
    (order.folder, order.confinement) = (ground.fixed.clone(), ground.read_only());
    order.demand = Demand::Enforced;
    let started = supervisor().with_ladder(Ladder::of(&[means])).start(order);
    started.err().map_or_else(String::new, |refused| refused.to_string())
}

#[test]
fn without_a_fence_every_probe_changes_something() {
    for (name, _) in PROBES {
        let ground = Ground::new();
        let before = ground.content();
        let ended = run(&supervisor(), &[ground.probe(name)], |_| {});
        assert_eq!(text(&ended), format!("allowed {name}\n"));
        assert_eq!(ended.confinement.word(), "unconfined");
        // Who makes a file without a name, or takes another name for one outside, leaves no trace here.
        assert!(*name == "nameless" || ground.content() != before, "{name} changes nothing");
    }
}

fn all_are_denied(means: Means, word: &str) {
    let Some(supervisor) = on(means) else { return };
    let ground = Ground::new();
    let before = ground.content();
    let steps: Vec<Step> = PROBES.iter().map(|(name, _)| ground.probe(name)).collect();
    let ended = run(&supervisor, &steps, |order| {
        order.folder = ground.fixed.clone();
        order.confinement = ground.read_only();
        order.demand = Demand::Enforced;
    });
    let told = text(&ended);
    let denied = told.lines().filter(|line| line.starts_with("denied ")).count();
    assert_eq!((ended.how, denied), (How::Code(0), PROBES.len()), "{told}");
    assert_eq!(ended.confinement.word(), word);
    assert!(!ended.confinement.gaps().is_empty(), "no fence is without gaps");
    assert_eq!(ground.content(), before);
    println!("{word}: {denied} of {} probes denied", PROBES.len());
}

#[test]
fn bubblewrap_denies_every_probe() {
    assert!(PROBES.len() >= 20);
    all_are_denied(Means::Bubblewrap, "bubblewrap");
}

#[test]
fn landlock_denies_every_probe() {
    all_are_denied(Means::Landlock, "landlock");
}

/// Probes that need no more than a file and a link to it: no folder of git, and no empty folder.
fn needs_only_files(name: &str) -> bool {
    !matches!(name, "remove_folder" | "git_commit" | "git_config")
}

/// A verifier that tries every probe on the checkout of the person and on its own copy of the work, and notes what came of it.
fn meddler(team: &Team) -> Vec<Step> {
    let bench = team.home().join("verifier");
    // What a probe leaves there is in the way of no other.
    let probe = |folder: &Path, target: &str, name: &str| {
        let scratch = bench.join(format!("scratch-{target}-{name}"));
        fs::create_dir(&scratch).expect("a folder");
        Step::Probe { name: name.to_owned(), folder: folder.to_owned(), scratch }
    };
    let names = || PROBES.iter().map(|(name, _)| *name);
    let mut steps: Vec<Step> = names().map(|name| probe(team.place.path(), "checkout", name)).collect();
    let in_the_copy = names().filter(|name| needs_only_files(name));
    steps.extend(in_the_copy.map(|name| probe(Path::new("COPY"), "copy", name)));
    let lines: Vec<String> = steps.iter().map(|step| serde_json::to_string(step).expect("a step")).collect();
    fs::write(bench.join("probes"), lines.join("\n")).expect("a script");
    let line = format!(
        "sed \"s#COPY#$PWD#\" {0}/probes > {0}/probes-here; {1} {0}/probes-here > {0}/told",
        bench.display(),
        agent().display()
    );
    [vec![sh(&line)], approves()].concat()
}

/// The fence is the one that the run gives it. That every probe succeeds without one is shown above.
#[test]
fn a_verifier_of_a_run_can_change_neither_the_checkout_nor_what_it_judges() {
    for means in [Means::Bubblewrap, Means::Landlock] {
        drop(on(means));
    }
    let Some(fence) = supervisor().ladder().best() else { return };
    let team = Team::new().agent("builder", "command", &[works()]).agent("verifier", "command", &[]);
    team.place.write("file", "as it was");
    std::os::unix::fs::symlink("file", team.place.file("link")).expect("a link");
    fs::create_dir(team.place.file("empty")).expect("a folder");
    team.script("verifier", "always", &meddler(&team));
    let team = team.ready();
    team.add("T1", "verified", &["--criterion", "works"]);
    let checkout = || content(team.place.path());
    let before = checkout();
    team.run(0, &[]);
    let told = fs::read_to_string(team.home().join("verifier/told")).expect("what came of the probes");
    let tried = PROBES.len() + PROBES.iter().filter(|(name, _)| needs_only_files(name)).count();
    let denied = told.lines().filter(|line| line.starts_with("denied ")).count();
    assert_eq!((denied, told.lines().count()), (tried, tried), "{told}");
    let of_itself = |line: &&str| line.contains("(os error 2)") || line.contains("(os error 17)");
    assert_eq!(told.lines().find(of_itself), None, "something is missing or in the way: {told}");
    assert!(PROBES.len() >= 20 && tried >= 40, "{tried}");
    let now = checkout();
    let changed = now.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path);
    // What Baton writes there itself: the files that people read, the accepted objects, and their branch.
    let own = [".baton", ".git/objects", ".git/refs/heads/baton"].map(|path| team.place.file(path));
    let changed: Vec<_> = changed.filter(|path| !own.iter().any(|own| path.starts_with(own))).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert!(before.keys().all(|path| now.contains_key(path)), "something is gone");
    assert_eq!(team.starts("verifier", "T1"), 1, "it changed nothing, so its report counts");
    assert_eq!(
        (team.accepted("work.txt"), team.accepted("file")),
        ("done".to_owned(), "as it was".to_owned())
    );
    let why = team.baton(&["why", "T1"]).ends_with(0).out();
    let word = match fence {
        Means::Bubblewrap => "bubblewrap",
        Means::Landlock => "landlock",
    };
    assert!(why.contains(&format!("the verifier was confined by: {word}")), "{why}");
    println!("{word}: {denied} of {tried} probes of a verifier denied in a run");
    team.holds("T1");
}

/// A check that is proposed for a project writes its JUnit file there, and an agent may run it as it is.
#[test]
fn an_agent_can_write_where_the_checks_of_its_task_write() {
    let line = "echo x > .baton/junit.xml && mkdir -p .baton/build && echo done > work.txt";
    let checks = Step::Run { argv: ["sh", "-c", line].map(str::to_owned).to_vec() };
    let team = Team::new().agent("builder", "command", &[vec![checks, says(&handoff_of_work())]]).ready();
    team.add("T1", "single", &[]);
    team.run(0, &[]);
    assert_eq!(team.accepted("work.txt"), "done");
    team.holds("T1");
}

#[test]
fn what_may_be_written_can_be_written() {
    for means in [Means::Bubblewrap, Means::Landlock] {
        let Some(supervisor) = on(means) else { continue };
        let ground = Ground::new();
        let steps = [
            Step::Write { path: ground.scratch.join("new/file"), text: "x".to_owned() },
            Step::Append { path: "/dev/null".into(), text: "x".to_owned() },
        ];
        let ended = run(&supervisor, &steps, |order| {
            order.folder = ground.fixed.clone();
            order.confinement = ground.read_only();
        });
        assert_eq!(ended.how, How::Code(0), "{means:?}: {}", text(&ended));
        assert_eq!(fs::read_to_string(ground.scratch.join("new/file")).expect("written"), "x");
    }
}

#[test]
fn nothing_that_is_not_enforced_is_called_so() {
    let supervisor = supervisor().with_ladder(Ladder::of(&[]));
    let ground = Ground::new();
    let ended = run(&supervisor, &[ground.probe("write")], |order| {
        order.folder = ground.fixed.clone();
        order.confinement = ground.read_only();
    });
    assert_eq!(text(&ended), "allowed write\n");
    assert_eq!(ended.confinement.word(), "unenforced");
    let Rung::Unenforced(why) = &ended.confinement.rung else { panic!("{:?}", ended.confinement) };
    assert!(why.contains("bubblewrap") && why.contains("Landlock"), "{why}");
    let stage = Stage::new(&[]);
    let mut order = stage.order(LONG);
    (order.folder, order.confinement, order.demand) =
        (ground.fixed.clone(), ground.read_only(), Demand::Enforced);
    let refused = supervisor.start(order).expect_err("a policy can refuse that");
    assert_eq!(refused.reason, Reason::Confinement, "{refused}");
}

/// A workspace with something to protect, something missing, and a link that leads out.
fn workspace(supervisor: &Supervisor, ground: &Ground) -> Ended {
    let root = ground.fixed.clone();
    let write = |path: &str| Step::Start {
        way: baton_testkit::script::Way::Awaited,
        steps: vec![Step::Write { path: root.join(path), text: "x".to_owned() }],
    };
    let paths =
        ["src/new.rs", ".git/config", ".git/hooks/post-commit", ".claude/settings.json", "../outside"];
    let steps: Vec<Step> = paths.iter().map(|path| write(path)).collect();
    run(supervisor, &steps, |order| {
        order.folder = root.clone();
        let protected = protected_paths(&root);
        let (root, writable) = (root.clone(), Vec::new());
        order.confinement = Confinement::Workspace { root, writable, temporary: None, protected };
    })
}

#[test]
fn a_workspace_can_be_written_but_not_what_is_protected_in_it() {
    let Some(supervisor) = on(Means::Bubblewrap) else { return };
    let ground = Ground::new();
    let config = fs::read(ground.fixed.join(".git/config")).expect("a configuration");
    let ended = workspace(&supervisor, &ground);
    assert!(ground.fixed.join("src/new.rs").exists(), "{}", text(&ended));
    assert_eq!(fs::read(ground.fixed.join(".git/config")).expect("a configuration"), config);
    assert!(!ground.fixed.join(".git/hooks/post-commit").exists());
    assert!(!ground.fixed.join(".claude").exists(), "what was only there to be covered is gone again");
    assert!(!ground.fixed.join("../outside").exists());
    assert!(ended.confinement.open.is_empty(), "{:?}", ended.confinement);
}

#[test]
fn landlock_says_what_it_cannot_protect_in_a_workspace() {
    let Some(supervisor) = on(Means::Landlock) else { return };
    let ground = Ground::new();
    let ended = workspace(&supervisor, &ground);
    assert!(ground.fixed.join("src/new.rs").exists() && !ground.fixed.join("../outside").exists());
    assert_eq!(ended.confinement.open, protected_paths(&ground.fixed), "{:?}", ended.confinement);
    assert!(ground.fixed.join(".claude/settings.json").exists(), "the label says no less than what is so");
}

/// A folder for temporary files with the checkout and the state of a person in it, and one task at work.
struct Temporary {
    ground: Ground,
    own: PathBuf,
    paths: Vec<PathBuf>,
}

impl Temporary {
    fn new() -> Self {
        let ground = Ground::new();
        let below = |path: &str| ground.fixed.join(path);
        let own = below("home/state/work/T1/files");
        let paths = ["person/project/code.rs", "home/state/log.sqlite", "home/state/work/T2/files/code.rs"]
            .map(below);
        for path in paths.iter().chain([&own.join("code.rs")]) {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "as it was").expect("a file");
        }
        Self { ground, own, paths: paths.to_vec() }
    }

    /// Tries to write all, and to move the folders in which they lie; and then its own file, and a temporary one.
    fn attacked(&self, supervisor: &Supervisor) -> Ended {
        let fixed = &self.ground.fixed;
        let mut steps: Vec<Step> =
            self.paths.iter().map(|path| sh(&format!("echo x > {}", path.display()))).collect();
        for folder in ["person", "person/project", "home", "home/state", "home/state/work"] {
            let folder = fixed.join(folder);
            steps.push(sh(&format!("mv {0} {0}-away; rm -rf {0}/*; touch {0}/new", folder.display())));
        }
        steps.push(sh(&format!("echo x > {}", fixed.join("temporary").display())));
        steps.push(Step::Write { path: self.own.join("code.rs"), text: "new".to_owned() });
        run(supervisor, &steps, |order| {
            order.folder = self.own.clone();
            order.confinement = Confinement::Workspace {
                root: self.own.clone(),
                writable: vec![self.ground.scratch.clone()],
                temporary: Some(fixed.clone()),
                protected: vec![fixed.join("person/project"), fixed.join("home/state")],
            };
            order.demand = Demand::Enforced;
        })
    }
}

#[test]
fn what_is_protected_in_the_temporary_folder_stays_as_it_is_with_all_that_leads_to_it() {
    for means in [Means::Bubblewrap, Means::Landlock] {
        let Some(supervisor) = on(means) else { continue };
        let place = Temporary::new();
        let ended = place.attacked(&supervisor);
        assert_eq!(ended.how, How::Code(0), "{means:?}: {}", text(&ended));
        for path in &place.paths {
            let now = fs::read_to_string(path).unwrap_or_else(|error| panic!("{means:?}: {path:?}: {error}"));
            assert_eq!(now, "as it was", "{means:?}: {path:?}");
        }
        for folder in ["person-away", "home-away", "home/state-away", "person/project/new", "home/state/new"]
        {
            assert!(!place.ground.fixed.join(folder).exists(), "{means:?}: {folder}");
        }
        assert_eq!(fs::read_to_string(place.own.join("code.rs")).expect("its own"), "new", "{means:?}");
        // Landlock makes no exceptions: rather than leave a project open, the temporary folder is not given.
        let is_given = place.ground.fixed.join("temporary").exists();
        assert_eq!(is_given, means == Means::Bubblewrap, "{means:?}");
        assert!(ended.confinement.open.is_empty(), "{means:?}: {:?}", ended.confinement);
    }
}

#[test]
fn root_in_a_box_cannot_take_it_down() {
    let Some(supervisor) = on(Means::Bubblewrap) else { return };
    let ground = Ground::new();
    let Some(mount) = ["/usr/bin/mount", "/bin/mount"].iter().find(|path| Path::new(path).exists()) else {
        return;
    };
    for options in ["remount,rw,bind", "remount,rw"] {
        let argv = [mount, "-o", options, "/"].iter().map(Into::into).collect();
        let mut order = Order::new(argv, ground.fixed.clone(), LONG);
        order.confinement = ground.read_only();
        let ended = supervisor.start(order).expect("it starts").wait();
        assert!(!matches!(ended.how, How::Code(0)), "{}", text(&ended));
    }
}

#[test]
fn a_confinement_that_makes_no_sense_is_refused() {
    let ground = Ground::new();
    let around = ground.fixed.parent().expect("a parent").to_owned();
    let senseless = [
        Confinement::ReadOnly { writable: vec![around] },
        Confinement::ReadOnly { writable: vec![PathBuf::from("/")] },
        Confinement::ReadOnly { writable: vec![ground.scratch.join("missing")] },
        Confinement::Workspace {
            root: PathBuf::from("/"),
            writable: Vec::new(),
            temporary: None,
            protected: Vec::new(),
        },
    ];
    for confinement in senseless {
        let stage = Stage::new(&[]);
        let mut order = stage.order(LONG);
        (order.folder, order.confinement) = (ground.fixed.clone(), confinement);
        let refused = supervisor().start(order).expect_err("refused");
        assert_eq!(refused.reason, Reason::Confinement, "{refused}");
    }
}

#[test]
fn what_is_let_into_something_protected_is_told() {
    let ground = Ground::new();
    let root = ground.scratch.join("work");
    let given = ground.fixed.join("empty");
    fs::create_dir(&root).expect("a folder");
    let ended = run(&supervisor(), &[], |order| {
        order.folder = root.clone();
        order.confinement = Confinement::Workspace {
            root,
            writable: vec![given.clone()],
            temporary: None,
            protected: vec![ground.fixed.clone(), ground.scratch.clone()],
        };
    });
    assert!(ended.confinement.open.contains(&given), "{:?}", ended.confinement);
    assert!(ended.confinement.gaps().contains(&format!("It could write {}.", given.display())));
}

#[test]
fn a_child_can_be_somebody_else_when_baton_is_root() {
    let stage = Stage::new(&[]);
    let mut order = stage.order(LONG);
    order.argv = vec!["/usr/bin/id".into(), "-u".into()];
    order.folder = PathBuf::from("/");
    order.identity = Some(Identity { user: 65534, group: 65534 });
    match supervisor().start(order) {
        Ok(running) => {
            let ended = running.wait();
            assert_eq!(text(&ended), "65534\n");
            assert!(!ended.confinement.is_root);
        }
        Err(refused) => assert_eq!(refused.reason, Reason::Other, "only root may: {refused}"),
    }
}
