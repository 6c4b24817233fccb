//! What is known: the journal of a task, search, lessons and what people say of them, files, the graph.

mod age;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use baton_engine::command::{Act, ActKind};
use baton_engine::envelope::PROJECT_STREAM;
use baton_engine::knowledge::graph::{Material, graph};
use baton_engine::knowledge::lesson::Decreed;
use baton_engine::knowledge::page::{self, Page};
use baton_engine::rejection::{Refusal, Rejection};
use baton_engine::word::TaskId;
use baton_store::knowledge::{Index, Query, Touch};

use super::{As, Desk, DeskError, drift};
use age::Ages;

pub use baton_engine::knowledge::graph::{Edge, EdgeKind, Graph, Node, NodeKind};
pub use baton_engine::knowledge::{
    Fate, FileChange, Finding, Item, ItemKind, Journal, Lesson, LessonStanding, Severity, Source,
};
pub use baton_engine::word::{AgentName, LessonId};
pub use baton_store::knowledge::{Filter, Hit, QUERY_WORDS_MAX, Query as Search};

/// Most lessons that are offered to one task.
const LESSONS_MAX: usize = 50;
/// Lessons that are looked at to find those.
const LESSONS_WEIGHED_MAX: usize = 100;
/// Most files, and most tags, by which lessons are looked for; those that were named last.
const TOUCHED_MAX: usize = 24;
/// Most open questions and blockers that are listed.
const OPEN_MAX: usize = 500;
/// Most things that a files list or a graph is made of.
const TOUCHES_MAX: usize = 2_000;
/// Most tasks that are named for one answer.
const TASKS_NAMED_MAX: usize = 8;

/// An answer of a search.
#[derive(Clone, Debug)]
pub struct Found {
    pub hit: Hit,
    /// How it stands and why; only lessons stand.
    pub standing: Option<(LessonStanding, String)>,
    /// Tasks that said it, and who in each.
    pub tasks: BTreeMap<TaskId, BTreeSet<AgentName>>,
}

/// What a search gave.
#[derive(Clone, Debug)]
pub struct Answer {
    pub found: Vec<Found>,
    pub some_words_only: bool,
    pub cut: Option<&'static str>,
}

/// One lesson, or another thing that was said, with all that is known of it.
#[derive(Clone, Debug)]
pub struct Known {
    pub lesson: Lesson,
    pub findings: Vec<Finding>,
    /// Lessons in close words, which are others all the same.
    pub close: Vec<(LessonId, String)>,
}

/// A file with everything that was said of it, the newest first.
#[derive(Clone, Debug)]
pub struct FileEntry {
    pub path: String,
    pub touches: Vec<Finding>,
}

impl Desk {
    /// Opens the index beside the log and brings it up to date.
    fn index(&self) -> Result<Index, DeskError> {
        let path = self.log.path().with_file_name("knowledge.sqlite");
        Ok(Index::open(&path, &self.log, self.log.anchor()?.store)?)
    }

    /// Asks the index, and leaves it open for the next who asks: whoever takes turns does so at each of them.
    fn ask_index<T>(&self, ask: impl FnOnce(&Index) -> Result<T, DeskError>) -> Result<T, DeskError> {
        let left = self.index.lock().unwrap_or_else(PoisonError::into_inner).take();
        let store = self.log.anchor()?.store;
        let current = left.and_then(|mut index| index.look(&self.log, store).ok().map(|()| index));
        let index = current.map_or_else(|| self.index(), Ok)?;
        let answer = ask(&index);
        if index.rest().is_ok() {
            *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Some(index);
        }
        answer
    }

    /// Returns what is known that matters to a task.
    pub fn journal(&self, task: &TaskId) -> Result<Journal, DeskError> {
        let own = self.task(task)?;
        self.ask_index(|index| {
            let findings = index.gathered(task)?;
            self.journal_of(index, findings, (task, &own.title))
        })
    }

    /// Returns what these tasks said, for somebody who comes after them.
    pub(super) fn journal_after(
        &self,
        tasks: &BTreeSet<TaskId>,
        for_whom: (&TaskId, &str),
    ) -> Result<Journal, DeskError> {
        self.ask_index(|index| {
            let mut findings = Vec::new();
            for task in tasks {
                findings.extend(index.said_by(task)?);
            }
            // Stable: what one handoff says stays in its order.
            findings.sort_by_key(|finding| finding.source.sequence);
            self.journal_of(index, findings, for_whom)
        })
    }

    fn journal_of(
        &self,
        index: &Index,
        findings: Vec<Finding>,
        (task, title): (&TaskId, &str),
    ) -> Result<Journal, DeskError> {
        let mut open = Open::new(index);
        let open_questions = open.among(&findings, ItemKind::Question)?;
        let mut active_blockers = open.among(&findings, ItemKind::Blocker)?;
        for finding in open.among(&index.blocking(task)?, ItemKind::Blocker)? {
            if !active_blockers.contains(&finding) {
                active_blockers.push(finding);
            }
        }
        let lessons = self.lessons_for(index, &findings, title)?;
        let said_by: BTreeSet<&TaskId> = drift::latest(&findings).iter().map(|source| &source.task).collect();
        for named in said_by.iter().copied().chain([task]) {
            open.look_up(named)?;
        }
        let counts = |id: &TaskId| id == task || said_by.contains(id);
        let pages = open.pages.iter().filter(|(id, _)| counts(id)).filter_map(|(_, page)| page.as_ref());
        let failing = page::failing(pages);
        Ok(Journal { findings, lessons, open_questions, active_blockers, failing })
    }

    fn lessons_for(
        &self,
        index: &Index,
        findings: &[Finding],
        title: &str,
    ) -> Result<Vec<Lesson>, DeskError> {
        let newest = || findings.iter().rev().map(|finding| &finding.item);
        let paths = first(newest().filter_map(|item| item.path.clone()), TOUCHED_MAX);
        let tags = first(newest().flat_map(|item| item.tags.iter().cloned()), TOUCHED_MAX);
        let ages = Ages::new(self.root());
        let mut lessons = Vec::new();
        for id in index.touching((&paths, &tags), title, LESSONS_WEIGHED_MAX)? {
            // Age takes from a lesson and gives it nothing: what is not told anyway needs no look at its files.
            let Some(lesson) = index.lesson(&id)?.filter(|lesson| lesson.standing.reaches_prompts()) else {
                continue;
            };
            let lesson = grown_old(index, &ages, lesson)?;
            lessons.extend(Some(lesson).filter(|lesson| lesson.standing.reaches_prompts()));
            if lessons.len() >= LESSONS_MAX {
                break;
            }
        }
        Ok(lessons)
    }

    /// Searches everything that handoffs said.
    pub fn search(&self, query: &Query) -> Result<Answer, DeskError> {
        let index = self.index()?;
        let ages = Ages::new(self.root());
        let answer = index.search(query)?;
        let mut found = Vec::new();
        for hit in answer.hits {
            let standing = match hit.kind.is_lesson() {
                true => aged(&index, &ages, &hit.id)?.map(|lesson| (lesson.standing, lesson.because)),
                false => None,
            };
            let mut tasks: BTreeMap<TaskId, BTreeSet<AgentName>> = BTreeMap::new();
            for finding in index.findings(&hit.id)? {
                let Source { task, agent, .. } = &*finding.source;
                if tasks.len() < TASKS_NAMED_MAX || tasks.contains_key(task) {
                    tasks.entry(task.clone()).or_default().insert(agent.clone());
                }
            }
            found.push(Found { hit, standing, tasks });
        }
        Ok(Answer { found, some_words_only: answer.some_words_only, cut: answer.cut })
    }

    /// Returns lessons, the newest first, of one standing if one is wanted.
    pub fn lessons(
        &self,
        filter: &Filter,
        standing: Option<LessonStanding>,
        most: usize,
    ) -> Result<Vec<Lesson>, DeskError> {
        let index = self.index()?;
        let ages = Ages::new(self.root());
        let filter = Filter { only_lessons: true, ..filter.clone() };
        // A standing is no column: it is read off the sources, so more are looked at than are wanted.
        let limit = if standing.is_some() { TOUCHES_MAX } else { most };
        let answer = index.search(&Query { filter, limit, ..Query::default() })?;
        let mut lessons = Vec::new();
        for hit in answer.hits {
            let lesson = aged(&index, &ages, &hit.id)?;
            lessons.extend(lesson.filter(|lesson| standing.is_none_or(|wanted| lesson.standing == wanted)));
            if lessons.len() >= most {
                break;
            }
        }
        Ok(lessons)
    }

    /// Returns what an id, or the beginning of one, stands for.
    pub fn known(&self, id: &str) -> Result<Known, DeskError> {
        let index = self.index()?;
        let id = one(&index, id)?;
        let Some(lesson) = aged(&index, &Ages::new(self.root()), &id)? else {
            return Err(unknown(id.as_str()));
        };
        let mut close = Vec::new();
        for id in index.close_to(&lesson)? {
            close.extend(index.lesson(&id)?.map(|lesson| (id, lesson.text)));
        }
        Ok(Known { findings: index.findings(&id)?, lesson, close })
    }

    /// Stands for a lesson, in the words it has now.
    pub fn approve(&mut self, id: &str, words: &str) -> Result<Lesson, DeskError> {
        self.only_for_people(PROJECT_STREAM, ActKind::ApproveLesson)?;
        let Known { lesson, .. } = self.known(id)?;
        if !lesson.kind.is_lesson() {
            let next =
                "only patterns, gotchas and decisions can be approved; `baton knowledge list` shows them";
            return Err(DeskError::Document {
                what: format!("{} is a {}", lesson.id, lesson.kind.name().replace('_', " ")),
                next: next.to_owned(),
            });
        }
        let act = Act::ApproveLesson {
            lesson: lesson.id.clone(),
            text: lesson.text,
            detail: lesson.detail,
            words: words.to_owned(),
        };
        self.act(PROJECT_STREAM, &self.actor(As::Visitor), &act, &[])?;
        self.known(lesson.id.as_str()).map(|known| known.lesson)
    }

    /// Takes a lesson back, or settles a question or a blocker.
    pub fn retire(&mut self, id: &str, words: &str) -> Result<Lesson, DeskError> {
        self.only_for_people(PROJECT_STREAM, ActKind::RetireLesson)?;
        let Known { lesson, .. } = self.known(id)?;
        let act = Act::RetireLesson { lesson: lesson.id.clone(), words: words.to_owned() };
        self.act(PROJECT_STREAM, &self.actor(As::Visitor), &act, &[])?;
        self.known(lesson.id.as_str()).map(|known| known.lesson)
    }

    /// Returns who touched which file and why, by path.
    pub fn touched_files(&self, wanted: Option<&str>) -> Result<Vec<FileEntry>, DeskError> {
        let mut files: Vec<FileEntry> = Vec::new();
        for Touch { path, finding } in self.index()?.files(wanted, TOUCHES_MAX)? {
            match files.last_mut().filter(|last| last.path == path) {
                Some(last) => last.touches.push(finding),
                None => files.push(FileEntry { path, touches: vec![finding] }),
            }
        }
        Ok(files)
    }

    /// Returns the open questions, or the blockers that still stand, of the whole project, the newest first.
    pub fn open_items(&self, kind: ItemKind) -> Result<Vec<Finding>, DeskError> {
        let index = self.index()?;
        let found = index.of_kind(kind, OPEN_MAX)?;
        Open::new(&index).among(&found, kind)
    }

    /// Draws the graph of what is known, with at most so many nodes.
    pub fn knowledge_graph(&self, nodes_max: usize) -> Result<Graph, DeskError> {
        let index = self.index()?;
        let mut material =
            Material { lessons: self.lessons(&Filter::default(), None, nodes_max)?, ..Material::default() };
        material.files = index.files(None, TOUCHES_MAX)?.into_iter().map(|touch| touch.finding).collect();
        let sources = material.lessons.iter().flat_map(|lesson| &lesson.sources);
        let tasks: BTreeSet<TaskId> = sources
            .chain(material.files.iter().map(|finding| &*finding.source))
            .map(|source| source.task.clone())
            .collect();
        for task in tasks {
            let needed = index.needs(&task)?;
            material.needs.insert(task, needed);
        }
        for lesson in &material.lessons {
            let close = index.close_to(lesson)?.into_iter().filter(|other| *other > lesson.id);
            material.close.extend(close.map(|other| (lesson.id.clone(), other)));
        }
        Ok(graph(&material, nodes_max))
    }
}

/// Returns the first different ones, up to a bound.
fn first(all: impl Iterator<Item = String>, most: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for one in all {
        if found.len() >= most {
            break;
        }
        found.insert(one);
    }
    found
}

/// Returns a lesson after what became of its file since it was last said or approved.
fn aged(index: &Index, ages: &Ages, id: &LessonId) -> Result<Option<Lesson>, DeskError> {
    index.lesson(id)?.map(|lesson| grown_old(index, ages, lesson)).transpose()
}

fn grown_old(index: &Index, ages: &Ages, mut lesson: Lesson) -> Result<Lesson, DeskError> {
    let decree = index.decree(&lesson.id)?.filter(|decree| decree.standing != Decreed::Retired);
    let said = lesson.sources.iter().map(|source| source.at).max();
    if let Some(since) = said.max(decree.map(|decree| decree.at)) {
        ages.apply(&mut lesson, since);
    }
    Ok(lesson)
}

/// Returns the one id that begins so.
fn one(index: &Index, beginning: &str) -> Result<LessonId, DeskError> {
    let mut found = index.ids(beginning, 2)?;
    match (found.len(), found.pop()) {
        (1, Some(id)) => Ok(id),
        (0, _) | (_, None) => Err(unknown(beginning)),
        _ => Err(DeskError::Document {
            what: format!("`{beginning}` is the beginning of several ids"),
            next: "write more of it; `baton knowledge list --full` shows whole ids".to_owned(),
        }),
    }
}

fn unknown(id: &str) -> DeskError {
    Rejection::new(Refusal::UnknownLesson, id).into()
}

/// Tells what is still open from what was settled since.
struct Open<'i> {
    index: &'i Index,
    pages: BTreeMap<TaskId, Option<Page>>,
}

impl<'i> Open<'i> {
    fn new(index: &'i Index) -> Self {
        Self { index, pages: BTreeMap::new() }
    }

    fn look_up(&mut self, task: &TaskId) -> Result<Option<&Page>, DeskError> {
        if !self.pages.contains_key(task) {
            self.pages.insert(task.clone(), self.index.page(task)?);
        }
        Ok(self.pages.get(task).and_then(Option::as_ref))
    }

    /// Returns what is of this kind, speaks for its stage, and was not retired by a person.
    fn among(&mut self, findings: &[Finding], kind: ItemKind) -> Result<Vec<Finding>, DeskError> {
        let mut open = Vec::new();
        for finding in findings.iter().filter(|finding| finding.item.kind == kind) {
            let source = &finding.source;
            let stands = self.look_up(&source.task)?.is_some_and(|page| match kind {
                ItemKind::Blocker => page.still_blocks(source.sequence),
                _ => page.is_latest(source.sequence),
            });
            let settled = || self.index.decree(&finding.item.id()).map(|decree| decree.is_some());
            if stands && !settled()? {
                open.push(finding.clone());
            }
        }
        Ok(open)
    }
}
