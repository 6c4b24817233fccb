//! The forms in which people and agents write handoffs: one file each, all of one shape.
//!
//! A dialect is a table of keys, a way to recognise it, and a way to lay it out. Reading, writing, schemas and most rules
//! follow from the table.

pub(crate) mod artifact;
pub(crate) mod five_section;
pub(crate) mod frontmatter;
pub(crate) mod generic;
pub(crate) mod gsd;
pub(crate) mod machine_summary;
pub(crate) mod package;
pub(crate) mod summary;
pub(crate) mod taskfile;

use crate::key::Key;
use crate::tree::Node;

/// A way of writing handoffs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Stage documents: markdown with YAML frontmatter and checkpoints.
    Frontmatter,
    /// A `handoff:` block in a completion summary.
    Summary,
    /// A structured `## Handoff` section of a task file.
    Taskfile,
    /// The versioned JSON artifacts of the builder–verifier protocol.
    Artifact,
    /// Handoff packages, gates and acknowledgments.
    Package,
    GsdHandoff,
    GsdContinue,
    GsdSummary,
    GsdVerification,
    /// Notes with Observation, Logic Chain, Caveats, Conclusion and Verification Method.
    FiveSection,
    /// Reports with a machine-readable summary for routing.
    MachineSummary,
    /// Any other YAML or JSON that says what a handoff says.
    Generic,
    /// Prose.
    Freeform,
}

/// Where a block of data stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Frontmatter,
    Fence,
    /// Bare YAML under a heading.
    Section,
    /// The whole document.
    Whole,
}

/// How a dialect lays out a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// YAML frontmatter before a markdown body.
    Frontmatter,
    /// A fenced YAML block in markdown, under this heading.
    Fence {
        heading: &'static str,
    },
    /// A YAML file; a title is a comment that says what it is.
    Yaml {
        title: Option<&'static str>,
    },
    Json,
    /// Markdown sections.
    Prose,
}

/// One table of keys of a dialect: most have one, artifacts and packages have several.
#[derive(Debug)]
pub struct Variant {
    /// As in `--to package` or `new artifact build-plan`; equal to the dialect's name where there is one table.
    pub name: &'static str,
    pub about: &'static str,
    /// The key that all others stand under.
    pub wrapper: Option<&'static str>,
    pub keys: &'static [Key],
}

/// A data block offered to the dialects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer<'a, 's> {
    pub(crate) origin: Origin,
    /// The mapping, with its wrapper if it has one.
    pub(crate) node: &'a Node<'s>,
    /// Whether a comment before the data calls it a handoff.
    pub(crate) titled_handoff: bool,
}

impl Offer<'_, '_> {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    pub(crate) fn count(&self, keys: &[&str]) -> usize {
        keys.iter().filter(|key| self.has(key)).count()
    }
}

/// Everything there is to know about a dialect.
#[derive(Debug)]
pub struct Definition {
    pub dialect: Dialect,
    pub name: &'static str,
    pub about: &'static str,
    pub layout: Layout,
    pub variants: &'static [Variant],
    /// Returns the variant that a block is written in.
    pub(crate) recognise: fn(Offer<'_, '_>) -> Option<&'static Variant>,
    /// Whether prose around the data carries facts that belong to the handoff.
    pub(crate) reads_prose: bool,
}

/// All dialects, the most particular first: the first that recognises a block reads it.
pub const ALL: &[&Definition] = &[
    &artifact::DEFINITION,
    &package::DEFINITION,
    &summary::DEFINITION,
    &frontmatter::DEFINITION,
    &taskfile::DEFINITION,
    &gsd::handoff::DEFINITION,
    &gsd::continue_here::DEFINITION,
    &gsd::verification::DEFINITION,
    &gsd::summary::DEFINITION,
    &machine_summary::DEFINITION,
    &generic::DEFINITION,
    &five_section::DEFINITION,
    &generic::FREEFORM,
];

impl Dialect {
    pub fn definition(self) -> &'static Definition {
        ALL.iter().copied().find(|definition| definition.dialect == self).unwrap_or(&generic::DEFINITION)
    }

    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Says whether this is one of the five dialects with rules of their own.
    pub fn is_strict(self) -> bool {
        match self {
            Self::Frontmatter | Self::Summary | Self::Taskfile | Self::Artifact | Self::Package => true,
            Self::GsdHandoff
            | Self::GsdContinue
            | Self::GsdSummary
            | Self::GsdVerification
            | Self::FiveSection
            | Self::MachineSummary
            | Self::Generic
            | Self::Freeform => false,
        }
    }
}

/// Finds a dialect or one of its variants by name.
pub fn find(name: &str) -> Option<(&'static Definition, &'static Variant)> {
    let exact =
        ALL.iter().find(|definition| definition.name == name).map(|found| (*found, &found.variants[0]));
    exact.or_else(|| {
        ALL.iter().find_map(|definition| {
            definition
                .variants
                .iter()
                .find(|variant| variant.name == name)
                .map(|variant| (*definition, variant))
        })
    })
}
