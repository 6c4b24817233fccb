//! What the index knows by name: lessons, what tasks said, files, and what is close.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use baton_engine::knowledge::lesson::{Decree, lesson};
use baton_engine::knowledge::page::Page;
use baton_engine::knowledge::{Finding, ItemKind, Lesson, Source, wording};
use baton_engine::word::{LessonId, TaskId};
use rusqlite::{OptionalExtension, ToSql};

use super::Index;
use super::catch_up::{broken, decode, number_of, page};
use super::query::{self, Filter, Near, Query};
use crate::error::StoreError;

/// Sources of one lesson that are weighed, those of accepted work first.
const SOURCES_WEIGHED_MAX: usize = 200;
/// Lessons that are compared with one to find those close to it.
const CLOSE_COMPARED_MAX: usize = 200;
/// Paths that one word can stand for.
const PATHS_MAX: usize = 1_000;
/// Tasks that are followed when one asks what hangs on what.
const TASKS_FOLLOWED_MAX: i64 = 100_000;
/// A task and all that it hangs on. A task that hangs on itself ends it, because each one is followed once.
const ABOVE: &str = "WITH RECURSIVE above (task) AS (VALUES (?1) UNION \
     SELECT needed FROM need JOIN above ON need.task = above.task LIMIT ?2)";
/// A finding that is no lesson that a person took back.
const STANDS: &str = "f.node NOT IN (SELECT n.number FROM decree d CROSS JOIN node n ON n.id = d.id \
     WHERE json_extract(d.body, '$.standing') = 'retired' AND n.kind IN ('pattern', 'gotcha', 'decision'))";
/// Shortest piece of a path that is looked for anywhere in it, in characters.
const PIECE_CHARS_MIN: usize = 3;

/// Somebody's saying something of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub path: String,
    pub finding: Finding,
}

impl Index {
    /// Returns every id that begins with these characters, up to a number.
    pub fn ids(&self, beginning: &str, most: usize) -> Result<Vec<LessonId>, StoreError> {
        let end = format!("{beginning}\u{10ffff}");
        let sql = "SELECT id FROM node WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
        let found: Vec<String> = self.column(sql, &[&beginning, &end, &(most as i64)])?;
        Ok(found.into_iter().filter_map(|id| LessonId::new(id).ok()).collect())
    }

    /// Returns what was said in this meaning, in the order of the log.
    pub fn findings(&self, id: &LessonId) -> Result<Vec<Finding>, StoreError> {
        let Some(number) = number_of(&self.connection, id)? else { return Ok(Vec::new()) };
        // Support comes from accepted work: many rejected sayings must not hide it.
        let sql = "SELECT h.source, f.item FROM finding f JOIN handoff h ON h.sequence = f.sequence WHERE f.node = ?1 \
                   ORDER BY h.accepted DESC, f.sequence LIMIT ?2";
        let mut found = self.read_findings(sql, &[&number, &(SOURCES_WEIGHED_MAX as i64)])?;
        found.sort_by_key(|finding| finding.source.sequence);
        Ok(found)
    }

    /// Returns a lesson with everything that speaks for it, as far as the log knows.
    pub fn lesson(&self, id: &LessonId) -> Result<Option<Lesson>, StoreError> {
        let findings = self.findings(id)?;
        let decree = self.decree(id)?;
        let related = |one: &TaskId, other: &TaskId| self.hangs_on(one, other).unwrap_or(false);
        Ok(lesson(&findings, decree.as_ref(), &related))
    }

    /// Returns what a person last said of something.
    pub fn decree(&self, id: &LessonId) -> Result<Option<Decree>, StoreError> {
        let found: Vec<String> = self.column("SELECT body FROM decree WHERE id = ?1", &[&id.as_str()])?;
        found.first().map(|body| decode(body)).transpose()
    }

    /// Returns what was said by a task and by all that it hangs on, whatever the distance, in the order of the log.
    /// Lessons that a person took back are not among it.
    pub fn gathered(&self, task: &TaskId) -> Result<Vec<Finding>, StoreError> {
        let sql = format!(
            "{ABOVE} SELECT h.source, f.item FROM above a CROSS JOIN finding f ON f.task = a.task \
             CROSS JOIN handoff h ON h.sequence = f.sequence WHERE {STANDS} ORDER BY f.sequence, f.number"
        );
        self.read_findings(&sql, &[&task.as_str(), &TASKS_FOLLOWED_MAX])
    }

    /// Returns the same for one task alone.
    pub fn said_by(&self, task: &TaskId) -> Result<Vec<Finding>, StoreError> {
        let sql = format!(
            "SELECT h.source, f.item FROM finding f CROSS JOIN handoff h ON h.sequence = f.sequence \
             WHERE f.task = ?1 AND {STANDS} ORDER BY f.sequence, f.number"
        );
        self.read_findings(&sql, &[&task.as_str()])
    }

    /// Returns blockers that name a task.
    pub fn blocking(&self, task: &TaskId) -> Result<Vec<Finding>, StoreError> {
        let sql = "SELECT h.source, f.item FROM blocked b JOIN finding f ON f.node = b.node \
                   JOIN handoff h ON h.sequence = f.sequence WHERE b.task = ?1 ORDER BY f.sequence";
        let mut found = self.read_findings(sql, &[&task.as_str()])?;
        found.retain(|finding| finding.item.tasks.contains(task));
        Ok(found)
    }

    /// Returns everything of one kind, the newest first.
    pub fn of_kind(&self, kind: ItemKind, most: usize) -> Result<Vec<Finding>, StoreError> {
        let sql = "SELECT h.source, f.item FROM node n JOIN finding f ON f.node = n.number \
                   JOIN handoff h ON h.sequence = f.sequence WHERE n.kind = ?1 ORDER BY f.sequence DESC LIMIT ?2";
        self.read_findings(sql, &[&kind.name(), &(most as i64)])
    }

    /// Returns the page of a task.
    pub fn page(&self, task: &TaskId) -> Result<Option<Page>, StoreError> {
        page(&self.connection, task)
    }

    /// Says whether one task hangs on another, whatever the distance.
    fn hangs_on(&self, one: &TaskId, other: &TaskId) -> Result<bool, StoreError> {
        let sql = format!("{ABOVE} SELECT 1 FROM above WHERE task = ?3 LIMIT 1");
        let found: Vec<i64> = self.column(&sql, &[&one.as_str(), &TASKS_FOLLOWED_MAX, &other.as_str()])?;
        Ok(one != other && !found.is_empty())
    }

    /// Returns the tasks that one names directly.
    pub fn needs(&self, task: &TaskId) -> Result<Vec<TaskId>, StoreError> {
        let found: Vec<String> = self.column("SELECT needed FROM need WHERE task = ?1", &[&task.as_str()])?;
        Ok(found.into_iter().filter_map(|needed| TaskId::new(needed).ok()).collect())
    }

    /// Returns who touched files and why, by path, the newest first. A text that is no path finds those that hold it.
    pub fn files(&self, wanted: Option<&str>, most: usize) -> Result<Vec<Touch>, StoreError> {
        let paths = self.paths(wanted)?;
        let sql = "SELECT h.source, f.item FROM place p JOIN finding f ON f.node = p.node \
                   JOIN node n ON n.number = p.node JOIN handoff h ON h.sequence = f.sequence \
                   WHERE p.path = ?1 AND n.kind IN ('file', 'file_to_read') ORDER BY f.sequence DESC LIMIT ?2";
        let mut touches = Vec::new();
        for path in paths {
            let left = most.saturating_sub(touches.len());
            if left == 0 {
                break;
            }
            let found = self.read_findings(sql, &[&path, &(left as i64)])?;
            touches.extend(found.into_iter().map(|finding| Touch { path: path.clone(), finding }));
        }
        Ok(touches)
    }

    fn paths(&self, wanted: Option<&str>) -> Result<Vec<String>, StoreError> {
        let most = PATHS_MAX as i64;
        let Some(wanted) = wanted.map(|text| text.trim_start_matches("./").trim_end_matches('/')) else {
            return self.column("SELECT path FROM path ORDER BY path LIMIT ?1", &[&most]);
        };
        let sql = "SELECT path FROM path WHERE path = ?1 OR path > ?2 AND path < ?3 ORDER BY path LIMIT ?4";
        let inside: Vec<String> =
            self.column(sql, &[&wanted, &format!("{wanted}/"), &format!("{wanted}0"), &most])?;
        if !inside.is_empty() || wanted.is_empty() || wanted.contains('\0') {
            return Ok(inside);
        }
        if wanted.chars().count() < PIECE_CHARS_MIN {
            let sql = "SELECT path FROM path WHERE instr(lower(path), lower(?1)) ORDER BY path LIMIT ?2";
            return self.column(sql, &[&wanted, &most]);
        }
        let piece = format!("\"{}\"", wanted.replace('"', "\"\""));
        let sql = "SELECT p.path FROM trails t CROSS JOIN path p ON p.number = t.rowid WHERE trails MATCH ?1 \
                   ORDER BY t.rowid LIMIT ?2";
        let found: Vec<String> = self.column(sql, &[&piece, &most])?;
        let low = wanted.to_lowercase();
        let mut found: Vec<String> =
            found.into_iter().filter(|path| path.to_lowercase().contains(&low)).collect();
        found.sort();
        Ok(found)
    }

    /// Returns lessons whose words are close to those of one, and are not the same.
    pub fn close_to(&self, one: &Lesson) -> Result<Vec<LessonId>, StoreError> {
        let form = wording::canonical(&one.text);
        let mut close = BTreeSet::new();
        for band in wording::bands(&form) {
            let sql = "SELECT n.id || char(10) || n.text FROM band b JOIN node n ON n.number = b.node WHERE b.band = ?1 LIMIT ?2";
            let found: Vec<String> =
                self.column(sql, &[&band.cast_signed(), &(CLOSE_COMPARED_MAX as i64)])?;
            for (id, text) in found.iter().filter_map(|row| row.split_once('\n')) {
                if id != one.id.as_str() && wording::is_close(&form, &wording::canonical(text)) {
                    close.extend(LessonId::new(id));
                }
            }
        }
        Ok(close.into_iter().collect())
    }

    /// Returns lessons that may matter to work on these files with these tags and words, and for which enough may speak that
    /// agents are told of them. Only so many are looked at: those that share most.
    pub fn touching(
        &self,
        (paths, tags): (&BTreeSet<String>, &BTreeSet<String>),
        words: &str,
        most: usize,
    ) -> Result<Vec<LessonId>, StoreError> {
        let filter = Filter { only_lessons: true, ..Filter::default() };
        let mut near: Vec<(Near, i64)> = Vec::new();
        let mut places: BTreeMap<i64, usize> = BTreeMap::new();
        let mut add = |found: Vec<Near>, worth: i64| {
            for one in found {
                let place = *places.entry(one.number).or_insert(near.len());
                match near.get_mut(place) {
                    Some((_, score)) => *score += worth,
                    None => near.push((one, worth)),
                }
            }
        };
        let ask = |query: &Query, expression: &str| {
            self.in_time(|connection| query::near(connection, query, expression))
        };
        let limit = CLOSE_COMPARED_MAX;
        for path in paths.iter().take(PATHS_MAX) {
            let filter = Filter { file: Some(path.clone()), ..filter.clone() };
            add(ask(&Query { filter, limit, ..Query::default() }, "")?, SHARES_FILE);
        }
        for tag in tags.iter().take(PATHS_MAX) {
            let filter = Filter { tag: Some(tag.clone()), ..filter.clone() };
            add(ask(&Query { filter, limit, ..Query::default() }, "")?, SHARES_TAG);
        }
        let (words, _) = query::words(words);
        for word in words.iter().filter(|word| word.chars().count() > PIECE_CHARS_MIN) {
            let query = Query { filter: filter.clone(), limit, ..Query::default() };
            let expression = query::expression(std::slice::from_ref(word), " ", false);
            add(ask(&query, &expression)?, SHARES_WORD);
        }
        // Stable, and none of it depends on a clock.
        near.sort_by_key(|(one, score)| (std::cmp::Reverse(*score), one.severity));
        let mut ids = Vec::new();
        for (one, _) in near.iter().take(most).filter(|(one, _)| one.spoken) {
            let found: Vec<String> = self.column("SELECT id FROM node WHERE number = ?1", &[&one.number])?;
            ids.extend(found.into_iter().filter_map(|id| LessonId::new(id).ok()));
        }
        Ok(ids)
    }

    fn read_findings(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<Finding>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| broken(&error))?;
        let mut rows = statement.query(values).map_err(|error| broken(&error))?;
        let mut findings: Vec<Finding> = Vec::new();
        let mut last: Option<(String, Arc<Source>)> = None;
        while let Some(row) = rows.next().map_err(|error| broken(&error))? {
            let read = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            let (written, item) = (read(0).map_err(|error| broken(&error))?, read(1));
            let item = decode(item.map_err(|error| broken(&error))?)?;
            // Neighbours mostly come from the same handoff.
            let source = match &last {
                Some((known, source)) if known == written => source.clone(),
                _ => {
                    let source: Arc<Source> = decode::<Source>(written)?.into();
                    last = Some((written.to_owned(), source.clone()));
                    source
                }
            };
            findings.push(Finding { source, item });
        }
        Ok(findings)
    }

    fn column<T: rusqlite::types::FromSql>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<T>, StoreError> {
        let found = self.connection.prepare_cached(sql).and_then(|mut statement| {
            statement.query_map(values, |row| row.get(0))?.collect::<Result<Vec<T>, _>>()
        });
        found.map_err(|error| broken(&error))
    }

    /// Returns how many things the index knows, and how often they were said.
    pub fn size(&self) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT (SELECT count(*) FROM node), (SELECT count(*) FROM finding)";
        let counts =
            self.connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        let counts = counts.optional().map_err(|error| broken(&error))?.unwrap_or_default();
        Ok((counts.0.unsigned_abs(), counts.1.unsigned_abs()))
    }
}

/// What it counts for a lesson to share something with a task.
const SHARES_FILE: i64 = 8;
const SHARES_TAG: i64 = 4;
const SHARES_WORD: i64 = 1;
