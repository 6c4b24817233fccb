//! What `judge.py` found: for each contestant and handoff the tokens, and the facts that arrived.

use serde_json::Value;

pub(super) struct Judged {
    /// The scenario in one sentence.
    pub(super) scenario: String,
    /// Those that send most stand first.
    pub(super) contestants: Vec<Contestant>,
}

pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) handoffs: Vec<Handoff>,
}

pub(super) struct Handoff {
    /// The number of the stage that was sent this.
    pub(super) stage: u64,
    pub(super) tokens: u64,
    /// Facts that matter to the stage.
    needed: u64,
    present: u64,
    /// Facts that are there and do not matter to it.
    extra: u64,
    pub(super) missing: Vec<String>,
}

pub(super) fn read(answer: &[u8]) -> Result<Judged, String> {
    let answer: Value =
        serde_json::from_slice(answer).map_err(|error| format!("judge.py said no JSON: {error}"))?;
    let mut contestants: Vec<Contestant> = list(&answer["contestants"]).iter().map(contestant).collect();
    contestants.sort_by(|one, other| other.tokens().total_cmp(&one.tokens()));
    Ok(Judged { scenario: scenario(&answer["scenario"]), contestants })
}

fn scenario(value: &Value) -> String {
    let count = |key: &str| value[key].as_u64().unwrap_or(0);
    format!(
        "ten stages, each with {} tokens of tool output, {} of prose and a handoff of {}; {} facts, {} of them in the prose",
        count("tool_tokens"),
        count("prose_tokens"),
        count("handoff_tokens"),
        count("facts"),
        count("in_prose")
    )
}

fn contestant(value: &Value) -> Contestant {
    Contestant {
        name: value["name"].as_str().unwrap_or_default().to_owned(),
        handoffs: list(&value["handoffs"]).iter().map(handoff).collect(),
    }
}

fn handoff(value: &Value) -> Handoff {
    let count = |key: &str| value[key].as_u64().unwrap_or(0);
    Handoff {
        stage: count("stage"),
        tokens: count("tokens"),
        needed: count("needed"),
        present: count("present"),
        extra: count("extra"),
        missing: list(&value["missing"]).iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

impl Judged {
    pub(super) fn named(&self, name: &str) -> Option<&Contestant> {
        self.contestants.iter().find(|one| one.name == name)
    }

    /// Returns those beside `other` that lose something.
    pub(super) fn lossy_beside<'j>(&'j self, other: &'j Contestant) -> impl Iterator<Item = &'j Contestant> {
        self.contestants.iter().filter(|one| one.name != other.name && one.present() < one.needed())
    }
}

impl Contestant {
    pub(super) fn tokens(&self) -> f64 {
        self.handoffs.iter().map(|handoff| handoff.tokens).sum::<u64>() as f64
    }

    pub(super) fn needed(&self) -> u64 {
        self.handoffs.iter().map(|handoff| handoff.needed).sum()
    }

    pub(super) fn present(&self) -> u64 {
        self.handoffs.iter().map(|handoff| handoff.present).sum()
    }

    pub(super) fn extra(&self) -> u64 {
        self.handoffs.iter().map(|handoff| handoff.extra).sum()
    }

    /// Returns the tokens of one handoff as a multiple of those of an earlier one; they are counted from one.
    pub(super) fn growth(&self, (first, last): (usize, usize)) -> Option<f64> {
        let tokens = |number: usize| Some(self.handoffs.get(number.checked_sub(1)?)?.tokens as f64);
        Some(tokens(last)? / tokens(first)?)
    }

    /// Returns how well a straight line through `shape` of the handoff's number explains the tokens: 1 is wholly.
    pub(super) fn fit(&self, shape: impl Fn(f64) -> f64) -> f64 {
        let points: Vec<(f64, f64)> = (1_u32..)
            .zip(&self.handoffs)
            .map(|(number, handoff)| (shape(f64::from(number)), handoff.tokens as f64))
            .collect();
        let count = points.len() as f64;
        let middle =
            points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
        let spread = points.iter().fold((0.0, 0.0, 0.0), |sum, point| {
            let (right, up) = (point.0 - middle.0, point.1 - middle.1);
            (sum.0 + right * right, sum.1 + up * up, sum.2 + right * up)
        });
        spread.2 * spread.2 / (spread.0 * spread.1)
    }
}
