//! Power cuts: what the recorded session could have left on a disk, put into folders, and gone on from there.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use baton_testkit::power::disk::{Choice, Disk, Image};
use baton_testkit::power::trace::{Call, Step};
use baton_testkit::random::Random;

use super::office::Office;
use super::session::{COMMANDS, Ending, Reference};

/// How many images are made of each moment, by what they hold of what was not flushed.
const IMAGES: &[(Choice, usize)] = &[
    (Choice::Nothing, 1),
    (Choice::Everything, 1),
    (Choice::InOrder, 2),
    (Choice::AnySubset, 3),
    (Choice::Torn, 3),
];

/// A moment at which the power fails.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// So many steps of the session are over.
    steps: usize,
    /// So many commands were acknowledged.
    acknowledged: usize,
}

/// An image to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    moment: Moment,
    choice: Choice,
    number: usize,
}

/// Calls of the session that the disk is told to forget, to see that the check finds what is lost then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planted {
    Nothing,
    /// No flush at all.
    NoFlush,
    /// The log is not flushed at each commit, as with `synchronous=NORMAL`.
    NoCommitFlush,
    /// Names are not flushed.
    NoFolderFlush,
}

/// The session as one list of steps.
pub(super) struct Session<'a> {
    reference: &'a Reference,
    steps: Vec<(usize, Step)>,
}

impl<'a> Session<'a> {
    pub(super) fn new(reference: &'a Reference, planted: Planted) -> Self {
        let mut steps = Vec::new();
        let mut number = 0;
        for (command, calls) in reference.calls.iter().enumerate() {
            let first = number;
            for step in calls {
                number += 1;
                let step = Step { began: first + step.began, call: step.call.clone() };
                steps.push((command, planted.spoil(step, &reference.before[COMMANDS.len()])));
            }
        }
        Session { reference, steps }
    }

    /// Lists every image there is to try, in an order in which any beginning of the list is a fair sample.
    pub(super) fn outages(&self, seed: u64) -> Vec<Outage> {
        let mut outages = Vec::new();
        for moment in self.moments() {
            for (choice, count) in IMAGES {
                for _ in 0..*count {
                    outages.push(Outage { moment, choice: *choice, number: outages.len() });
                }
            }
        }
        let random = &mut Random::numbered(seed, 0);
        for place in (1..outages.len()).rev() {
            outages.swap(place, random.below(place + 1));
        }
        outages
    }

    /// Before each flush, after each acknowledgment, and at the end of each command.
    fn moments(&self) -> Vec<Moment> {
        let mut moments = Vec::new();
        let mut acknowledged = 0;
        for (index, (command, step)) in self.steps.iter().enumerate() {
            if matches!(step.call, Call::Flush { .. }) {
                moments.push(Moment { steps: index, acknowledged });
            }
            let is_last = self.steps.get(index + 1).is_none_or(|(next, _)| next != command);
            let is_said = step.call == Call::Say && COMMANDS[*command].1 == 0;
            if is_said || is_last {
                acknowledged = command + 1;
                moments.push(Moment { steps: index + 1, acknowledged });
            }
        }
        moments
    }

    /// Makes the images of a list and has them looked at, until enough different ones were. Returns how many; one that
    /// nobody looked at does not count.
    pub(super) fn each_image(
        &self,
        outages: &[Outage],
        enough: usize,
        mut look: impl FnMut(&Outage, &Image) -> bool,
    ) -> Result<usize, String> {
        let mut sorted: Vec<&Outage> = outages.iter().collect();
        let mut seen = BTreeSet::new();
        let mut left = enough;
        // The list is taken in pieces, so that the beginning of it is a fair sample; each piece is one walk along the session.
        while left > 0 && !sorted.is_empty() {
            let rest = sorted.split_off(left.min(sorted.len()));
            sorted.sort_by_key(|outage| outage.moment.steps);
            left -= self.walk(&sorted, &mut seen, &mut look)?;
            sorted = rest;
        }
        Ok(enough - left)
    }

    fn walk(
        &self,
        outages: &[&Outage],
        seen: &mut BTreeSet<u64>,
        look: &mut impl FnMut(&Outage, &Image) -> bool,
    ) -> Result<usize, String> {
        let mut disk = Disk::holding(&self.reference.before[0]);
        let (mut done, mut looked) = (0, 0);
        for outage in outages {
            for (_, step) in &self.steps[done..outage.moment.steps] {
                disk.perform(step)?;
            }
            done = outage.moment.steps;
            let image = disk.image(outage.choice, &mut Random::numbered(SEED, outage.number));
            let mut hasher = DefaultHasher::new();
            image.hash(&mut hasher);
            if seen.insert(hasher.finish()) {
                looked += usize::from(look(outage, &image));
            }
        }
        Ok(looked)
    }

    /// The model is right about the undisturbed session: after each command it holds what the real folders held.
    pub(super) fn model_agrees(&self) -> Result<(), String> {
        let mut disk = Disk::holding(&self.reference.before[0]);
        for (index, (command, step)) in self.steps.iter().enumerate() {
            disk.perform(step)?;
            if self.steps.get(index + 1).is_some_and(|(next, _)| next == command) {
                continue;
            }
            let model = disk.image(Choice::Everything, &mut Random::numbered(SEED, 0));
            if let Some(difference) = difference(&model, &self.reference.before[command + 1]) {
                return Err(format!("after {:?}: {difference}", COMMANDS[*command].0));
            }
        }
        Ok(())
    }

    /// Puts an image where the binary works, and only looks whether everything acknowledged is there.
    pub(super) fn keeps(&self, office: &Office, outage: &Outage, image: &Image) -> Result<(), String> {
        office.put(image);
        self.reference.keeps(office, outage.moment.acknowledged).map(|_| ())
    }

    /// Puts an image where the binary works, and sees whether everything acknowledged is there and work goes on.
    pub(super) fn holds(&self, office: &Office, outage: &Outage, image: &Image) -> Result<(), String> {
        office.put(image);
        let acknowledged = outage.moment.acknowledged;
        // The first to open the store afterwards is somebody who looks, or somebody who works.
        if outage.number.is_multiple_of(2) {
            self.reference.keeps(office, acknowledged)?;
        }
        match acknowledged == COMMANDS.len() {
            true => self.reference.is_as_at(office, acknowledged, acknowledged),
            false => self.reference.holds(office, acknowledged, &Ending::Cut),
        }
    }
}

const SEED: u64 = 16_112_026;

/// Returns the first place at which the model and the real folders differ.
fn difference(model: &Image, real: &Image) -> Option<String> {
    let path = model.keys().chain(real.keys()).find(|path| model.get(*path) != real.get(*path))?;
    let told = |image: &Image| match image.get(path) {
        None => "nothing".to_owned(),
        Some(None) => "a folder".to_owned(),
        Some(Some(bytes)) => format!("{} bytes", bytes.len()),
    };
    let bytes = |image: &Image| image.get(path).cloned().flatten().unwrap_or_default();
    let at = bytes(model).iter().zip(&bytes(real)).position(|(model, real)| model != real);
    Some(format!(
        "{path} is {} in the model, and {} in truth; they differ at {at:?}",
        told(model),
        told(real)
    ))
}

impl Planted {
    pub(super) const BUGS: &'static [Planted] =
        &[Planted::NoFlush, Planted::NoCommitFlush, Planted::NoFolderFlush];

    fn spoil(self, step: Step, end: &Image) -> Step {
        let Call::Flush { path } = &step.call else { return step };
        let is_folder = end.get(path).is_some_and(Option::is_none);
        let is_forgotten = match self {
            Planted::Nothing => false,
            Planted::NoFlush => true,
            Planted::NoCommitFlush => path.ends_with("-wal"),
            Planted::NoFolderFlush => is_folder,
        };
        // A forgotten flush stays a moment at which the power may fail.
        if is_forgotten { Step { began: 0, call: step.call } } else { step }
    }
}
