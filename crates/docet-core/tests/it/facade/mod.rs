//! The facade's promises: what a call leaves alone, what it refuses, and what a session sees.

mod encoders;
mod libraries;
mod recall;
mod sessions;
mod updates;

use docet_core::error::{Code, Error};
use docet_core::memory::SettingsChange;

use crate::world::World;

const LESSONS: [&str; 4] = [
    "Read the error before you change the code.",
    "Run the tests before you commit.",
    "Close the cookie banner first.",
    "Ask before you delete what you did not make.",
];

fn with_lessons(settings: &[(&str, &str)]) -> World {
    let world = World::with(settings);
    world.add(&LESSONS);
    world
}

fn code<T>(result: Result<T, Error>) -> Option<Code> {
    result.err().map(|error| error.code())
}

/// A call, and what it is.
type Step<'a> = (&'a str, &'a dyn Fn(&World));

/// Whether a call changes anything that the store keeps.
fn changes(world: &World, call: impl FnOnce(&World)) -> bool {
    let before = world.whole();
    call(world);
    world.whole() != before
}

fn revision(world: &World) -> u64 {
    world.whole().library.map_or(0, |library| library.revision)
}

fn set(key: &str, value: &str) -> SettingsChange {
    SettingsChange { set: vec![(key.to_owned(), value.to_owned())], ..SettingsChange::default() }
}
