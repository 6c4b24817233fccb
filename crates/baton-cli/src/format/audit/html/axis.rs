//! The axis of a timeline: from seconds to shares of the width, with long silence taken out.

use jiff::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Between two ticks lies one of these, or a doubling of the last.
const STEPS: &[i64] = &[
    MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
    91 * DAY,
    182 * DAY,
    365 * DAY,
];

/// Room at either end, so that a mark on the edge is whole.
const MARGIN: f64 = 1.5;
/// The width of a break.
const BREAK: f64 = 5.0;
/// The least width of what lies between two breaks: its label must fit.
const SEGMENT_MIN: f64 = 11.0;
/// The least distance of two labels; a date of ten figures fits on a phone.
const LABEL_MIN: f64 = 16.0;
const BREAKS_MAX: usize = 3;
/// Shorter silence is never taken out.
const SILENCE_MIN: i64 = DAY;
/// How many times longer than all the rest a silence must be to be taken out.
const SILENCE_FACTOR: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    from: i64,
    to: i64,
    at: f64,
    width: f64,
}

#[derive(Debug)]
pub(super) struct Axis {
    segments: Vec<Segment>,
}

/// A line of the axis, and what stands at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) clock: Option<String>,
    /// Only where it is another than that of the tick before.
    pub(super) date: Option<String>,
}

impl Axis {
    /// Makes an axis on which all of these fit; there must be one.
    pub(super) fn new(ranges: &[(i64, i64)]) -> Option<Self> {
        let joined = joined(ranges);
        let (first, last) = (joined.first()?.0, joined.last()?.1);
        let mut silences: Vec<(i64, i64)> = joined.windows(2).map(|pair| (pair[0].1, pair[1].0)).collect();
        silences.sort_by_key(|(from, to)| (from - to, *from));
        let mut rest = last - first;
        let mut breaks = Vec::new();
        for (from, to) in silences.into_iter().take(BREAKS_MAX) {
            let (length, without) = (to - from, rest - (to - from));
            if length < SILENCE_MIN || without == 0 || length < without.saturating_mul(SILENCE_FACTOR) {
                break;
            }
            rest = without;
            breaks.push((from, to));
        }
        breaks.sort_unstable();
        Some(Self { segments: segments(first, last, &breaks) })
    }

    /// Returns where a time stands; what lies beyond an end stands at that end.
    pub(super) fn position(&self, time: i64) -> f64 {
        let Some(segment) = self.segments.iter().find(|segment| time <= segment.to) else {
            return 100.0 - MARGIN;
        };
        if time < segment.from {
            return if segment.at <= MARGIN { MARGIN } else { segment.at - BREAK / 2.0 };
        }
        if segment.from == segment.to {
            return segment.at + segment.width / 2.0;
        }
        segment.at + segment.width * (time - segment.from) as f64 / (segment.to - segment.from) as f64
    }

    /// Yields the middles of the breaks.
    pub(super) fn breaks(&self) -> impl Iterator<Item = f64> {
        self.segments.iter().skip(1).map(|segment| segment.at - BREAK / 2.0)
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        let mut ticks: Vec<Tick> = Vec::new();
        let mut date_before = String::new();
        for segment in &self.segments {
            let most = ((segment.width / LABEL_MIN) as i64).max(1);
            let step = step(segment.to - segment.from, most);
            let first = segment.from + (-segment.from).rem_euclid(step);
            let times: Vec<i64> = if first > segment.to {
                vec![segment.from]
            } else {
                (first..=segment.to).step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect()
            };
            for time in times {
                let Some((date, clock)) = date_and_clock(time) else { continue };
                let at = self.position(time);
                let clock = (step < DAY).then_some(clock);
                let is_new = date != date_before;
                date_before.clone_from(&date);
                ticks.push(Tick { at, clock, date: is_new.then_some(date) });
            }
        }
        ticks
    }
}

/// Returns a time as `2026-03-01` and `09:00`, in UTC.
pub(super) fn date_and_clock(time: i64) -> Option<(String, String)> {
    let text = Timestamp::from_second(time).ok()?.to_string();
    let (date, clock) = text.split_once('T')?;
    Some((date.to_owned(), clock.get(..5)?.to_owned()))
}

fn joined(ranges: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (from, to) in sorted {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn segments(first: i64, last: i64, breaks: &[(i64, i64)]) -> Vec<Segment> {
    let starts = [first].into_iter().chain(breaks.iter().map(|silence| silence.1));
    let ends = breaks.iter().map(|silence| silence.0).chain([last]);
    let spans: Vec<(i64, i64)> = starts.zip(ends).collect();
    let total: i64 = spans.iter().map(|(from, to)| to - from).sum();
    let taken = 2.0 * MARGIN + BREAK * breaks.len() as f64 + SEGMENT_MIN * spans.len() as f64;
    let mut at = MARGIN;
    let place = |(from, to): (i64, i64)| {
        let share = if total == 0 { 1.0 / spans.len() as f64 } else { (to - from) as f64 / total as f64 };
        let segment = Segment { from, to, at, width: SEGMENT_MIN + (100.0 - taken) * share };
        at += segment.width + BREAK;
        segment
    };
    spans.iter().copied().map(place).collect()
}

/// Returns the smallest step that makes no more than so many ticks.
fn step(length: i64, most: i64) -> i64 {
    if let Some(step) = STEPS.iter().find(|step| length / **step < most) {
        return *step;
    }
    let mut step = 365 * DAY;
    while length / step >= most {
        step *= 2;
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    const MORNING: i64 = 1_748_422_800;

    fn axis(ranges: &[(i64, i64)]) -> Axis {
        Axis::new(ranges).expect("there are ranges")
    }

    #[test]
    fn an_axis_without_silence_is_even() {
        let axis = axis(&[(MORNING, MORNING + 2 * HOUR), (MORNING + 3 * HOUR, MORNING + 4 * HOUR)]);
        assert_eq!(axis.breaks().count(), 0);
        assert!((axis.position(MORNING + 2 * HOUR) - 50.0).abs() < 0.01);
        assert!((axis.position(MORNING - DAY) - MARGIN).abs() < 0.01);
        assert!((axis.position(MORNING + DAY) - (100.0 - MARGIN)).abs() < 0.01);
    }

    #[test]
    fn a_time_decades_away_does_not_squeeze_the_rest() {
        let far = MORNING + 70 * 365 * DAY;
        let axis = axis(&[(MORNING, MORNING + HOUR), (MORNING + 2 * HOUR, MORNING + 3 * HOUR), (far, far)]);
        assert_eq!(axis.breaks().count(), 1);
        assert!(axis.position(MORNING + 3 * HOUR) > 65.0);
        assert!(axis.position(far) > 90.0);
    }

    #[test]
    fn ticks_are_few_and_in_order_whatever_the_length() {
        for exponent in 0..34 {
            let axis = axis(&[(MORNING, MORNING + (1 << exponent))]);
            let ticks = axis.ticks();
            assert!((1..=6).contains(&ticks.len()), "2^{exponent} s: {ticks:?}");
            assert!(ticks.windows(2).all(|pair| pair[1].at - pair[0].at > 9.0), "2^{exponent} s: {ticks:?}");
        }
    }

    #[test]
    fn one_moment_is_an_axis_too() {
        let axis = axis(&[(MORNING, MORNING)]);
        assert!((axis.position(MORNING) - 50.0).abs() < 1.0);
        assert_eq!(axis.ticks().len(), 1);
        assert!(Axis::new(&[]).is_none());
    }
}
