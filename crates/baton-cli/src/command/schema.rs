//! `baton schema`: print the JSON Schema of a dialect.

use baton_handoff::dialect;
use baton_handoff::schema;
use baton_runner::Service;

use super::Done;
use super::convert::named;
use crate::output;

/// Print the JSON Schema of a dialect
///
/// The schema is made from the tables that `check` itself uses, with the words of your `baton.toml`. Without a dialect, the
/// names are listed.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The dialect or artifact
    #[arg(value_name = "DIALECT")]
    dialect: Option<String>,
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    let text = match &args.dialect {
        None => names(),
        Some(name) => {
            let (definition, variant) = named(name)?;
            format!("{:#}\n", schema::schema(definition, variant, &service.project))
        }
    };
    Ok(output::print(text.as_bytes()))
}

/// Lists dialects and their variants with what they are.
pub(super) fn names() -> String {
    let mut lines = String::new();
    for definition in dialect::ALL {
        match definition.variants {
            [_] => lines.push_str(&format!("{:<28}{}\n", definition.name, definition.about)),
            variants => {
                for variant in variants {
                    lines.push_str(&format!("{:<28}{}\n", variant.name, variant.about));
                }
            }
        }
    }
    lines
}
