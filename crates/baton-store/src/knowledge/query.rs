//! Questions and their answers. What a person types never reaches the query language of the database: it is cut into
//! words, and each word is quoted.

use baton_engine::knowledge::{ItemKind, Severity};
use baton_engine::word::{AgentName, LessonId, TaskId};
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::Index;
use super::catch_up::{MANY_TASKS, broken, scope_word};
use crate::error::StoreError;

/// Most words of a question that count.
pub const QUERY_WORDS_MAX: usize = 16;
/// Most bytes of a question that are looked at.
const QUERY_BYTES_MAX: usize = 4_096;
/// Longest word of a question, in characters.
const WORD_CHARS_MAX: usize = 64;
/// Lengths of a last word that also finds longer ones: the index has these beginnings ready. A longer beginning has to be
/// gathered, so that is done only where no text has the whole word.
const PREFIX_CHARS: std::ops::RangeInclusive<usize> = 3..=5;
/// Matches that are ranked, the newest: so a common word costs the same in a large index as in a small one.
const CANDIDATES_MAX: usize = 200;
/// Most answers to one question.
const LIMIT_MAX: usize = 1_000;

/// What somebody wants to find.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Any text. Without a word, everything that the filter lets through, the newest first.
    pub words: String,
    pub filter: Filter,
    pub limit: usize,
    /// Whether the last word may be the beginning of a longer one.
    pub complete: bool,
}

/// What an answer must have.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub kind: Option<ItemKind>,
    pub tag: Option<String>,
    /// A file, or a folder with everything in it.
    pub file: Option<String>,
    /// This bad or worse.
    pub severity: Option<Severity>,
    pub task: Option<TaskId>,
    pub agent: Option<AgentName>,
    /// Said since, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only patterns, gotchas and decisions.
    pub only_lessons: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The best first.
    pub hits: Vec<Hit>,
    /// No answer has all words: these have some of them.
    pub some_words_only: bool,
    /// There were more matches than are ranked, or more words than count, or the time was over.
    pub cut: Option<&'static str>,
}

/// Something with one meaning that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub id: LessonId,
    pub kind: ItemKind,
    pub text: String,
    pub detail: String,
    pub tags: Vec<String>,
    pub paths: Vec<String>,
    pub severity: Option<Severity>,
    /// How often it was said.
    pub sources: u64,
    /// When it was said last.
    pub at: i64,
    pub score: i64,
}

impl Index {
    /// Answers a question. No text makes it fail.
    pub fn search(&self, query: &Query) -> Result<Answer, StoreError> {
        let (words, mut cut) = words(&query.words);
        let mut answer = Answer::default();
        let asked = !query.words.trim().is_empty();
        if words.is_empty() && asked {
            answer.cut = Some("the question has no letter and no digit");
            return Ok(answer);
        }
        self.in_time(|connection| {
            let length = words.last().map_or(0, |word| word.chars().count());
            let is_begun = query.complete && PREFIX_CHARS.contains(&length);
            let (mut found, mut over) = candidates(connection, query, &expression(&words, " ", is_begun))?;
            if found.is_empty() && query.complete && length > *PREFIX_CHARS.end() {
                (found, over) = candidates(connection, query, &expression(&words, " ", true))?;
            }
            if found.is_empty() && words.len() > 1 {
                (found, over) = candidates(connection, query, &expression(&words, " OR ", is_begun))?;
                answer.some_words_only = !found.is_empty();
            }
            if words.is_empty() {
                over = over.filter(|_| found.len() > query.limit);
            }
            cut = cut.or(over);
            answer.hits = found.into_iter().map(|hit| Hit { score: score(&hit, &words), ..hit }).collect();
            Ok(())
        })?;
        if !words.is_empty() {
            // Stable: of two that are worth the same, the one that the log has later comes first.
            answer.hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
        }
        answer.hits.truncate(query.limit.clamp(1, LIMIT_MAX));
        answer.cut = cut;
        Ok(answer)
    }
}

/// Cuts a question into words, as the index cuts texts.
pub(super) fn words(text: &str) -> (Vec<String>, Option<&'static str>) {
    let end = text.len().min(QUERY_BYTES_MAX);
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let pieces = text[..end].split(|char: char| !is_word(char));
    let mut words: Vec<String> = pieces
        .map(|piece| piece.trim_matches('-').chars().take(WORD_CHARS_MAX).collect::<String>().to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let too_many = words.len() > QUERY_WORDS_MAX || end < text.len();
    words.truncate(QUERY_WORDS_MAX);
    (words, too_many.then_some("only the first words of the question count"))
}

/// Returns the words as the database wants them, each in quotes. The last may be only begun.
pub(super) fn expression(words: &[String], between: &str, is_begun: bool) -> String {
    let quoted = words.iter().enumerate().map(|(at, word)| {
        let is_open = is_begun && at + 1 == words.len();
        format!("\"{}\"{}", word.replace('"', "\"\""), if is_open { "*" } else { "" })
    });
    quoted.collect::<Vec<String>>().join(between)
}

/// A lesson that may matter, as far as it takes to put it in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) number: i64,
    /// The place among all severities, behind the last where it has none.
    pub(super) severity: usize,
    /// Enough may speak for it. Only the lesson itself says that it does.
    pub(super) spoken: bool,
}

/// Returns the newest matches in short; those that were found before the time was over.
pub(super) fn near(
    connection: &Connection,
    query: &Query,
    expression: &str,
) -> Result<Vec<Near>, StoreError> {
    let near = |row: &rusqlite::Row<'_>| {
        let severity = row.get::<_, Option<i64>>(1)?.and_then(|at| usize::try_from(at).ok());
        let severity = severity.unwrap_or(Severity::ALL.len()).min(Severity::ALL.len());
        Ok(Some(Near { number: row.get(0)?, severity, spoken: row.get(2)? }))
    };
    matches(connection, (query, expression), ("n.number, n.severity, n.spoken", &near))
        .map(|(found, _)| found)
}

const COLUMNS: &str = "n.id, n.kind, n.text, n.detail, n.severity, n.sources, n.at, n.tags, n.paths";

/// Returns the newest matches, and whether there may be more.
fn candidates(
    connection: &Connection,
    query: &Query,
    expression: &str,
) -> Result<(Vec<Hit>, Option<&'static str>), StoreError> {
    matches(connection, (query, expression), (COLUMNS, &hit))
}

/// Reads a row; nothing for one that this program does not know.
type Reader<'r, T> = &'r dyn Fn(&rusqlite::Row<'_>) -> Result<Option<T>, rusqlite::Error>;

fn matches<T>(
    connection: &Connection,
    (query, expression): (&Query, &str),
    (columns, read): (&str, Reader<'_, T>),
) -> Result<(Vec<T>, Option<&'static str>), StoreError> {
    let mut values: Vec<Value> = Vec::new();
    let asked = !expression.is_empty();
    let way = match asked {
        true => None,
        false => by_name(connection, &query.filter, &mut values)?,
    };
    let Way { from, order, left } = way.unwrap_or_else(|| by_words(expression, &query.filter, &mut values));
    let most = if asked { CANDIDATES_MAX } else { query.limit.clamp(1, LIMIT_MAX) + 1 };
    let conditions = conditions(&left, &mut values);
    let sql = format!("SELECT {columns} FROM {from}{conditions} ORDER BY {order} DESC LIMIT {most}");
    let mut statement = connection.prepare_cached(&sql).map_err(|error| broken(&error))?;
    let mut rows = statement.query(params_from_iter(values)).map_err(|error| broken(&error))?;
    let mut hits = Vec::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => hits.extend(read(row).map_err(|error| broken(&error))?),
            Ok(None) => break,
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                return Ok((hits, Some("the time was over")));
            }
            Err(error) => return Err(broken(&error)),
        }
    }
    let over = (hits.len() >= most).then_some("there are more; only the newest matches were ranked");
    Ok((hits, over))
}

/// The tables that matches are read from.
struct Way {
    /// With the first condition.
    from: String,
    /// The older, the smaller.
    order: &'static str,
    /// What is left to be held against each row.
    left: Filter,
}

/// Everything that has words, or simply everything.
fn by_words(expression: &str, filter: &Filter, values: &mut Vec<Value>) -> Way {
    let expression = narrowed(expression, filter);
    let (from, order) = match expression.is_empty() {
        true => ("node n WHERE 1", "n.number"),
        false => {
            values.push(Value::Text(expression));
            ("words w CROSS JOIN node n ON n.number = w.rowid WHERE words MATCH ?1", "w.rowid")
        }
    };
    Way { from: from.to_owned(), order, left: filter.clone() }
}

/// Everything that has one tag or is about one file, and nothing where the filter has something else that narrows much. No
/// text has to be gone through for it.
fn by_name(
    connection: &Connection,
    filter: &Filter,
    values: &mut Vec<Value>,
) -> Result<Option<Way>, StoreError> {
    let (table, column, name, left) = match filter {
        Filter { task: Some(_), .. } | Filter { agent: Some(_), .. } => return Ok(None),
        Filter { tag: Some(tag), file: None, .. } => {
            ("tag", "tag", tag.to_lowercase(), Filter { tag: None, ..filter.clone() })
        }
        Filter { tag: None, file: Some(file), .. } => {
            let [file, first, last] = bounds(file);
            // What is in a folder does not come in the order in which it was said.
            let inside = "SELECT 1 FROM place WHERE path > ?1 AND path < ?2 LIMIT 1";
            let found = connection.prepare_cached(inside).and_then(|mut asked| asked.exists([first, last]));
            if found.map_err(|error| broken(&error))? {
                return Ok(None);
            }
            ("place", "path", file, Filter { file: None, ..filter.clone() })
        }
        Filter { .. } => return Ok(None),
    };
    values.push(Value::Text(name));
    let from = format!("{table} t CROSS JOIN node n ON n.number = t.node WHERE t.{column} = ?1");
    Ok(Some(Way { from, order: "t.node", left }))
}

/// Returns a file or folder, and what everything in the folder lies between.
fn bounds(file: &str) -> [String; 3] {
    let file = file.trim_start_matches("./").trim_end_matches('/');
    [file.to_owned(), format!("{file}/"), format!("{file}0")]
}

/// Adds the filter to what must match. It may let too much through, as `a.b` is one word with `a_b` here; the conditions
/// on the rows are exact.
fn narrowed(expression: &str, filter: &Filter) -> String {
    let mut all: Vec<String> = Vec::new();
    if !expression.is_empty() {
        all.push(format!("({expression})"));
    }
    let mut scope = |sort: &str, name: &str| all.push(format!("scope : \"{}\"", scope_word(sort, name)));
    if let Some(agent) = &filter.agent {
        scope("agent", agent.as_str());
    }
    if let Some(task) = &filter.task {
        let (own, many) = (scope_word("task", task.as_str()), scope_word("task", MANY_TASKS));
        all.push(format!("scope : (\"{own}\" OR \"{many}\")"));
    }
    for (column, text) in [("tags", &filter.tag), ("paths", &filter.file)] {
        let words = text.as_ref().map_or_else(Vec::new, |text| words(text).0);
        // Side by side, as the words of a tag and the parts of a path stand.
        if !words.is_empty() {
            all.push(format!("{column} : \"{}\"", words.join(" ")));
        }
    }
    all.join(" AND ")
}

fn conditions(filter: &Filter, values: &mut Vec<Value>) -> String {
    let mut sql = String::new();
    let mut bind = |value: Value| {
        values.push(value);
        format!("?{}", values.len())
    };
    if let Some(kind) = filter.kind {
        sql.push_str(&format!(" AND n.kind = {}", bind(Value::Text(kind.name().to_owned()))));
    }
    if filter.only_lessons {
        sql.push_str(" AND n.kind IN ('pattern', 'gotcha', 'decision')");
    }
    if let Some(severity) = filter.severity {
        sql.push_str(&format!(" AND n.severity <= {}", bind(Value::Integer(severity as i64))));
    }
    if let Some(tag) = &filter.tag {
        // No tag holds the end of a line.
        let tag = bind(Value::Text(format!("\n{}\n", tag.to_lowercase())));
        sql.push_str(&format!(" AND instr(char(10) || n.tags || char(10), {tag})"));
    }
    if let Some(file) = &filter.file {
        let [exact, first, last] = bounds(file).map(|path| bind(Value::Text(path)));
        let inside = format!("path = {exact} OR path > {first} AND path < {last}");
        sql.push_str(&format!(" AND EXISTS (SELECT 1 FROM place WHERE node = n.number AND ({inside}))"));
    }
    let mut said = String::new();
    if let Some(task) = &filter.task {
        said.push_str(&format!(" AND task = {}", bind(Value::Text(task.to_string()))));
    }
    if let Some(agent) = &filter.agent {
        said.push_str(&format!(" AND agent = {}", bind(Value::Text(agent.to_string()))));
    }
    if let Some(since) = filter.since {
        said.push_str(&format!(" AND at >= {}", bind(Value::Integer(since))));
    }
    if !said.is_empty() {
        sql.push_str(&format!(" AND EXISTS (SELECT 1 FROM finding WHERE node = n.number{said})"));
    }
    sql
}

fn hit(row: &rusqlite::Row<'_>) -> Result<Option<Hit>, rusqlite::Error> {
    let (id, kind): (String, String) = (row.get(0)?, row.get(1)?);
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    let kind = ItemKind::ALL.iter().copied().find(|known| known.name() == kind);
    let (Some(kind), Ok(id)) = (kind, LessonId::new(id)) else { return Ok(None) };
    let severity: Option<i64> = row.get(4)?;
    Ok(Some(Hit {
        id,
        kind,
        text: row.get(2)?,
        detail: row.get(3)?,
        severity: severity.and_then(|at| Severity::ALL.get(usize::try_from(at).ok()?).copied()),
        sources: row.get::<_, i64>(5)?.unsigned_abs(),
        at: row.get(6)?,
        tags: lines(row.get(7)?),
        paths: lines(row.get(8)?),
        score: 0,
    }))
}

/// What a word is worth where it stands.
const IN_TEXT: i64 = 8;
const IN_TAGS: i64 = 6;
const IN_PATHS: i64 = 4;
const IN_DETAIL: i64 = 2;
/// A part of a longer word is worth so much less.
const PART_LESS: i64 = 3;
/// All words stand side by side in the text.
const AS_PHRASE: i64 = 10;
const SOURCES_COUNTED_MAX: u64 = 5;

/// Ranks a match: whole numbers only, so that the order is the same everywhere.
fn score(hit: &Hit, words: &[String]) -> i64 {
    let text = hit.text.to_lowercase();
    let (detail, paths) = (hit.detail.to_lowercase(), hit.paths.join(" ").to_lowercase());
    let tags = hit.tags.join(" ");
    let fields = [(&text, IN_TEXT), (&tags, IN_TAGS), (&paths, IN_PATHS), (&detail, IN_DETAIL)];
    let worth = |word: &String| {
        let best = fields.iter().filter_map(|(field, worth)| match standing(field, word) {
            Standing::Whole => Some(*worth),
            Standing::Part => Some((*worth - PART_LESS).max(1)),
            Standing::Nowhere => None,
        });
        best.max().unwrap_or(0)
    };
    let said: i64 = words.iter().map(worth).sum();
    let phrase = words.len() > 1 && text.contains(&words.join(" "));
    let severity = match hit.severity {
        Some(Severity::High) => 3,
        Some(Severity::Medium) => 1,
        Some(Severity::Low) | None => 0,
    };
    let sources = hit.sources.min(SOURCES_COUNTED_MAX).cast_signed();
    said + if phrase { AS_PHRASE } else { 0 } + severity + sources
}

enum Standing {
    Whole,
    Part,
    Nowhere,
}

fn standing(field: &str, word: &str) -> Standing {
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let mut found = Standing::Nowhere;
    for (at, _) in field.match_indices(word) {
        let before = field[..at].chars().next_back().is_none_or(|char| !is_word(char));
        let after = field[at + word.len()..].chars().next().is_none_or(|char| !is_word(char));
        if before && after {
            return Standing::Whole;
        }
        found = Standing::Part;
    }
    found
}
