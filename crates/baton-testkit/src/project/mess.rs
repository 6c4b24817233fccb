//! Honest chains with the mess of ordinary work.
//!
//! Reading order: [`chain`] decides what happened, [`document`] writes what was said about it, [`integration`]
//! decides how it came into the repository, [`afterwards`] what happened to it later, [`world`] writes all of it.

mod afterwards;
mod chain;
mod document;
mod event;
mod integration;
mod world;

use std::io;
use std::path::Path;

use super::Project;
use super::moment::BEGIN;
use crate::random::Random;
use chain::Chain;
use world::World;

/// The chance, of a hundred, that something happens to the files of a chain when it is over.
const AFTERWARDS_PERCENT: usize = 50;

pub(crate) fn write(folder: &Path, seed: u64, chains: usize) -> io::Result<Project> {
    let mut begin = BEGIN;
    let chains: Vec<Chain> = (0..chains)
        .map(|number| {
            let mut random = Random::numbered(seed, number);
            begin = begin.plus_minutes(random.between(15, 240) as i64);
            Chain::random(number, begin, &mut random)
        })
        .collect();
    let mut world = World::begin(folder, &chains)?;
    let mut events = Vec::new();
    for (number, chain) in chains.iter().enumerate() {
        let mut random = Random::numbered(seed ^ 1, number);
        events.extend(integration::place(chain, &mut random)?);
    }
    let end = events.iter().map(|event| event.committed).max().unwrap_or(BEGIN);
    for (number, chain) in chains.iter().enumerate() {
        let mut random = Random::numbered(seed ^ 2, number);
        if random.chance(AFTERWARDS_PERCENT) {
            events.extend(afterwards::place(chain, end, &mut random));
        }
    }
    world.write(events)?;
    world.finish(chains.len())
}
