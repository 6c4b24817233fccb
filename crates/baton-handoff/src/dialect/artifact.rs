//! The versioned JSON artifacts that builder, verifier and orchestrator hand to each other.

mod table;

use super::{Definition, Dialect, Layout, Offer, Variant};
use crate::key;
use crate::tree::Node;

/// The schema versions this build reads.
pub(crate) const SCHEMA_VERSIONS: &[&str] = &["1", "1.0", "1.0.0"];

pub(crate) static DEFINITION: Definition = Definition {
    dialect: Dialect::Artifact,
    name: "artifact",
    about: "The versioned JSON artifacts of the builder–verifier protocol",
    layout: Layout::Json,
    variants: table::VARIANTS,
    recognise,
    reads_prose: false,
};

fn recognise(offer: Offer<'_, '_>) -> Option<&'static Variant> {
    let common =
        offer.count(&["artifact_id", "waypoint_id", "produced_by_role", "produced_at", "source_refs"]);
    // An agent may leave all of them to the host, and says then only which artifact it is.
    let is_artifact = common >= 2 || common == 1 && offer.has("artifact_type") || named(offer.node).is_some();
    is_artifact.then(|| variant_of(offer.node))
}

/// Returns the variant that the document names.
fn named(node: &Node<'_>) -> Option<&'static Variant> {
    let name = key::normalise(node.get("artifact_type")?.text()?);
    table::VARIANTS.iter().find(|variant| key::normalise(variant.name) == name)
}

/// Returns the variant that the document names, or else the one whose own keys it has most of.
fn variant_of(node: &Node<'_>) -> &'static Variant {
    if let Some(found) = named(node) {
        return found;
    }
    let own = |variant: &&Variant| {
        let keys =
            variant.keys.iter().filter(|key| !table::COMMON.iter().any(|common| common.name == key.name));
        keys.filter(|key| node.get(key.name).is_some()).count()
    };
    table::VARIANTS.iter().rev().max_by_key(own).unwrap_or(&table::VARIANTS[0])
}
