//! `baton mcp`: agents ask through their own client.

use baton_runner::Service;

use super::Done;
use super::desk::{Who, root};
use crate::exit;
use crate::failure::Failure;
use crate::mcp::server::{Reached, Server};
use crate::mcp::{http, stdio};

/// Serve agents over the Model Context Protocol
///
/// Agents that you start yourself take turns, hand over, ask and search with the tools of this server; their client starts it in the
/// folder of the project. It speaks on standard input and output, or with `--http` on this machine only. No agent can do with
/// it what is a person's to do.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Serve streamable HTTP at `http://127.0.0.1:PORT/mcp`, to clients that show the token
    #[arg(long)]
    http: bool,
    /// The port for `--http`; a free one when not given
    #[arg(long, value_name = "PORT", requires = "http", default_value_t = 0)]
    port: u16,
    #[command(flatten)]
    who: Who,
}

pub(crate) fn run(service: &Service, config: Option<&std::path::Path>, args: &Args) -> Done {
    let root = root(service)?;
    let failed = |what: &str, why: &str| {
        Failure::refused(exit::Code::Io, &format!("{what}: {why}"), "mend that, then start it again")
    };
    if args.http {
        let (path, token) = args.who.desk(service)?.client_token().map_err(super::desk::failure)?;
        let server = Server::new(args.who.clone(), config, &root, Reached::ByMany)
            .map_err(|why| failed("no random bytes", &why))?;
        return http::serve(server, args.port, (&path, token))
            .map_err(|error| failed("it cannot be served", &error.to_string()));
    }
    let server = Server::new(args.who.clone(), config, &root, Reached::ByOne)
        .map_err(|why| failed("no random bytes", &why))?;
    stdio::serve(&server).map_err(|error| failed("it cannot be served", &error.to_string()))?;
    Ok(exit::Code::Fine)
}
