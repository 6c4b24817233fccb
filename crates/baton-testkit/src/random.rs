//! A small random number generator (SplitMix64), so that the same seed gives the same tests everywhere.

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns a generator of its own for the thing with this index, so that the first hundred of twenty
    /// thousand are the same as when only a hundred are made.
    pub fn numbered(seed: u64, index: usize) -> Self {
        let mut random = Self { state: seed ^ (index as u64).wrapping_mul(GOLDEN_GAMMA) };
        random.next();
        random
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns up to `count` members of a list, each at most once, in the order of the list.
    pub fn some<'a, T>(&mut self, from: &'a [T], count: usize) -> Vec<&'a T> {
        let mut wanted = count.min(from.len());
        let mut chosen = Vec::with_capacity(wanted);
        for (position, member) in from.iter().enumerate() {
            if self.below(from.len() - position) < wanted {
                chosen.push(member);
                wanted -= 1;
            }
        }
        chosen
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
