//! A library's beginning, its settings, and its compression on demand.

use std::collections::BTreeSet;

use super::plan::{Effort, Plan, differences, over_capacity};
use super::{Call, Error, LARGE_LIBRARY, Memory, library, standing, to_write};
use crate::answers::{CompressReport, SettingsReport};
use crate::compression::{self, Compression, Evicted};
use crate::error::{Code, Refusal};
use crate::experience::{Experience, ExperienceId};
use crate::history::RevisionKind;
use crate::library::{Library, LibraryName};
use crate::ports::Snapshot;
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

impl Memory {
    /// Makes a library. Again it changes nothing; what is said must then be what stands.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let web = LibraryName::parse("web")?;
    /// let init = Init { settings: vec![("capacity".to_owned(), "50".to_owned())], ..Init::default() };
    /// assert_eq!(memory.init(&web, &init, &call)?.settings.capacity, 50);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_exists` where a setting differs, `bad_setting`, and failures of the store.
    pub fn init(&self, name: &LibraryName, init: &Init, call: &Call) -> Result<Library, Error> {
        init.check()?;
        self.change(name, |transaction| {
            if let Some(first) = call.first_answer(transaction)? {
                return Ok(first);
            }
            let library = match standing(transaction, name)? {
                Some(standing) => {
                    init.refuse_difference(name, &standing.settings)?;
                    standing
                }
                None => {
                    let library = Library::new(init.change().applied_to(&Settings::default())?);
                    transaction.put_library(&library)?;
                    library
                }
            };
            call.remember(transaction, &library.settings, library.clone())?;
            Ok(library)
        })
    }

    /// A library's settings.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
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
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let change = SettingsChange { set: vec![("top_k".to_owned(), "3".to_owned())], ..SettingsChange::default() };
    /// assert_eq!(memory.change_settings(&library, &change, &call)?.settings.top_k, 3);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_setting`, `over_capacity`, `capacity_pinned`, `library_missing`, and failures of the store.
    pub fn change_settings(
        &self,
        name: &LibraryName,
        change: &SettingsChange,
        call: &Call,
    ) -> Result<SettingsReport, Error> {
        self.carry_out(name, call, Effort::Large, |snapshot| {
            let found = standing(snapshot, name)?;
            let mut plan = Plan::new(RevisionKind::Settings, found.clone(), to_write(found, name)?);
            plan.library.settings = change.applied_to(&plan.library.settings)?;
            let evicted = make_room(snapshot, &mut plan, change.evict)?;
            let (settings, revision) = (plan.library.settings.clone(), plan.number());
            Ok((plan, SettingsReport { settings, evicted, revision }))
        })
    }

    /// Compresses a library to its capacity, or to what is asked.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests at first.")]), &call)?;
    /// let report = memory.compress(&library, &Compress { to: Some(1), dry_run: true, ..Compress::default() }, &call)?;
    /// assert_eq!((report.evicted[0].id, report.size), (1, 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `capacity_pinned`, `bad_value`, `library_missing`, and failures of the store.
    pub fn compress(&self, name: &LibraryName, compress: &Compress, call: &Call) -> Result<CompressReport, Error> {
        check(compress)?;
        let plan = |snapshot: &dyn Snapshot| {
            let library = library(snapshot, name)?;
            let entries = snapshot.experiences()?;
            let report = choose(&entries, &library, compress)?;
            let mut plan = Plan::new(RevisionKind::Compress, Some(library.clone()), library);
            plan.entries = without(entries, &report.evicted);
            let revision = plan.number();
            Ok((plan, CompressReport { revision, ..report }))
        };
        if compress.dry_run {
            let (plan, report) = self.look(name, plan)?;
            return Ok(CompressReport { revision: plan.library.revision, ..report });
        }
        let size = self.look(name, |snapshot| Ok(snapshot.size()?))?;
        let effort = if size > LARGE_LIBRARY { Effort::Large } else { Effort::Small };
        self.carry_out(name, call, effort, plan)
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
fn choose(entries: &[Experience], library: &Library, compress: &Compress) -> Result<CompressReport, Error> {
    let standing = &library.settings;
    let settings = Settings {
        capacity: compress.to.unwrap_or(standing.capacity),
        strategy: compress.strategy.unwrap_or(standing.strategy),
        seed: compress.seed.unwrap_or(standing.seed),
        rescore: compress.rescore.unwrap_or(standing.rescore),
        age_from: compress.age_from.unwrap_or(standing.age_from),
        ..standing.clone()
    };
    let evicted = compression::compress(&Compression {
        entries,
        spared: &BTreeSet::new(),
        capacity: settings.capacity,
        epoch: library.epoch,
        settings: &settings,
    })?;
    let (size, dry_run) = (entries.len() - evicted.len(), compress.dry_run);
    Ok(CompressReport { strategy: settings.strategy, evicted, size, revision: library.revision, dry_run })
}

/// Compresses a library whose capacity was lowered below its size, where entries may leave.
fn make_room(snapshot: &dyn Snapshot, into: &mut Plan, evict: bool) -> Result<Vec<Evicted>, Error> {
    let capacity = into.library.settings.capacity;
    let size = snapshot.size()?;
    if size <= capacity {
        return Ok(Vec::new());
    }
    let entries = snapshot.experiences()?;
    let report = choose(&entries, &into.library, &Compress::default())?;
    if !evict {
        return Err(over_capacity(size, capacity).into());
    }
    into.entries = without(entries, &report.evicted);
    Ok(report.evicted)
}

/// The change in which these leave.
fn without(entries: Vec<Experience>, evicted: &[Evicted]) -> Vec<(Option<Experience>, Option<Experience>)> {
    let gone: BTreeSet<ExperienceId> = evicted.iter().map(|entry| entry.id).collect();
    let kept = entries.iter().filter(|entry| !gone.contains(&entry.id)).cloned().collect();
    differences(entries, kept)
}

fn library_exists(name: &LibraryName, key: &str, value: &str) -> Refusal {
    let message = format!(
        "library \"{name}\" exists, and its {key} is not {value}; `docet --library {name} settings` shows and changes it"
    );
    Refusal::new(Code::LibraryExists, message).field(key).value(value).allowed("what stands, or nothing")
}
