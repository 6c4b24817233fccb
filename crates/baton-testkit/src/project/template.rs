//! Texts with holes: `{{id}}`, `{{at 90 +01:00}}`, `{{commit code}}`.

use std::collections::BTreeMap;
use std::io;

use super::moment::Moment;
use super::subject;

/// What fills the holes of one task's texts.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) id: String,
    pub(crate) subject: usize,
    pub(crate) begin: Moment,
    /// The ids of the commits made so far, by the name of their step.
    pub(crate) commits: BTreeMap<&'static str, String>,
}

/// Fills every hole; a hole that means nothing is an error.
pub(crate) fn fill(text: &str, values: &Values) -> io::Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (hole, after) = after.split_once("}}").ok_or_else(|| io::Error::other("a hole has no end"))?;
        out.push_str(&value(hole, values)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn value(hole: &str, values: &Values) -> io::Result<String> {
    let unknown = || io::Error::other(format!("nothing fills {hole}"));
    let words: Vec<&str> = hole.split(' ').collect();
    match words[..] {
        ["id"] => Ok(values.id.clone()),
        ["slug"] => Ok(subject::slug(values.subject)),
        ["title"] => Ok(subject::title(values.subject)),
        ["about"] => Ok(subject::about(values.subject)),
        ["about", "of", other] => Ok(subject::about(other.parse().map_err(io::Error::other)?)),
        ["number"] => Ok(values.subject.to_string()),
        ["at", minutes, zone] => {
            values.begin.plus_minutes(minutes.parse().map_err(io::Error::other)?).written(zone)
        }
        ["commit", step] => values.commits.get(step).cloned().ok_or_else(unknown),
        ["short", step] => {
            values.commits.get(step).map(|id| id.chars().take(10).collect()).ok_or_else(unknown)
        }
        _ => Err(unknown()),
    }
}
