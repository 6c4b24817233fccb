//! Back to the last good files, in the workspace of the task or in the checkout. The checkout is a person's, so a person asks for
//! it; what is there is saved first.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use baton_engine::command::{Act, ActKind};
use baton_engine::fact::Resolution;
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::state::{Rollback, Snapshot, StatusKind};
use baton_engine::word::{TaskId, TreeHash};

use super::{As, Desk, DeskError};
use crate::drive;
use crate::git::TreeFile;
use crate::workspace::keeping::{self, short};
use crate::workspace::{List, Return, TaskWorkspace, WorkFile, Workspace, is_so, native};

/// Most files that the steps for a person name one by one.
const FILES_NAMED_MAX: usize = 20;

/// What a rollback would do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The workspace that it returns to.
    pub tree: TreeHash,
    pub writes: Vec<String>,
    pub removes: Vec<String>,
    /// What stands in its way.
    pub obstacles: Vec<String>,
}

/// What came of a rollback.
#[derive(Clone, Debug)]
pub struct RolledBack {
    pub plan: Plan,
    /// The name under which the workspace was saved before.
    pub rescue: TreeHash,
    /// What a person has to do, where it could not be done.
    pub remediation: Vec<String>,
}

impl Desk {
    /// Says what a rollback would do.
    pub fn rollback_plan(&self, id: &TaskId) -> Result<Plan, DeskError> {
        let snapshot = self.owed_rollback(id)?;
        let kept = self.kept(&snapshot)?;
        match self.own_workspace(id)? {
            Some(own) => self.plan(own.workspace(), &snapshot, &kept),
            None => self.plan_in_checkout(&snapshot, &kept),
        }
    }

    /// Saves the files as they are, and returns them to the last good ones; or says what a person has to do.
    pub fn roll_back(&mut self, id: &TaskId) -> Result<RolledBack, DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordRollback)?;
        let snapshot = self.owed_rollback(id)?;
        match self.own_workspace(id)? {
            Some(own) => self.roll_back_own(id, &own, &snapshot),
            None => self.roll_back_checkout(id, &snapshot),
        }
    }

    /// Programs work in a folder that is the task's alone, so whatever is in the way there is saved and cleared.
    fn roll_back_own(
        &mut self,
        id: &TaskId,
        own: &TaskWorkspace,
        snapshot: &Snapshot,
    ) -> Result<RolledBack, DeskError> {
        let _alone = drive::alone(self)?;
        self.put_back_own(id, own, snapshot)
    }

    /// The same for whoever works alone already.
    pub(crate) fn put_back_own(
        &mut self,
        id: &TaskId,
        own: &TaskWorkspace,
        snapshot: &Snapshot,
    ) -> Result<RolledBack, DeskError> {
        let plan = self.plan(own.workspace(), snapshot, &self.kept(snapshot)?)?;
        let saved = own.keep()?;
        let (rescue, remediation) = match own.restore(&snapshot.tree) {
            Ok(rescue) => (rescue, Vec::new()),
            Err(error) => {
                let why = error.to_string();
                let steps = steps(id, &plan, (&why, &saved), Some(own.root()));
                (saved, steps)
            }
        };
        self.record_rollback(id, &rescue, &remediation)?;
        Ok(RolledBack { plan, rescue, remediation })
    }

    /// Records that the files are back, or what a person has to do.
    fn record_rollback(
        &mut self,
        id: &TaskId,
        rescue: &TreeHash,
        remediation: &[String],
    ) -> Result<(), DeskError> {
        let act = Act::RecordRollback {
            applied: remediation.is_empty(),
            rescue: Some(rescue.to_string()),
            remediation: remediation.to_vec(),
        };
        self.act(id.as_str(), &self.actor(As::Host), &act, &[])?;
        self.settle(id)
    }

    fn roll_back_checkout(&mut self, id: &TaskId, snapshot: &Snapshot) -> Result<RolledBack, DeskError> {
        self.nobody_else_works(id)?;
        let kept = self.kept(snapshot)?;
        let plan = self.plan_in_checkout(snapshot, &kept)?;
        // A file that is ignored by now is not in the workspace, and would be overwritten all the same.
        let mut covered = Vec::new();
        for file in &kept {
            covered.extend(self.workspace.look(&native(&file.path))?);
        }
        let rescue = self.keep_with(&covered)?;
        let trouble = match plan.obstacles.is_empty() {
            true => self.apply((id, &rescue), snapshot, &kept).err().map(|error| error.to_string()),
            false => Some(plan.obstacles.join("; ")),
        };
        let remediation = trouble.map_or_else(Vec::new, |why| steps(id, &plan, (&why, &rescue), None));
        self.record_rollback(id, &rescue, &remediation)?;
        Ok(RolledBack { plan, rescue, remediation })
    }

    /// Records that a person has put the workspace back by hand.
    pub fn rolled_back_by_hand(&mut self, id: &TaskId, words: &str) -> Result<(), DeskError> {
        self.only_for_people(id.as_str(), ActKind::RecordRollback)?;
        if self.task(id)?.rollback != Rollback::None {
            let rescue = self.keep(id)?;
            let steps = vec![format!("put back by hand: {words}")];
            let act =
                Act::RecordRollback { applied: false, rescue: Some(rescue.to_string()), remediation: steps };
            self.act(id.as_str(), &self.actor(As::Host), &act, &[])?;
        }
        self.resolve(id, Resolution::RolledBackByHand, words)
    }

    fn owed_rollback(&self, id: &TaskId) -> Result<Snapshot, DeskError> {
        let task = self.task(id)?;
        match (task.rollback, task.snapshot_good) {
            (Rollback::Owed(_), Some(snapshot)) => Ok(snapshot),
            (Rollback::Owed(_) | Rollback::None, _) => {
                let details = format!(
                    "no rollback was decided; a person orders one for an escalated task with \
                     `baton resolve {id} rollback WHY`"
                );
                Err(Rejection::new(Refusal::NotNow, details).into())
            }
        }
    }

    /// Refuses while others work in the same files.
    fn nobody_else_works(&self, id: &TaskId) -> Result<(), DeskError> {
        let works = [StatusKind::Working.name(), StatusKind::Verifying.name()];
        let mut others = Vec::new();
        for line in self.board()?.into_iter().filter(|line| works.contains(&line.status.as_str())) {
            let turn = self.state(&line.task)?.task.as_ref().and_then(|task| task.turn.clone());
            if line.task != id.as_str()
                && let Some(turn) = turn
            {
                others.push(format!("{} ({}, {})", line.task, turn.id, turn.session));
            }
        }
        match others.is_empty() {
            true => Ok(()),
            false => {
                let details =
                    format!("others work in the same files: {}; let them hand over first", others.join(", "));
                Err(Rejection::new(Refusal::NotNow, details).into())
            }
        }
    }

    fn kept(&self, snapshot: &Snapshot) -> Result<Vec<TreeFile>, DeskError> {
        Ok(keeping::kept(&self.snapshots()?, &snapshot.tree)?)
    }

    fn plan_in_checkout(&self, snapshot: &Snapshot, kept: &[TreeFile]) -> Result<Plan, DeskError> {
        let mut plan = self.plan(&self.workspace, snapshot, kept)?;
        plan.obstacles = kept.iter().filter_map(|file| self.obstacle(&native(&file.path))).collect();
        Ok(plan)
    }

    fn plan(&self, workspace: &Workspace, snapshot: &Snapshot, kept: &[TreeFile]) -> Result<Plan, DeskError> {
        let mut plan = Plan {
            tree: snapshot.tree.clone(),
            writes: Vec::new(),
            removes: Vec::new(),
            obstacles: Vec::new(),
        };
        let snapshots = self.snapshots()?;
        let mut objects = snapshots.objects();
        for file in kept {
            if !is_so(workspace, file, &mut objects)? {
                plan.writes.push(text(&file.path));
            }
        }
        let paths: BTreeSet<&[u8]> = kept.iter().map(|file| file.path.as_slice()).collect();
        let extra = |file: &WorkFile| !paths.contains(&*file.path);
        let files = workspace.files()?;
        plan.removes = files.iter().filter(|file| extra(file)).map(|file| text(&file.path)).collect();
        Ok(plan)
    }

    /// Returns what keeps a file from being written: a folder in its place, or something that is none on the way.
    fn obstacle(&self, inside: &Path) -> Option<String> {
        let mut path = self.workspace.root.clone();
        let parents: Vec<_> = inside.parent().into_iter().flat_map(Path::iter).collect();
        for part in parents {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Err(_) => return None,
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Some(format!("`{}` is no folder", self.inside(&path))),
            }
        }
        let place = self.workspace.root.join(inside);
        let is_folder = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_dir());
        is_folder.then(|| format!("`{}` is a folder", self.inside(&place)))
    }

    fn inside(&self, path: &Path) -> String {
        path.strip_prefix(&self.workspace.root).unwrap_or(path).display().to_string()
    }

    /// Writes what is missing or different, then takes away what came since. Everything was saved before.
    fn apply(
        &self,
        (id, rescue): (&TaskId, &TreeHash),
        snapshot: &Snapshot,
        kept: &[TreeFile],
    ) -> Result<(), DeskError> {
        let (workspace, snapshots) = (&self.workspace, &self.snapshots()?);
        let list = List { state: &self.folder, task: id };
        Return { workspace, snapshots, kept, tree: &snapshot.tree, list }.put_back(rescue)?;
        Ok(keeping::flush(&self.workspace.root, kept)?)
    }
}

/// Says what a person has to do, in the checkout or in a folder of the task's own.
fn steps(id: &TaskId, plan: &Plan, (why, rescue): (&str, &TreeHash), own: Option<&Path>) -> Vec<String> {
    let (these, place) = match own {
        Some(own) => (format!("those in {}", own.display()), own.display().to_string()),
        None => ("the project's".to_owned(), "the project".to_owned()),
    };
    let named = |files: &[String]| {
        let mut names = files.iter().take(FILES_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        if files.len() > FILES_NAMED_MAX {
            names.push_str(&format!(" and {} more", files.len() - FILES_NAMED_MAX));
        }
        names
    };
    let mut steps = vec![format!("Mend what was in the way: {why}")];
    steps.push(format!(
        "Write the last good files to a new folder: `baton recover {id} {} --into FOLDER`",
        short(&plan.tree)
    ));
    if !plan.writes.is_empty() {
        steps.push(format!("Copy these from there over {these}: {}", named(&plan.writes)));
    }
    if !plan.removes.is_empty() {
        steps.push(format!("Move these out of {place}: {}", named(&plan.removes)));
    }
    steps.push(format!("Say that it is done: `baton rollback {id} --by-hand WORDS`"));
    steps.push(format!(
        "What was there is saved: `baton recover {id} {} --into FOLDER` brings it back",
        short(rescue)
    ));
    steps
}

fn text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
