//! `baton convert`: write a handoff in another dialect.

use std::io::Write;
use std::path::{Path, PathBuf};

use baton_handoff::dialect::{self, Definition, Variant};
use baton_runner::Service;
use baton_runner::service::DocumentError;

use super::Done;
use super::check::read_standard_input;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Write a handoff in another dialect
///
/// The result goes to standard output. What the target has no place for is listed on standard error, and the exit code is
/// then 5. Keys that no dialect knows are carried along.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The dialect to write, such as `taskfile`, `package` or `build-artifact`
    #[arg(long, value_name = "DIALECT")]
    to: String,
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    let (definition, variant) = named(&args.to)?;
    let bytes = read(service, &args.path)?;
    let written = service.convert(&bytes, definition, variant).map_err(|error| failure(&args.path, error))?;
    let mut out = output::data();
    for (at, document) in written.iter().enumerate() {
        if at > 0 {
            output::written(writeln!(out)).ok();
        }
        output::written(out.write_all(document.text.as_bytes())).ok();
    }
    if let Err(code) = output::written(out.flush()) {
        return Ok(code);
    }
    // Last, so that it stands where a person looks.
    let mut code = exit::Code::Fine;
    for loss in written.iter().flat_map(|document| &document.losses) {
        code = exit::Code::Lossy;
        let path = printable(&loss.path);
        output::talk(&match loss.kept_as {
            Some(field) => format!("carried over only in part, as {}: {path}\n", field.name()),
            None => format!("not carried over: {path}\n"),
        });
    }
    Ok(code)
}

/// Finds a dialect by name, or says which there are.
pub(super) fn named(name: &str) -> Result<(&'static Definition, &'static Variant), Failure> {
    if let Some(definition) = dialect::ALL.iter().find(|known| known.name == name)
        && definition.variants.iter().all(|variant| variant.name != name)
    {
        let variants: Vec<_> = definition.variants.iter().map(|variant| variant.name).collect();
        let message = format!("`{name}` has several forms");
        return Err(Failure::usage(&message, &format!("choose one of {}", variants.join(", "))));
    }
    dialect::find(name).ok_or_else(|| {
        let names = |definition: &&'static Definition| match definition.variants {
            [_] => vec![definition.name],
            variants => variants.iter().map(|variant| variant.name).collect(),
        };
        let known: Vec<_> = dialect::ALL.iter().flat_map(names).collect();
        Failure::usage(
            &format!("there is no dialect `{}`", printable(name)),
            &format!("choose one of {}", known.join(", ")),
        )
    })
}

pub(super) fn read(service: &Service, path: &Path) -> Result<Vec<u8>, Failure> {
    match path == Path::new("-") {
        true => read_standard_input(),
        false => service.read(path).map_err(|error| failure(path, error)),
    }
}

pub(super) fn failure(path: &Path, error: DocumentError) -> Failure {
    match error {
        DocumentError::Io(error) => Failure::io(path, "read or written", &error),
        DocumentError::Refused(_) => {
            let path = printable(&path.display().to_string());
            Failure::no_handoff(
                &format!("{path} is not a handoff"),
                &format!("`baton check {path}` says why"),
            )
        }
    }
}
