//! A handoff as an audit found it: its claims, and where the document is.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use baton_evidence::claims::{self, Claims};
use baton_handoff::diagnostic::Diagnostic;
use baton_handoff::document::Document;

use super::recorded::Origin;
use crate::git::BlobIds;

/// What one handoff claims, with the place of its document.
#[derive(Clone, Debug)]
pub struct Dossier {
    pub claims: Claims,
    /// As it was found.
    pub path: PathBuf,
    /// From the root of the repository, with forward slashes.
    pub repository_path: Option<String>,
    /// The commit that it was read from, where it is not as it is now.
    pub version: Option<String>,
    /// What git calls the file's content.
    pub blob: BlobIds,
    /// The turn in which it was written, where that is in Baton's own log.
    pub recorded: Option<Origin>,
}

impl Deref for Dossier {
    type Target = Claims;

    fn deref(&self) -> &Claims {
        &self.claims
    }
}

impl Dossier {
    /// Returns the path from the root, with the commit where this is an older version.
    pub fn shown_path(&self) -> String {
        let path =
            self.repository_path.clone().unwrap_or_else(|| self.path.to_string_lossy().replace('\\', "/"));
        match &self.version {
            Some(commit) => format!("{path}@{commit}"),
            None => path,
        }
    }

    /// Returns the folder that holds the file, from the root of the repository.
    pub fn folder(&self) -> &str {
        self.repository_path
            .as_deref()
            .and_then(|path| path.rsplit_once('/'))
            .map_or("", |(folder, _)| folder)
    }

    /// Joins the handoffs of one document, which somebody handed over as a whole.
    pub(super) fn joined(dossiers: Vec<Self>) -> Option<Self> {
        let first = dossiers.first()?.clone();
        let claims = Claims::of_whole(dossiers.into_iter().map(|dossier| dossier.claims).collect())?;
        Some(Self { claims, ..first })
    }

    /// Names the document in the claims as it is shown.
    pub(super) fn named(mut self) -> Self {
        self.claims.source = self.shown_path();
        self
    }
}

/// Returns the handoffs of a document with what its rules found.
pub fn of_document(path: &Path, document: &Document<'_>, diagnostics: &[Diagnostic]) -> Vec<Dossier> {
    let all = claims::of_document(&path.to_string_lossy(), document, diagnostics).into_iter();
    all.map(|claims| Dossier {
        claims,
        path: path.to_owned(),
        repository_path: None,
        version: None,
        blob: BlobIds::default(),
        recorded: None,
    })
    .collect()
}
