//! `dotnet build` and MSBuild: whether the build succeeded.

use super::line::Line;
use super::{Definition, Kind, Notes, Place, Showing, Tool, Watch};

pub(super) static DEFINITION: Definition = Definition {
    tool: Tool::DotnetBuild,
    kind: Kind::Build,
    name: "dotnet build",
    about: "Building .NET projects",
    watch: || Box::new(DotnetBuild),
};

struct DotnetBuild;

impl Watch for DotnetBuild {
    fn line(&mut self, line: &Line<'_>, notes: &mut Notes) {
        match line.text {
            "Build succeeded." => notes.verdict(Tool::DotnetBuild, Showing::Success, Place::of(line)),
            "Build FAILED." => notes.verdict(Tool::DotnetBuild, Showing::Failure, Place::of(line)),
            _ => {}
        }
    }
}
