//! A library's beginning, its settings, and its compression on demand.

use std::collections::BTreeSet;

use super::{Error, Memory, library, library_to_write};
use crate::compression::{self, Compression, Evicted};
use crate::error::{Code, Refusal};
use crate::library::{Library, LibraryName};
use crate::ports::{Snapshot, Transaction};
use crate::settings::{AgeFrom, Preset, Rescore, Settings, Strategy};

/// A library to be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Init {
    /// The preset that its settings start from; recommended where nothing is said.
    pub preset: Option<Preset>,
    /// Settings beside it, as keys and values.
    pub settings: Vec<(String, String)>,
}

/// A compression on demand. What is not said is the library's setting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compress {
    /// By this strategy.
    pub strategy: Option<Strategy>,
    /// To this many entries, 1 to 100,000.
    pub to: Option<usize>,
    /// With this seed.
    pub seed: Option<u64>,
    /// With or without scoring anew.
    pub rescore: Option<Rescore>,
    /// With ages counted from there.
    pub age_from: Option<AgeFrom>,
    /// Whether only to say what would happen.
    pub dry_run: bool,
}

/// What a compression did.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressReport {
    /// The strategy that decided.
    pub strategy: Strategy,
    /// Who left, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

/// A change of settings: the preset first, then what is reset, then what is set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingsChange {
    /// The choices in which the presets differ.
    pub preset: Option<Preset>,
    /// Keys that go back to their defaults.
    pub reset: Vec<String>,
    /// Keys and their values.
    pub set: Vec<(String, String)>,
    /// Whether entries may leave for a lower capacity.
    pub evict: bool,
}

/// Settings after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingsReport {
    /// All of them.
    pub settings: Settings,
    /// Who left for a lower capacity.
    pub evicted: Vec<Evicted>,
    /// The library's revision.
    pub revision: u64,
}

impl Memory {
    /// Makes a library. Again it changes nothing; what is said must then be what stands.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// let web = LibraryName::parse("web")?;
    /// let init = Init { settings: vec![("capacity".to_owned(), "50".to_owned())], ..Init::default() };
    /// assert_eq!(memory.init(&web, &init)?.settings.capacity, 50);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_exists` where a setting differs, `bad_setting`, and failures of the store.
    pub fn init(&self, name: &LibraryName, init: &Init) -> Result<Library, Error> {
        init.check()?;
        self.change(name, |transaction| {
            let Some(standing) = super::standing(transaction, name)? else {
                let library = Library::new(init.change().applied_to(&Settings::default())?);
                transaction.put_library(&library)?;
                return Ok(library);
            };
            init.refuse_difference(name, &standing.settings)?;
            Ok(standing)
        })
    }

    /// A library's settings.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// assert_eq!(memory.settings(&library)?.settings.top_k, 5);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn settings(&self, name: &LibraryName) -> Result<SettingsReport, Error> {
        self.look(name, |snapshot| {
            let library = library(snapshot, name)?;
            Ok(SettingsReport { settings: library.settings, evicted: Vec::new(), revision: library.revision })
        })
    }

    /// Changes settings, checked as a whole. A capacity below the library's size is refused unless entries may leave.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// let change = SettingsChange { set: vec![("top_k".to_owned(), "3".to_owned())], ..SettingsChange::default() };
    /// assert_eq!(memory.change_settings(&library, &change)?.settings.top_k, 3);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_setting`, `over_capacity`, `capacity_pinned`, `library_missing`, and failures of the store.
    pub fn change_settings(&self, name: &LibraryName, change: &SettingsChange) -> Result<SettingsReport, Error> {
        self.change(name, |transaction| {
            let mut library = library_to_write(transaction, name)?;
            let settings = change.applied_to(&library.settings)?;
            let mut changed = settings != library.settings;
            library.settings = settings;
            let evicted = make_room(transaction, &library, change.evict)?;
            changed |= !evicted.is_empty();
            library.revision += u64::from(changed);
            transaction.put_library(&library)?;
            Ok(SettingsReport { settings: library.settings, evicted, revision: library.revision })
        })
    }

    /// Compresses a library to its capacity, or to what is asked.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests at first.")]), now)?;
    /// let report = memory.compress(&library, &Compress { to: Some(1), dry_run: true, ..Compress::default() })?;
    /// assert_eq!((report.evicted[0].id, report.size), (1, 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `capacity_pinned`, `bad_value`, `library_missing`, and failures of the store.
    pub fn compress(&self, name: &LibraryName, compress: &Compress) -> Result<CompressReport, Error> {
        check(compress)?;
        if compress.dry_run {
            return self.look(name, |snapshot| {
                let library = library(snapshot, name)?;
                plan(snapshot, &library, compress)
            });
        }
        self.change(name, |transaction| {
            let mut library = library(transaction, name)?;
            let report = plan(transaction, &library, compress)?;
            remove(transaction, &report.evicted)?;
            library.revision += u64::from(!report.evicted.is_empty());
            transaction.put_library(&library)?;
            Ok(CompressReport { revision: library.revision, ..report })
        })
    }
}

impl Init {
    /// Checks keys and values, each by itself.
    ///
    /// # Errors
    /// `bad_setting`.
    pub fn check(&self) -> Result<(), Refusal> {
        self.change().check()
    }

    fn change(&self) -> SettingsChange {
        SettingsChange { preset: self.preset, set: self.settings.clone(), ..SettingsChange::default() }
    }

    /// Refuses to make a library that stands, where a setting that was given differs from what stands.
    fn refuse_difference(&self, name: &LibraryName, standing: &Settings) -> Result<(), Refusal> {
        let mut wanted = standing.clone();
        if let Some(preset) = self.preset {
            wanted.apply_preset(preset);
            if wanted != *standing {
                return Err(library_exists(name, "preset", preset.name()));
            }
        }
        for (key, value) in &self.settings {
            wanted.set(key, value)?;
            if wanted != *standing {
                return Err(library_exists(name, key, value));
            }
        }
        Ok(())
    }
}

impl SettingsChange {
    /// Whether there is anything to change.
    pub fn is_empty(&self) -> bool {
        self.preset.is_none() && self.reset.is_empty() && self.set.is_empty()
    }

    /// Checks keys and values, each by itself.
    ///
    /// # Errors
    /// `bad_setting`.
    pub fn check(&self) -> Result<(), Refusal> {
        self.write_to(&mut Settings::default())
    }

    fn applied_to(&self, settings: &Settings) -> Result<Settings, Refusal> {
        let mut settings = settings.clone();
        self.write_to(&mut settings)?;
        settings.check()?;
        Ok(settings)
    }

    fn write_to(&self, settings: &mut Settings) -> Result<(), Refusal> {
        if let Some(preset) = self.preset {
            settings.apply_preset(preset);
        }
        self.reset.iter().try_for_each(|key| settings.reset(key))?;
        self.set.iter().try_for_each(|(key, value)| settings.set(key, value))
    }
}

fn check(compress: &Compress) -> Result<(), Refusal> {
    match (compress.to, compress.seed) {
        (Some(to), _) if !(1..=100_000).contains(&to) => Err(Refusal::out_of_range("to", to, "1 to 100,000")),
        (_, Some(seed)) if seed >= 1 << 53 => Err(Refusal::out_of_range("seed", seed, "0 to 2^53 - 1")),
        _ => Ok(()),
    }
}

/// Who would leave.
fn plan(snapshot: &(impl Snapshot + ?Sized), library: &Library, compress: &Compress) -> Result<CompressReport, Error> {
    let standing = &library.settings;
    let settings = Settings {
        capacity: compress.to.unwrap_or(standing.capacity),
        strategy: compress.strategy.unwrap_or(standing.strategy),
        seed: compress.seed.unwrap_or(standing.seed),
        rescore: compress.rescore.unwrap_or(standing.rescore),
        age_from: compress.age_from.unwrap_or(standing.age_from),
        ..standing.clone()
    };
    let entries = snapshot.experiences()?;
    let evicted = compression::compress(&Compression {
        entries: &entries,
        spared: &BTreeSet::new(),
        capacity: settings.capacity,
        epoch: library.epoch,
        settings: &settings,
    })?;
    let (size, dry_run) = (entries.len() - evicted.len(), compress.dry_run);
    Ok(CompressReport { strategy: settings.strategy, evicted, size, revision: library.revision, dry_run })
}

/// Compresses a library whose capacity was lowered below its size, where entries may leave.
fn make_room(transaction: &mut dyn Transaction, library: &Library, evict: bool) -> Result<Vec<Evicted>, Error> {
    let report = plan(transaction, library, &Compress::default())?;
    let size = report.size + report.evicted.len();
    if !report.evicted.is_empty() && !evict {
        return Err(over_capacity(size, library.settings.capacity).into());
    }
    remove(transaction, &report.evicted)?;
    Ok(report.evicted)
}

fn remove(transaction: &mut dyn Transaction, evicted: &[Evicted]) -> Result<(), Error> {
    for entry in evicted {
        transaction.remove_experience(entry.id)?;
    }
    Ok(())
}

fn over_capacity(size: usize, capacity: usize) -> Refusal {
    let message = format!(
        "the library holds {size} entries, {} over capacity {capacity}; add --evict to let them leave, or allow {size}",
        size - capacity
    );
    Refusal::new(Code::OverCapacity, message)
        .field("capacity")
        .value(capacity)
        .allowed(format!("{size} or more, or --evict"))
}

fn library_exists(name: &LibraryName, key: &str, value: &str) -> Refusal {
    let message = format!(
        "library \"{name}\" exists, and its {key} is not {value}; `docet --library {name} settings` shows and changes it"
    );
    Refusal::new(Code::LibraryExists, message).field(key).value(value).allowed("what stands, or nothing")
}
