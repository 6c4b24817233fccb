//! The scripted agent: good, lazy, lying or nasty, as its script says.
//!
//! A script is a file of JSON, one step a line, done in order:
//!
//! ```text
//! {"do":"save_prompt","path":"prompt.txt"}
//! {"do":"write","path":"src/lib.rs","text":"pub fn answer() -> u32 { 42 }\n"}
//! {"do":"print","text":"All tests pass.\n"}
//! {"do":"exit","code":0}
//! ```
//!
//! [`Step`] has all of them. Paths are relative to the folder in which the agent runs. Whatever it starts is started with
//! the path of the script among its arguments, so that a test can find what is still alive. A step that fails is said on
//! standard error, and the agent ends with 70; a script that cannot be read ends it with 64.

mod probe;

use std::env;
use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, getppid, kill_current_process_group, kill_process, setsid};
use serde::{Deserialize, Serialize};

pub use self::probe::PROBES;

const PIECE_BYTES: usize = 64 * 1024;
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Ends itself after this in any case: a test that failed leaves nobody behind for long.
const LIFE_MAX: Duration = Duration::from_secs(120);

/// One thing that the agent does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Writes text as it is, without a line's end.
    Print {
        text: String,
        #[serde(default)]
        to: To,
    },
    /// Writes bytes, given in hexadecimal.
    Bytes {
        hex: String,
        #[serde(default)]
        to: To,
    },
    /// Writes very much. Lines of `line` bytes; with 0 there is one line without an end.
    Flood {
        bytes: u64,
        line: usize,
        #[serde(default)]
        to: To,
    },
    /// Says nothing more on a stream.
    Close {
        to: To,
    },
    /// Reads all of its input into a file.
    SavePrompt {
        path: PathBuf,
    },
    /// Fills in the form of the prompt in a file, and hands that over. A copy goes to another file.
    FillForm {
        prompt: PathBuf,
        answers: crate::form::Answers,
        copy: PathBuf,
    },
    /// Reads one line of its input, and says what it heard.
    Hear,
    Write {
        path: PathBuf,
        text: String,
    },
    Append {
        path: PathBuf,
        text: String,
    },
    Remove {
        path: PathBuf,
    },
    Wait {
        ms: u64,
    },
    /// Waits until there is such a file.
    WaitFor {
        path: PathBuf,
    },
    Hang,
    /// Works for nothing, without an end.
    Spin,
    /// Takes no notice of signals: TERM, INT, HUP.
    Ignore {
        signals: Vec<String>,
    },
    /// Sends a signal.
    Signal {
        whom: Whom,
        name: String,
    },
    /// Starts another that does these steps.
    Start {
        way: Way,
        steps: Vec<Step>,
    },
    /// Runs a program of its own choice to its end, however that ends; what it says is heard.
    Run {
        argv: Vec<String>,
    },
    /// Starts so many that hang.
    Crowd {
        count: usize,
    },
    /// Starts itself anew and ends, again and again.
    Hop {
        hops: u64,
    },
    /// Takes memory and holds it.
    Allocate {
        bytes: usize,
    },
    /// Opens so many files and holds them; says how many it got.
    Open {
        count: usize,
    },
    /// Says its environment, one variable a line.
    Environment,
    /// Tries to change something, and says `allowed NAME` or `denied NAME`.
    Probe {
        name: String,
        folder: PathBuf,
        scratch: PathBuf,
    },
    Exit {
        code: i32,
    },
    Abort,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum To {
    #[default]
    Out,
    Err,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whom {
    Itself,
    Parent,
    Group,
}

/// How another is started.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// An ordinary child, not waited for.
    Child,
    /// A child whose end is waited for.
    Awaited,
    /// In a session of its own, its parent gone, holding the streams.
    Daemon,
    /// The same, with an empty environment and no streams.
    Scrubbed,
}

/// Runs the agent with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (steps, tag) = match arguments.as_slice() {
        [flag, ..] if flag == "--help" => {
            let _ = io::stdout()
                .write_all(b"scripted-agent SCRIPT: does the steps of SCRIPT, one JSON object a line\n");
            return ExitCode::SUCCESS;
        }
        [flag, way, steps, tag] if flag == "--between" => return between(way, steps, tag),
        [flag, steps, tag] if flag == "--steps" => (serde_json::from_str(steps), tag.clone()),
        [script] => (read(script), script.clone()),
        _ => return ExitCode::from(64),
    };
    thread::spawn(|| {
        thread::sleep(LIFE_MAX);
        std::process::exit(71);
    });
    let Ok(steps) = steps else { return ExitCode::from(64) };
    let mut agent = Agent { tag, held: Vec::new(), files: Vec::new() };
    for step in &steps {
        if let Err(error) = agent.perform(step) {
            // In one piece, so that nothing else that is said comes between.
            let _ = io::stderr().write_all(format!("{step:?}: {error}\n").as_bytes());
            return ExitCode::from(70);
        }
    }
    ExitCode::SUCCESS
}

fn read(script: &str) -> serde_json::Result<Vec<Step>> {
    let text = fs::read_to_string(script).map_err(serde_json::Error::io)?;
    text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect()
}

/// Stands between an agent and its daemon, and ends at once.
fn between(way: &str, steps: &str, tag: &str) -> ExitCode {
    let _ = setsid();
    let Ok(mut command) = again(&["--steps", steps, tag]) else { return ExitCode::from(70) };
    if way == "scrubbed" {
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    command.spawn().map_or(ExitCode::from(70), |_| ExitCode::SUCCESS)
}

fn again(arguments: &[&str]) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args(arguments);
    Ok(command)
}

struct Agent {
    tag: String,
    held: Vec<Vec<u8>>,
    files: Vec<fs::File>,
}

impl Agent {
    fn perform(&mut self, step: &Step) -> io::Result<()> {
        match step {
            Step::Print { text, to } => put(*to, text.as_bytes()),
            Step::Bytes { hex, to } => put(*to, &unhex(hex)?),
            Step::Flood { bytes, line, to } => flood(*bytes, *line, *to),
            Step::Close { to } => close(*to),
            Step::SavePrompt { path } => {
                let mut prompt = Vec::new();
                io::stdin().read_to_end(&mut prompt)?;
                fs::write(path, prompt)
            }
            Step::FillForm { prompt, answers, copy } => {
                let form = crate::form::fill(&fs::read_to_string(prompt)?, answers);
                let message = form.ok_or(io::ErrorKind::InvalidData)?;
                fs::write(copy, &message)?;
                put(To::Out, message.as_bytes())
            }
            Step::Hear => {
                let mut line = String::new();
                io::stdin().lock().read_line(&mut line)?;
                put(To::Out, format!("heard {}\n", line.trim_end()).as_bytes())
            }
            Step::Write { path, text } => {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(path, text)
            }
            Step::Append { path, text } => {
                fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
            }
            Step::Remove { path } => fs::remove_file(path),
            Step::Wait { ms } => {
                thread::sleep(Duration::from_millis(*ms));
                Ok(())
            }
            Step::WaitFor { path } => until(|| path.exists()),
            Step::Hang => until(|| false),
            Step::Spin => spin(),
            Step::Ignore { signals } => signals.iter().try_for_each(|name| ignore(name)),
            Step::Signal { whom, name } => signal(*whom, name),
            Step::Start { way, steps } => self.start(*way, steps),
            Step::Run { argv } => {
                let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
                Command::new(program).args(arguments).stdin(Stdio::null()).status().map(drop)
            }
            Step::Crowd { count } => (0..*count).try_for_each(|_| self.start(Way::Child, &[Step::Hang])),
            Step::Hop { hops: 0 } => Ok(()),
            Step::Hop { hops } => {
                self.start(Way::Child, &[Step::Hop { hops: hops - 1 }])?;
                std::process::exit(0)
            }
            Step::Allocate { bytes } => {
                self.held.push(vec![1; *bytes]);
                Ok(())
            }
            Step::Open { count } => {
                let files = (0..*count).map_while(|_| fs::File::open("/dev/null").ok());
                self.files.extend(files);
                put(To::Out, format!("opened {}\n", self.files.len()).as_bytes())
            }
            Step::Environment => env::vars_os().try_for_each(|(name, value)| {
                put(To::Out, format!("{}={}\n", name.display(), value.display()).as_bytes())
            }),
            Step::Probe { name, folder, scratch } => {
                let told = match probe::attempt(name, folder, scratch) {
                    Ok(()) => format!("allowed {name}\n"),
                    Err(error) => format!("denied {name}: {error}\n"),
                };
                put(To::Out, told.as_bytes())
            }
            Step::Exit { code } => std::process::exit(*code),
            Step::Abort => std::process::abort(),
        }
    }

    fn start(&self, way: Way, steps: &[Step]) -> io::Result<()> {
        let steps = serde_json::to_string(steps)?;
        match way {
            Way::Child => again(&["--steps", &steps, &self.tag])?.spawn().map(drop),
            Way::Awaited => again(&["--steps", &steps, &self.tag])?.status().map(drop),
            Way::Daemon => again(&["--between", "daemon", &steps, &self.tag])?.status().map(drop),
            Way::Scrubbed => again(&["--between", "scrubbed", &steps, &self.tag])?.status().map(drop),
        }
    }
}

fn put(to: To, bytes: &[u8]) -> io::Result<()> {
    match to {
        To::Out => {
            let mut out = io::stdout();
            out.write_all(bytes)?;
            out.flush()
        }
        To::Err => io::stderr().write_all(bytes),
    }
}

fn flood(bytes: u64, line: usize, to: To) -> io::Result<()> {
    let mut piece = vec![b'x'; PIECE_BYTES];
    if line > 0 {
        piece.iter_mut().skip(line - 1).step_by(line).for_each(|byte| *byte = b'\n');
    }
    let mut left = bytes;
    while left > 0 {
        let count = left.min(PIECE_BYTES as u64);
        put(to, &piece[..count as usize])?;
        left -= count;
    }
    Ok(())
}

fn close(to: To) -> io::Result<()> {
    let nowhere = fs::OpenOptions::new().write(true).open("/dev/null")?;
    match to {
        To::Out => rustix::stdio::dup2_stdout(&nowhere)?,
        To::Err => rustix::stdio::dup2_stderr(&nowhere)?,
    }
    Ok(())
}

fn until(mut is_so: impl FnMut() -> bool) -> io::Result<()> {
    let end = Instant::now() + LIFE_MAX;
    while Instant::now() < end {
        if is_so() {
            return Ok(());
        }
        thread::sleep(LOOK_EVERY);
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "it did not come"))
}

fn spin() -> io::Result<()> {
    let end = Instant::now() + LIFE_MAX;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
    Ok(())
}

fn ignore(name: &str) -> io::Result<()> {
    // Being told of a signal is the safe way not to die of it.
    signal_hook::flag::register(number(name)?.as_raw(), Arc::new(AtomicBool::new(false))).map(drop)
}

fn signal(whom: Whom, name: &str) -> io::Result<()> {
    let signal = number(name)?;
    match whom {
        Whom::Itself => kill_process(getpid(), signal)?,
        Whom::Parent => kill_process(getppid().ok_or(io::ErrorKind::NotFound)?, signal)?,
        Whom::Group => kill_current_process_group(signal)?,
    }
    Ok(())
}

fn number(name: &str) -> io::Result<Signal> {
    Ok(match name {
        "TERM" => Signal::TERM,
        "INT" => Signal::INT,
        "HUP" => Signal::HUP,
        "KILL" => Signal::KILL,
        "STOP" => Signal::STOP,
        "SEGV" => Signal::SEGV,
        "USR1" => Signal::USR1,
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "no signal that a script knows")),
    })
}

fn unhex(hex: &str) -> io::Result<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.ok_or(io::ErrorKind::InvalidInput)?;
    Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, &digit| byte * 16 + digit as u8)).collect())
}
