//! What a project says of itself: its words, and which rules count.

use crate::dialect::{frontmatter, summary};
use crate::key::Vocabulary;
use crate::report::Weights;

/// A stage with the checkpoints it must show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub name: String,
    pub checkpoints: Vec<String>,
}

/// The settings that judging needs. The defaults are those of the dialects.
#[derive(Clone, Debug)]
pub struct Project {
    pub stages: Vec<Stage>,
    pub phases: Vec<String>,
    pub roles: Vec<String>,
    pub severities: Vec<String>,
    pub weights: Weights,
}

/// The roles that are built in.
pub const ROLES: &[&str] = &["orchestrator", "builder", "verifier", "repair", "specialist", "human", "host"];
/// The severities and priorities that are built in.
pub const SEVERITIES: &[&str] = &["high", "medium", "low"];

impl Default for Project {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Self {
            stages: frontmatter::STAGES
                .iter()
                .map(|(name, checkpoints)| Stage {
                    name: (*name).to_owned(),
                    checkpoints: owned(checkpoints),
                })
                .collect(),
            phases: owned(summary::PHASES),
            roles: owned(ROLES),
            severities: owned(SEVERITIES),
            weights: Weights::default(),
        }
    }
}

impl Project {
    /// Returns the checkpoints of a stage, or nothing when the project does not know the stage.
    pub fn checkpoints(&self, stage: &str) -> Option<&[String]> {
        self.stages.iter().find(|known| known.name == stage).map(|known| known.checkpoints.as_slice())
    }

    /// Returns the words of a vocabulary.
    pub fn words(&self, vocabulary: Vocabulary) -> Vec<&str> {
        match vocabulary {
            Vocabulary::Stages => self.stages.iter().map(|stage| stage.name.as_str()).collect(),
            Vocabulary::Phases => self.phases.iter().map(String::as_str).collect(),
            Vocabulary::Roles => self.roles.iter().map(String::as_str).collect(),
            Vocabulary::Severities => self.severities.iter().map(String::as_str).collect(),
        }
    }

    pub(crate) fn knows(&self, vocabulary: Vocabulary, word: &str) -> bool {
        match vocabulary {
            Vocabulary::Stages => self.stages.iter().any(|stage| stage.name == word),
            Vocabulary::Phases => self.phases.iter().any(|known| known == word),
            Vocabulary::Roles => self.roles.iter().any(|known| known == word),
            Vocabulary::Severities => self.severities.iter().any(|known| known == word),
        }
    }
}
